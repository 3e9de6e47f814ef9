"""Markdown of transcripts: what is drawn, and that nothing in it can run, load or lead astray."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from components.tape_view.markdown import TAGS, render

PAYLOADS = (
    "<script>boom()</script>",
    "<img src=x onerror=boom()>",
    "<svg onload=boom()><animate onbegin=boom() attributeName=x></svg>",
    "<iframe srcdoc='<script>boom()</script>'></iframe>",
    "[go](javascript:boom())",
    "[go](JaVaScRiPt&colon;boom())",
    "[go](data:text/html,<script>boom()</script>)",
    "[go](vbscript:boom())",
    '![p](https://pixel.example/p.png?u=1 "x\\" onerror=boom()")',
    "![q](//pixel.example/q) ![r](javascript:boom())",
    '```"><img src=x onerror=boom()>\nx\n```',
    "<math><mtext></mtext><mglyph><style><img src=x onerror=boom()></style></math>",
)


class Seen(HTMLParser):
    """The tags and attributes of a piece of HTML."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[tuple[str, str, str]] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {(tag, name, value or "") for name, value in attrs}


@pytest.mark.parametrize("payload", PAYLOADS)
@pytest.mark.parametrize("frame", ["{}", "# {}", "- {}", "> {}", "|a|\n|-|\n|{}|", "**{}**", "`` {} ``"])
def test_nothing_hostile_comes_through(payload: str, frame: str) -> None:
    seen = Seen(render(frame.format(payload)))
    assert seen.tags <= TAGS
    assert {name for _, name, _ in seen.attributes} <= {"href", "title", "target", "rel", "class", "start"}
    addresses = [value for _, name, value in seen.attributes if name == "href"]
    assert all(value.startswith(("http:", "https:", "mailto:")) for value in addresses)


def test_an_image_becomes_its_address() -> None:
    html = render("see ![a cat](https://pixel.example/cat.png)")
    assert "image not loaded: a cat · https://pixel.example/cat.png" in html
    assert "<img" not in html


def test_a_link_leads_out_without_telling_from_where() -> None:
    seen = Seen(render("[docs](https://docs.example/a)"))
    assert ("a", "href", "https://docs.example/a") in seen.attributes
    assert ("a", "rel", "noopener noreferrer nofollow") in seen.attributes
    assert ("a", "target", "_blank") in seen.attributes


def test_raw_html_is_shown_as_text() -> None:
    assert render("<b>bold</b>") == "<p>&lt;b&gt;bold&lt;/b&gt;</p>\n"


def test_code_is_colored_where_its_language_is_named() -> None:
    assert '<span class="k">def</span>' in render("```python\ndef f(): ...\n```")
    assert "span" not in render("```\ndef f(): ...\n```")
    assert "span" not in render("```no-such-language\ndef f(): ...\n```")


def test_long_code_is_left_uncolored() -> None:
    code = "x = 1\n" * 5_000
    assert "span" not in render(f"```python\n{code}```")


def test_line_ends_of_a_paragraph_stay() -> None:
    assert render("one\ntwo") == "<p>one<br>\ntwo</p>\n"


def test_lists_start_where_they_say() -> None:
    assert ("ol", "start", "3") in Seen(render("3. c\n4. d")).attributes

"""Transcripts that want to act: nothing runs, nothing is loaded, everything is shown as text.

The harness fails a test for a request to another server and for a console error; what ran calls ``boom``.
"""

from __future__ import annotations

import json
from typing import Any

from playwright.sync_api import expect

from tests.browser.deck import Deck
from tests.browser.test_opening import file

MARKUP = (
    "<script>boom()</script><img src=x onerror=boom()><svg onload=boom()>"
    "<iframe srcdoc='<script>boom()</script>'></iframe>"
    "[click](javascript:boom()) ![pixel](https://pixel.example/p.png) ![p](//pixel.example/q) "
    "<a href='https://pixel.example' ping='https://pixel.example'>a</a> \x1b[31mred\x1b[0m make \u202e# tset"
)

PAYLOADS = (
    "<script>boom()</script>",
    "<img src=x onerror=boom()>",
    "<svg/onload=boom()>",
    "<iframe srcdoc='<script>parent.boom()</script>'></iframe>",
    "<a href='javascript:boom()'>a</a>",
    "[click](javascript:boom()) [data](data:text/html;base64,PHNjcmlwdD4=)",
    "![pixel](https://pixel.example/p.png) ![p](//pixel.example/q)",
    "<style>@import url(https://pixel.example/s.css); * { background: url(https://pixel.example/b) }</style>",
    "<math><mtext><table><mglyph><style><img src=x onerror=boom()></style></mglyph></table></mtext></math>",
    "<form action=https://pixel.example><input autofocus onfocus=boom()><button>go</button></form>",
    '"><details open ontoggle=boom()><summary>x</summary></details><video src=x onerror=boom()></video>',
    "<!--><img src=x onerror=boom()>--></title></script><script>boom()</script>{{boom()}}${boom()}",
)
"""Twelve ways in which text has run or loaded something on other pages."""


def everywhere(words: str) -> dict[str, Any]:
    """A request body with the words in every string that a transcript can have."""
    image = {"type": "image", "source": {"type": "url", "url": "https://pixel.example/i.png"}}
    vector = {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/svg+xml", "data": "PHN2Zz4="},
    }
    return {
        "model": words,
        "system": [{"type": "text", "text": words}],
        "tools": [{"name": words, "description": words, "input_schema": {"type": "object", words: words}}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": words}, image, vector]},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": words, "signature": words},
                    {"type": "text", "text": words},
                    {"type": "tool_use", "id": words, "name": words, "input": {words: words, "path": words}},
                    {
                        "type": "tool_use",
                        "id": f"patch {words}",
                        "name": "apply_patch",
                        "input": {"input": f"*** Begin Patch\n*** Update File: {words}\n-{words}\n+{words}"},
                    },
                    {
                        "type": "tool_use",
                        "id": f"edits {words}",
                        "name": words,
                        "input": {"edits": [{"old_string": words, "new_string": f"{words}."}]},
                    },
                    {"type": words, words: words},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": words, "content": words},
                    {
                        "type": "tool_result",
                        "tool_use_id": f"patch {words}",
                        "content": f"Exit code 1\n{words}",
                    },
                    {
                        "type": "tool_result",
                        "tool_use_id": f"edits {words}",
                        "content": words,
                        "is_error": True,
                    },
                ],
            },
            {"role": words, "content": words},
        ],
    }


def test_nothing_of_a_transcript_runs_or_loads(deck: Deck) -> None:
    deck.page.evaluate("() => { window.ran = 0; window.boom = () => { window.ran += 1 } }")
    deck.upload(file(f"{MARKUP[:60]}.json".replace("/", "_"), everywhere(MARKUP)))
    deck.holds(4)
    deck.do("unfold")
    closed = deck.tape.locator("button.folder[aria-expanded=false]")
    for left in range(closed.count(), 0, -1):
        closed.first.click()
        expect(closed).to_have_count(left - 1)
    for position in range(4):
        deck.bar.locator(".goto").fill(str(position))
        deck.bar.locator(".goto").press("Enter")
        expect(deck.card(position)).to_be_visible()
    for name in ("Problems", "Message", "Request", "Run", "Export", "Tokens"):
        expect(deck.panel(name)).not_to_be_empty()
    expect(deck.tape).to_contain_text("<script>boom()</script>")
    assert deck.page.locator("script", has_text="boom()").count() == 0
    assert deck.tape.locator("iframe, svg[onload], [onerror]").count() == 0
    links = [link.get_attribute("href") or "" for link in deck.tape.locator("a").all()]
    assert not [href for href in links if href.lower().startswith("javascript")]
    assert deck.page.evaluate("window.ran") == 0


def test_no_payload_runs_or_loads_in_any_view(deck: Deck) -> None:
    page = deck.page
    page.evaluate("() => { window.ran = 0; window.boom = () => { window.ran += 1 } }")
    for number, payload in enumerate(PAYLOADS):
        # The number says that it is this file that is looked at, and not still the one before.
        deck.upload(file(f"{number}.json", everywhere(f"#{number}# {payload}")))
        expect(deck.card(0)).to_contain_text(f"#{number}#")
        deck.rests()
        deck.do("unfold")
        deck.key("o")
        expect(deck.tape.locator(".outline .row").first).to_be_visible()
        deck.key("Escape", "F")
        expect(deck.tape.locator(".filters .chip").first).to_be_visible()
        deck.key("Escape")
        deck.bar.locator(".query").fill(f"#{number}#")
        expect(deck.bar.locator(".found")).to_be_visible()
        deck.bar.locator(".found").click()
        expect(deck.tape.locator(".hits .row").first).to_be_visible()
        page.keyboard.press("Escape")
        deck.bar.locator(".query").fill("")
        assert page.evaluate("window.ran") == 0, payload


def test_what_acts_on_text_is_written_out(deck: Deck) -> None:
    deck.upload(file("acting.json", [{"role": "user", "content": "make clean \u202e# tset"}]))
    deck.holds(1)
    expect(deck.card(0)).to_contain_text("<U+202E>")


def test_one_huge_line_does_not_freeze_the_page(deck: Deck) -> None:
    deck.upload(file("huge.json", [{"role": "user", "content": "x" * 5_000_000}]))
    deck.holds(1)
    assert len(deck.card(0).inner_text()) < 100_000
    expect(deck.card(0)).to_contain_text("5,000,000")


def test_a_session_of_another_browser_is_not_readable_by_other_pages(deck: Deck) -> None:
    refused = deck.page.request.get(
        f"{deck.page.url}tape/deck/guessed/index", headers={"Sec-Fetch-Site": "cross-site"}
    )
    assert refused.status in (403, 404)
    assert "Is the add function" not in json.dumps(refused.text())

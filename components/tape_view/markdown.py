"""Markdown of a transcript to HTML that is safe to show: the only HTML that ever reaches the page.

Raw HTML in the text stays text, the result is sanitized against a list of what may pass, links lead only to
http, https and mailto addresses, and images are never loaded: their address is shown instead. What the
browser does with the result is the business of ``safe_html.js``, which checks it once more.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.token import STANDARD_TYPES
from pygments.util import ClassNotFound

HIGHLIGHT_LIMIT = 20_000
SCHEMES = {"http", "https", "mailto"}
TAGS = {
    *(
        "a",
        "blockquote",
        "br",
        "code",
        "del",
        "em",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "li",
        "ol",
        "p",
    ),
    *("pre", "s", "span", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul"),
}
CLASSES = {
    "span": {"image-left-out", *(name for name in STANDARD_TYPES.values() if name)},
    "code": {"block"},
}
_FORMATTER = HtmlFormatter(nowrap=True)


def render(text: str) -> str:
    """Sanitized HTML of a Markdown text whose acting characters are already visible.

    Tables and strikethrough are on, raw HTML is off. Fenced code of up to 20,000 characters is colored where
    its language is named.
    """
    rendered = _MARKDOWN.render(text)
    return nh3.clean(
        rendered,
        tags=TAGS,
        attributes={"a": {"href"}, "ol": {"start"}, "th": set(), "td": set()},
        allowed_classes=CLASSES,
        url_schemes=SCHEMES,
        link_rel="noopener noreferrer nofollow",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )


def _fence(renderer: RendererHTML, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    token = tokens[at]
    language = token.info.split()[0] if token.info.split() else ""
    return f'<pre><code class="block">{_colored(token.content, language)}</code></pre>\n'


def _colored(code: str, language: str) -> str:
    if language and len(code) <= HIGHLIGHT_LIMIT:
        try:
            lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
        except ClassNotFound:
            return escape(code)
        return highlight(code, lexer, _FORMATTER)
    return escape(code)


def _image(renderer: RendererHTML, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    token = tokens[at]
    words = token.content.strip()
    address = str(token.attrGet("src") or "")
    if address.startswith("data:"):
        address = f"{address[:40]}…" if len(address) > 40 else address
    label = f"{words} · " if words else ""
    return f'<span class="image-left-out">image not loaded: {escape(label + address)}</span>'


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "linkify": False, "typographer": False, "breaks": True})
    parser.enable(["table", "strikethrough"])
    parser.add_render_rule("fence", _fence)
    parser.add_render_rule("code_block", _fence)
    parser.add_render_rule("image", _image)
    return parser


_MARKDOWN = _parser()

"""Writes JSON the way the text around it is written: spacing, indent, line ends and escapes."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from tape.json_spans import members, skip
from tape.model import Json

_ASCII_ESCAPE = re.compile(r"\\u(?!00[0-7])[0-9a-fA-F]{4}")
_HTML = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})
_COLON = re.compile(r'"([ \t]*:[ \t]*)["\[{\dtfn-]')
_COMMA = re.compile(r'["\]}\dle](,[ \t]*)(?=["\[{\r\n])')
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Escapes:
    """How strings are written: non-ASCII as ``\\u`` escapes, ``<>&`` as escapes, slashes with a backslash."""

    ascii: bool = False
    html: bool = False
    slash: bool = False

    def string(self, value: str) -> str:
        """The string as JSON. A lone surrogate becomes U+FFFD."""
        made = json.dumps(_SURROGATE.sub("\ufffd", value), ensure_ascii=self.ascii)
        if self.html:
            made = made.translate(_HTML)
        return made.replace("/", "\\/") if self.slash else made


@dataclass(frozen=True, slots=True)
class Layout:
    """How a container is written: what stands between members and around the colon; ``unit`` is the indent
    of one level where every member has its own line, else ``None``."""

    comma: str = ", "
    colon: str = ": "
    unit: str | None = None
    newline: str = "\n"


def escapes_of(text: str) -> Escapes:
    """The escapes that a JSON text uses."""
    return Escapes(
        ascii=text.isascii() and _ASCII_ESCAPE.search(text) is not None,
        html="\\u003c" in text or "\\u003e" in text or "\\u0026" in text,
        slash="\\/" in text,
    )


def layout_of(text: str, start: int, end: int, above: Layout | None = None) -> Layout:
    """The layout of the container at ``text[start:end]``; what it does not show is taken from ``above``."""
    above = above or Layout()
    colon = _COLON.search(text, start, end)
    comma = _COMMA.search(text, start, end)
    inner = skip(text, start + 1)
    if inner >= end - 1:
        return Layout(above.comma, above.colon, above.unit, above.newline)
    opening = text[start + 1 : inner]
    if "\n" not in opening:
        if comma is None and colon is None:
            return Layout(above.comma if above.unit is None else ", ", above.colon, None, above.newline)
        tight = colon is not None and colon[1] == ":"
        return Layout(
            comma[1] if comma else "," if tight else ", ",
            colon[1] if colon else ":" if above.colon == ":" else ": ",
            None,
            above.newline,
        )
    before = text[start + 1 : end - 1]
    closing = before[len(before.rstrip(" \t\r\n")) :]
    outer, own = closing.rpartition("\n")[2], opening.rpartition("\n")[2]
    unit = own.removeprefix(outer) or "  "
    newline = "\r\n" if "\r\n" in opening else "\n"
    return Layout(",", colon[1] if colon else above.colon, unit, newline)


def dumps(value: Json, layout: Layout, escapes: Escapes, indent: str = "") -> str:
    """A value as JSON text; ``indent`` is what stands before the line on which it begins."""
    if isinstance(value, str):
        return escapes.string(value)
    if isinstance(value, dict) and value:
        parts = [
            f"{escapes.string(str(k))}{layout.colon}{dumps(v, layout, escapes, indent + (layout.unit or ''))}"
            for k, v in value.items()
        ]
        return _wrap(parts, "{}", layout, indent)
    if isinstance(value, (list, tuple)) and value:
        parts = [dumps(v, layout, escapes, indent + (layout.unit or "")) for v in value]
        return _wrap(parts, "[]", layout, indent)
    return json.dumps(value)


def _wrap(parts: list[str], brackets: str, layout: Layout, indent: str) -> str:
    if layout.unit is None:
        return brackets[0] + layout.comma.join(parts) + brackets[1]
    line = layout.newline + indent
    return brackets[0] + line + layout.unit + f",{line}{layout.unit}".join(parts) + line + brackets[1]


def restyle(text: str, value: Json) -> str:
    """The value written as the JSON text ``text`` is written: for JSON that stands inside a string."""
    start = skip(text, 0)
    if text[start : start + 1] not in ("{", "[") or not members(text, start):
        return dumps(value, Layout(), Escapes())
    return dumps(value, layout_of(text, start, len(text.rstrip())), escapes_of(text))

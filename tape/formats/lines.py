"""The records of a file kept, changed, left out, moved or added, with everything between them as it was."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tape.json_style import dumps, escapes_of, layout_of
from tape.json_text import Edit, patch
from tape.model import Json
from tape.records import Source


@dataclass(frozen=True, slots=True)
class Line:
    """A record of the source as it is, or with edits done to it."""

    record: int
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class NewLine:
    """A record that the source did not have."""

    value: Json


Item: TypeAlias = Line | NewLine


def relined(source: Source, items: Iterable[Item]) -> bytes:
    """The body of the source with these records in this order.

    A record goes with the blanks, comments and event names that belong to it. A new one is written in the
    style of the record before it. Raises ``KeyError`` or ``ValueError`` as ``tape.json_text.patch``.
    """
    body, cuts = source.body, _cuts(source)
    newline = b"\r\n" if b"\r\n" in body[: cuts[1]] else b"\n"
    parts: list[bytes] = [body[: cuts[0]]]
    like, previous = 0, -2
    for item in items:
        if isinstance(item, NewLine):
            _end_line(parts, newline)
            parts.append(_written(source, like, item.value) + newline)
            previous = -2
            continue
        i = item.record
        if i != previous + 1:
            _end_line(parts, newline)
        start, end = source.span(i)
        middle = body[start:end]
        if item.edits:
            middle = patch(source.exact(i), item.edits).encode("utf-8", "surrogateescape")
        parts += [body[cuts[i] : start], middle, body[end : cuts[i + 1]]]
        like = previous = i
    return b"".join([*parts, body[cuts[-1] :]])


def _cuts(source: Source) -> list[int]:
    """Where what belongs to each record begins, and where that of the last one ends."""
    body = source.body
    first = len(source.bom) if body is source.data else 0
    cuts = [first + len(body[first : source.span(0)[0]]) - len(body[first : source.span(0)[0]].lstrip())]
    if source.container != "sse":
        cuts = [source.span(0)[0]]
    for i in range(len(source)):
        at = source.span(i)[1]
        while at < len(body) and body[at] in b" \t\r\n":
            at += 1
        cuts.append(at)
    return cuts


def _end_line(parts: list[bytes], newline: bytes) -> None:
    last = next((part for part in reversed(parts) if part), b"\n")
    if not last.endswith(b"\n") and any(part.strip(b"\xef\xbb\xbf") for part in parts):
        parts.append(newline)


def _written(source: Source, like: int, value: Json) -> bytes:
    text = source.exact(like)
    layout = layout_of(text, 0, len(text))
    return dumps(value, layout, escapes_of(text)).encode("utf-8", "replace")


def without(source: Source, gone: Sequence[int]) -> list[Line]:
    """Every record of the source but some."""
    left = set(gone)
    return [Line(i) for i in range(len(source)) if i not in left]

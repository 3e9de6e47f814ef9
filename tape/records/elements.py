"""The elements of the array that a whole document is, as records of their own.

An export holds thousands of conversations in one array on one line: each is parsed when it is asked for, and
the document as a whole never.
"""

from __future__ import annotations

import re
from array import array
from itertools import islice, pairwise
from typing import Any, Final

from tape.json_spans import skip, walk
from tape.records.framing import Buffer, skip_blank, strip_blank
from tape.records.source import Source

KEYS: Final = 3
BLANK: Final = rb"[ \t\r\n]*"
SCALAR: Final = rb'(?:"[^"\\]*(?:\\.[^"\\]*)*"|[\w.+-]+)'


class Elements(Source):
    """A source whose records are the elements of its document. The one that was asked for last is kept."""

    __slots__ = ("_lines", "_recent", "_spans")

    def __init__(self, source: Source, spans: array[int], lines: array[int]) -> None:
        for name in Source.__slots__:
            setattr(self, name, getattr(source, name))
        self.container = "jsonl"
        self._spans, self._lines = spans, lines
        self._document, self._broken, self._odd = [], {}, {}
        self._recent: tuple[int, Any] = (-1, None)

    def __len__(self) -> int:
        return len(self._lines)

    def span(self, i: int) -> tuple[int, int]:
        """The bytes of element ``i`` in ``body``."""
        return self._spans[2 * i], self._spans[2 * i + 1]

    def line(self, i: int) -> int:
        """The line (counted from 1) on which element ``i`` begins."""
        return self._lines[i]

    def json(self, i: int) -> Any:
        """Element ``i``, parsed. Raises ``Broken`` where it is no JSON."""
        if i != self._recent[0]:
            self._recent = (i, super().json(i))
        return self._recent[1]

    def forget(self) -> None:
        """Drops the element that was asked for last."""
        self._recent = (-1, None)


def elements(source: Source) -> Elements | None:
    """The elements of a source whose document is an array; ``None`` where it is none, or broken."""
    if source.container != "json":
        return None
    start = skip_blank(source.body, len(source.bom) if source.body is source.data else 0, len(source.body))
    if source.body[start : start + 1] != b"[":
        return None
    spans = _told_by_keys(source, start) or _walked(source.body[:].decode("latin-1"), start)
    if not spans:
        return None
    lines = array("L")
    done, line = 0, 1
    for begin in spans[::2]:
        line += source.body[done:begin].count(b"\n")
        done = begin
        lines.append(line)
    return Elements(source, spans, lines)


def _walked(text: str, start: int) -> array[int] | None:
    """Where the elements of the array at ``start`` begin and end, by reading each."""
    spans = array("Q")
    for member, _ in walk(text, start):
        spans.extend((member.value, member.end))
    end = skip(text, spans[-1]) if spans else start
    return spans if text[end : end + 1] == "]" else None


def _told_by_keys(source: Source, start: int) -> array[int] | None:
    """The same where all elements are objects that begin with the same keys, and no other object does.

    What begins with a brace, blanks and a key in quotes is an object, for in a string the quote would end it.
    An object whose key is written with escapes could hide: then nothing is told.
    """
    if not source.holds_document or source.broken(0) is not None:
        return None
    document = source.document
    for count in range(1, KEYS + 1):
        opening = _opening(document, count)
        if opening is None:
            return None
        found = list(opening.finditer(source.body))
        if any(one[0].endswith(b"\\") for one in found):
            return None
        if len(found) == len(document):
            starts = [one.start() for one in found]
            return _spans(source.body, start, starts)
    return None


def _opening(document: list[Any], count: int) -> re.Pattern[bytes] | None:
    """How each element begins, up to its key number ``count``, or an object that has an escape in one of
    these keys; ``None`` where elements differ, or hold more than a word or a number between the keys."""
    first = document[0] if document else None
    keys = list(islice(first, count)) if isinstance(first, dict) else []
    if len(keys) < count:
        return None
    for one in document:
        if not isinstance(one, dict) or list(islice(one, count)) != keys:
            return None
        if any(isinstance(one[key], dict | list) for key in keys[:-1]):
            return None
    *before, last = (re.escape(key.encode()) for key in keys)
    pattern = rb"\{" + BLANK
    for key in before:
        pattern += rb'(?:"[^"\\]*\\|"' + key + rb'"' + BLANK + rb":" + BLANK + SCALAR + BLANK + rb"," + BLANK
    pattern += rb'(?:"' + last + rb'"|"[^"\\]*\\)' + rb")" * len(before)
    return re.compile(pattern)


def _spans(body: Buffer, start: int, starts: list[int]) -> array[int] | None:
    """The spans of the elements that begin at these places, commas and blanks between them left out."""
    spans = array("Q")
    edge = b"["
    for begin, after in pairwise([start + 1, *starts]):
        end = strip_blank(body, begin, after)
        if body[end - 1 : end] != edge:
            return None
        if spans:
            spans.append(strip_blank(body, begin, end - 1))
        spans.append(after)
        edge = b","
    end = strip_blank(body, starts[-1], len(body))
    spans.append(strip_blank(body, starts[-1], end - 1))
    return spans if body[end - 1 : end] == b"]" else None

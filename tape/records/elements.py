"""The elements of the array that a whole document is, as records of their own.

An export holds thousands of conversations in one array on one line: each is parsed when it is asked for, and
the document as a whole never.
"""

from __future__ import annotations

from array import array
from typing import Any

from tape.json_spans import skip, walk
from tape.records.source import Source


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
    start = len(source.bom) if source.body is source.data else 0
    text = source.body[:].decode("latin-1") if source.container == "json" else ""
    at = skip(text, start)
    if text[at : at + 1] != "[":
        return None
    spans, lines = array("Q"), array("L")
    done, line = 0, 1
    for member, _ in walk(text, at):
        line += text.count("\n", done, member.value)
        done = member.value
        spans.extend((member.value, member.end))
        lines.append(line)
    end = skip(text, spans[-1]) if spans else at
    return Elements(source, spans, lines) if lines and text[end : end + 1] == "]" else None

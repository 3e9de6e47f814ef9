"""Where the records of a file begin and end.

Lines end at LF and nowhere else, blank lines are gaps, objects glued on one line are records of their own,
the ``data:`` lines of one event are one record. Nothing parsed is kept: a record is two offsets and a line.
"""

from __future__ import annotations

import mmap
import re
from array import array
from collections.abc import Callable
from typing import Final, Literal, TypeAlias

import orjson

from tape.progress import FRAMING, came
from tape.records.decoding import decoder

Buffer: TypeAlias = "bytes | mmap.mmap"
Container: TypeAlias = Literal["json", "jsonl", "sse", "text"]

SAMPLE: Final = 400
_BLANK: Final = b" \t\r\n"
_FIELD = re.compile(rb"(data|event|id|retry)?:")
_GLUE = re.compile(rb"\}[ \t\r]?\{")


class Frames:
    """The spans of the records of one ``body``, their lines, and the event names of a stream."""

    __slots__ = ("container", "events", "lines", "spans")

    def __init__(self, body: Buffer, start: int, is_document: Callable[[int, int], bool]) -> None:
        """Frames ``body`` from byte ``start``, which must not be followed by blanks only.

        ``is_document`` says whether all that stands between two bytes is one JSON value.
        """
        self.spans, self.lines, self.events = array("Q"), array("L"), array("Q")
        start = skip_blank(body, start, len(body))
        self.container: Container = self._frame(body, start, is_document)

    def _add(self, start: int, end: int, line: int) -> None:
        self.spans.append(start)
        self.spans.append(end)
        self.lines.append(line)

    def _frame(self, body: Buffer, start: int, is_document: Callable[[int, int], bool]) -> Container:
        line = body[:start].count(b"\n") + 1
        size = len(body)
        end = strip_blank(body, start, size)
        if _FIELD.match(body, start):
            self._frame_stream(body, start, line)
            if self.lines:
                return "sse"
        first = strip_blank(body, start, _line_end(body, start, size))
        opens = body[start : start + 1] in (b"{", b"[")
        several = first < end and ((opens and _is_value(body, start, first)) or _mostly_records(body, start))
        if several:
            self._frame_lines(body, start, line)
        elif is_document(start, end):
            self._add(start, end, line)
        elif opens:
            self._frame_values(body, start, end, line)
        else:
            self._add(start, end, line)
            return "text"
        return "jsonl" if len(self.lines) > 1 else "json"

    def _frame_values(self, body: Buffer, start: int, end: int, line: int) -> None:
        """Several values, each over as many lines as it likes; else one broken document."""
        spans = _values(body[start:end].decode("utf-8", "surrogateescape"))
        previous = start
        for left, right in spans:
            line += body[previous : start + left].count(b"\n")
            previous = start + left
            self._add(start + left, start + right, line)

    def _frame_lines(self, body: Buffer, start: int, line: int) -> None:
        size = len(body)
        glued, find = _finder(body), body.find
        while start < size:
            end = find(b"\n", start)
            end = size if end < 0 else end
            left, right = start, end
            if left < right and (body[left] in _BLANK or body[right - 1] in _BLANK):
                left, right = skip_blank(body, start, end), strip_blank(body, start, end)
            if left < right:
                if glued(left) < right:
                    for begin, stop in _values(body[left:right].decode("utf-8", "surrogateescape")):
                        self._add(left + begin, left + stop, line)
                else:
                    self._add(left, right, line)
            start, line = end + 1, line + 1
            if not line & 4095:
                came(FRAMING * start / size)

    def _frame_stream(self, body: Buffer, start: int, line: int) -> None:
        """Server-sent events; ``[DONE]`` is no record, a bare JSON line between events is one."""
        size = len(body)
        name = nothing = (0, 0)
        left = right = first = 0
        while start <= size + 1:
            end = _line_end(body, start, size) if start < size else start
            stop = strip_blank(body, start, end)
            field = _FIELD.match(body, start, stop)
            if field and field[1] == b"data":
                if not right:
                    left, first = skip_blank(body, field.end(), stop), line
                right = max(stop, left)
            elif field and field[1] == b"event":
                name = (skip_blank(body, field.end(), stop), stop)
            elif not field:
                if right > left and body[left:right] != b"[DONE]":
                    self._add(left, right, first)
                    self.events.extend(name)
                left, right, name = 0, 0, nothing
                if body[start:stop][:1] in (b"{", b"["):
                    self._add(start, stop, line)
                    self.events.extend(nothing)
            start, line = end + 1, line + 1


def skip_blank(body: Buffer, start: int, end: int) -> int:
    """The first place from ``start`` on that is no JSON blank, or ``end``."""
    while start < end and body[start] in _BLANK:
        start += 1
    return start


def strip_blank(body: Buffer, start: int, end: int) -> int:
    """The place behind the last one before ``end`` that is no JSON blank, or ``start``."""
    while start < end and body[end - 1] in _BLANK:
        end -= 1
    return end


def _line_end(body: Buffer, start: int, size: int) -> int:
    found = body.find(b"\n", start)
    return size if found < 0 else found


def _is_value(body: Buffer, start: int, end: int) -> bool:
    """Whether these bytes are one JSON value, or objects glued together."""
    raw = body[start:end]
    try:
        orjson.loads(raw)
    except orjson.JSONDecodeError:
        text = raw.decode("utf-8", "replace")
        try:
            rest = text[decoder.raw_decode(text)[1] :].lstrip()
        except (ValueError, RecursionError):
            return False
        return not rest or text[0] == rest[0] == "{"
    return True


def _mostly_records(body: Buffer, start: int) -> bool:
    """Whether there are several lines and at least half of the first ones are objects of their own."""
    size, seen, good = len(body), 0, 0
    while start < size and seen < SAMPLE:
        end = _line_end(body, start, size)
        left, right = skip_blank(body, start, end), strip_blank(body, start, end)
        if left < right:
            seen += 1
            good += body[left] == b"{"[0] and right - left > 2 and _is_value(body, left, right)
        start = end + 1
    return seen > 1 and good * 2 >= seen


def _finder(body: Buffer) -> Callable[[int], int]:
    """A function that gives the next place of glue at or after an offset, for offsets that only grow."""
    size, ahead = len(body), -1

    def next_at(offset: int) -> int:
        nonlocal ahead
        if ahead < offset:
            found = _GLUE.search(body, offset)
            ahead = size if found is None else found.start()
        return ahead

    return next_at


def _values(text: str) -> list[tuple[int, int]]:
    """Byte spans of the JSON values that stand one after the other in a text; what follows the last good one
    is one span up to the end."""
    spans: list[tuple[int, int]] = []
    at, offset, stop = 0, 0, len(text.rstrip(" \t\r\n"))
    blank = re.compile(r"[ \t\r\n]*")
    while at < stop:
        found = blank.match(text, at)
        left = found.end() if found else at
        try:
            right = decoder.raw_decode(text, left)[1]
        except (ValueError, RecursionError):
            right = stop
        start = offset + left - at
        offset = start + len(text[left:right].encode("utf-8", "surrogateescape"))
        spans.append((start, offset))
        at = right
    return spans

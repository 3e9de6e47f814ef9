"""A file as records: raw, as text, and parsed one at a time.

Spans and lines speak of ``body``, which is the file itself, or its text as UTF-8 where the file is UTF-16.
"""

from __future__ import annotations

import re
from typing import Any, Final, Protocol

import orjson

from tape.errors import UserError
from tape.notes import Note
from tape.progress import FRAMING, came
from tape.records.decoding import decode, is_exact, reason, without_surrogates
from tape.records.framing import Buffer, Container, Frames, skip_blank
from tape.records.salvage import salvage

_BOMS: Final = ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
# orjson reads whole numbers of more than 64 bits as floats.
_LONG_NUMBER = re.compile(rb"[\[:, ][0-9-][0-9]{19}")
_DIGITS: Final = bytes.maketrans(b"123456789", b"000000000")
PIECE: Final = 4_000_000
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_DEEP: Final = (re.compile(rb"\}[]}]{7}"), re.compile(rb"\]\]\]\]\]\]\]\]"))
ODD: Final = {
    "lone-surrogate": "Half of a surrogate pair stands here; it is shown as U+FFFD and kept in the file.",
    "not-utf-8": "Bytes here are no UTF-8; they are shown as U+FFFD and kept in the file.",
}


class Broken(ValueError):
    """A record that is no JSON: ``reason`` says why. The record is still there as ``raw`` and ``text``."""

    def __init__(self, reason: str, line: int) -> None:
        self.reason, self.line = reason, line
        super().__init__(f"line {line}: {reason}")


class Outer(Protocol):
    """A file that others are packed in; ``member`` is its own name in its ``outer``. ``replaced`` gives its
    bytes with those of one member changed."""

    data: Buffer
    outer: Outer | None
    member: str
    notes: list[Note]

    def replaced(self, member: str, data: bytes) -> bytes: ...


class Source:
    """The bytes of one file, never changed, and the records in them.

    ``data`` is the file as it came, ``container`` how its records stand in it (``json`` has one record, the
    document; ``text`` one that is no JSON), ``name`` its file name for messages, ``outer`` the archive it was
    unpacked from and ``member`` its name there. Raises ``UserError`` where there is nothing to show: only
    blanks, or no text.
    """

    __slots__ = (
        "_broken",
        "_document",
        "_frames",
        "_odd",
        "_plain",
        "body",
        "bom",
        "container",
        "data",
        "encoding",
        "member",
        "name",
        "outer",
    )

    def __init__(self, data: Buffer, name: str = "", *, outer: Outer | None = None, member: str = "") -> None:
        self.data, self.name, self.outer, self.member = data, name, outer, member
        self.bom, self.encoding, self.body = _decoded(data, name)
        start = len(self.bom) if self.body is data else 0
        if skip_blank(self.body, start, len(self.body)) == len(self.body):
            raise UserError("The file holds nothing but blanks.", where=name, do="Choose another file.")
        self._plain: bool | None = None
        self._document: list[Any] = []
        self._broken: dict[int, str] = {}
        self._odd: dict[int, str] = {}
        self._frames = Frames(self.body, start, self._take_document)
        self.container: Container = self._frames.container

    def __len__(self) -> int:
        return len(self._frames.lines)

    @property
    def file(self) -> Source | Outer:
        """The file that was opened: this one, or the outermost archive that it was unpacked from."""
        outermost: Source | Outer = self
        while outermost.outer is not None:
            outermost = outermost.outer
        return outermost

    def __repr__(self) -> str:
        return f"<Source {self.name!r} {self.container}, {len(self)} records, {len(self.data)} bytes>"

    def span(self, i: int) -> tuple[int, int]:
        """The bytes of record ``i`` in ``body``, without blanks and line end around it."""
        spans = self._frames.spans
        return spans[2 * i], spans[2 * i + 1]

    def size(self, i: int) -> int:
        """How many bytes record ``i`` takes."""
        start, end = self.span(i)
        return end - start

    def raw(self, i: int) -> bytes:
        """Record ``i`` as bytes of ``body``."""
        start, end = self.span(i)
        return self.body[start:end]

    def text(self, i: int) -> str:
        """Record ``i`` for people: bytes that are no UTF-8 become U+FFFD."""
        return self._payload(i).decode("utf-8", "replace")

    def exact(self, i: int) -> str:
        """Record ``i`` as text that gives the very same bytes back when encoded with ``surrogateescape``."""
        return self.raw(i).decode("utf-8", "surrogateescape")

    def line(self, i: int) -> int:
        """The line (counted from 1) on which record ``i`` begins."""
        return self._frames.lines[i]

    def where(self, i: int) -> str:
        """The place of record ``i`` in a note: ``line 41``."""
        return f"line {self.line(i)}"

    def event(self, i: int) -> str | None:
        """The ``event:`` name that stands before record ``i`` of a stream."""
        events = self._frames.events
        if not events or not events[2 * i + 1]:
            return None
        return self.body[events[2 * i] : events[2 * i + 1]].decode("utf-8", "replace")

    def json(self, i: int) -> Any:
        """Record ``i`` parsed, lone surrogates as U+FFFD. Raises ``Broken`` where it is no JSON."""
        if self.container == "json":
            document = self.document
            if i in self._broken:
                raise Broken(self._broken[i], self.line(i))
            return document
        if self.container == "text":
            raise Broken("not JSON", self.line(i))
        if not i & 1023:
            came(FRAMING + (1 - FRAMING) * i / len(self))
        if self._plain and self.container == "jsonl":
            try:
                return orjson.loads(self.raw(i))
            except orjson.JSONDecodeError:
                pass
        return self._parse(i)

    def held(self, i: int) -> Any:
        """Record ``i`` parsed; of a broken document as much as can be read. Raises ``Broken`` for a line."""
        return self.document if self.container == "json" else self.json(i)

    def value(self, start: int, end: int) -> Any:
        """The value at a span of ``body`` that is known to be JSON."""
        try:
            return self._loads(self.body[start:end])
        except ValueError as fault:
            raise Broken(reason(fault), self.body[:start].count(b"\n") + 1) from None

    def broken(self, i: int) -> str | None:
        """Why record ``i`` cannot be parsed, or ``None``."""
        try:
            self.json(i)
        except Broken as fault:
            return fault.reason
        return None

    @property
    def document(self) -> Any:
        """The document of a ``json`` source, kept once parsed; of a broken one as much as can be read.
        ``None`` for other containers."""
        if self.container != "json":
            return None
        if not self._document:
            try:
                value = self._parse(0)
            except Broken:
                value, _ = without_surrogates(salvage(self.text(0)))
            self._document.append(value)
        return self._document[0]

    @property
    def kept(self) -> bool:
        """Whether the values of all records stay in memory, whatever is forgotten."""
        return False

    @property
    def holds_document(self) -> bool:
        """Whether the document is at hand without parsing it."""
        return bool(self._document)

    def forget(self) -> None:
        """Drops the parsed document; it is parsed again when asked for."""
        self._document.clear()

    def restore(self, body: bytes) -> bytes:
        """A (patched) ``body`` as bytes of a file: in the source's encoding, with its byte order mark."""
        if self.encoding == "utf-8":
            return body
        tail = self.data[-1:] if len(self.data) % 2 else b""
        return self.bom + body.decode("utf-8", "surrogatepass").encode(self.encoding, "surrogatepass") + tail

    def notes(self) -> tuple[Note, ...]:
        """What was odd about the records parsed so far: encoding, surrogates, torn and broken records."""
        found = []
        if self.encoding != "utf-8":
            found.append(Note("", "encoding", f"The file is {self.encoding[:6].upper()} and stays so."))
        found += [Note(self.where(i), why, ODD[why]) for i, why in sorted(self._odd.items())]
        for i, why in sorted(self._broken.items()):
            torn = i == len(self) - 1 and self.raw(i)[-1:] not in (b"}", b"]")
            if self.container == "json":
                text = f"The document is broken ({why}); it is shown as far as it can be read."
            elif torn:
                text = f"The last record is cut off ({why}); it is kept as it is."
            else:
                text = f"This record is no JSON ({why}); it is kept as it is."
            found.append(Note(self.where(i), "torn-record" if torn else "broken-record", text))
        return tuple(found)

    def _take_document(self, start: int, end: int) -> bool:
        """Keeps what stands there as the document, if it is one."""
        try:
            with memoryview(self.body) as whole, whole[start:end] as part:
                value = orjson.loads(part)
            # What holds for all of the text holds for each part of it.
            self._plain = is_exact(value) or None
        except ValueError:
            self._plain = None
        if not self._plain:
            try:
                value = self._loads(self.body[start:end], 0, plain=False)
            except ValueError:
                return False
        self._document = [value]
        return True

    def _payload(self, i: int) -> bytes:
        raw = self.raw(i)
        return re.sub(rb"\r?\ndata: ?", b"\n", raw) if self.container == "sse" and b"\n" in raw else raw

    def _parse(self, i: int) -> Any:
        try:
            return self._loads(self._payload(i), i)
        except ValueError as fault:
            self._broken[i] = reason(fault)
            raise Broken(self._broken[i], self.line(i)) from None

    def _loads(self, raw: bytes, i: int | None = None, plain: bool | None = None) -> Any:
        """The JSON value of these bytes; what is odd about record ``i`` is remembered. ``plain`` says that
        what orjson reads needs no second look."""
        if plain is None:
            if self._plain is None:
                self._plain = _is_plain(self.body)
            plain = self._plain
        try:
            value = orjson.loads(raw)
        except orjson.JSONDecodeError:
            pass
        else:
            if plain or is_exact(value):
                return value
        odd = None
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            text, odd = raw.decode("utf-8", "replace"), "not-utf-8"
        value = decode(text)
        if "\\u" in text:
            value, replaced = without_surrogates(value)
            odd = "lone-surrogate" if replaced else odd
        if odd is not None and i is not None:
            self._odd[i] = odd
        return value


def _is_plain(body: Buffer) -> bool:
    """Whether the text has no number and no run of brackets for which a value of orjson needs a second look.
    Looks through it in pieces."""
    for start in range(0, len(body), PIECE):
        piece = body[start : start + PIECE + 32]
        if any(run.search(piece) for run in _DEEP):
            return False
        if b"0" * 19 in piece.translate(_DIGITS) and _LONG_NUMBER.search(piece):
            return False
    return True


def _decoded(data: Buffer, name: str) -> tuple[bytes, str, Buffer]:
    """Byte order mark, encoding, and the text as UTF-8 (the same object where it already is)."""
    head = data[:4096]
    if head.startswith(b"\xef\xbb\xbf"):
        return head[:3], "utf-8", data
    for bom, encoding in _BOMS:
        if head.startswith(bom):
            text = data[2 : len(data) - len(data) % 2].decode(encoding, "surrogatepass")
            return bom, encoding, text.encode("utf-8", "surrogatepass")
    if len(_CONTROL.findall(head)) * 10 > len(head):
        raise UserError("The file is not text.", where=name, do="Choose a transcript: JSON or JSONL.")
    return b"", "utf-8", data

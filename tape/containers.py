"""What a user hands over, opened: a path, bytes or several of these, as sources of records.

The ladder by which a file is unpacked until it is text: zip, SQLite (refused, with how to export), gzip,
bzip2, zstandard, Parquet. What is inside is told by its bytes, never by its name.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, Final

from tape import databases, parquet_rows
from tape.archives import Archive, Packed, kind_of
from tape.errors import UserError
from tape.notes import Note
from tape.parquet_rows import Rows
from tape.records import Outer, Source, read_bytes
from tape.records.framing import Buffer

DEEPEST: Final = 3
ZIP: Final = b"PK\x03\x04"
# The log of an evaluation: its own format unpacks the samples, one when it is asked for.
LOG_HEADS: Final = ("header.json", "_journal/start.json")
# A session that Tapedeck kept (``tape.kept_session``), with its source files beside it.
KEPT: Final = "session.json"
_TEXT: Final = (b"{", b"[", b"data:", b"event:", b"id:", b"\xff\xfe", b"\xfe\xff")


def open_all(
    source: bytes | str | Path | BinaryIO | Source | Sequence[bytes | str | Path | BinaryIO | Source],
    name: str = "",
) -> list[Source]:
    """The sources behind what was handed over, in order. Raises ``UserError`` where there is nothing."""
    if isinstance(source, Source):
        return [source]
    if isinstance(source, Sequence) and not isinstance(source, (bytes, bytearray, str)):
        return [one for part in source for one in open_all(part)]
    return _unpacked(*read_bytes(source, name))


def _unpacked(
    data: Buffer, name: str, outer: Outer | None = None, member: str = "", depth: int = 0
) -> list[Source]:
    head = data[:16]
    if head.startswith(databases.MAGIC):
        raise databases.refuse(bytes(data), name)
    kind = kind_of(head)
    zipped, rows = head.startswith(ZIP), head.startswith(parquet_rows.MAGIC)
    if depth == DEEPEST and (zipped or kind):
        raise UserError("Archives stand in archives, too many deep.", where=name, do="Unpack it first.")
    if zipped:
        return _members(Archive(data, name, outer=outer, member=member), depth)
    if kind is not None:
        packed = Packed(data, kind, name, outer=outer, member=member)
        return _unpacked(packed.unpacked(), name, packed, "", depth + 1)
    if rows:
        table = Rows(data, name, outer=outer, member=member)
        return [Source(table.lines(), name, outer=table)]
    return [Source(data, name, outer=outer, member=member)]


def _members(archive: Archive, depth: int) -> list[Source]:
    """The members of an archive that may hold records. Raises ``UserError`` where none does."""
    for name in LOG_HEADS:
        if name in archive.names and any(other.startswith("samples/") for other in archive.names):
            return [archive.source(name)]
    if KEPT in archive.names and archive.begins(KEPT).startswith(b'{"tapedeck"'):
        return [archive.source(KEPT)]
    found: list[Source] = []
    for name in archive.names:
        head = archive.begins(name)
        if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(_TEXT) or head.startswith(ZIP) or kind_of(head):
            try:
                found += _unpacked(archive.read(name), name, archive, name, depth + 1)
            except UserError as fault:
                archive.notes.append(Note(name[:200], "member-left-out", fault.sentence))
    if not found:
        said = archive.notes[0].text if archive.notes else "None of its members is JSON, JSONL or a stream."
        raise UserError(f"The zip file holds no transcript. {said}", where=archive.name, do="Choose another.")
    return found


def repack(source: Source, data: bytes) -> bytes:
    """New bytes of a source as the file that it came in."""
    outer, member = source.outer, source.member
    while outer is not None:
        data = outer.replaced(member, data)
        member, outer = outer.member, outer.outer
    return data

"""Zip files and compressed streams: what is in them, unpacked within bounds, and packed again with a change.

Nothing is ever written to disk, so that names are only names; those that would leave their folder are left
out all the same. Zstandard members (method 93) are read, which ``zipfile`` cannot do before Python 3.14.
"""

from __future__ import annotations

import bz2
import gzip
import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final, Literal, Protocol

import zstandard

from tape.errors import UserError
from tape.notes import Note
from tape.records import LIMIT_BYTES, Outer, Source, limit
from tape.records.framing import Buffer

MEMBERS: Final = 100_000
RATIO: Final = 1000
FREELY: Final = 10_000_000
ZSTANDARD: Final = 93
STEP: Final = 16_384
Kind = Literal["gzip", "bzip2", "zstandard"]
MAGIC: Final[tuple[tuple[bytes, Kind], ...]] = (
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\x28\xb5\x2f\xfd", "zstandard"),
)
FAULTS = (OSError, EOFError, ValueError, zlib.error, zstandard.ZstdError, zipfile.BadZipFile, struct.error)


class Readable(Protocol):
    """Bytes that are unpacked as they are read."""

    def read(self, size: int, /) -> bytes: ...

    def close(self) -> None: ...


class Archive:
    """A zip file. ``names`` are its members that are files and stay in their folder, in their order;
    ``notes`` say what was left out. Raises ``UserError`` where it cannot be read or holds too many."""

    def __init__(self, data: Buffer, name: str = "", *, outer: Outer | None = None, member: str = "") -> None:
        self.data, self.name, self.outer, self.member = data, name, outer, member
        self.notes: list[Note] = []
        self._left = limit(LIMIT_BYTES) * 4
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data) if isinstance(data, bytes) else _Mapped(data))
        except FAULTS:
            raise UserError(
                "The zip file is damaged: its list of members cannot be read.",
                where=name,
                do="Unpack it and open the file inside, or get it again.",
            ) from None
        infos = self._zip.infolist()
        if len(infos) > MEMBERS:
            raise UserError(
                f"The zip file has {len(infos):,} members; {MEMBERS:,} are the most.",
                where=name,
                do="Unpack it and open the file inside.",
            )
        self._infos = {info.filename: info for info in infos if self._fits(info)}

    def _fits(self, info: zipfile.ZipInfo) -> bool:
        if info.is_dir():
            return False
        path = PurePosixPath(info.filename.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts or ":" in path.parts[0]:
            text = "The name of this member leaves the archive's folder; it was left out."
        elif info.flag_bits & 1:
            text = "This member is encrypted; it was left out."
        elif info.file_size > FREELY and info.file_size > RATIO * max(info.compress_size, 1):
            text = f"This member unpacks to {info.file_size:,} bytes from {info.compress_size:,}; left out."
        else:
            return True
        self.notes.append(Note(info.filename[:200], "member-left-out", text))
        return False

    @property
    def names(self) -> tuple[str, ...]:
        """The members that can be read."""
        return tuple(self._infos)

    def size(self, name: str) -> int:
        """The size in bytes of a member, unpacked, as the archive says."""
        return self._infos[name].file_size

    def begins(self, name: str, count: int = 512) -> bytes:
        """The first ``count`` bytes of a member; fewer, or none, where it is damaged."""
        with self._opened(name) as file:
            return _taken(file, count)[0] if file else b""

    def read(self, name: str) -> bytes:
        """A member, unpacked, as far as it can be. Raises ``UserError`` where it is too large."""
        info = self._infos[name]
        most = min(info.file_size, self._left)
        with self._opened(name) as file:
            data, whole = _taken(file, most + 1) if file else (b"", False)
        if len(data) > most:
            raise UserError(
                f"The archive unpacks to more than {limit(LIMIT_BYTES) * 4:,} bytes, or than it says.",
                where=f"{self.name}: {name[:200]}",
                do="Unpack it and open the file inside by its path.",
            )
        self._left -= len(data)
        if not whole or (len(data) == info.file_size and zlib.crc32(data) != info.CRC):
            self.notes.append(
                Note(name[:200], "damaged-member", "This member is damaged; it was read so far.")
            )
        return data

    def source(self, name: str) -> Source:
        """A member as records. Raises ``UserError`` as ``read``, and where it holds no text."""
        return Source(self.read(name), name, outer=self, member=name)

    def _opened(self, name: str) -> _Member:
        return _Member(self._zip, self._infos[name], self._body(self._infos[name]))

    def _body(self, info: zipfile.ZipInfo) -> bytes | None:
        """The packed bytes of a zstandard member; ``None`` for what ``zipfile`` unpacks."""
        if info.compress_type != ZSTANDARD:
            return None
        at = info.header_offset
        names = self.data[at + 26 : at + 30]
        start = at + 30 + sum(struct.unpack("<HH", names)) if len(names) == 4 else at
        return self.data[start : start + info.compress_size]

    def replaced(self, member: str, data: bytes) -> bytes:
        """The archive with one member's bytes changed: all others stay packed as they are, in their order."""
        out = io.BytesIO()
        infos = self._zip.infolist()
        starts = sorted(info.header_offset for info in infos)
        ends = dict(zip(starts, [*starts[1:], self._zip.start_dir], strict=True))
        with zipfile.ZipFile(out, "w") as made:
            made.comment = self._zip.comment
            for info in sorted(infos, key=lambda one: one.header_offset):
                if info.filename == member:
                    fresh = zipfile.ZipInfo(info.filename, info.date_time)
                    stored = info.compress_type == zipfile.ZIP_STORED
                    fresh.compress_type = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
                    fresh.external_attr, fresh.comment = info.external_attr, info.comment
                    made.writestr(fresh, data)
                    continue
                _copied(made, info, self.data[info.header_offset : ends[info.header_offset]])
        return out.getvalue()


def _copied(made: zipfile.ZipFile, info: zipfile.ZipInfo, packed: bytes) -> None:
    """Appends a member as it is packed; ``zipfile`` writes the list of members from ``filelist``."""
    import copy

    moved = copy.copy(info)
    moved.header_offset = made.start_dir
    assert made.fp is not None
    made.fp.seek(made.start_dir)
    made.fp.write(packed)
    made.start_dir = made.fp.tell()
    made.filelist.append(moved)
    made.NameToInfo[moved.filename] = moved


class _Member:
    """A member open for reading; ``None`` where it cannot be opened."""

    def __init__(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo, packed: bytes | None) -> None:
        self._archive, self._info, self._packed = archive, info, packed
        self._file: Readable | None = None

    def __enter__(self) -> Readable | None:
        try:
            if self._packed is not None:
                self._file = unpacking(self._packed, "zstandard")
            else:
                self._file = self._archive.open(self._info)
        except (*FAULTS, NotImplementedError, RuntimeError):
            self._file = None
        return self._file

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()


class _Mapped(io.RawIOBase):
    """A mapped file for ``zipfile``, which must not close it."""

    def __init__(self, data: Buffer) -> None:
        self._view, self._at = data, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        start = (0, self._at, len(self._view))[whence]
        self._at = max(0, start + offset)
        return self._at

    def tell(self) -> int:
        return self._at

    def read(self, size: int | None = -1) -> bytes:
        end = len(self._view) if size is None or size < 0 else self._at + size
        found = self._view[self._at : end]
        self._at += len(found)
        return found


class Packed:
    """A file that is one compressed stream (gzip, bzip2, zstandard); ``notes`` say where it breaks off."""

    def __init__(
        self, data: Buffer, kind: Kind, name: str = "", *, outer: Outer | None = None, member: str = ""
    ) -> None:
        self.data, self.kind, self.name = data, kind, name
        self.outer, self.member = outer, member
        self.notes: list[Note] = []

    def unpacked(self) -> bytes:
        """What it holds, as far as it can be read. Raises ``UserError`` for nothing, or too much."""
        most = limit(LIMIT_BYTES) * 2
        data, whole = _taken(unpacking(bytes(self.data), self.kind), most + 1)
        if len(data) > most or (len(data) > FREELY and len(data) > RATIO * len(self.data)):
            raise UserError(
                f"The file unpacks to more than {most:,} bytes, or suspiciously much.",
                where=self.name,
                do="Unpack it and open what it holds by its path.",
            )
        if not data:
            raise UserError(f"The {self.kind} file cannot be unpacked.", where=self.name, do="Get it again.")
        if not whole:
            self.notes.append(Note(self.name, "damaged-archive", "The file is damaged; it was read so far."))
        return data

    def replaced(self, member: str, data: bytes) -> bytes:
        """The new bytes, compressed in the same way."""
        match self.kind:
            case "gzip":
                return gzip.compress(data)
            case "bzip2":
                return bz2.compress(data)
            case "zstandard":
                return zstandard.ZstdCompressor().compress(data)


def kind_of(head: bytes) -> Kind | None:
    """The kind of compressed stream that begins so, ``None`` for none."""
    return next((kind for magic, kind in MAGIC if head.startswith(magic)), None)


def unpacking(data: bytes, kind: Kind) -> Readable:
    """The unpacked bytes of a compressed stream, as a file to read from."""
    match kind:
        case "gzip":
            return gzip.GzipFile(fileobj=io.BytesIO(data))
        case "bzip2":
            return bz2.BZ2File(io.BytesIO(data))
        case "zstandard":
            return zstandard.ZstdDecompressor().stream_reader(io.BytesIO(data), read_across_frames=True)


def _taken(file: Readable, most: int) -> tuple[bytes, bool]:
    """Up to ``most`` bytes of a file, and whether they came without a fault."""
    parts: list[bytes] = []
    try:
        parts.extend(_steps(file, most))
    except FAULTS:
        return b"".join(parts), False
    return b"".join(parts), True


def _steps(file: Readable, most: int) -> Iterator[bytes]:
    while most > 0 and (part := file.read(min(STEP, most))):
        most -= len(part)
        yield part

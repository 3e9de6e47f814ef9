"""Getting at the bytes of a file: from a path, an open file or memory, within the size limit."""

from __future__ import annotations

import mmap
import os
from pathlib import Path
from typing import BinaryIO, Final

from tape.errors import UserError
from tape.records.framing import Buffer
from tape.records.source import Source

LIMIT_PATH: Final = 2_000_000_000
LIMIT_BYTES: Final = 200_000_000
MAPPED_FROM: Final = 16_000_000


def open_source(source: bytes | str | Path | BinaryIO | Source, name: str = "") -> Source:
    """The records of a file: its bytes, its path, or an open binary file.

    Raises ``UserError`` where there is nothing to show: the file is missing, empty, not text, or larger than
    the limit (2,000,000,000 bytes for a path, 200,000,000 for bytes; ``TAPEDECK_MAX_BYTES`` sets both).
    """
    return source if isinstance(source, Source) else Source(*read_bytes(source, name))


def read_bytes(source: bytes | str | Path | BinaryIO, name: str = "") -> tuple[Buffer, str]:
    """The bytes and the name of a file, mapped where it is large. Raises ``UserError`` as ``open_source``."""
    if isinstance(source, (str, Path)):
        path = Path(source)
        return _from_path(path, name or path.name), name or path.name
    if isinstance(source, (bytes, bytearray, memoryview)):
        data = bytes(source)
    else:
        name = name or Path(str(getattr(source, "name", ""))).name
        data = source.read(limit(LIMIT_BYTES) + 1)
    check_size(len(data), LIMIT_BYTES, name)
    return data, name


def limit(default: int) -> int:
    """The size limit in bytes: ``TAPEDECK_MAX_BYTES``, else ``default``."""
    wanted = os.environ.get("TAPEDECK_MAX_BYTES", "").replace("_", "").replace(",", "")
    return int(wanted) if wanted.isdecimal() else default


def check_size(size: int, default: int, name: str = "") -> None:
    """Raises ``UserError`` when ``size`` (bytes) is zero or over the limit."""
    if not size:
        raise UserError("The file is empty.", where=name, do="Choose another file.")
    if size > (most := limit(default)):
        raise UserError(
            f"The file is larger than the limit of {most:,} bytes.",
            where=name,
            do="Set TAPEDECK_MAX_BYTES to a higher number of bytes, or open it by its path.",
        )


def _from_path(path: Path, name: str) -> Buffer:
    try:
        if path.is_dir():
            raise UserError("This is a folder.", where=name, do="Give a file.")
        size = path.stat().st_size
        check_size(size, LIMIT_PATH, name)
        if size < MAPPED_FROM:
            return path.read_bytes()
        with path.open("rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as fault:
        why = getattr(fault, "strerror", None) or fault
        raise UserError(f"The file cannot be read ({why}).", where=name, do="Check the path.") from None

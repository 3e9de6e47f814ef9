"""What a user hands over, opened: a path, bytes or several of these, as sources of records."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from tape.records import Source, open_source

FOLDER_FILES = 500


def open_all(
    source: bytes | str | Path | BinaryIO | Source | Sequence[bytes | str | Path | BinaryIO | Source],
    name: str = "",
) -> list[Source]:
    """The sources behind what was handed over, in order. Raises ``UserError`` where there is nothing."""
    if isinstance(source, Sequence) and not isinstance(source, (bytes, bytearray, str)):
        return [one for part in source for one in open_all(part)]
    return [open_source(source, name)]


def repack(source: Source, data: bytes) -> bytes:
    """New bytes of a source as the file that it came in."""
    return data

"""The width and height of a picture from the first bytes of its file: PNG, JPEG, GIF and WebP.

Nothing is decoded but the header, and no byte of it is trusted: what does not fit gives ``None``.
"""

from __future__ import annotations

import binascii
import struct
from collections.abc import Callable

HEAD = 96 * 1024


def size_of_base64(data: str) -> tuple[int, int] | None:
    """Width and height in pixels of a base64 picture; ``None`` where the header does not say."""
    head = data[: HEAD * 4 // 3 // 4 * 4]
    try:
        return size(binascii.a2b_base64(head + "=" * (-len(head) % 4)))
    except (binascii.Error, ValueError):
        return None


def size(data: bytes) -> tuple[int, int] | None:
    """Width and height in pixels of a picture's first bytes; ``None`` where they do not say."""
    for mark, read in READERS:
        if data.startswith(mark):
            try:
                found = read(data)
            except (struct.error, IndexError):
                return None
            return found if found and min(found) > 0 else None
    return None


def _png(data: bytes) -> tuple[int, int] | None:
    width, height = struct.unpack_from(">II", data, 16)
    return width, height


def _gif(data: bytes) -> tuple[int, int] | None:
    width, height = struct.unpack_from("<HH", data, 6)
    return width, height


def _jpeg(data: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 9 <= len(data):
        if data[at] != 0xFF:
            return None
        kind = data[at + 1]
        if kind == 0xFF:
            at += 1
        elif 0xC0 <= kind <= 0xCF and kind not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack_from(">HH", data, at + 5)
            return width, height
        elif kind == 0x01 or 0xD0 <= kind <= 0xD8:
            at += 2
        else:
            at += 2 + max(2, struct.unpack_from(">H", data, at + 2)[0])
    return None


def _webp(data: bytes) -> tuple[int, int] | None:
    if data[8:12] != b"WEBP":
        return None
    match data[12:16]:
        case b"VP8X":
            return 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
        case b"VP8L":
            bits = int.from_bytes(data[21:25], "little")
            return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
        case b"VP8 ":
            width, height = struct.unpack_from("<HH", data, 26)
            return width & 0x3FFF, height & 0x3FFF
    return None


READERS: tuple[tuple[bytes, Callable[[bytes], tuple[int, int] | None]], ...] = (
    (b"\x89PNG\r\n\x1a\n", _png),
    (b"\xff\xd8", _jpeg),
    (b"GIF8", _gif),
    (b"RIFF", _webp),
)

"""Lines made of values that are at hand: nothing is parsed, and bytes are written when asked for."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Final

import orjson

from tape.records.framing import Frames
from tape.records.source import Outer, Source

_WRITTEN: Final = ("data", "body", "_frames")


class Made(Source):
    """A source with one record for each value, at least one; the values stay in memory as they are.

    ``bytes_of`` gives how many bytes a record takes in the file it comes from, 0 where that is not known.
    """

    __slots__ = ("_bytes_of", "_values")

    def __init__(
        self,
        values: Sequence[Any],
        name: str,
        *,
        outer: Outer,
        member: str,
        bytes_of: Callable[[int], int] = lambda i: 0,
    ) -> None:
        self.name, self.outer, self.member = name, outer, member
        self.bom, self.encoding = b"", "utf-8"
        self.container = "json" if len(values) == 1 else "jsonl"
        self._bytes_of = bytes_of
        self._values, self._document = values, list(values) if len(values) == 1 else []
        self._broken, self._odd, self._plain = {}, {}, None

    def __getattr__(self, name: str) -> Any:
        # Python asks here only for what is not set: the bytes, until they were written.
        if name not in _WRITTEN:
            raise AttributeError(name)
        self.data = self.body = b"".join(map(line_of, self._values))
        self._frames = Frames(self.body, 0, lambda start, end: True)
        return getattr(self, name)

    def __len__(self) -> int:
        return len(self._values)

    @property
    def kept(self) -> bool:
        """Always: somebody else holds the values too."""
        return True

    def json(self, i: int) -> Any:
        """The value of record ``i``."""
        return self._values[i]

    def size(self, i: int) -> int:
        """How many bytes record ``i`` takes where it comes from, 0 where that is not known."""
        return self._bytes_of(i)

    def forget(self) -> None:
        """Nothing: the values stay."""


def line_of(value: Any) -> bytes:
    """A JSON value as a line."""
    try:
        return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "replace") + b"\n"

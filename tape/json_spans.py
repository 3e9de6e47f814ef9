"""Where values begin and end in raw JSON text.

Steps over values at the speed of the C scanner of the standard library, in time linear in what it passes.
Works on any text whose brackets and quotes are ASCII, so on bytes read as Latin-1: offsets are then bytes.
Changing text is the business of ``tape.json_text``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from tape.model import Json

Path: TypeAlias = Sequence[str | int]
decoder = json.JSONDecoder(strict=False)
_KEY = re.compile(r'("(?:[^"\\]|\\.)*")[ \t\r\n]*:[ \t\r\n]*')
_SPACE = re.compile(r"[ \t\r\n]*")


class Member(NamedTuple):
    """One member of an object or element of an array.

    ``key`` is its index in an array, ``start`` where it begins (at its key in an object), ``value`` and
    ``end`` the span of its value.
    """

    key: str | int
    start: int
    value: int
    end: int


def skip(text: str, at: int) -> int:
    """The first place at or after ``at`` that is no blank."""
    found = _SPACE.match(text, at)
    return found.end() if found else at


def value_at(text: str, at: int) -> tuple[Json, int]:
    """The value that begins at ``at`` and the place behind it. Raises ``ValueError`` where it is no JSON."""
    try:
        value, end = decoder.raw_decode(text, at)
    except RecursionError:
        raise ValueError(f"nested too deeply at character {at + 1}") from None
    return value, end


def walk(text: str, at: int) -> Iterator[tuple[Member, Json]]:
    """The members of the container that begins at ``at``, one after the other, each with its value.

    Ends at the closing bracket, or before the first member that is no JSON.
    """
    opening = text[at : at + 1]
    at, index = skip(text, at + 1), 0
    while at < len(text) and text[at] not in "]}":
        start = at
        key: str | int = index
        try:
            if opening == "{":
                name, at = value_at(text, at)
                at = skip(text, at)
                if not isinstance(name, str) or text[at : at + 1] != ":":
                    return
                key, at = name, skip(text, at + 1)
            value, end = value_at(text, at)
        except ValueError:
            return
        yield Member(key, start, at, end), value
        index, at = index + 1, skip(text, end)
        if text[at : at + 1] != ",":
            return
        at = skip(text, at + 1)


def members(text: str, at: int) -> list[Member]:
    """The members of the container that begins at ``at``, as far as they are JSON; none of a scalar.

    The last one may be a container that breaks off: it then ends with the text.
    """
    if text[at : at + 1] not in ("{", "["):
        return []
    found = [member for member, _ in walk(text, at)]
    rest = skip(text, found[-1].end if found else at + 1)
    start = rest if not found else skip(text, rest + 1) if text[rest : rest + 1] == "," else len(text)
    key = _KEY.match(text, start) if text[at] == "{" else None
    value = key.end() if key else start
    if text[value : value + 1] in ("{", "[") and (key or text[at] == "["):
        name = value_at(key[1], 0)[0] if key else len(found)
        found.append(Member(name, start, value, len(text)))
    return found


def elements(text: str, path: Path, at: int = 0) -> list[Member]:
    """The elements of the array at ``path``, found in one pass: nothing is stepped over twice.

    Empty where there is no array, or the text breaks off before it.
    """
    try:
        return _elements(text, path, skip(text, at))[0]
    except ValueError:
        return []


def _elements(text: str, path: Path, at: int) -> tuple[list[Member], int]:
    """The elements of the array at ``path`` below the value at ``at``, and the place behind that value."""
    found: list[Member] = []
    opening, index = text[at : at + 1], 0
    if opening not in ("{", "[") or not opening:
        return found, value_at(text, at)[1]
    if not path and opening == "[":
        found = [member for member, _ in walk(text, at)]
        return found, skip(text, found[-1].end if found else at + 1) + 1
    at = skip(text, at + 1)
    while text[at : at + 1] not in ("]", "}"):
        key: str | int = index
        if opening == "{":
            key, at = value_at(text, at)
            at = skip(text, skip(text, at) + 1)
        if path and key == path[0] and type(key) is type(path[0]):
            found, at = _elements(text, path[1:], at)
        else:
            at = value_at(text, at)[1]
        index, at = index + 1, skip(text, at)
        if text[at : at + 1] == ",":
            at = skip(text, at + 1)
    return found, at + 1


def find(text: str, path: Path, at: int = 0) -> tuple[int, int]:
    """The span of the value at ``path`` below the value that begins at ``at``.

    Of a key that stands twice in one object the last one counts, as for every parser. Raises ``KeyError``
    with the part of the path that is not there.
    """
    start = skip(text, at)
    end: int | None = None
    for depth, step in enumerate(path):
        found = [m for m in members(text, start) if m.key == step and type(m.key) is type(step)]
        if not found:
            raise KeyError(tuple(path[: depth + 1]))
        start, end = found[-1].value, found[-1].end
    return start, value_at(text, start)[1] if end is None else end

"""As much of a broken JSON document as can be read.

A document that breaks off, or has a wrong byte somewhere, is read up to there; inside an array near the root
reading goes on with the next element that looks like the ones before. Where records begin and end is not
decided here.
"""

from __future__ import annotations

import re
from typing import Any

from tape.records.decoding import decode_at

_SPACE = re.compile(r"[ \t\r\n]*")
_OPENING = re.compile(r'\{\s*"(?:[^"\\]|\\.)*"\s*:')
DEPTH = 200
NEAR_ROOT = 2
TRIES = 2000


def salvage(text: str) -> Any:
    """The value of a JSON text as far as it can be read; ``None`` where nothing can. Never raises on text."""
    try:
        return _value(text, _skip(text, 0), 0)[0]
    except _Nothing:
        return None


class _Nothing(Exception):
    """No value begins here."""


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _value(text: str, at: int, depth: int) -> tuple[Any, int, bool]:
    """The value at ``at``, where it ends, and whether it is whole."""
    try:
        value, end = decode_at(text, at)
        return value, end, True
    except ValueError:
        pass
    opening = text[at : at + 1]
    if depth > DEPTH or opening not in ("{", "[", '"') or not opening:
        raise _Nothing
    if opening == '"':
        return _cut_string(text, at), len(text), False
    return _object(text, at, depth) if opening == "{" else _array(text, at, depth)


def _cut_string(text: str, at: int) -> str:
    """A string whose closing quote is missing, up to its last whole character."""
    for drop in range(7):
        try:
            return str(decode_at(text[: len(text) - drop] + '"', at)[0])
        except ValueError:
            continue
    raise _Nothing


def _object(text: str, at: int, depth: int) -> tuple[dict[str, Any], int, bool]:
    found: dict[str, Any] = {}
    at = _skip(text, at + 1)
    while text[at : at + 1] == '"':
        try:
            key, at = decode_at(text, at)
            colon = _skip(text, at)
            if text[colon : colon + 1] != ":":
                break
            found[key], at, whole = _value(text, _skip(text, colon + 1), depth + 1)
        except (ValueError, _Nothing):
            break
        comma = _skip(text, at)
        if not whole or text[comma : comma + 1] != ",":
            at = comma
            break
        at = _skip(text, comma + 1)
    return found, at, False


def _array(text: str, at: int, depth: int) -> tuple[list[Any], int, bool]:
    found: list[Any] = []
    at = _skip(text, at + 1)
    opening: re.Match[str] | None = None
    while at < len(text):
        opening = opening or _OPENING.match(text, at)
        began = at
        try:
            value, at, whole = _value(text, at, depth + 1)
            found.append(value)
        except _Nothing:
            whole = False
        comma = _skip(text, at)
        if whole and text[comma : comma + 1] == "]":
            return found, comma + 1, True
        if whole and text[comma : comma + 1] == ",":
            at = _skip(text, comma + 1)
            continue
        resumed = _resume(text, max(at, began + 1), opening) if depth < NEAR_ROOT and opening else None
        if resumed is None:
            break
        at = resumed
    return found, at, False


def _resume(text: str, at: int, opening: re.Match[str]) -> int | None:
    """Where the next whole element begins that opens as the elements before did."""
    pattern = re.compile(r"\s*".join(map(re.escape, re.split(r"\s+", opening[0].strip()))))
    for attempt, match in enumerate(pattern.finditer(text, at)):
        if attempt > TRIES:
            return None
        try:
            decode_at(text, match.start())
        except ValueError:
            continue
        return match.start()
    return None

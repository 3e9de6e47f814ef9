"""JSON text to values: lone surrogates as U+FFFD, and nothing so deep that walking through it could fail."""

from __future__ import annotations

import json
import re
from typing import Any, Final

import orjson

decoder = json.JSONDecoder(strict=False)
DEPTH: Final = 200
LONGEST: Final = 2.0**63
_LOOKED_AT: Final = frozenset((dict, list, float))
_SURROGATE = re.compile("[\ud800-\udfff]")


def loads(text: str) -> Any:
    """The value of a JSON text, lone surrogates as U+FFFD. Raises ``ValueError`` where it is none, or nested
    too deeply."""
    try:
        # Of a string that is not ASCII orjson would leave its bytes behind in it.
        value = orjson.loads(text if text.isascii() else text.encode())
    except ValueError:
        pass
    else:
        if is_exact(value):
            return value
    value = decode(text)
    return without_surrogates(value)[0] if "\\u" in text else value


def decode(text: str) -> Any:
    """The value of a JSON text as it stands there. Raises ``ValueError`` as ``loads``."""
    try:
        value = decoder.decode(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    is_exact(value)
    return value


def decode_at(text: str, at: int) -> tuple[Any, int]:
    """The value that begins at a place of a text, and the place behind it. Raises ``ValueError``."""
    try:
        value, end = decoder.raw_decode(text, at)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    is_exact(value)
    return value, end


def is_exact(value: Any) -> bool:
    """Whether orjson read this value as it was written: it reads whole numbers over 64 bits as floats.

    Raises ``ValueError`` for a value so deep that walking through it is not sure to end well.
    """
    exact, level = True, [value]
    for _ in range(DEPTH):
        inner: list[Any] = []
        for one in level:
            if one.__class__ is dict:
                inner += one.values()
            elif one.__class__ is list:
                inner += one
            elif one.__class__ is float and not -LONGEST < one < LONGEST:
                exact = False
        level = [one for one in inner if one.__class__ in _LOOKED_AT]
        if not level:
            return exact
    raise ValueError("nested too deeply")


def without_surrogates(value: Any) -> tuple[Any, bool]:
    """The value with lone surrogates as U+FFFD, and whether there were any."""
    if isinstance(value, str):
        clean = _SURROGATE.sub("\ufffd", value)
        return clean, clean != value
    if isinstance(value, list):
        items = [without_surrogates(v) for v in value]
        return [v for v, _ in items], any(odd for _, odd in items)
    if isinstance(value, dict):
        pairs = [(without_surrogates(k), without_surrogates(v)) for k, v in value.items()]
        return {k: v for (k, _), (v, _) in pairs}, any(a or b for (_, a), (_, b) in pairs)
    return value, False


def reason(fault: Exception) -> str:
    """Why JSON could not be parsed, in a few words."""
    if isinstance(fault, json.JSONDecodeError):
        what = fault.msg.removesuffix(" at")
        return f"{what[:1].lower()}{what[1:]} at character {fault.pos + 1}"
    return str(fault)[:80]

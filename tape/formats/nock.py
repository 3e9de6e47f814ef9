"""nock: recordings of HTTP calls that tests of JavaScript programs replay, one list of them.

An answer is JSON, text, a list of its pieces, or packed bytes in hexadecimal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, Literal

from tape.formats.arrays import documents
from tape.formats.base import Guess, Sample
from tape.formats.exchanges import Exchange, Exchanges, Held, ProxyLog, body
from tape.formats.parts import word
from tape.model import Json, Place
from tape.records import Source

HEX: Final = re.compile(r"(?:[0-9a-f]{2})+")


class Nock(ProxyLog):
    """The format; see ``tape.formats.base.Format``."""

    name = "nock"
    label = "nock recording"
    written_by = "nock, for tests of JavaScript programs"
    evidence: Literal["files", "documentation"] = "documentation"

    def sniff(self, sample: Sample) -> Guess | None:
        """A list of objects with ``scope``, ``method``, ``path`` and ``response``."""
        document = sample.document
        if isinstance(document, list) and any(map(_is_call, document[:20])):
            return Guess(3, "calls with scope, method, path and response")
        return None

    def opened(self, source: Source) -> Exchanges:
        """The calls that sent JSON."""
        return Exchanges(source, [one for r, value in documents(source) for one in _calls(r, value)])


def _is_call(value: Json) -> bool:
    return isinstance(value, dict) and {"scope", "method", "path", "response"} <= value.keys()


def _calls(record: int, document: Json) -> Iterator[Exchange]:
    for i, call in enumerate(document if isinstance(document, list) else ()):
        if _is_call(call):
            url = f"{word(call, 'scope') or ''}{word(call, 'path') or ''}"
            sent = body(call.get("body"), Place(record, (i, "body")))
            yield Exchange(url, sent, _answer(call["response"], Place(record, (i, "response"))))


def _answer(value: Any, place: Place) -> Held:
    if isinstance(value, list) and value and all(isinstance(piece, str) for piece in value):
        value, whole = "".join(value), None
    else:
        whole = place
    if isinstance(value, str) and HEX.fullmatch(value):
        return body(bytes.fromhex(value), None)
    return body(value, whole)

"""VCR cassettes: recordings of HTTP calls that tests of Python and Ruby programs replay, in YAML or JSON.

Bodies are strings, bytes, or objects where Pydantic AI records them. YAML is changed in its text: a changed
body is written as JSON, which is YAML, and all else stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final, Literal

from tape.formats.arrays import at, documents
from tape.formats.base import Guess, Sample
from tape.formats.exchanges import Exchange, Exchanges, Held, ProxyLog, body
from tape.formats.parts import word
from tape.json_text import Set, patch
from tape.model import Json, Place
from tape.records import Source
from tape.yaml_text import Document, Unreadable, parse, replaced

BEGINS: Final = re.compile(r"\s*(?:#[^\n]*\n\s*|---\s*)*(?:http_)?(?:interactions|version|recorded_with):")


class Vcr(ProxyLog):
    """The format; see ``tape.formats.base.Format``."""

    name = "vcr"
    label = "VCR cassette"
    written_by = "vcrpy and pytest-recording, for tests of API clients"
    evidence: Literal["files", "documentation"] = "documentation"

    def sniff(self, sample: Sample) -> Guess | None:
        """``interactions`` at the top, in YAML or in JSON."""
        if sample.container == "json":
            found = isinstance(at(sample.document, ("interactions",)), list)
            return Guess(3, "interactions of a cassette") if found else None
        if sample.container == "text" and BEGINS.match(sample.text) and "interactions:" in sample.text:
            return Guess(3, "a YAML text of interactions")
        return None

    def opened(self, source: Source) -> Exchanges:
        """The interactions that sent JSON; none where the text is no YAML."""
        if source.container != "text":
            found = [one for r, value in documents(source) for one in _interactions(r, value)]
            return Exchanges(source, found)
        text = source.exact(0)
        try:
            document = parse(text)
        except Unreadable:
            return Exchanges(source, ())
        exchanges = (_writable(one, document) for one in _interactions(0, document.value))
        return Exchanges(source, exchanges, partial(_written, source, text, document))


def _interactions(record: int, document: Any) -> Iterator[Exchange]:
    key = "interactions" if at(document, ("interactions",)) else "http_interactions"
    several = at(document, (key,))
    for i, one in enumerate(several if isinstance(several, list) else ()):
        asked, given = at(one, ("request",)), at(one, ("response",))
        url = word(asked, "uri") or word(asked, "url") or ""
        sides = ((asked, (key, i, "request")), (given, (key, i, "response")))
        request, response = (_held(side, record, path) for side, path in sides)
        yield Exchange(url, request, response)


def _held(side: Any, record: int, path: tuple[str | int, ...]) -> Held:
    for inner in (("parsed_body",), ("body", "string"), ("body", "base64_string"), ("body",), ("content",)):
        value = at(side, inner)
        if value is not None and (inner != ("body",) or not isinstance(value, dict) or "string" not in value):
            return body(value, Place(record, (*path, *inner)), packed=inner[-1] == "base64_string")
    return Held(None)


def _writable(one: Exchange, document: Document) -> Exchange:
    """The exchange, without the places that the text does not show alone."""

    def checked(held: Held) -> Held:
        return held if held.place and held.place.path in document.spans else Held(held.value)

    return Exchange(one.url, checked(one.request), checked(one.response))


def _written(source: Source, text: str, document: Document, edits: Sequence[tuple[Held, Json]]) -> bytes:
    values: dict[tuple[str | int, ...], Json] = {}
    for held, value in edits:
        if held.place is not None:
            old = at(document.value, held.place.path)
            values[held.place.path] = patch(old, [Set((), value)]) if held.text else value
    start = source.span(0)[0]
    whole = replaced(text, document, values).encode("utf-8", "surrogateescape")
    return source.restore(bytes(source.body[:start]) + whole + bytes(source.body[source.span(0)[1] :]))

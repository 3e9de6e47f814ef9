"""HAR: what a browser or a proxy recorded of its traffic, one document of entries.

Bodies are strings; those of other hosts and pages stand between them, and one may be missing or cut. From the
specification of HAR 1.2; no real one with such traffic was seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from tape.formats.arrays import at, documents
from tape.formats.base import Guess, Sample
from tape.formats.exchanges import Exchange, Exchanges, Held, ProxyLog, body
from tape.formats.parts import word
from tape.model import Json, Place
from tape.records import Source


class Har(ProxyLog):
    """The format; see ``tape.formats.base.Format``."""

    name = "har"
    label = "HAR of API traffic"
    written_by = "browsers, mitmproxy, Charles, Proxyman"
    evidence: Literal["files", "documentation"] = "documentation"

    def sniff(self, sample: Sample) -> Guess | None:
        """A ``log`` with ``entries`` of which one asks a model."""
        if not isinstance(at(sample.document, ("log", "entries")), list):
            return None
        if any(entry.request.value for entry in _entries(0, sample.document)):
            return Guess(3, "a log of entries, as HAR has it")
        return None

    def opened(self, source: Source) -> Exchanges:
        """The entries that sent JSON."""
        found = [one for record, value in documents(source) for one in _entries(record, value)]
        return Exchanges(source, found)


def _entries(record: int, document: Json) -> Iterator[Exchange]:
    entries: Any = at(document, ("log", "entries"))
    for i, entry in enumerate(entries if isinstance(entries, list) else ()):
        path = ("log", "entries", i)
        asked = at(entry, ("request", "postData", "text"))
        given = at(entry, ("response", "content"))
        sent = body(asked, Place(record, (*path, "request", "postData", "text")))
        packed = at(given, ("encoding",)) == "base64"
        where = Place(record, (*path, "response", "content", "text"))
        got = body(at(given, ("text",)), where, packed=packed) if given else Held(None)
        yield Exchange(word(at(entry, ("request",)), "url") or "", sent, got)

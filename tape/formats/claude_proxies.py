"""claude-trace and claude-tap: proxies that log what Claude Code and Codex send, one exchange a line.

Every request repeats the history. claude-trace keeps a stream as the text it was, claude-tap as its events;
an answer of ``null`` is a request that was never answered.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Literal

from tape.formats.arrays import at, documents
from tape.formats.base import Guess, Sample
from tape.formats.exchanges import Exchange, Exchanges, Held, ProxyLog, body
from tape.formats.parts import word
from tape.model import Json, Place
from tape.records import Source


class ClaudeProxies(ProxyLog):
    """The format; see ``tape.formats.base.Format``."""

    name = "claude-proxy"
    label = "claude-trace, claude-tap"
    written_by = "claude-trace and claude-tap, between an agent and its API"
    evidence: Literal["files", "documentation"] = "documentation"

    def sniff(self, sample: Sample) -> Guess | None:
        """Lines with a request that has headers and an address, and a response."""
        values = sample.document if isinstance(sample.document, list) else sample.records
        if any(map(_is_line, values[:50])):
            return Guess(3, "requests with headers and their responses, as a proxy logs them")
        return None

    def opened(self, source: Source) -> Exchanges:
        """The exchanges of the lines, or of the list that the document is."""
        return Exchanges(source, [one for r, value in documents(source) for one in _exchanges(r, value)])


def _is_line(value: Json) -> bool:
    request = at(value, ("request",))
    if not isinstance(value, dict) or not isinstance(request, dict):
        return False
    marked = "headers" in request and ("url" in request or "path" in request)
    return marked and "response" in value and "body" in request


def _exchanges(record: int, document: Json) -> Iterator[Exchange]:
    if isinstance(document, list):
        several: list[tuple[Json, tuple[int, ...]]] = [(value, (i,)) for i, value in enumerate(document)]
    else:
        several = [(document, ())]
    for value, path in several:
        if not _is_line(value):
            continue
        asked = value["request"]
        url = word(asked, "url") or word(asked, "path") or ""
        sent = body(asked["body"], Place(record, (*path, "request", "body")))
        yield Exchange(url, sent, _answer(value["response"], Place(record, (*path, "response"))))


def _answer(response: Json, place: Place) -> Held:
    if not isinstance(response, dict):
        return Held(None)
    for key in ("body", "body_raw"):
        if response.get(key):
            return body(response[key], Place(place.record, (*place.path, key)))
    events: Any = next((response[k] for k in ("sse_events", "ws_events", "events") if response.get(k)), None)
    return body(_stream(events), None) if isinstance(events, list) else Held(None)


def _stream(events: list[Json]) -> str:
    """Events that a log keeps one by one, as the stream that they were."""
    told = (one.get("data", one) if isinstance(one, dict) else one for one in events)
    return "".join(f"data: {one if isinstance(one, str) else json.dumps(one)}\n\n" for one in told)

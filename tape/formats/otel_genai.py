"""OpenTelemetry GenAI: spans of model calls with their messages as attributes or events, or such messages.

Each call repeats the history; an agent's conversation is its longest, and what tools answered at its end
comes from their own spans. Facts: formats.md 9.2 of the project's notes; the semantic conventions for GenAI,
opentelemetry.io, November 2026 (``input_tokens`` counts cached tokens too).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, Final, Literal

from tape.formats import otel_write
from tape.formats.arrays import at, documents
from tape.formats.base import Dumped, Guess, Sample
from tape.formats.exchanges import Exchange, Exchanges, Held
from tape.formats.otel_events import has_events, older
from tape.formats.otel_parts import (
    STOPS,
    block_of,
    is_message,
    message_from,
    message_of,
    messages_of,
    part_of,
    tool_from,
    tool_of,
)
from tape.formats.parts import word, words
from tape.formats.span_log import SpanLog, number
from tape.formats.spans import Span, innermost, spans
from tape.json_text import Edit, Set, patch, same
from tape.model import Json, Place, Session, json_text
from tape.records import Source

ASKED: Final = "gen_ai.input.messages"
ANSWERED: Final = "gen_ai.output.messages"
SYSTEM: Final = "gen_ai.system_instructions"
TOOLS: Final = "gen_ai.tool.definitions"
MARKS: Final = ("gen_ai.", "traceloop.", "ai.prompt", "ai.response")
SETTINGS: Final = {
    "gen_ai.request.max_tokens": "max_tokens",
    "gen_ai.request.temperature": "temperature",
    "gen_ai.request.top_p": "top_p",
    "gen_ai.request.top_k": "top_k",
    "gen_ai.request.stop_sequences": "stop_sequences",
}


class OtelGenAI(SpanLog):
    """The format; see ``tape.formats.base.Format``."""

    name = "otel-genai"
    label = "OpenTelemetry GenAI"
    written_by = "OpenTelemetry instrumentations of model calls"
    evidence: Literal["files", "documentation"] = "documentation"

    def sniff(self, sample: Sample) -> Guess | None:
        """Spans with attributes or events of the GenAI conventions, or a list of their messages."""
        if _is_array(sample.document):
            return Guess(3, "messages with parts of the GenAI conventions")
        if any(name.startswith(MARKS) for name in self.names(sample)):
            return Guess(3, "spans with attributes of OpenTelemetry's GenAI conventions")
        return None

    def opened(self, source: Source) -> Exchanges:
        """The calls of a trace, or the one array that the file is."""
        arrays = [(record, value) for record, value in documents(source) if _is_array(value)]
        if arrays:
            return Exchanges(source, [_array(Place(record), value) for record, value in arrays])
        found = spans(documents(source))
        chosen = innermost(found, self.calls(found))
        known = {id for span in chosen for id in _answered(span)}
        exchanges = []
        for span in chosen:
            exchanges.append(self.exchange(span, found))
            exchanges += _ending(span, found, known)
        return Exchanges(source, exchanges)

    def calls(self, found: Sequence[Span]) -> list[Span]:
        """The spans that say what was sent, in the form of today or an older one."""
        return [span for span in found if ASKED in span.attributes or has_events(span)]

    def exchange(self, span: Span, found: Sequence[Span]) -> Exchange:
        """The call of a span as a request in the Anthropic form with its response."""
        if ASKED not in span.attributes:
            return older(span)
        messages, answers = _Attribute(span, ASKED), _Attribute(span, ANSWERED)
        return Exchange("/v1/messages", _request(span, messages), _response(span, answers))

    @property
    def write(self) -> Callable[[Session], Dumped]:
        """Makes one span of a call of any session; see ``tape.formats.otel_write``."""
        return otel_write.write


class _Attribute:
    """An attribute that holds a list as JSON, in a string or as such, and how it is changed."""

    def __init__(self, span: Span, name: str) -> None:
        self.place = span.place_of(name)
        self.written = span.attributes.get(name)
        parsed = span.parsed(name)
        self.value: list[Json] = parsed if isinstance(parsed, list) else []

    def change(self, value: list[Json]) -> tuple[int, Edit] | None:
        """The edit that puts another list in place of this one; ``None`` where it has no place."""
        if self.place is None:
            return None
        if not isinstance(self.written, str):
            return self.place.record, Set(self.place.path, value)
        return self.place.record, Set(self.place.path, patch(self.written, [Set((), value)]))


def _is_array(value: Json) -> bool:
    return isinstance(value, list) and bool(value) and all(map(is_message, value[:20]))


def _array(place: Place, value: Json) -> Exchange:
    pairs = list(messages_of(value))
    body = {"messages": [made for _, made in pairs]}

    def edits(new: Json) -> list[tuple[int, Edit]] | None:
        return [(place.record, Set(place.path, _back(pairs, at(new, ("messages",)))))]

    return Exchange("/v1/messages", Held(body, edits=edits), Held(None))


def _answered(span: Span) -> Iterator[str]:
    """The ids of the calls that what a span sent answers."""
    asked = span.parsed(ASKED)
    for message in asked if isinstance(asked, list) else ():
        parts = at(message, ("parts",))
        for part in parts if isinstance(parts, list) else ():
            if word(part, "type") == "tool_call_response":
                yield words(part.get("id"))


def _ending(span: Span, found: Sequence[Span], known: Collection[str]) -> list[Exchange]:
    """What tools answered to the last calls of an agent, which no later prompt shows: as one more request."""
    answers = _Attribute(span, ANSWERED)
    said = message_of(answers.value[0]) if answers.value else None
    blocks = said["content"] if said is not None and isinstance(said["content"], list) else []
    asked = [b["id"] for b in blocks if isinstance(b, dict) and b.get("type") == "tool_use" and b.get("id")]
    if said is None or not asked or any(id in known for id in asked):
        return []
    results = []
    for one in found:
        id = word(one.attributes, "gen_ai.tool.call.id")
        if id in asked and one.trace == span.trace and "gen_ai.tool.call.result" in one.attributes:
            result = one.attributes["gen_ai.tool.call.result"]
            content = result if isinstance(result, str) else json_text(result)
            results.append({"type": "tool_result", "tool_use_id": id, "content": content})
    if not results:
        return []
    tail = [{"role": "assistant", "content": blocks}, {"role": "user", "content": results}]
    return [Exchange("/v1/messages", _request(span, _Attribute(span, ASKED), tail), Held(None))]


def _request(span: Span, asked: _Attribute, tail: Sequence[dict[str, Any]] = ()) -> Held:
    """What a call sent. ``tail`` are messages behind it that stand elsewhere and cannot be changed there."""
    pairs = list(messages_of(asked.value))
    system, tools = _Attribute(span, SYSTEM), _Attribute(span, TOOLS)
    body: dict[str, Any] = {"model": word(span.attributes, "gen_ai.request.model") or ""}
    body |= {key: span.attributes[name] for name, key in SETTINGS.items() if name in span.attributes}
    if system.value:
        body["system"] = [block_of(part) for part in system.value]
    if tools.value:
        body["tools"] = [tool_of(one) for one in tools.value]
    body["messages"] = [*(made for _, made in pairs), *tail]

    def edits(new: Json) -> list[tuple[int, Edit]] | None:
        entries = at(new, ("messages",))
        if not isinstance(new, dict) or not isinstance(entries, list):
            return None
        changes: list[tuple[int, Edit] | None] = []
        if not same(body["messages"], entries):
            end = len(entries) - len(tail)
            if end < 0 or not same(list(tail), entries[end:]):
                return None
            changes.append(asked.change(_back(pairs, entries[:end])))
        if not same(body.get("system"), new.get("system")):
            changes.append(system.change(_parts(new.get("system"))))
        if not same(body.get("tools"), new.get("tools")):
            listed = new.get("tools")
            changes.append(
                tools.change([tool_from(one) for one in listed] if isinstance(listed, list) else [])
            )
        done = [change for change in changes if change is not None]
        others = ("model", *SETTINGS.values())
        kept = all(same(body.get(key), new.get(key)) for key in others)
        return done if kept and len(done) == len(changes) else None

    return Held(body, edits=edits)


def _parts(system: Json) -> list[Json]:
    blocks = [{"type": "text", "text": system}] if isinstance(system, str) else system or []
    return [part for block in blocks if (part := part_of(block)) is not None]


def _back(pairs: Sequence[tuple[Json, dict[str, Any]]], new: Json) -> list[Json]:
    """The messages of the file for an array that was edited: those that stayed as they were written."""
    entries: list[Any] = new if isinstance(new, list) else []
    found: list[Json] = []
    start = 0
    for i, entry in enumerate(entries):
        place = next((n for n in range(start, len(pairs)) if same(pairs[n][1], entry)), None)
        if place is not None:
            found.append(pairs[place][0])
            start = place + 1
            continue
        like = pairs[i][0] if len(entries) == len(pairs) else None
        found.append(message_from(entry, like))
        start = i + 1 if like is not None else start
    return found


def _response(span: Span, answers: _Attribute) -> Held:
    first = answers.value[0] if answers.value else None
    made = message_of(first)
    if made is None:
        return Held(None)
    reason = word(first, "finish_reason") or _reason(span)
    model = word(span.attributes, "gen_ai.response.model") or word(span.attributes, "gen_ai.request.model")
    content = made["content"]
    body = {
        "id": word(span.attributes, "gen_ai.response.id") or span.id,
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [{"type": "text", "text": content}] if isinstance(content, str) else content,
        "stop_reason": STOPS.get(reason or "", reason),
        "usage": usage_of(span),
    }

    def edits(new: Json) -> list[tuple[int, Edit]] | None:
        if not isinstance(new, dict) or not same(body | {"content": 0}, new | {"content": 0}):
            return None
        changed = message_from({"role": "assistant", "content": new.get("content")}, first)
        change = answers.change([changed, *answers.value[1:]])
        return None if change is None else [change]

    return Held(body, edits=edits)


def _reason(span: Span) -> str | None:
    reasons = span.parsed("gen_ai.response.finish_reasons")
    return reasons[0] if isinstance(reasons, list) and reasons and isinstance(reasons[0], str) else None


def usage_of(span: Span) -> dict[str, int] | None:
    """The counts of a span in Anthropic's terms: ``input_tokens`` without what was cached."""
    read = number(span.first("gen_ai.usage.cache_read.input_tokens"))
    wrote = number(span.first("gen_ai.usage.cache_creation.input_tokens"))
    sent = number(span.first("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"))
    said = number(span.first("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"))
    fresh = None if sent is None else max(sent - (read or 0) - (wrote or 0), 0)
    known = {
        "input_tokens": fresh,
        "cache_read_input_tokens": read,
        "cache_creation_input_tokens": wrote,
        "output_tokens": said,
    }
    counts = {key: count for key, count in known.items() if count is not None}
    return counts or None

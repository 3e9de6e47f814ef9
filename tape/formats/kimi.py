"""Kimi Code: ``wire.jsonl``, which records what was added to the context: messages, and the events of a step.

The events of one step are one reply. Input counts leave cached tokens out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

from tape.formats.arrays import Path, at
from tape.formats.base import Guess, Sample
from tape.formats.gathering import Gathering
from tape.formats.log_format import FileFormat
from tape.formats.openai_blocks import parse_part
from tape.formats.parts import (
    Field,
    Part,
    below,
    call_part,
    counts,
    other_part,
    result_part,
    text_part,
    thinking_part,
    word,
    words,
)
from tape.formats.parts_dump import Form
from tape.model import Block, Json, Message, Place, Role, Session, Text, Usage
from tape.records import Source

NAME: Final = "kimi"
ROLES: Final[dict[str, Role]] = {"user": "user", "assistant": "assistant", "system": "system", "tool": "user"}
FAMILIES: Final = ("context", "usage", "config", "turn", "metadata", "full_compaction", "permission", "plan")
STEPS: Final = ("step.begin", "step.end")


def load(source: Source) -> Session:
    """The session of a file. Never raises on data."""
    gathering = Gathering(source, NAME)
    system: str | None = None
    model: str | None = None
    step: str | None = None
    for i, value in gathering.lines():
        kind = word(value, "type") or "untyped"
        event, message = value.get("event"), value.get("message")
        if kind == "context.append_message" and isinstance(message, dict):
            _said(gathering, Place(i, ("message",)), message)
            continue
        if kind == "context.append_loop_event" and isinstance(event, dict):
            step = word(event, "stepUuid") or (
                word(event, "uuid") if event.get("type") == "step.begin" else step
            )
            if _event(gathering, Place(i, ("event",)), event, step, model):
                continue
            kind = word(event, "type") or kind
        elif kind == "usage.record":
            model = word(value, "model") or model
            gathering.spend(usage_of(value.get("usage")))
        elif kind == "config.update":
            model = word(value, "model") or word(value, "modelAlias") or model
            if word(value, "systemPrompt") and system is None:
                system = words(value["systemPrompt"])
                gathering.extra["system_place"] = Place(i, ("systemPrompt",))
        known = kind.partition(".")[0] in FAMILIES or kind in STEPS
        gathering.aside(Place(i), kind, words(value.get("summary")), known=known)
    return gathering.session(system=system, params={"model": model} if model else {})


def _said(g: Gathering, place: Place, message: dict[str, Any]) -> None:
    written = word(message, "role") or ""
    facts: dict[str, Any] = {} if written in ROLES else {"unknown_role": written}
    if written == "tool":
        g.answer(place, answer_parts)
    else:
        g.say(ROLES.get(written, "user"), place, message_parts, **facts)


def _event(g: Gathering, place: Place, event: dict[str, Any], step: str | None, model: str | None) -> bool:
    """Takes an event of a step in; false where it is no part of the conversation."""
    kind = word(event, "type")
    if kind in ("content.part", "tool.call"):
        g.say("assistant", place, event_parts, key=step, joins=step is None, model=model or None)
    elif kind == "tool.result":
        g.answer(place, answer_parts)
    else:
        if kind == "step.end" and g.reply is not None and word(event, "finishReason"):
            g.reply.meta["stop_reason"] = event["finishReason"]
        return False
    return True


def message_parts(message: Json, place: Place) -> Sequence[Part]:
    """The content and the calls of a message."""
    content, calls = message.get("content"), message.get("toolCalls")
    origin = word(message.get("origin"), "kind")
    injected = message.get("role") == "user" and origin not in (None, "user")
    found: list[Part] = []
    if isinstance(content, str):
        found.append(text_part(content, below(place, "content"), injected=injected))
    for i, part in enumerate(content if isinstance(content, list) else []):
        found.append(_content(part, below(place, "content", i), injected))
    for i, call in enumerate(calls if isinstance(calls, list) else []):
        where = below(place, "toolCalls", i)
        inside: Path = ("function",) if isinstance(at(call, ("function",)), dict) else ()
        if isinstance(call, dict):
            name, given = (*inside, "name"), (*inside, "arguments")
            found.append(call_part(call, where, name=name, input=given, id=("id",)))
        else:
            found.append(other_part(call, "tool call", where))
    return found


def event_parts(event: Json, place: Place) -> Sequence[Part]:
    """What an event of a step adds to the reply."""
    if event.get("type") == "tool.call":
        return [call_part(event, place, name=("name",), input=("args",), id=("toolCallId",))]
    return [_content(event.get("part"), below(place, "part"), False)]


def _content(part: Json, place: Place, injected: bool) -> Part:
    if isinstance(at(part, ("text",)), str):
        return text_part(part["text"], below(place, "text"), home=place, raw=part, injected=injected)
    if isinstance(at(part, ("think",)), str):
        return thinking_part(part["think"], below(place, "think"), home=place, raw=part)
    return Part(inner(part, place))


def inner(part: Json, place: Place) -> Block:
    """One item of a result, or of content that is no text."""
    return parse_part(part, place)


def answer_parts(value: Json, place: Place) -> Sequence[Part]:
    """What a call gave back: an event, or a message of the role tool."""
    held = value.get("result")
    if "result" not in value:
        return [result_part(value, place, content=("content",), id=("toolCallId",), inner=inner, gone=())]
    path: Path = ("result",)
    error: bool | None = None
    flags: tuple[Field, ...] = ()
    if isinstance(held, dict):
        path = ("result", "output") if "output" in held else ("result", "content")
        said = held.get("isError")
        error = said if isinstance(said, bool) else None
        flag = Field((*place.path, "result", "isError"), lambda new: new.is_error is True)
        flags = (flag,) if error is not None else ()
    id = ("toolCallId",)
    return [result_part(value, place, content=path, id=id, error=error, flags=flags, inner=inner, gone=())]


def usage_of(value: Json) -> Usage | None:
    """Kimi's counts (tokens)."""
    if not isinstance(value, dict):
        return None
    found = counts(value)
    return Usage(
        input=found.get("inputOther"),
        cache_read=found.get("inputCacheRead"),
        cache_write=found.get("inputCacheCreation"),
        output=found.get("output"),
    )


def _make(entry: Message, like: Sequence[Json]) -> list[Json] | None:
    """The record of a message of words."""
    texts = [{"type": "text", "text": block.text} for block in entry.blocks if isinstance(block, Text)]
    if len(texts) < len(entry.blocks):
        return None
    message = {"role": entry.role, "content": texts, "toolCalls": []}
    stamp = at(like[-1], ("time",)) if like else None
    return [{"type": "context.append_message", "message": message, **({"time": stamp} if stamp else {})}]


FORM: Final = Form("A Kimi session", lambda source, _: load(source), _make)


class Kimi(FileFormat):
    """The format; see ``tape.formats.base.Format``."""

    name = NAME
    label = "Kimi Code wire log"
    written_by = "Kimi Code, as wire.jsonl"
    evidence: Literal["files", "documentation"] = "documentation"
    form = FORM
    load = staticmethod(load)

    def sniff(self, sample: Sample) -> Guess | None:
        """Records of types context.append_message and context.append_loop_event."""
        kinds = {word(record, "type") for record in sample.records}
        if {"context.append_message", "context.append_loop_event"} & kinds:
            return Guess(3, "records of types context.append_message and context.append_loop_event")
        return None

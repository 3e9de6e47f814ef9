"""The events of a Converse stream as messages. They are shown whole and cannot be changed in part."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tape.formats.arrays import at
from tape.formats.bedrock_parts import content_parts
from tape.formats.gathering import Gathering
from tape.formats.openai_blocks import parsed_arguments
from tape.formats.parts import Part, word
from tape.model import Json, Place
from tape.usage_forms import bedrock as usage_of

EVENTS: Final = frozenset(
    (
        *("messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop"),
        *("messageStop", "metadata"),
    )
)
CUT: Final = "The stream breaks off here, before the response ended."


@dataclass(slots=True)
class _Told:
    """A response as far as it was told."""

    places: list[Place] = field(default_factory=list)
    blocks: dict[Any, dict[str, Any]] = field(default_factory=dict)
    inputs: dict[Any, list[str]] = field(default_factory=dict)
    stop: str | None = None
    usage: Json = None


def is_event(value: Json) -> bool:
    """Whether this is an event: an object with one key, which names it."""
    return isinstance(value, dict) and len(value) == 1 and bool(EVENTS & value.keys())


def gather_stream(g: Gathering, told: Iterable[tuple[Place, Json]]) -> None:
    """Tells ``g`` the responses of the events, each one assistant message."""
    now = _Told()
    for place, value in told:
        if not is_event(value):
            g.aside(
                place, next(iter(value), "untyped") if isinstance(value, dict) else "no object", known=False
            )
            continue
        kind = next(iter(value))
        if kind == "messageStart" and now.places:
            _say(g, now)
            now = _Told()
        now.places.append(place)
        _take(now, kind, value[kind])
    if now.places:
        _say(g, now)


def _take(now: _Told, kind: str, event: Json) -> None:
    index = str(at(event, ("contentBlockIndex",)))
    if kind == "contentBlockStart":
        use = at(event, ("start", "toolUse"))
        now.blocks[index] = {"toolUse": {**use, "input": {}}} if isinstance(use, dict) else {}
    elif kind == "contentBlockDelta":
        delta = at(event, ("delta",))
        if isinstance(delta, dict):
            _grow(now, index, delta)
    elif kind == "messageStop":
        now.stop = word(event, "stopReason")
    elif kind == "metadata":
        now.usage = at(event, ("usage",))


def _grow(now: _Told, index: str, delta: dict[str, Json]) -> None:
    block = now.blocks.setdefault(index, {})
    if isinstance(delta.get("text"), str):
        block["text"] = f"{block.get('text', '')}{delta['text']}"
    use, thought = delta.get("toolUse"), delta.get("reasoningContent")
    if isinstance(use, dict) and isinstance(use.get("input"), str):
        now.inputs.setdefault(index, []).append(use["input"])
    if isinstance(thought, dict):
        told = block.setdefault("reasoningContent", {}).setdefault("reasoningText", {"text": ""})
        told["text"] += word(thought, "text") or ""
        if word(thought, "signature"):
            told["signature"] = thought["signature"]


def _say(g: Gathering, now: _Told) -> None:
    for index, pieces in now.inputs.items():
        block = now.blocks[index]
        block.setdefault("toolUse", {"toolUseId": "", "name": ""})
        text = "".join(pieces)
        block["toolUse"]["input"] = parsed_arguments(text)
    content = [block for block in now.blocks.values() if block]
    first, *others = now.places

    def parse(_: Json, place: Place) -> Sequence[Part]:
        parts = content_parts({"content": content}, place)
        return [Part(replace(part.block, place=place)) for part in parts]

    key = f"{first.record} {first.path}"
    facts: dict[str, Any] = {"stop_reason": now.stop, "interrupted": True if now.stop is None else None}
    g.say("assistant", first, parse, key=key, **facts)
    for place in others:
        g.say("assistant", place, lambda _value, _place: (), key=key)
    g.spend(usage_of(now.usage))
    if now.stop is None:
        g.remark(now.places[-1], "cut-stream", CUT)

"""What single OpenHands events say: messages, actions that are calls, observations that answer them.

An action of version 0 is a call only where it carries the metadata of one; the words of the reply stand in
the model response that is kept with it, or in its thought.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from tape.formats.arrays import Path, at
from tape.formats.gathering import Gathering
from tape.formats.openai_blocks import parse_part
from tape.formats.parts import (
    Field,
    Part,
    below,
    call_part,
    result_part,
    text_part,
    thinking_part,
    word,
    words,
)
from tape.model import Block, Json, Place, Role
from tape.usage_forms import openai

V0: Final = "0"
V1: Final = "1"
CALL_ID: Final = ("tool_call_metadata", "tool_call_id")
BESIDE_V0: Final = frozenset(
    (
        *("recall", "agent_state_changed", "change_agent_state", "null", "system"),
        *("condensation", "condensation_request"),
    )
)
BESIDE_V1: Final = frozenset(
    (
        *("Condensation", "CondensationRequest", "CondensationSummaryEvent", "PauseEvent", "TokenEvent"),
        *(
            "ConversationStateUpdateEvent",
            "ConversationErrorEvent",
            "LLMCompletionLogEvent",
            "InterruptEvent",
        ),
    )
)
ANSWERS_V1: Final = frozenset(("ObservationEvent", "AgentErrorEvent", "UserRejectObservation"))


@dataclass(slots=True)
class Event:
    """What is known from the events so far: the ids of calls by event, and which responses were counted."""

    id: str | None = None
    model: str | None = None
    calls: dict[str, str] = field(default_factory=dict)
    counted: set[str] = field(default_factory=set)


def tools_and_system(event: dict[str, Any]) -> tuple[str | None, Json, Path]:
    """The system prompt of an event (``None``: it is another event), its tools, the path of the prompt."""
    if event.get("kind") == "SystemPromptEvent":
        text = at(event, ("system_prompt", "text"))
        if isinstance(text, str):
            return text, event.get("tools"), ("system_prompt", "text")
    if event.get("action") == "system":
        text = at(event, ("args", "content"))
        if isinstance(text, str):
            return text, at(event, ("args", "tools")), ("args", "content")
    return None, None, ()


def read_event(g: Gathering, place: Place, event: dict[str, Any], state: Event) -> None:
    """Takes an event in. Never raises on data."""
    if isinstance(event.get("kind"), str):
        _sdk(g, place, event, state)
    else:
        _old(g, place, event, state)


def _sdk(g: Gathering, place: Place, event: dict[str, Any], state: Event) -> None:
    kind, at_time = event["kind"], word(event, "timestamp")
    if kind == "MessageEvent":
        message = event.get("llm_message")
        role = _role(word(message, "role") or word(event, "source"))
        g.say(
            role,
            below(place, "llm_message"),
            message_parts,
            key=word(event, "llm_response_id"),
            timestamp=at_time,
        )
    elif kind == "ActionEvent":
        key = word(event, "llm_response_id")
        first = g.last is None or g.last.role != "assistant" or g.last.key != key or key is None
        parse = partial(action_parts, first)
        g.say("assistant", place, parse, key=key, response_id=key, timestamp=at_time)
    elif kind in ANSWERS_V1:
        g.answer(place, observation_parts, timestamp=at_time)
    else:
        summary = words(event.get("summary") or event.get("detail"))
        g.aside(place, kind, summary, known=kind in BESIDE_V1, injected=kind == "Condensation")


def _role(written: str | None) -> Role:
    return "assistant" if written in ("assistant", "agent") else "system" if written == "system" else "user"


def message_parts(message: Json, place: Place) -> Sequence[Part]:
    """A message in the Chat Completions dialect, content string or list."""
    if not isinstance(message, dict):
        return []
    found: list[Part] = []
    reasoning, content = message.get("reasoning_content"), message.get("content")
    if isinstance(reasoning, str) and reasoning:
        found.append(thinking_part(reasoning, below(place, "reasoning_content")))
    if isinstance(content, str):
        found.append(text_part(content, below(place, "content")))
    for i, part in enumerate(content if isinstance(content, list) else []):
        found.append(_content(part, below(place, "content", i)))
    return found


def _content(part: Json, place: Place) -> Part:
    if isinstance(part, dict) and isinstance(part.get("text"), str):
        return text_part(part["text"], below(place, "text"), home=place, raw=part)
    return Part(inner(part, place))


def inner(part: Json, place: Place) -> Block:
    """One item of a list of content."""
    urls = part.get("image_urls") if isinstance(part, dict) else None
    if isinstance(urls, list) and urls:
        part = {"type": "image_url", "image_url": {"url": urls[0]}}
    return parse_part(part, place)


def action_parts(first: bool, event: Json, place: Place) -> Sequence[Part]:
    """A call of the SDK; the first of a response also carries its reasoning and words."""
    found: list[Part] = []
    if first:
        reasoning = event.get("reasoning_content")
        if isinstance(reasoning, str) and reasoning:
            found.append(thinking_part(reasoning, below(place, "reasoning_content")))
        for i, block in enumerate(_list(event.get("thinking_blocks"))):
            text = block.get("thinking") if isinstance(block, dict) else None
            if isinstance(text, str) and not reasoning:
                where = below(place, "thinking_blocks", i)
                sign = word(block, "signature")
                found.append(thinking_part(text, below(where, "thinking"), home=where, signature=sign))
        found += [
            _content(part, below(place, "thought", i)) for i, part in enumerate(_list(event.get("thought")))
        ]
    if isinstance(event.get("tool_call"), dict):
        found.append(
            call_part(
                event,
                place,
                name=("tool_call", "name"),
                input=("tool_call", "arguments"),
                id=("tool_call", "id"),
                gone=(),
            )
        )
    else:
        found.append(
            call_part(event, place, name=("tool_name",), input=("action",), id=("tool_call_id",), gone=())
        )
    return found


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def observation_parts(event: Json, place: Place) -> Sequence[Part]:
    """What a call of the SDK gave back, or why it was not carried out."""
    held = event.get("observation")
    flags: tuple[Field, ...] = ()
    error: bool | None = True
    path: Path = ("error",) if "error" in event else ("rejection_reason",)
    if isinstance(held, dict):
        key = next((k for k in ("content", "output", "text") if k in held), "content")
        path = ("observation", key)
        said = held.get("is_error", held.get("error"))
        error = said if isinstance(said, bool) else None
        if isinstance(held.get("is_error"), bool):
            flags = (Field((*place.path, "observation", "is_error"), lambda new: bool(new.is_error)),)
    tool = word(event, "tool_name")
    id = ("tool_call_id",)
    return [
        result_part(
            event, place, content=path, id=id, error=error, flags=flags, tool=tool, inner=inner, gone=()
        )
    ]


def _old(g: Gathering, place: Place, event: dict[str, Any], state: Event) -> None:
    action, at_time = event.get("action"), word(event, "timestamp")
    metadata = event.get("tool_call_metadata")
    response = at(metadata, ("model_response",))
    key = word(response, "id")
    if action == "message" and not isinstance(metadata, dict):
        role = _role(word(event, "source"))
        g.say(role, place, old_message_parts, timestamp=at_time)
    elif action is not None and isinstance(metadata, dict):
        first = g.last is None or g.last.role != "assistant" or g.last.key != key or key is None
        state.model = word(response, "model") or state.model
        state.calls[str(event.get("id"))] = words(metadata.get("tool_call_id"))
        facts: dict[str, Any] = {"response_id": key, "model": word(response, "model"), "timestamp": at_time}
        stop = word(at(response, ("choices", 0)), "finish_reason")
        g.say("assistant", place, partial(old_call_parts, first), key=key, stop_reason=stop, **facts)
        if key is None or key not in state.counted:
            state.counted.add(key or "")
            g.spend(openai(at(response, ("usage",))))
    elif event.get("observation") is not None and (
        isinstance(metadata, dict) or str(event.get("cause")) in state.calls
    ):
        g.answer(
            place, partial(old_answer_parts, state.calls.get(str(event.get("cause")))), timestamp=at_time
        )
    else:
        kind = str(action or event.get("observation") or "event")
        g.aside(place, kind, words(event.get("message")), known=kind in BESIDE_V0)


def old_message_parts(event: Json, place: Place) -> Sequence[Part]:
    """A message of version 0."""
    text = at(event, ("args", "content"))
    found = [text_part(words(text), below(place, "args", "content"))] if isinstance(text, str) else []
    for i, url in enumerate(_list(at(event, ("args", "image_urls")))):
        part = {"type": "image_url", "image_url": {"url": url}}
        found.append(Part(parse_part(part, below(place, "args", "image_urls", i))))
    return found


def old_call_parts(first: bool, event: Json, place: Place) -> Sequence[Part]:
    """A call of version 0, with the words of its reply where it is the first of it."""
    path: Path = ("tool_call_metadata", "model_response", "choices", 0, "message")
    message = at(event, path)
    found: list[Part] = []
    said = at(message, ("content",))
    if first and isinstance(said, str) and said:
        found.append(text_part(said, below(place, *path, "content")))
    elif first and isinstance(thought := at(event, ("args", "thought")), str) and thought and said is None:
        found.append(text_part(thought, below(place, "args", "thought")))
    id = at(event, ("tool_call_metadata", "tool_call_id"))
    for i, call in enumerate(_list(at(message, ("tool_calls",)))):
        if isinstance(call, dict) and call.get("id") == id:
            where = below(place, *path, "tool_calls", i)
            name, given = ("function", "name"), ("function", "arguments")
            return [*found, call_part(call, where, name=name, input=given, id=("id",), gone=())]
    name = ("tool_call_metadata", "function_name")
    return [*found, call_part(event, place, name=name, input=("args",), id=CALL_ID, gone=())]


def old_answer_parts(caused: str | None, event: Json, place: Place) -> Sequence[Part]:
    """An observation of version 0: it names its call, or the event that caused it."""
    path: Path = CALL_ID
    code = at(event, ("extras", "metadata", "exit_code"))
    failed = event.get("observation") == "error" or (isinstance(code, int) and code not in (0, -1))
    named = at(event, path)
    held = {**event, "caused": caused} if not named else event
    id: Path = path if named else ("caused",)
    part = result_part(held, place, content=("content",), id=id, error=failed or None, gone=())
    if named:
        return [part]
    return [Part(part.block, part.fields[:1], ())]

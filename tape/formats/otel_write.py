"""Makes a span of OpenTelemetry's GenAI conventions of any session: one call that sends the whole array.

The document is OTLP JSON with one span: the array as ``gen_ai.input.messages``, the last answer of the model
as ``gen_ai.output.messages``. Facts: the semantic conventions for GenAI, opentelemetry.io, November 2026.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any, Final

from tape.formats.base import Dumped
from tape.formats.carrying import NO_FORM, Carried, Target, Turn, carried
from tape.formats.otel_parts import REASONS, message_from, part_of, tool_from
from tape.formats.settings import leave_out, settings_of
from tape.model import Call, Json, Session, Thinking, ToolResult
from tape.wire import block_json, tool_json

TARGET: Final = Target(own=("otel-genai",), longest_id=200, longest_name=200)


def write(session: Session) -> Dumped:
    """The session as a trace of one span; what it has no place for is in the losses."""
    done = carried(session, TARGET)
    messages = [_message(done, turn) for turn in done.turns]
    answered = bool(done.turns) and done.turns[-1].role == "assistant"
    calls = {call.message_uid: call for call in session.calls}
    last = calls.get(done.turns[-1].entry.uid) if answered else None
    attributes: dict[str, Json] = {"gen_ai.operation.name": "chat"}
    if session.model:
        attributes["gen_ai.request.model"] = session.model
    if session.id:
        attributes["gen_ai.conversation.id"] = session.id
    attributes |= _settings(done)
    if done.system:
        parts = [{"type": "text", "content": text} for text in done.system]
        attributes["gen_ai.system_instructions"] = _written(parts)
    if session.tools is not None:
        attributes["gen_ai.tool.definitions"] = _written([tool_from(tool_json(tool)) for tool in done.tools])
    attributes["gen_ai.input.messages"] = _written(messages[:-1] if answered else messages)
    if answered:
        reason = last.stop_reason if last else None
        messages[-1]["finish_reason"] = REASONS.get(reason or "", reason or "stop")
        attributes["gen_ai.output.messages"] = _written(messages[-1:])
        attributes |= _usage(last)
    _beside(done, len(session.calls) - (last is not None))
    return Dumped(_document(session, attributes), done.losses.notes())


def _written(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


def _message(done: Carried, turn: Turn) -> dict[str, Any]:
    content = []
    for block, where in turn.blocks:
        if isinstance(block, Thinking) and (block.signature or block.data):
            done.losses.lose("Signatures of thinking were left out.", where)
        if isinstance(block, Thinking) and not block.text:
            continue
        if isinstance(block, ToolResult) and block.is_error:
            done.losses.lose(
                "A response of a tool cannot say that it is an error; the mark was left out.", where
            )
        value = block_json(block)
        if part_of(value) is None:
            done.losses.lose(NO_FORM, where)
        else:
            content.append(value)
    return message_from({"role": turn.role, "content": content})


def _settings(done: Carried) -> dict[str, Json]:
    given = settings_of(done.session)
    kept: dict[str, Json] = {}
    if given.max_tokens is not None:
        kept["gen_ai.request.max_tokens"] = given.max_tokens
    lost = [*given.rest, *(given.sampling or ())] + ["stop"] * bool(given.stop)
    lost += ["tool_choice"] * (given.choice is not None) + ["thinking"] * (given.thinking is not None)
    leave_out(done.losses, *lost, *["reasoning_effort"] * bool(given.effort))
    return kept


def _usage(call: Call | None) -> dict[str, Json]:
    if call is None:
        return {}
    usage = call.usage
    told = {
        "gen_ai.response.id": call.id,
        "gen_ai.response.model": call.model,
        "gen_ai.usage.input_tokens": usage.prompt if usage else None,
        "gen_ai.usage.output_tokens": usage.output if usage else None,
        "gen_ai.usage.cache_read.input_tokens": usage.cache_read if usage else None,
        "gen_ai.usage.cache_creation.input_tokens": usage.cache_write if usage else None,
    }
    return {key: value for key, value in told.items() if value is not None}


def _beside(done: Carried, calls: int) -> None:
    """What stands beside the array and is not written."""
    if calls:
        done.losses.lose(f"The usage of {calls} earlier calls was left out: a span is one call.")
    if done.session.lanes:
        done.losses.lose(f"{len(done.session.lanes)} sub-agents have arrays of their own: left out.")
    if done.session.branches:
        done.losses.lose(f"{len(done.session.branches)} branches were left out.")


def _document(session: Session, attributes: dict[str, Json]) -> bytes:
    """The trace; its ids follow from what it says, so that the same session gives the same bytes."""
    said = blake2b(_written(attributes).encode("utf-8", "replace"), digest_size=24).hexdigest()
    start = _nanoseconds(next((call.at for call in session.calls if call.at), None))
    span = {
        "traceId": said[:32],
        "spanId": said[32:],
        "name": f"chat {session.model or ''}".strip(),
        "kind": 3,
        "startTimeUnixNano": start,
        "endTimeUnixNano": _nanoseconds(next((c.at for c in reversed(session.calls) if c.at), None)),
        "attributes": [{"key": key, "value": _value(value)} for key, value in attributes.items()],
    }
    scope = {"scope": {"name": "tapedeck"}, "spans": [span]}
    document = {"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": [scope]}]}
    return json.dumps(document, ensure_ascii=False, indent=2).encode("utf-8", "replace") + b"\n"


def _value(value: Json) -> dict[str, Json]:
    return {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}


def _nanoseconds(at: str | None) -> str:
    """A time as OTLP writes it; 0 where it is not known."""
    try:
        found = datetime.fromisoformat(at or "")
    except ValueError:
        return "0"
    found = found if found.tzinfo else found.replace(tzinfo=UTC)
    return str(int(found.timestamp()) * 1_000_000_000)

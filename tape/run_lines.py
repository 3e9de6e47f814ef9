"""A run's events as lines for a terminal, acting characters made visible, and as JSON objects."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from tape.assembly import InputPiece, Opened, TextPiece, ThinkingPiece
from tape.endings import ending
from tape.estimate import Estimate
from tape.model import Message, Text, Thinking, ToolResult, ToolUse, Usage, json_text
from tape.run_events import (
    Ended,
    Event,
    Failed,
    MessageComplete,
    NeedsResult,
    Refused,
    RequestSent,
    ResultsAppended,
    Saved,
    Streamed,
    ToolFinished,
    ToolStarted,
)
from tape.visible import one_line
from tape.wire import message_json

WIDEST = 160
PLAIN = ("end_turn", "once")
"""Reasons that need no sentence at a terminal."""


def event_lines(event: Event) -> Iterator[str]:
    """What a terminal shows of an event: a turn's head, one line a block, tokens, and the end."""
    match event:
        case RequestSent():
            yield f"turn {event.call}: sends {event.messages} messages, {event.size:,} bytes"
            if event.estimate is not None:
                yield f"      {event.estimate.sentence}"
        case MessageComplete():
            message = _message(event)
            yield from _blocks(len(event.session.messages) - 1, message)
            why = f"{event.stop_reason or 'interrupted'}, {message.provenance.origin}"
            yield f"      {_tokens(event.usage)} ({why})"
        case ResultsAppended():
            yield from _blocks(len(event.session.messages) - 1, _message(event))
        case NeedsResult():
            yield f"      {one_line(event.call.name)} needs a result"
        case Saved(fault=fault) if fault:
            yield f"      not saved: {one_line(fault)}"
        case Refused() | Failed():
            yield f"{event.reason}: {one_line(event.sentence)}"
        case Ended():
            yield f"ended: {one_line(event.reason)}"
            if event.reason not in PLAIN:
                yield f"      {one_line(ending(event.reason))}"


def event_json(event: Event) -> dict[str, Any]:
    """An event as a JSON object, without the session; a finished message stands in it whole."""
    match event:
        case RequestSent():
            return {
                "event": "request_sent",
                "call": event.call,
                "messages": event.messages,
                "bytes": event.size,
                "estimate": None if event.estimate is None else _estimated(event.estimate),
            }
        case Streamed(piece=Opened() as piece):
            return {"event": "opened", **asdict(piece)}
        case Streamed(piece=TextPiece() as piece):
            return {"event": "text", "block": piece.index, "text": piece.text}
        case Streamed(piece=ThinkingPiece() as piece):
            return {"event": "thinking", "block": piece.index, "text": piece.text}
        case Streamed(piece=InputPiece() as piece):
            return {"event": "input", "block": piece.index, "name": piece.name, "text": piece.text}
        case MessageComplete():
            usage = None if event.usage is None else asdict(event.usage)
            whole = {
                "message": message_json(_message(event)),
                "usage": usage,
                "stop_reason": event.stop_reason,
            }
            return {"event": "message_complete", "position": len(event.session.messages) - 1, **whole}
        case ToolStarted():
            return {
                "event": "tool_started",
                "id": event.call.id,
                "name": event.call.name,
                "input": event.call.input,
            }
        case ToolFinished():
            outcome = event.outcome
            told = {"is_error": outcome.is_error, "origin": outcome.origin, "note": outcome.note}
            return {"event": "tool_finished", "id": event.call.id, "name": event.call.name, **told}
        case NeedsResult():
            return {
                "event": "needs_result",
                "id": event.call.id,
                "name": event.call.name,
                "input": event.call.input,
            }
        case ResultsAppended():
            position = len(event.session.messages) - 1
            return {
                "event": "results_appended",
                "position": position,
                "message": message_json(_message(event)),
            }
        case Saved():
            return {"event": "saved", "fault": event.fault or None}
        case Refused():
            return {"event": "refused", "status": event.status, "message": event.message}
        case Failed():
            return {"event": "failed", "status": event.status, "kind": event.kind, "sentence": event.sentence}
        case Ended():
            return {"event": "ended", "reason": event.reason, "sentence": ending(event.reason)}
    raise TypeError(f"not an event: {type(event).__name__}")


def _estimated(estimate: Estimate) -> dict[str, Any]:
    usd, most = estimate.usd, estimate.most_usd
    prices = {"usd": None if usd is None else float(usd), "most_usd": None if most is None else float(most)}
    return {"prompt_tokens": estimate.prompt_tokens, **prices}


def _message(event: MessageComplete | ResultsAppended) -> Message:
    return event.session.messages[-1]


def _blocks(position: int, message: Message) -> Iterator[str]:
    for number, block in enumerate(message.blocks):
        head = f"[{position}] {message.role}" if number == 0 else " " * len(f"[{position}] {message.role}")
        match block:
            case Text(text=text):
                said = text
            case Thinking(text=text):
                said = f"(thinking) {text}"
            case ToolUse():
                said = f"→ {block.name} {json_text(block.input)}"
            case ToolResult():
                said = f"← {'error: ' if block.is_error else ''}{block.text}"
            case _:
                said = f"({type(block).__name__.lower()})"
        shown = one_line(said[: 4 * WIDEST])
        yield f"  {head}: {shown if len(shown) <= WIDEST else shown[: WIDEST - 1] + '…'}"


def _tokens(usage: Usage | None) -> str:
    prompt = usage.prompt if usage else None
    output = usage.output if usage else None
    return f"{_known(prompt)} tokens in, {_known(output)} out"


def _known(count: int | None) -> str:
    return "unknown" if count is None else f"{count:,}"

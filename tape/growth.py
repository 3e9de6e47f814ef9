"""How a run makes a session longer: an answer becomes a message and a call, results one user message.

Every message says where it comes from: a script, a model with its name and the time, a recording, a
person. Uids follow on from the session's serial number, as those of edits do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from tape.assembly import Answer
from tape.edits.rewind import rewind
from tape.model import Call, Message, Origin, Provenance, Session, ToolUse
from tape.prefix import fingerprint
from tape.tools.base import Outcome
from tape.wire import block_json, parse_message


def open_calls(session: Session) -> tuple[ToolUse, ...]:
    """The calls of the last message, when it is an assistant's: what a harness would carry out next."""
    last = session.messages[-1] if session.messages else None
    if last is None or last.role != "assistant" or not any(h.kind == "tool_use" for h in last.heads):
        return ()
    return tuple(block for block in last.blocks if isinstance(block, ToolUse) and not block.server)


def with_answer(session: Session, answer: Answer) -> tuple[Session, str]:
    """The session with an answer at its end, and that message's uid. One cut short is marked so."""
    now = _now()
    provenance = Provenance("scripted" if answer.scripted else "live", model=answer.model, at=now)
    message = _message(session, "assistant", list(answer.content), provenance)
    facts: dict[str, Any] = {
        "response_id": answer.id,
        "model": answer.model,
        "stop_reason": answer.stop_reason,
        "timestamp": now,
        "interrupted": not answer.complete or None,
        "prefix": fingerprint(session) if _thought(answer) else None,
    }
    meta = {**message.meta, **{key: value for key, value in facts.items() if value is not None}}
    call = Call(message.uid, answer.id, answer.model, answer.usage, answer.stop_reason, now)
    grown = _grown(session, replace(message, meta=meta))
    return replace(grown, calls=(*session.calls, call)), message.uid


def _thought(answer: Answer) -> bool:
    """Whether the answer has thinking, which is bound to what it was given (see ``tape.prefix``)."""
    return any(block.get("type") in ("thinking", "redacted_thinking") for block in answer.content)


def with_results(session: Session, outcomes: Sequence[tuple[ToolUse, Outcome]]) -> tuple[Session, str]:
    """The session with one user message that answers these calls in their order, and its uid.

    ``meta["results"]`` says where each result comes from: origin and note by the uid of its block.
    """
    content = [_result(call, outcome) for call, outcome in outcomes]
    notes = dict.fromkeys(outcome.note for _, outcome in outcomes)
    provenance = Provenance(_origin([outcome.origin for _, outcome in outcomes]), ", ".join(notes), at=_now())
    message = _message(session, "user", content, provenance)
    each = {
        head.uid: (outcome.origin, outcome.note)
        for head, (_, outcome) in zip(message.heads, outcomes, strict=True)
    }
    message = replace(message, meta={**message.meta, "results": each})
    return _grown(session, message), message.uid


GO_ON = "Please go on from where you stopped."


def continuation(session: Session) -> Session | None:
    """What to send to go on with an answer that ``max_tokens`` cut off; ``None`` where there is none.

    Current models take no answer to finish (a prefill), so that a user message asks for the rest. Where the
    cut left whole calls at the end, it is the session itself: they are to be carried out (``resume``).
    """
    if not session.messages or session.messages[-1].role != "assistant":
        return None
    if open_calls(session):
        return session
    asked = Provenance("inserted", "asked to go on", at=_now())
    return _grown(session, _message(session, "user", [{"type": "text", "text": GO_ON}], asked))


BROKEN_OFF = "broken-off answer"


def retried(session: Session) -> Session:
    """What to send to try a failed or stopped call again: an answer that was broken off becomes a branch.

    Left at the end of the array it would be sent as the beginning of the answer, which current models refuse.
    """
    last = session.messages[-1] if session.messages else None
    if (
        last is None
        or last.role != "assistant"
        or not last.meta.get("interrupted")
        or len(session.messages) < 2
    ):
        return session
    return rewind(session, last.uid, BROKEN_OFF)


def _result(call: ToolUse, outcome: Outcome) -> dict[str, Any]:
    content = outcome.content
    result: dict[str, Any] = {
        "type": "tool_result",
        "tool_use_id": call.id,
        "content": content if isinstance(content, str) else [block_json(block) for block in content],
    }
    return {**result, "is_error": True} if outcome.is_error else result


def _origin(origins: Sequence[Origin]) -> Origin:
    """One origin for several results; where they differ, the one a reader should know of first."""
    order: tuple[Origin, ...] = ("by hand", "replayed", "workspace", "loop")
    return next((origin for origin in order if origin in origins), origins[0])


def _message(session: Session, role: str, content: list[dict[str, Any]], provenance: Provenance) -> Message:
    return parse_message({"role": role, "content": content}, f"n{session.serial}", provenance=provenance)


def _grown(session: Session, message: Message) -> Session:
    return replace(session, messages=(*session.messages, message), serial=session.serial + 1)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")

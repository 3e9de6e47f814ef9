"""Makes an ATIF trajectory of any session: a step a message, the results of calls in the step that made them.

ATIF is a record and no request: it has no parameters and knows pictures only as files beside it. Facts:
formats.md 9.10 of the project's notes, and the specification it quotes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from tape.foreign import object_input
from tape.formats.base import Dumped
from tape.formats.carrying import NO_FORM, Carried, Target, Turn, carried
from tape.formats.openai_write import declared
from tape.formats.settings import leave_out, settings_of
from tape.model import Block, Call, Document, Image, Json, Session, Text, Thinking, ToolResult, ToolUse

TARGET: Final = Target(own=("atif",), longest_id=200, longest_name=200)
SOURCES: Final = {"system": "system", "user": "user", "assistant": "agent"}
VERSION: Final = "ATIF-v1.7"


def write(session: Session) -> Dumped:
    """The session as a trajectory; what it has no place for is in the losses."""
    document, done = _document(session)
    return Dumped(json.dumps(document, ensure_ascii=False, indent=2).encode() + b"\n", done.losses.notes())


def _document(session: Session) -> tuple[dict[str, Any], Carried]:
    done = carried(session, TARGET)
    agent: dict[str, Any] = {"name": session.format, "version": "unknown"}
    if session.model:
        agent["model_name"] = session.model
    if session.tools is not None:
        agent["tool_definitions"] = [declared(tool) for tool in done.tools]
    steps: list[dict[str, Any]] = []
    if done.system:
        steps.append({"source": "system", "message": _message(done, [Text(text=t) for t in done.system])})
    calls = {call.message_uid: call for call in session.calls}
    homes: dict[str, dict[str, Any]] = {}
    for turn in done.turns:
        steps += _steps(done, turn, calls.get(turn.entry.uid), homes)
    for number, step in enumerate(steps, 1):
        steps[number - 1] = {"step_id": number, **step}
    given = settings_of(session)
    lost = [*given.rest, *(given.sampling or ()), *["max_tokens"] * (given.max_tokens is not None)]
    lost += ["stop"] * bool(given.stop) + ["tool_choice"] * (given.choice is not None)
    lost += ["thinking"] * (given.thinking is not None) + ["reasoning_effort"] * bool(given.effort)
    leave_out(done.losses, *lost)
    _beside(done)
    document: dict[str, Any] = {"schema_version": VERSION, "session_id": session.id or "unknown"}
    return {**document, "agent": agent, "steps": steps}, done


def _beside(done: Carried) -> None:
    """What stands beside the array and is not written."""
    if done.session.lanes:
        done.losses.lose(f"{len(done.session.lanes)} sub-agents have arrays of their own: left out.")
    if done.session.branches:
        done.losses.lose(f"{len(done.session.branches)} branches were left out.")


def _steps(
    done: Carried, turn: Turn, call: Call | None, homes: dict[str, dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """The step of a message; results go to the step of their call, or to this one where there is none."""
    step: dict[str, Any] = {}
    at = turn.entry.meta.get("timestamp") or turn.entry.provenance.at or (call.at if call else None)
    if isinstance(at, str):
        step["timestamp"] = at
    step["source"] = SOURCES[turn.role]
    blocks = [block for block, _ in turn.blocks]
    if turn.role == "assistant":
        model = turn.entry.meta.get("model") or (call.model if call else None)
        if isinstance(model, str) and model != done.session.model:
            step["model_name"] = model
    step["message"] = _message(done, [b for b in blocks if not isinstance(b, ToolResult)], turn.where)
    thoughts = [b for b in blocks if isinstance(b, Thinking)]
    if any(block.signature or block.data for block in thoughts):
        done.losses.lose("Signatures of thinking were left out.", turn.where)
    words = "\n".join(block.text for block in thoughts if block.text)
    if words and turn.role == "assistant":
        step["reasoning_content"] = words
    made = [b for b in blocks if isinstance(b, ToolUse)]
    if made:
        step["tool_calls"] = [_call(b) for b in made]
        homes |= dict.fromkeys((b.id for b in made), step)
    alone = [b for b in blocks if isinstance(b, ToolResult) and not _answered(done, b, homes, turn)]
    if alone:
        step["observation"] = {"results": [_result(done, b, turn.where) for b in alone]}
    if call is not None and call.usage is not None:
        step |= _metrics(call)
    if len(blocks) > len([b for b in blocks if isinstance(b, ToolResult)]) or alone:
        yield step


def _answered(done: Carried, block: ToolResult, homes: dict[str, dict[str, Any]], turn: Turn) -> bool:
    home = homes.get(block.tool_use_id)
    if home is None:
        return False
    home.setdefault("observation", {"results": []})["results"].append(_result(done, block, turn.where))
    return True


def _message(done: Carried, blocks: list[Block], where: str = "") -> Json:
    texts = [block for block in blocks if isinstance(block, Text | Image | Document)]
    if len(texts) == 1 and isinstance(texts[0], Text):
        return texts[0].text
    return [part for block in texts for part in _part(done, block, where)] or ""


def _part(done: Carried, block: Block, where: str) -> Iterator[dict[str, Any]]:
    if isinstance(block, Text):
        yield {"type": "text", "text": block.text}
    elif isinstance(block, Document) and block.text is not None:
        done.losses.lose("A document of text became plain text.", where)
        yield {"type": "text", "text": block.text}
    elif isinstance(block, Image) and block.ref:
        source = {"media_type": block.media_type or "image/png", "path": block.ref}
        yield {"type": "image", "source": source}
    elif isinstance(block, Image | Document):
        done.losses.lose("An image or file was left out: a trajectory keeps it in a file beside it.", where)
    else:
        done.losses.lose(NO_FORM, where)


def _call(block: ToolUse) -> dict[str, Any]:
    id = {} if block.generated_id else {"tool_call_id": block.id}
    return {**id, "function_name": block.name, "arguments": object_input(block)}


def _result(done: Carried, block: ToolResult, where: str) -> dict[str, Any]:
    made: dict[str, Any] = {} if block.generated_id else {"source_call_id": block.tool_use_id}
    if block.is_error:
        done.losses.lose("An observation cannot say that it is an error; the mark was left out.", where)
    if isinstance(block.content, tuple):
        made["content"] = [part for inner in block.content for part in _part(done, inner, where)]
    else:
        made["content"] = block.content
    return made


def _metrics(call: Call) -> dict[str, Any]:
    usage = call.usage
    counts = {
        "prompt_tokens": usage.prompt if usage else None,
        "completion_tokens": usage.output if usage else None,
        "cached_tokens": usage.cache_read if usage else None,
    }
    known = {key: n for key, n in counts.items() if n is not None}
    return {"metrics": known} if known else {}

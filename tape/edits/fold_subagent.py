"""Brings a sub-agent's answer back into the array that started it: as the result of its call or a message."""

from __future__ import annotations

from dataclasses import replace

from tape.branches import free
from tape.edits.build import Fresh
from tape.edits.insert import append
from tape.edits.operations import Append, FoldSubagent, Target
from tape.edits.placing import put_behind_calls
from tape.edits.settle import settle
from tape.edits.targets import Spot, find, words_for
from tape.errors import UserError
from tape.model import Branch, Head, Lane, Session, ToolResult
from tape.threads import threads

BRANCH = "before the fold"


def fold_subagent(session: Session, operation: FoldSubagent) -> Session:
    """The session in which the call is answered: by ``answer``, else by the last words of the sub-agent that
    the call started. With ``lane`` these come as a user message at the end. The sub-agent stays as a lane,
    and where a call was answered, the array as it was stays as a branch.

    Raises ``UserError`` when the call is answered already, when a message would come between a call and its
    result, or where there is nothing to answer with.
    """
    if operation.call is None:
        return _message(session, operation)
    spot, head = find_call(session, operation.call)
    pairs = threads(session)
    if head.uid not in pairs.states:
        raise UserError("This call has a result already.", where=spot.where, do="Delete that first.")
    fresh = Fresh(session.serial)
    answer = _answer(operation, _started_by(session, head))
    result = ToolResult(uid=fresh.block(), tool_use_id=head.id or "", content=answer)
    entry = session.messages[spot.message]
    left = Branch(free(session, BRANCH), entry.uid, session.messages[spot.message + 1 :], reason="fold")
    ready = settle(session, session.messages, serial=fresh.serial)
    folded = put_behind_calls(ready, [(spot, result)], pairs)
    return replace(folded, branches=(*folded.branches, left))


def find_call(session: Session, call: Target) -> tuple[Spot, Head]:
    """The tool_use block of the assistant's that a target names; raises ``UserError`` where it is none."""
    spot = find(session, call)
    head = None if spot.block is None else session.messages[spot.message].heads[spot.block]
    if head is None or head.kind != "tool_use" or session.messages[spot.message].role != "assistant":
        raise UserError("A sub-agent belongs to the call that started it.", where="call", do="Name a call.")
    return spot, head


def _message(session: Session, operation: FoldSubagent) -> Session:
    number = operation.lane
    if number is None or not 0 <= number < len(session.lanes):
        raise UserError("There is no such sub-agent.", where="lane", do="Spawn one first.")
    if _ends_with_call(session):
        raise UserError(
            "The array ends with a call that waits for its result.",
            where=f"messages[{len(session.messages) - 1}]",
            do="Answer it first, or fold into that call.",
        )
    answer = _answer(operation, session.lanes[number])
    return append(session, Append(({"role": "user", "content": answer},)))


def _ends_with_call(session: Session) -> bool:
    last = session.messages[-1] if session.messages else None
    return last is not None and last.role == "assistant" and any(h.kind == "tool_use" for h in last.heads)


def _started_by(session: Session, head: Head) -> Lane | None:
    return next((lane for lane in session.lanes if lane.spawned_by == head.uid), None)


def _answer(operation: FoldSubagent, lane: Lane | None) -> str:
    if operation.answer is not None:
        return operation.answer
    if lane is None:
        raise UserError("No sub-agent was started by this call.", where="call", do='Give its "answer".')
    said = (m.text for m in reversed(lane.session.messages) if m.role == "assistant" and m.text.strip())
    answer = next(said, None)
    if answer is None:
        raise UserError("The sub-agent has not answered yet.", where="call", do="Run it first.")
    return answer


def sentence(session: Session, operation: FoldSubagent) -> str:
    """``Folded the sub-agent's answer into the call to task in message 3``."""
    if operation.call is None:
        return "Folded the sub-agent's answer into a user message at the end"
    return f"Folded the sub-agent's answer into {words_for(session, find(session, operation.call))}"

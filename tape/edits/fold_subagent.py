"""Brings a sub-agent's answer back into the array that started it, as the one result of its call."""

from __future__ import annotations

from tape.edits.build import Fresh
from tape.edits.operations import FoldSubagent
from tape.edits.placing import put_behind_calls
from tape.edits.settle import settle
from tape.edits.targets import Spot, find, words_for
from tape.errors import UserError
from tape.model import Head, Session, ToolResult
from tape.threads import threads


def fold_subagent(session: Session, operation: FoldSubagent) -> Session:
    """The session in which the call is answered: by ``answer``, else by the last words of the sub-agent that
    the call started. The sub-agent stays as a lane.

    Raises ``UserError`` when the call is answered already, or there is nothing to answer it with.
    """
    spot, head = _call(session, operation)
    pairs = threads(session)
    if head.uid not in pairs.states:
        raise UserError("This call has a result already.", where=spot.where, do="Delete that first.")
    fresh = Fresh(session.serial)
    answer = _answer(session, operation, head)
    result = ToolResult(uid=fresh.block(), tool_use_id=head.id or "", content=answer)
    ready = settle(session, session.messages, serial=fresh.serial)
    return put_behind_calls(ready, [(spot, result)], pairs)


def _call(session: Session, operation: FoldSubagent) -> tuple[Spot, Head]:
    spot = find(session, operation.call)
    head = None if spot.block is None else session.messages[spot.message].heads[spot.block]
    if head is None or head.kind != "tool_use" or session.messages[spot.message].role != "assistant":
        raise UserError("A sub-agent's answer folds into the call that started it.", where="call")
    return spot, head


def _answer(session: Session, operation: FoldSubagent, head: Head) -> str:
    if operation.answer is not None:
        return operation.answer
    lane = next((lane for lane in session.lanes if lane.spawned_by == head.uid), None)
    if lane is None:
        raise UserError("No sub-agent was started by this call.", where="call", do='Give its "answer".')
    said = (m.text for m in reversed(lane.session.messages) if m.role == "assistant" and m.text.strip())
    answer = next(said, None)
    if answer is None:
        raise UserError("The sub-agent has not answered yet.", where="call", do="Run it first.")
    return answer


def sentence(session: Session, operation: FoldSubagent) -> str:
    """``Folded the sub-agent's answer into the call to task in message 3``."""
    return f"Folded the sub-agent's answer into {words_for(session, find(session, operation.call))}"

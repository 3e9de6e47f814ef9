"""Starts a sub-agent: an array of its own that holds its task and nothing of the session that asks for it."""

from __future__ import annotations

from dataclasses import replace

from tape.edits.build import INSERTED
from tape.edits.fold_subagent import find_call
from tape.edits.operations import Spawn, Target
from tape.edits.targets import find, words_for
from tape.errors import UserError
from tape.model import Head, Lane, Session, Text, ToolSpec, ToolUse, json_text, message

TASK = ("prompt", "task", "message", "instructions", "description", "input")
"""The keys under which harnesses put the task of a sub-agent, the most telling first."""


def spawn(session: Session, operation: Spawn) -> Session:
    """The session with the sub-agent as a lane that waits to be run. Its array starts with uid ``m0``.

    Raises ``UserError`` when there is no task, or the call has a sub-agent already.
    """
    head = None if operation.call is None else find_call(session, operation.call)[1]
    if head is not None and any(lane.spawned_by == head.uid for lane in session.lanes):
        raise UserError("This call has a sub-agent already.", where="call", do="Open that, or fold it back.")
    task = _task(session, operation)
    first = message(
        "m0", "user", (Text(uid="m0.0", text=task),), provenance=INSERTED, meta={"content_form": "string"}
    )
    named = session.model
    child = Session(
        (first,),
        system=operation.system or None,
        tools=_tools(session, head) if operation.tools else None,
        params={"model": named} if named else {},
        title=task.strip().split("\n")[0][:80],
    )
    agent = head.name if head is not None else "sub-agent"
    lane = Lane(child, spawned_by=head.uid if head is not None else None, agent=agent)
    return replace(session, lanes=(*session.lanes, lane))


def with_lane(session: Session, number: int, child: Session) -> Session:
    """The session whose sub-agent ``number`` (from 0) is at ``child`` now: after a run of its own."""
    lanes = list(session.lanes)
    lanes[number] = replace(lanes[number], session=child)
    return replace(session, lanes=tuple(lanes))


def task_of(session: Session, call: Target) -> str:
    """The task that a call names for a sub-agent: what stands under the first key that is known for one, else
    the whole input as JSON. ``call`` is a target; raises ``UserError`` when it is no call."""
    spot, _ = find_call(session, call)
    block = session.messages[spot.message].blocks[spot.block or 0]
    if not isinstance(block, ToolUse):
        return ""
    given = block.input if isinstance(block.input, dict) else {}
    said = next((given[key] for key in TASK if isinstance(given.get(key), str) and given[key].strip()), None)
    return said if said is not None else json_text(block.input)


def _task(session: Session, operation: Spawn) -> str:
    if operation.task is not None:
        task = operation.task
    else:
        task = "" if operation.call is None else task_of(session, operation.call)
    if not task.strip():
        raise UserError("A sub-agent needs a task.", where="task", do="Say what it should do.")
    return task


def _tools(session: Session, head: Head | None) -> tuple[ToolSpec, ...] | None:
    if session.tools is None or head is None:
        return session.tools
    return tuple(tool for tool in session.tools if tool.name != head.name)


def sentence(session: Session, operation: Spawn) -> str:
    """``Spawned a sub-agent for the call to task in message 3``."""
    if operation.call is None:
        return "Spawned a sub-agent with an array of its own"
    return f"Spawned a sub-agent for {words_for(session, find(session, operation.call))}"

"""Carries out the steps of a lesson that change the array: operations, and runs on the embedded endpoint.

Every function takes a session and gives one; which step comes when is the business of the player.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from tape.agent import Limits, run
from tape.client import Client, embedded
from tape.edits import Append, apply, from_json, sentence
from tape.edits.operations import Target
from tape.edits.targets import find
from tape.errors import UserError
from tape.lessons.model import Apart, Do, Lesson, Run
from tape.lessons.words import Ran
from tape.model import Json, Lane, Message, Session
from tape.run_events import Ended, Failed, Refused
from tape.samples import workspace
from tape.tools.base import Source
from tape.tools.files import WorkspaceTools, caught_up, file_tools
from tape.tools.memory import MemoryWorkspace
from tape.wire import parse_message, request

CALLS = 60


class Played(NamedTuple):
    """The array after a step, and what the run said where it was one."""

    session: Session
    ran: Ran | None = None


def do(session: Session, lesson: Lesson, step: Do) -> Session:
    """The session after the operations. Raises ``UserError`` where one is refused; nothing is done then."""
    if step.restore:
        session = lesson.start()
    for operation in step.operations:
        session = apply(session, from_json(operation))
    return session


def said(session: Session, lesson: Lesson, step: Do) -> list[str]:
    """What the operations do, a sentence each. Raises ``UserError`` where one would be refused."""
    sentences = []
    if step.restore:
        session = lesson.start()
        sentences.append("Restored the array of the beginning")
    for value in step.operations:
        operation = from_json(value)
        sentences.append(sentence(session, operation))
        session = apply(session, operation)
    return sentences


def same(one: Session, other: Session) -> bool:
    """Whether two sessions would send the same and have the same branches."""
    return request(one) == request(other) and len(one.branches) == len(other.branches)


def uid_of(session: Session, target: Target) -> str | None:
    """The uid of the message or block that a target names; ``None`` where the array has no such."""
    try:
        spot = find(session, target)
    except UserError:
        return None
    entry = session.messages[spot.message]
    return entry.uid if spot.block is None else entry.heads[spot.block].uid


def sources(lesson: Lesson, step: Run, session: Session) -> Sequence[Source]:
    """Where the results of tools come from: a copy of the folder, as far as the array has changed it."""
    name = step.workspace or lesson.workspace
    if name is None:
        return ()
    folder = caught_up(MemoryWorkspace(workspace(name), name), session)
    return (WorkspaceTools(file_tools(folder), name),)


def carry_out(session: Session, lesson: Lesson, step: Run) -> Played:
    """The session after a run on the embedded endpoint, which pauses nowhere. Raises ``UserError`` where it
    cannot begin; a refusal by the endpoint is a result like any other."""
    if step.apart is not None:
        return _apart(session, lesson, step, step.apart)
    if not step.lines and not session.messages:
        raise UserError("There is nothing to send yet.", do="Append a message first.")
    ran = Ran(session, "", "")
    for line in step.lines * step.times or (None,):
        if line is not None:
            said: dict[str, Json] = {"role": "user", "content": line}
            session = apply(session, Append((said,)))
        ran = _once(session, lesson, step)
        session = ran.session
        if ran.refusal:
            break
    return Played(session, ran)


def _once(session: Session, lesson: Lesson, step: Run) -> Ran:
    before = session
    if step.model is not None:
        session = replace(session, params={**session.params, "model": step.model})
    with Client(embedded(step.endpoint, pace=0.0)) as client:
        *_, last = run(
            session,
            client,
            sources(lesson, step, session),
            Limits(calls=CALLS),
            once=step.mode == "once",
            resume=step.mode == "resume",
        )
    return ended(before, last)


def ended(before: Session, event: object) -> Ran:
    """What the last event of a run means for a lesson: the array keeps the settings that it had before, and
    is the very same where the run added nothing."""
    assert isinstance(event, Ended)
    words = (
        event.message if isinstance(event, Refused) else event.sentence if isinstance(event, Failed) else ""
    )
    grown = event.session.messages is not before.messages
    session = replace(event.session, params=before.params) if grown else before
    return Ran(session, words, event.reason)


def _apart(session: Session, lesson: Lesson, step: Run, apart: Apart) -> Played:
    """Runs a sub-agent on an array of its own, which becomes a lane of the session."""
    spot = find(session, apart.call)
    head = None if spot.block is None else session.messages[spot.message].heads[spot.block]
    if head is None or head.kind != "tool_use":
        raise UserError("A sub-agent is started by a call of a tool.", where=spot.where)
    task: Message = parse_message({"role": "user", "content": apart.task}, "m0")
    tools = tuple(tool for tool in session.tools or () if tool.name != head.name) or None
    child = Session((task,), apart.system, tools, session.params)
    ran = _once(child, lesson, replace(step, apart=None))
    lanes = tuple(lane for lane in session.lanes if lane.spawned_by != head.uid)
    grown = replace(session, lanes=(*lanes, Lane(ran.session, head.uid, head.name)))
    return Played(grown, replace(ran, apart=True))

"""The loop: call, act, append, until an answer asks for no tool. A generator of events.

It calls nothing back and keeps nothing: every event carries the session as it stands. Carrying calls out is
``tape.acting``'s, where results come from the business of the sources (``tape.tools``), when it is enough
``tape.limits``', how a call is made ``tape.client``'s, and how an answer becomes a message ``tape.growth``'s.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Sequence
from typing import Protocol, TypeAlias

from tape.acting import act
from tape.assembly import Answer
from tape.client import CallFailed, Client
from tape.growth import continuation, open_calls, with_answer, with_results
from tape.limits import LIVE_LIMITS, NO_LIMITS_BUT_CALLS, Limits, Spent
from tape.model import Session, ToolUse
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
from tape.tools.base import Source, ToolOutput
from tape.wire import request


class Keeper(Protocol):
    """Keeps a session safe: ``keep`` gives an empty string, or the sentence that says why it could not."""

    def keep(self, session: Session) -> str: ...


__all__ = [
    "LIVE_LIMITS",
    "NO_LIMITS_BUT_CALLS",
    "Ended",
    "Event",
    "Failed",
    "Keeper",
    "Limits",
    "MessageComplete",
    "NeedsResult",
    "Refused",
    "RequestSent",
    "ResultsAppended",
    "Run",
    "Saved",
    "Streamed",
    "ToolFinished",
    "ToolStarted",
    "continuation",
    "open_calls",
    "run",
]

Run: TypeAlias = Generator[Event, "ToolOutput | None", None]
ANSWERED_IN_FULL = ("tool_use", "end_turn", "stop_sequence", "pause_turn", None)


def run(
    session: Session,
    client: Client,
    tools: Sequence[Source] = (),
    limits: Limits = NO_LIMITS_BUT_CALLS,
    *,
    once: bool = False,
    resume: bool = False,
    by_hand: bool = False,
    stop: Callable[[], bool] = lambda: False,
    keeper: Keeper | None = None,
) -> Run:
    """Run the session on, and give an event for everything that happens; an ``Ended`` is the last one.

    ``once`` makes one call and carries nothing out. ``resume`` first carries out the calls that the array
    ends on. With ``by_hand``, a call that no source has a result for asks for one (``NeedsResult``: ``send``
    it to the generator); without, it is answered with an honest error. ``stop`` is asked ten times a second,
    whatever goes on. ``keeper`` is given the session after each answer and each round of results.
    """
    spent = Spent(limits, stop, billed=client.target.kind != "embedded")
    pending = open_calls(session) if resume else ()
    while True:
        if pending:
            outcomes = yield from act(
                session, pending, tools, by_hand=by_hand, seconds=limits.tool_seconds, stop=spent.is_over
            )
            if outcomes is None:
                yield Ended(session, spent.broken_off or "needs_result")
                return
            session, uid = with_results(session, outcomes)
            yield ResultsAppended(session, uid)
            yield from _kept(keeper, session)
        spent.look_ahead(session)
        if spent.over:
            yield Ended(session, spent.over)
            return
        try:
            answer = yield from _call(session, client, spent)
        except CallFailed as failure:
            yield _failed(session, failure)
            return
        if answer.content:
            session, uid = with_answer(session, answer)
            yield MessageComplete(session, uid, answer.usage, answer.stop_reason)
            yield from _kept(keeper, session)
        spent.add(answer, session.model)
        pending = open_calls(session) if answer.content else ()
        reason = _end(answer, pending, once, spent)
        if reason:
            yield Ended(session, reason)
            return


def _call(session: Session, client: Client, spent: Spent) -> Generator[Event, object, Answer]:
    """One call; the pieces of its answer pass through. Raises ``CallFailed``."""
    body = request(session)
    size = len(json.dumps(body, ensure_ascii=False).encode("utf-8", "replace"))
    spent.calls += 1
    yield RequestSent(session, spent.calls, len(body["messages"]), size, spent.next)
    for piece in client.call(body, stop=spent.is_over):
        if isinstance(piece, Answer):
            return piece
        yield Streamed(session, piece)
    raise AssertionError("a call ends with an answer or an error")


def _kept(keeper: Keeper | None, session: Session) -> Generator[Event, object, None]:
    if keeper is not None:
        yield Saved(session, keeper.keep(session))


def _end(answer: Answer, pending: Sequence[ToolUse], once: bool, spent: Spent) -> str | None:
    """Why the run is over after this answer, or ``None`` when it goes on."""
    if not answer.complete:
        return spent.broken_off or "stopped"
    if not answer.content:
        return "empty"
    if once:
        return "once"
    if answer.stop_reason not in ANSWERED_IN_FULL:
        return answer.stop_reason
    if pending or answer.stop_reason == "pause_turn":
        return None
    return answer.stop_reason or "end_turn"


def _failed(session: Session, failure: CallFailed) -> Ended:
    """How a failed call ends the run. Text that had streamed stays, as an interrupted message."""
    status = failure.status
    if status is not None and 400 <= status < 500 and status not in (408, 409, 429):
        return Refused(session, "refused", status, failure.message, failure.sentence)
    if failure.partial is not None:
        session, _ = with_answer(session, failure.partial)
    return Failed(session, "failed", failure.sentence, status, failure.kind, failure.retry_after)

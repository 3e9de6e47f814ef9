"""The loop: call, act, append, until an answer asks for no tool. A generator of events.

It calls nothing back and keeps nothing: every event carries the session as it stands. Where results come
from is the business of the sources it is given (``tape.tools``), how a call is made that of ``tape.client``,
and how an answer becomes a message that of ``tape.growth``.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tape.assembly import Answer
from tape.client import CallFailed, Client
from tape.growth import open_calls, with_answer, with_results
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
    Streamed,
    ToolFinished,
    ToolStarted,
)
from tape.tools.base import Outcome, Source, ToolOutput
from tape.wire import request


@dataclass(frozen=True, slots=True)
class Limits:
    """When a run ends although the model would go on. ``None`` is no limit; ``seconds`` is wall time."""

    calls: int | None = 20
    output_tokens: int | None = None
    seconds: float | None = None


__all__ = [
    "Ended",
    "Event",
    "Failed",
    "Limits",
    "MessageComplete",
    "NeedsResult",
    "Refused",
    "RequestSent",
    "ResultsAppended",
    "Run",
    "Streamed",
    "ToolFinished",
    "ToolStarted",
    "open_calls",
    "run",
]

Run: TypeAlias = Generator[Event, "ToolOutput | None", None]
NO_LIMITS_BUT_CALLS = Limits()
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
) -> Run:
    """Run the session on, and give an event for everything that happens; an ``Ended`` is the last one.

    ``once`` makes one call and carries nothing out. ``resume`` first carries out the calls that the array
    ends on. With ``by_hand``, a call that no source has a result for asks for one (``NeedsResult``: ``send``
    it to the generator); without, it is answered with an honest error. ``stop`` is asked at every event.
    """
    begun = time.monotonic()
    calls = spent = 0
    pending = open_calls(session) if resume else ()
    while True:
        if pending:
            session = yield from _act(session, pending, tools, by_hand, stop)
            if open_calls(session):
                yield Ended(session, "stopped" if stop() else "needs_result")
                return
        reached = "stopped" if stop() else _reached(limits, calls, spent, begun)
        if reached:
            yield Ended(session, reached)
            return
        calls += 1
        try:
            answer = yield from _call(session, client, calls, _Watch(limits, begun, stop))
        except CallFailed as failure:
            yield _failed(session, failure)
            return
        if answer.content:
            session, uid = with_answer(session, answer)
            yield MessageComplete(session, uid, answer.usage, answer.stop_reason)
        spent += (answer.usage and answer.usage.output) or 0
        pending = open_calls(session) if answer.content else ()
        reason = _end(answer, pending, once, stop)
        if reason:
            yield Ended(session, reason)
            return


def _call(session: Session, client: Client, number: int, watch: _Watch) -> Generator[Event, object, Answer]:
    """One call; the pieces of its answer pass through. Raises ``CallFailed``."""
    body = request(session)
    size = len(json.dumps(body, ensure_ascii=False).encode("utf-8", "replace"))
    yield RequestSent(session, number, len(body["messages"]), size)
    for piece in client.call(body, timeout=watch.left, stop=watch.is_over):
        if isinstance(piece, Answer):
            return piece
        yield Streamed(session, piece)
    raise AssertionError("a call ends with an answer or an error")


def _act(
    session: Session,
    pending: Sequence[ToolUse],
    tools: Sequence[Source],
    by_hand: bool,
    stop: Callable[[], bool],
) -> Generator[Event, ToolOutput | None, Session]:
    """Carry the calls out and answer them in one user message, in call order.

    Gives the session unchanged when the run is stopped, or left without a result, in between.
    """
    outcomes: list[tuple[ToolUse, Outcome]] = []
    for call in pending:
        if stop():
            return session
        yield ToolStarted(session, call)
        outcome = next((found for source in tools if (found := _take(source, call)) is not None), None)
        if outcome is None and by_hand:
            typed = yield NeedsResult(session, call)
            if typed is None:
                return session
            outcome = Outcome(typed.text, typed.is_error, "by hand", "typed by a person")
        if outcome is None:
            outcome = Outcome(f"There is no tool named {call.name!r} here.", True, "live", "no such tool")
        outcomes.append((call, outcome))
        yield ToolFinished(session, call, outcome)
    session, uid = with_results(session, outcomes)
    yield ResultsAppended(session, uid)
    return session


def _take(source: Source, call: ToolUse) -> Outcome | None:
    try:
        return source.take(call)
    except Exception as error:  # a tool may raise anything; the model is told, the run goes on
        return Outcome(
            f"{call.name} failed: {type(error).__name__}: {error}", True, "live", "the tool raised"
        )


def _end(answer: Answer, pending: Sequence[ToolUse], once: bool, stop: Callable[[], bool]) -> str | None:
    """Why the run is over after this answer, or ``None`` when it goes on."""
    if not answer.complete:
        return "stopped" if stop() else "seconds"
    if not answer.content:
        return "empty"
    if once:
        return "once"
    if answer.stop_reason not in ANSWERED_IN_FULL:
        return answer.stop_reason
    if pending or answer.stop_reason == "pause_turn":
        return None
    return answer.stop_reason or "end_turn"


def _reached(limits: Limits, calls: int, spent: int, begun: float) -> str | None:
    if limits.calls is not None and calls >= limits.calls:
        return "calls"
    if limits.output_tokens is not None and spent >= limits.output_tokens:
        return "output_tokens"
    over = limits.seconds is not None and time.monotonic() - begun >= limits.seconds
    return "seconds" if over else None


def _failed(session: Session, failure: CallFailed) -> Ended:
    """How a failed call ends the run. Text that had streamed stays, as an interrupted message."""
    status = failure.status
    if status is not None and 400 <= status < 500 and status not in (408, 429):
        return Refused(session, "refused", status, failure.message, failure.sentence)
    if failure.partial is not None:
        session, _ = with_answer(session, failure.partial)
    return Failed(session, "failed", failure.sentence, status, failure.kind)


@dataclass(frozen=True, slots=True)
class _Watch:
    """Whether a call has to end before its answer does."""

    limits: Limits
    begun: float
    stop: Callable[[], bool]

    @property
    def left(self) -> float | None:
        """The seconds that are left, at least a tenth."""
        seconds = self.limits.seconds
        return None if seconds is None else max(0.1, seconds - (time.monotonic() - self.begun))

    def is_over(self) -> bool:
        """Whether the person stopped the run, or its time is up."""
        seconds = self.limits.seconds
        return self.stop() or (seconds is not None and time.monotonic() - self.begun >= seconds)

"""The loop: call, act, append, until an answer asks for no tool. A generator of events.

It calls nothing back and keeps nothing: every event carries the session as it stands. Carrying calls out is
``tape.acting``'s, where results come from that of the sources (``tape.tools``), how a call is made that of
``tape.client``, and how an answer becomes a message that of ``tape.growth``.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Protocol, TypeAlias

from tape.acting import act
from tape.assembly import Answer
from tape.client import CallFailed, Client
from tape.estimate import Estimate, estimate
from tape.growth import continuation, open_calls, with_answer, with_results
from tape.model import Session, ToolUse, Usage
from tape.pricing import price
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


@dataclass(frozen=True, slots=True)
class Limits:
    """When a run ends although the model would go on. ``None`` is no limit.

    ``output_tokens`` and ``usd`` are summed over the calls of the run, ``seconds`` is wall time. A call is
    not made when sending it would go over ``usd`` by its estimate. ``unpriced_tokens`` bounds what is sent
    and answered where no price is known. ``tool_seconds`` is how long one round of tools may take.
    """

    calls: int | None = 20
    output_tokens: int | None = None
    usd: float | None = None
    unpriced_tokens: int | None = None
    seconds: float | None = None
    tool_seconds: float | None = 120.0


NO_LIMITS_BUT_CALLS = Limits()
LIVE_LIMITS = Limits(usd=0.50, unpriced_tokens=200_000)
"""For endpoints that bill, unless somebody says otherwise."""


class Keeper(Protocol):
    """Keeps a session safe: ``keep`` gives an empty string, or the sentence that says why it could not."""

    def keep(self, session: Session) -> str: ...


__all__ = [
    "LIVE_LIMITS",
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
    spent = _Spent(limits, stop, billed=client.target.kind != "embedded")
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


def _call(session: Session, client: Client, spent: _Spent) -> Generator[Event, object, Answer]:
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


def _end(answer: Answer, pending: Sequence[ToolUse], once: bool, spent: _Spent) -> str | None:
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


@dataclass(slots=True)
class _Spent:
    """What a run has used of its limits. ``over`` is the limit that it has reached, or empty."""

    limits: Limits
    stop: Callable[[], bool]
    billed: bool
    calls: int = 0
    output: int = 0
    usd: Decimal = Decimal(0)
    unpriced: int = 0
    next: Estimate | None = None
    begun: float = field(default_factory=time.monotonic)

    @property
    def over(self) -> str:
        """Why no further call may be made; empty where one may."""
        limits, ahead = self.limits, self.next
        usd = self.usd + ((ahead and ahead.usd) or 0)
        unpriced = self.unpriced + (ahead.prompt_tokens if ahead and ahead.usd is None else 0)
        checks: tuple[tuple[str, float | None, float | Decimal], ...] = (
            ("calls", limits.calls, self.calls),
            ("output_tokens", limits.output_tokens, self.output),
            ("usd", limits.usd if self.billed else None, usd),
            ("unpriced_tokens", limits.unpriced_tokens if self.billed else None, unpriced),
        )
        reached = (name for name, most, now in checks if most is not None and now >= most)
        return self.broken_off or next(reached, "")

    @property
    def broken_off(self) -> str:
        """What ends a run in the middle of something: a person, or its time."""
        if self.stop():
            return "stopped"
        seconds = self.limits.seconds
        return "seconds" if seconds is not None and time.monotonic() - self.begun >= seconds else ""

    def is_over(self) -> bool:
        """Whether the run has to end at once."""
        return bool(self.broken_off)

    def look_ahead(self, session: Session) -> None:
        """Estimates the next call, where it would be billed."""
        self.next = estimate(session) if self.billed else None

    def add(self, answer: Answer, model: str | None) -> None:
        """Counts an answer, by what the endpoint says of it, else by what was estimated."""
        ahead, self.next = self.next, None
        usage = answer.usage or Usage()
        self.output += usage.output or 0
        if not self.billed or answer.scripted:
            return
        usd = price(usage, answer.model or model)
        if usd is None and usage.prompt is None and ahead is not None:
            usd = ahead.usd
        if usd is None:
            prompt = usage.prompt if usage.prompt is not None else ahead.prompt_tokens if ahead else 0
            self.unpriced += prompt + (usage.output or 0)
        else:
            self.usd += usd

"""A run that goes on beside the page: a thread that works the loop, and what the page takes over from it.

The thread touches nothing of the page: it puts events into a queue, and ``advance`` takes them into the deck,
as one step that can be undone. What the run is doing in between is ``components.live_run``; the loop itself
is ``tape.agent``, the panel ``components.run_panel``.
"""

from __future__ import annotations

import itertools
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from components.deck import Deck
from components.live_run import Live, watch
from components.state import Page
from components.tape_view import Notice
from tape.agent import NO_LIMITS_BUT_CALLS, Limits, run
from tape.agent import Run as Loop
from tape.checkpoints import Keeper
from tape.client import Client, Target
from tape.endings import ending
from tape.errors import UserError
from tape.model import Session, ToolUse
from tape.rules import lint
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
    ToolFinished,
)
from tape.tools.base import Source, ToolOutput
from tape.tools.results import Results

POLL_SECONDS = 1.0
"""The page looks after a run this often; in between, the tape says when there is something to take over."""
CARDS = itertools.count(1)
BROKE_OFF = "The run broke off because of an error in Tapedeck itself. The array is as it was left."


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be run. ``start`` is the array to send, ``said`` the sentence of the step in the history,
    ``beat`` the seconds to wait after each message so that people can follow. ``results`` is where results
    come from; it takes the place of ``sources`` and ``by_hand``. ``keeper`` keeps checkpoints until the run
    has ended, ``then`` is called by the page once it has ended."""

    start: Session
    said: str
    target: Target
    sources: Sequence[Source] = ()
    once: bool = False
    resume: bool = False
    by_hand: bool = False
    beat: float = 0.0
    results: Results | None = None
    limits: Limits = NO_LIMITS_BUT_CALLS
    keeper: Keeper | None = None
    then: Callable[[Page], None] | None = None


class Run:
    """One run. ``lines`` is what happened, for people; ``fault`` one sentence where it failed; ``said`` why
    it ended, ``reason`` the word for that. ``refusal`` is the endpoint's own words where it refused, ``live``
    what it is doing now, ``can_retry`` whether the same call may do better later."""

    def __init__(self, deck: Deck, order: Order) -> None:
        self.deck = deck
        self.order = order
        self.lines: list[str] = []
        self.fault = ""
        self.refusal = ""
        self.said = ""
        self.reason = ""
        self.can_retry = False
        self.live = Live(billed=order.target.kind != "embedded")
        self._card: Notice | None = None
        self._ended_at = -1
        self.active = True
        self._shown: Session | None = None
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[ToolOutput | None] = queue.SimpleQueue()
        self._stop = threading.Event()
        self._unready = ""
        self._thread = threading.Thread(target=self._work, name="tapedeck run", daemon=True)

    @property
    def card(self) -> Notice | None:
        """What to show on the tape of a run that failed, until the array is changed."""
        return self._card if self._ended_at == self.deck.version.number else None

    @property
    def waiting(self) -> ToolUse | None:
        """The call that a person must answer before the run goes on."""
        return self.live.waiting

    def begin(self) -> None:
        """Shows the array that is sent and starts the thread."""
        watch(self.deck, self.live)
        if self.order.start is not self.deck.session:
            self._grow(self.order.start)
        self._thread.start()

    def stop(self) -> None:
        """Asks the run to end after what it is doing now."""
        self._stop.set()
        self._answers.put(None)

    def answer(self, uid: str, output: ToolOutput) -> None:
        """Gives the result of the call ``uid``; nothing happens when the run does not wait for it."""
        if self.live.given(uid):
            self._answers.put(output)

    def wait(self, seconds: float) -> None:
        """Waits until the thread has ended, at most so many seconds."""
        self._thread.join(seconds)

    def advance(self) -> None:
        """Takes over what has happened since the last time; called by the page's own thread only."""
        if not self.active:
            return
        ended = not self._thread.is_alive()
        for event in self._new():
            self._take(event)
        if ended and self.active:
            self.live.end()
            self.active, self.fault = False, self._unready or BROKE_OFF
            self._post("The run broke off", self.fault, ())
            self._bring_back()

    def _new(self) -> Iterator[Event]:
        while True:
            try:
                yield self._events.get_nowait()
            except queue.Empty:
                return

    def _take(self, event: Event) -> None:
        match event:
            case RequestSent():
                self.lines.append(f"Call {event.call} sends {_count(event.messages)}, {event.size:,} bytes.")
                if event.estimate is not None:
                    self.lines.append(event.estimate.sentence)
            case MessageComplete():
                self._grow(event.session)
                self.lines.append(_answered(event.session))
            case ToolFinished():
                error = ", an error" if event.outcome.is_error else ""
                self.lines.append(f"{event.call.name} has its result{error}: {event.outcome.note}.")
            case NeedsResult():
                self.lines.append(f"{event.call.name} waits for you.")
            case Saved() if event.fault and event.fault not in self.lines:
                self.lines.append(event.fault)
            case ResultsAppended():
                self._grow(event.session)
                self.lines.append(f"The results are appended as messages[{len(event.session.messages) - 1}].")
            case Ended():
                self._end(event)

    def _end(self, event: Ended) -> None:
        self.active, self.reason = False, event.reason
        match event:
            case Refused():
                self.fault = f"The endpoint refused the array ({event.status}): {event.message}"
                if not event.message:
                    self.fault = event.sentence
                self.refusal = event.message or event.sentence
                self._post(f"Refused ({event.status})", self.refusal, _blamed(event.session))
            case Failed():
                self.fault, self.can_retry = event.sentence, event.can_retry
                self._post("The call failed", event.sentence, ())
                self._grow(event.session)
            case _:
                self._grow(event.session)
                self.said = ending(event.reason)
                self.lines.append(self.said)
        self._bring_back()

    def _bring_back(self) -> None:
        """A run that failed before anything came leaves the array as it was before it."""
        if self.fault and self._shown is self.order.start and self.deck.session is self._shown:
            self.deck.undo()
        self._ended_at = self.deck.version.number

    def _post(self, title: str, text: str, uids: tuple[str, ...]) -> None:
        self._card = {"kind": "error", "title": title, "text": text, "uids": list(uids), "seq": next(CARDS)}

    def _grow(self, session: Session) -> None:
        if session is self.deck.session:
            return
        if self.deck.session is self._shown:
            self.deck.undo()
        self.deck.replace_session(session, self.order.said)
        self._shown = session

    def _work(self) -> None:
        order = self.order
        try:
            with ExitStack() as stack:
                self._loop(stack.enter_context(Client(order.target)), stack)
        except UserError as fault:
            self._unready = fault.sentence
        finally:
            self.live.end()
            if order.keeper is not None:
                order.keeper.forget()

    def _loop(self, client: Client, stack: ExitStack) -> None:
        order, sources, by_hand = self.order, self.order.sources, self.order.by_hand
        if order.results is not None:
            opened = stack.enter_context(order.results.open(order.start))
            sources, by_hand = opened.sources, opened.by_hand
        loop: Loop = run(
            order.start,
            client,
            sources,
            order.limits,
            once=order.once,
            resume=order.resume,
            by_hand=by_hand,
            stop=self._stop.is_set,
            keeper=order.keeper,
        )
        given: ToolOutput | None = None
        while True:
            try:
                event = loop.send(given)
            except StopIteration:
                return
            self._events.put(event)
            self.live.take(event)
            given = self._answers.get() if isinstance(event, NeedsResult) else None
            if order.beat and isinstance(event, MessageComplete | ResultsAppended):
                self._stop.wait(order.beat)


def start(page: Page, order: Order) -> None:
    """Starts a run on the page's deck; what ran before must have ended."""
    page.run = Run(page.deck, order)
    page.run.begin()


def advance(page: Page) -> None:
    """Takes over what the run did since the last time."""
    run = page.run
    if run is None or not run.active:
        return
    run.advance()
    if not run.active and run.order.then is not None:
        run.order.then(page)


def _blamed(session: Session) -> tuple[str, ...]:
    """The messages or blocks that make the Claude API refuse the array, as far as the rules know."""
    found = lint(session, sending=True)
    return found[0].uids if found and found[0].severity == "refused" else ()


def _answered(session: Session) -> str:
    last = session.messages[-1]
    calls = [head.name or "" for head in last.heads if head.kind == "tool_use"]
    place = f"messages[{len(session.messages) - 1}]"
    return f"The answer is {place}; it asks for {', '.join(calls)}." if calls else f"The answer is {place}."


def _count(number: int) -> str:
    return f"{number:,} message{'' if number == 1 else 's'}"

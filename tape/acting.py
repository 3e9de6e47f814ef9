"""Carries out the calls of one answer: all at once where they take time, each answered, none left in silence.

Asks the sources in call order, runs the work they give side by side, and leaves to the person what no source
has a result for. The loop that does this again and again is ``tape.agent``.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Generator, Sequence

from tape.model import Session, ToolUse
from tape.run_events import Event, NeedsResult, ToolFinished, ToolStarted
from tape.tools.base import Cancellable, Outcome, Source, ToolOutput, Work

POLL_SECONDS = 0.1
LOOP = "the loop"


def act(
    session: Session,
    calls: Sequence[ToolUse],
    sources: Sequence[Source],
    *,
    by_hand: bool,
    seconds: float | None,
    stop: Callable[[], bool],
) -> Generator[Event, ToolOutput | None, list[tuple[ToolUse, Outcome]] | None]:
    """The outcome of every call, in call order; ``None`` when the run was stopped, or left without a result.

    ``seconds`` is how long a tool may take. A tool that raises, takes longer or is not there gets an error.
    """
    found: dict[int, Outcome] = {}
    works: dict[int, Work] = {}
    missing: list[int] = []
    for number, call in enumerate(calls):
        if stop():
            return None
        yield ToolStarted(session, call)
        taken = _taken(call, sources)
        if isinstance(taken, Outcome):
            found[number] = taken
            yield ToolFinished(session, call, taken)
        elif taken is not None:
            works[number] = taken
        elif by_hand:
            missing.append(number)
        else:
            found[number] = Outcome(
                f"There is no tool named {call.name!r} here.", True, "loop", "no such tool"
            )
            yield ToolFinished(session, call, found[number])
    for number, outcome in _side_by_side(calls, works, sources, seconds, stop):
        found[number] = outcome
        yield ToolFinished(session, calls[number], outcome)
    if len(found) + len(missing) < len(calls):
        return None
    for done, number in enumerate(missing):
        if stop():
            return None
        typed = yield NeedsResult(session, calls[number], done, len(missing))
        if typed is None:
            return None
        found[number] = Outcome(typed.text, typed.is_error, "by hand", "typed by a person")
        yield ToolFinished(session, calls[number], found[number])
    return [(call, found[number]) for number, call in enumerate(calls)]


def _taken(call: ToolUse, sources: Sequence[Source]) -> Outcome | Work | None:
    for source in sources:
        try:
            taken = source.take(call)
        except Exception as error:  # a source may raise anything; the model is told, the run goes on
            return _raised(call, error)
        if taken is not None:
            return taken
    return None


def _side_by_side(
    calls: Sequence[ToolUse],
    works: dict[int, Work],
    sources: Sequence[Source],
    seconds: float | None,
    stop: Callable[[], bool],
) -> Generator[tuple[int, Outcome], None, None]:
    """Outcomes as they come; none any more once the run is stopped."""
    done: queue.SimpleQueue[tuple[int, Outcome]] = queue.SimpleQueue()
    # Daemons: a tool that never returns must not keep the program from ending.
    for number, work in works.items():
        threading.Thread(
            target=_work, args=(calls[number], number, work, done), name=f"tool {number}", daemon=True
        ).start()
    waiting = set(works)
    end = None if seconds is None else time.monotonic() + seconds
    while waiting:
        try:
            number, outcome = done.get(timeout=POLL_SECONDS)
        except queue.Empty:
            late = end is not None and time.monotonic() >= end
            if stop() or late:
                for source in sources:
                    if isinstance(source, Cancellable):
                        source.cancel()
            if stop():
                return
            if late:
                text = f"did not finish within {seconds:g} seconds; it was given up."
                for number in sorted(waiting):
                    yield number, Outcome(f"{calls[number].name} {text}", True, "loop", "timed out")
                return
            continue
        waiting.discard(number)
        yield number, outcome


def _work(call: ToolUse, number: int, work: Work, done: queue.SimpleQueue[tuple[int, Outcome]]) -> None:
    try:
        done.put((number, work()))
    except Exception as error:  # as in `_taken`
        done.put((number, _raised(call, error)))


def _raised(call: ToolUse, error: Exception) -> Outcome:
    return Outcome(f"{call.name} failed: {type(error).__name__}: {error}", True, "loop", "the tool raised")

"""The same array run several times, to see whether an edit matters or the answer varies anyway.

Each run starts from the very same session, with results and a workspace of its own. What they ended with is
grouped by its words; judging the words is left to people.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tape.agent import NO_LIMITS_BUT_CALLS, Ended, Event, Keeper, Limits, NeedsResult, run
from tape.client import Client, Target
from tape.growth import open_calls
from tape.model import Session
from tape.tools.results import Results


@dataclass(frozen=True, slots=True)
class Variety:
    """How alike several runs are: ``groups`` of run numbers (from 0) whose new messages are the same, the
    largest first; ``endings`` the last words of one of each group."""

    groups: tuple[tuple[int, ...], ...]
    endings: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """``All 5 runs gave the same answer.`` or ``5 runs gave 2 different answers: 4, 1.``"""
        count = sum(map(len, self.groups))
        if len(self.groups) == 1:
            return f"All {count} runs gave the same answer." if count > 1 else "There was one run."
        sizes = ", ".join(str(len(group)) for group in self.groups)
        return f"{count} runs gave {len(self.groups)} different answers; as often as: {sizes}."


def several(
    start: Session,
    target: Target,
    results: Results,
    times: int,
    limits: Limits = NO_LIMITS_BUT_CALLS,
    *,
    once: bool = False,
    stop: Callable[[], bool] = lambda: False,
    keeper: Keeper | None = None,
) -> Iterator[tuple[int, Event]]:
    """Runs ``start`` so many times, one after the other; gives the number of the run (from 0) and its event.

    Nobody is asked for results: where none fits, a run ends. A stop ends the run that is going on, and no
    other begins. ``limits`` hold for each run.
    """
    resume = bool(open_calls(start)) and not once
    for number in range(times):
        if stop():
            return
        with results.open(start) as opened, Client(target) as client:
            events = run(
                start,
                client,
                opened.sources,
                limits,
                once=once,
                resume=resume,
                by_hand=opened.by_hand,
                stop=stop,
                keeper=keeper,
            )
            for event in events:
                if not isinstance(event, NeedsResult):
                    yield number, event
                if isinstance(event, Ended):
                    break


def variety(start: Session, ended: Sequence[Session]) -> Variety:
    """Groups what runs from ``start`` gave by the words and calls of their new messages; ids do not count."""
    found: dict[str, list[int]] = {}
    for number, session in enumerate(ended):
        found.setdefault(_said(session, len(start.messages)), []).append(number)
    groups = sorted(found.values(), key=len, reverse=True)
    return Variety(tuple(map(tuple, groups)), tuple(_ending(ended[group[0]]) for group in groups))


def _said(session: Session, begin: int) -> str:
    """What is said and asked for behind a place."""
    parts = []
    for entry in session.messages[begin:]:
        for block in entry.blocks:
            shown = getattr(block, "text", None) or (getattr(block, "name", ""), getattr(block, "input", ""))
            parts.append(f"{entry.role} {type(block).__name__} {shown}")
    return "\n".join(parts)


def _ending(session: Session) -> str:
    return session.messages[-1].text if session.messages else ""

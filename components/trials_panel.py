"""The same array several times, and one message to two lines: does an edit matter, or does the answer vary?

Running them is ``tape.several``'s; here are the thread that does it beside the page, and a small table.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace

import pandas as pd
import streamlit as st

from components.run_order import again, order
from components.running import Order
from components.state import Page
from tape.edits.rerun import rerun
from tape.errors import UserError
from tape.model import Session
from tape.run_events import Ended, Failed, Refused
from tape.several import several, variety
from tape.tools.results import Results
from tape.usage import usage
from tape.visible import one_line

TIMES = 5
CUT = 160


@dataclass(eq=False)
class Trials:
    """Several runs of one array, on a thread of their own. ``ended`` are their sessions so far, ``fault``
    one sentence on why they broke off, ``active`` whether they go on."""

    what: Order
    times: int
    ended: list[Session] = field(default_factory=list)
    fault: str = ""
    active: bool = True
    _stop: threading.Event = field(default_factory=threading.Event)

    def begin(self) -> None:
        """Starts them."""
        threading.Thread(target=self._work, name="tapedeck trials", daemon=True).start()

    def stop(self) -> None:
        """Ends them at once; those that have ended stay."""
        self._stop.set()

    def _work(self) -> None:
        what = self.what
        try:
            runs = several(
                what.start,
                what.target,
                what.results or Results(),
                self.times,
                what.limits,
                stop=self._stop.is_set,
            )
            for _, event in runs:
                if isinstance(event, Refused | Failed):
                    self.fault = event.sentence
                    return
                if isinstance(event, Ended):
                    self.ended.append(event.session)
        except UserError as error:
            self.fault = error.sentence
        finally:
            self.active = False


def draw_trials(page: Page, going: bool) -> None:
    """Draws the button, and the table of what came out; nothing enters the session."""
    with st.container(key="trials"):
        st.divider()
        trials = _trials(page)
        if trials is not None and trials.active:
            st.button("Stop the runs", key="trials-stop", on_click=trials.stop)
            _wait(trials)
        else:
            st.button(
                f"Run this {TIMES} times",
                key="trials-begin",
                disabled=going or not page.session.messages,
                on_click=_begin,
                args=(page,),
                help="Does an edit matter, or does the answer vary anyway? Sends what the button above the "
                "panels sends. Nothing enters the session; limits hold for each run.",
            )
        if trials is not None:
            _draw_table(trials)


def _trials(page: Page) -> Trials | None:
    """Those that were started last on this session."""
    found: Trials | None = page.cache.get("trials", (None, None))[1]
    return found


@st.fragment(run_every=0.5)
def _wait(trials: Trials) -> None:
    if not trials.active:
        st.rerun()
    st.caption(f"Run {min(len(trials.ended) + 1, trials.times)} of {trials.times} …")


def _begin(page: Page) -> None:
    def begin() -> None:
        trials = Trials(_order(page), TIMES)
        page.cache["trials"] = (None, trials)
        trials.begin()

    page.attempt(begin)


def _order(page: Page) -> Order:
    """The array as ``Run it again`` sends it, as fast as it goes."""
    chosen = again(page)
    start = page.session
    if chosen.uid is not None:
        start = rerun(start, page.deck.history.before_edits, chosen.uid)
    found = order(page, start, "Ran it several times")
    return replace(found, target=replace(found.target, pace=0.0))


def _draw_table(trials: Trials) -> None:
    if trials.fault:
        st.error("A run failed.", icon=":material/error:")
        st.text(one_line(trials.fault))
    if not trials.ended:
        return
    start, ended = trials.what.start, list(trials.ended)
    found = variety(start, ended)
    if not trials.active:
        st.text(found.sentence)
    st.dataframe(
        pd.DataFrame(
            {
                "runs": [len(group) for group in found.groups],
                "turns": [_turns(start, ended[group[0]]) for group in found.groups],
                "tokens": [_tokens(start, [ended[number] for number in group]) for group in found.groups],
                "ends with": [one_line(text)[:CUT] for text in found.endings],
            }
        ),
        hide_index=True,
    )


def _turns(start: Session, end: Session) -> int:
    return sum(entry.role == "assistant" for entry in end.messages[len(start.messages) :])


def _tokens(start: Session, ended: list[Session]) -> str:
    """Tokens of the new calls, from least to most; ``unknown`` where an endpoint did not say."""
    before = usage(start).total.spent or 0
    sums = []
    for session in ended:
        total = usage(session).total
        if total.spent is None or any(c.usage is None for c in session.calls[len(start.calls) :]):
            return "unknown"
        sums.append(total.spent - before)
    low, high = min(sums), max(sums)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"

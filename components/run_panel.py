"""The run panel: the settings, the buttons that start a run, and what the last run did.

The settings are ``components.run_target``'s and ``components.run_results``'s, what the buttons do is
``components.run_order``'s, what goes on during a run ``components.running``'s.
"""

from __future__ import annotations

import streamlit as st

from components.run_order import again, begin, say
from components.run_results import draw_results
from components.run_target import draw_target
from components.running import Run
from components.state import Page
from components.trials_panel import draw_trials
from tape.growth import continuation
from tape.model import Session
from tape.rules import lint
from tape.visible import one_line, visible

NOTHING = "The array is empty: write the first message below."
PREFILL = "prefill-unsupported"
REFUSED = "The Claude API would refuse this array; what it says is shown, and nothing is lost."
LINES_SHOWN = 40


def draw_run(page: Page) -> None:
    """Draws the settings, the buttons, and what the last run did."""
    going = page.run is not None and page.run.active
    with st.container(key="run-settings"):
        draw_target(page)
        draw_results(page)
    _buttons(page, going)
    _new_message(page, going)
    _progress(page)
    draw_trials(page, going)


def _buttons(page: Page, going: bool) -> None:
    with st.container(horizontal=True, key="run-buttons"):
        if going:
            st.button("Stop", key="stop", icon=":material/stop:", type="primary", on_click=page.stop)
            return
        chosen = again(page)
        nothing = not page.session.messages
        broken = page.once_a_version("refusable", lambda: _is_broken(page.session))
        # A broken array goes as it is, to see what is said of it; an answered one from its question on.
        uid = None if broken else chosen.uid
        st.button(
            "Send it broken" if broken else "Run until it stops",
            key="run-loop",
            type="primary",
            icon=":material/play_arrow:",
            disabled=nothing,
            on_click=begin,
            args=(page, "from" if uid else "loop", uid),
        )
        st.button("Send once", key="run-once", disabled=nothing, on_click=begin, args=(page, "once", uid))
        _further(page, answered=uid is not None)
    if nothing:
        st.caption(NOTHING)
        return
    count = len(page.session.messages)
    every = f"Sends {'message 0' if count == 1 else f'messages 0–{count - 1}'}."
    st.caption(f"{every} {REFUSED}" if broken else chosen.sentence or every)


def _further(page: Page, *, answered: bool) -> None:
    """The buttons that only some arrays or some ended runs have."""
    run = page.run
    if answered:
        st.button(
            "Send it all",
            key="run-all",
            type="tertiary",
            help="The last answer too, as the beginning of the next one. Many current models refuse that.",
            on_click=begin,
            args=(page, "once"),
        )
    if run is not None and run.reason == "max_tokens" and continuation(page.session):
        st.button("Go on with the answer", key="run-on", on_click=begin, args=(page, "go on"))
    if run is not None and run.can_retry:
        st.button("Try again", key="run-retry", on_click=begin, args=(page, "retry"))


def _is_broken(session: Session) -> bool:
    """Whether the array would be refused, for more than that an answer is its last message."""
    found = (one for one in lint(session, sending=True) if one.code != PREFILL)
    return any(one.severity == "refused" for one in found)


def _new_message(page: Page, going: bool) -> None:
    if going:
        return
    key = f"say-{page.seen}"

    def take(run: bool) -> None:
        text = str(st.session_state[key]).strip()
        if text:
            say(page, text, run=run)
            st.session_state[key] = "" if not page.notice else text

    st.text_area("New message", key=key, height=80, placeholder="The next user message")
    with st.container(horizontal=True, key="say-buttons"):
        st.button("Append and run", key="append-run", on_click=take, args=(True,))
        st.button("Append", key="append", type="tertiary", on_click=take, args=(False,))


def _progress(page: Page) -> None:
    run = page.run
    with st.container(key="run-progress"):
        if run is None:
            return
        if run.fault:
            st.error("The call failed.", icon=":material/error:")
            st.text(visible(run.fault))
        _lines(run)
        if run.waiting is not None:
            st.caption("A call waits on the tape for its result. You are the harness.")


def _lines(run: Run) -> None:
    with st.container(key="run-lines"):
        for line in run.lines[-LINES_SHOWN:]:
            st.text(one_line(line))

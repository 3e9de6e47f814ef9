"""The line above the panels: the button that runs the session, what is wrong, and how large it is.

The title and the counts stand on the tape itself; what the button sends is ``components.run_order``'s, what a
run does ``components.running``'s.
"""

from __future__ import annotations

import html

import streamlit as st

from components.problems import chosen_endpoint, count_refused
from components.run_order import Again, again, run_again
from components.state import PANEL, Page
from components.token_chart import short
from components.used import usage_of
from tape.rules import LABELS


def draw_bar(page: Page) -> None:
    """Draws the run button with what it sends, and a word on problems where there are any."""
    with st.container(key="deck-bar", horizontal=True, vertical_alignment="center"):
        going = page.run is not None and page.run.active
        chosen = again(page)
        if going:
            st.button("Stop", key="stop-above", type="primary", icon=":material/stop:", on_click=page.stop)
        else:
            st.button(
                chosen.label,
                key="run-again",
                type="primary",
                icon=":material/replay:",
                help=chosen.reason or chosen.sentence,
                disabled=bool(chosen.reason),
                on_click=run_again,
                args=(page,),
            )
        refused = count_refused(page)
        if refused:
            st.button(
                f"{refused} problem{'' if refused == 1 else 's'}",
                key="to-problems",
                icon=":material/error:",
                type="tertiary",
                help=f"{LABELS[chosen_endpoint()]} would refuse this",
                on_click=_open_problems,
            )
        st.html(f'<p class="next-call">{html.escape(said(page, None if going else chosen))}</p>')


def said(page: Page, chosen: Again | None) -> str:
    """What the button sends; while a run goes on or nothing can be sent, how many tokens the array has."""
    if chosen is not None and chosen.sentence:
        return chosen.sentence
    used = usage_of(page)
    about = "≈ " if used.context_source == "estimated" else ""
    return f"{about}{short(used.context_now)} tokens in the array"


def _open_problems() -> None:
    st.session_state[PANEL] = "Problems"

"""The line above the panels: the button that runs the session again, what is wrong, and how large it is.

The title and the counts stand on the tape itself; what a run does is in ``components.run_panel``.
"""

from __future__ import annotations

import streamlit as st

from components.problems import chosen_endpoint, count_refused
from components.run_panel import run_again, run_again_reason
from components.state import PANEL, Page
from components.token_chart import short
from components.used import usage_of
from tape.rules import LABELS


def draw_bar(page: Page) -> None:
    """Draws the run button, a word on problems where there are any, and what the next call would send."""
    with st.container(key="deck-bar", horizontal=True, vertical_alignment="center"):
        if page.run is not None and page.run.active:
            st.button("Stop", key="stop-above", type="primary", icon=":material/stop:", on_click=page.stop)
        else:
            reason = run_again_reason(page)
            st.button(
                "Run it again",
                key="run-again",
                type="primary",
                icon=":material/replay:",
                help=reason or None,
                disabled=bool(reason),
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
        st.html(f'<p class="next-call">{next_call(page)}</p>')


def next_call(page: Page) -> str:
    """What the next call would send, in a few words; numbers of ours only."""
    count = len(page.session.messages)
    said = f"next call: {count:,} message{'' if count == 1 else 's'}"
    used = usage_of(page)
    return f"{said}, {'≈ ' if used.context_source == 'estimated' else ''}{short(used.context_now)} tokens"


def _open_problems() -> None:
    st.session_state[PANEL] = "Problems"

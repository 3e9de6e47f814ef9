"""The form that forks a session: what follows a message is kept as a branch too, and both go on apart."""

from __future__ import annotations

import streamlit as st

from components.state import Page
from tape.edits import Fork
from tape.model import Message
from tape.visible import one_line

WIDTH = 60
SHOWN = 400


def draw_fork(page: Page) -> None:
    """Draws the message to fork behind (the selected one, else the last), the name, and the button."""
    messages = page.session.messages
    if not messages:
        return
    with st.expander("Fork"):
        st.caption("Both lines share the array up to this message; from there each is edited and run apart.")
        places = range(len(messages))[-SHOWN:]
        here = page.message
        start = messages.index(here) if here in messages else len(messages) - 1
        at = st.selectbox(
            "Behind message",
            places,
            index=max(start - places.start, 0),
            format_func=lambda i: _told(i, messages[i]),
            key=f"fork-at-{page.seen}-{page.deck.version.number}",
        )
        field = f"fork-name-{page.seen}-{len(page.session.branches)}"
        name = st.text_input(
            "Name of the branch", key=field, max_chars=60, placeholder="the other personality"
        )
        st.button(
            "Fork here",
            key="fork-here",
            icon=":material/call_split:",
            disabled=not name.strip(),
            on_click=page.apply,
            args=(Fork(messages[at].uid, name.strip()),),
        )


def _told(i: int, entry: Message) -> str:
    words = one_line(entry.text) or ", ".join(head.kind for head in entry.heads)
    return f"{i} {entry.role}: {words if len(words) <= WIDTH else f'{words[: WIDTH - 1]}…'}"

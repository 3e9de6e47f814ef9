"""One message of another line brought onto the tape: what a fork found out, without the fork.

Only messages of plain words are offered: a call or a result makes no sense without its other half.
"""

from __future__ import annotations

import streamlit as st

from components.state import Page
from tape.branches import current, line
from tape.edits import Append
from tape.errors import UserError
from tape.model import Message
from tape.visible import one_line
from tape.wire import message_json

SHOWN = 200
WIDTH = 60


def draw_bring_over(page: Page, names: list[str]) -> None:
    """Draws the choice of a message that only another line has, and the button that appends it here."""
    here = f"{page.seen}-{page.deck.version.number}"
    others = [name for name in names if name != current(page.session)]
    if not others:
        return
    with st.expander("Bring one message over"):
        name = st.selectbox("From", others, format_func=one_line, key=f"bring-line-{here}")
        found = _only_there(page, name)
        if not found:
            st.caption("It has no message of plain words that the tape has not.")
            return
        uid = st.selectbox(
            "Message",
            list(found),
            format_func=lambda uid: _told(found[uid]),
            key=f"bring-message-{here}-{name}",
        )
        st.button(
            "Append it to the tape",
            key="bring-over",
            icon=":material/merge:",
            help="One step that can be undone; the other line stays as it is",
            on_click=page.apply,
            args=(Append((message_json(found[uid][1]),)),),
        )


def _only_there(page: Page, name: str) -> dict[str, tuple[int, Message]]:
    """The messages of plain words that a line has and the tape has not, by uid, with their places."""
    here = {entry.uid for entry in page.session.messages}
    try:
        messages = line(page.session, name).messages
    except UserError:
        return {}
    plain = (
        (i, entry)
        for i, entry in enumerate(messages)
        if entry.uid not in here and entry.heads and all(head.kind == "text" for head in entry.heads)
    )
    return {entry.uid: (i, entry) for i, entry in list(plain)[-SHOWN:]}


def _told(place: tuple[int, Message]) -> str:
    i, entry = place
    words = one_line(entry.text)
    return f"{i} {entry.role}: {words if len(words) <= WIDTH else f'{words[: WIDTH - 1]}…'}"

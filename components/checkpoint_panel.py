"""Checkpoints that a person names: keep a state, see what changed since, go back to it, take it elsewhere.

They stay with the page; a downloaded one opens on any other machine like a transcript, with its branches and
sub-agents. Checkpoints that a run writes by itself are ``components.rescue``'s.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import streamlit as st

from components.before_after import draw_before_after
from components.state import Page
from tape.checkpoints import ENDING, describe
from tape.counting import Counter
from tape.errors import UserError
from tape.kept_session import pack
from tape.model import Session
from tape.visible import one_line

MOST = 20
LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class Kept:
    """A state that was kept: its name, the session as it was, and the time of day."""

    name: str
    session: Session
    at: str


def draw_checkpoints(page: Page) -> None:
    """Draws the field that keeps a state, and those that are kept, the newest first."""
    kept = _kept(page)
    field = f"checkpoint-name-{page.seen}-{len(kept)}"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input(
            "Name this state", key=field, max_chars=LONGEST_NAME, placeholder=f"state {len(kept) + 1}"
        )
        st.button(
            "Keep it",
            key="keep-state",
            type="primary",
            icon=":material/flag:",
            on_click=_keep,
            args=(page, name),
        )
    st.caption("The session is a value: keeping it costs nothing, and no edit can change what was kept.")
    for number, one in reversed(list(enumerate(kept))):
        _draw(page, number, one)


def _kept(page: Page) -> tuple[Kept, ...]:
    held = page.cache.get("checkpoints")
    found: tuple[Kept, ...] = held[1] if held is not None else ()
    return found


def _keep(page: Page, name: str) -> None:
    kept = _kept(page)
    named = name.strip() or f"state {len(kept) + 1}"
    new = Kept(named, page.session, datetime.now(UTC).astimezone().strftime("%H:%M"))
    page.cache["checkpoints"] = (None, (*kept, new)[-MOST:])


def _draw(page: Page, number: int, one: Kept) -> None:
    counter = Counter(page.session.model)
    size, now = (counter.session(session).total for session in (one.session, page.session))
    with st.container(key=f"checkpoint-{number}", border=True):
        st.text(one_line(one.name))
        here = ", as it is now" if one.session is page.session else ""
        count = len(one.session.messages)
        st.caption(f"{count:,} message{'' if count == 1 else 's'}, ≈ {size:,} tokens, kept at {one.at}{here}")
        with st.container(horizontal=True):
            st.button(
                "Go back to it",
                key=f"go-back-{number}",
                icon=":material/restore:",
                disabled=one.session is page.session,
                help="One step that can be undone",
                on_click=page.attempt,
                args=(lambda: page.deck.replace_session(one.session, f"Went back to “{one.name}”"),),
            )
            _download(page, number, one)
        if one.session is not page.session and st.toggle("What changed since", key=f"since-{number}"):
            draw_before_after(one.session, page.session, (size, now))


def _download(page: Page, number: int, one: Kept) -> None:
    title = page.session.title or page.origin.name
    try:
        data = pack(one.session, describe(one.session, page.deck.token[:12], title, one.name))
    except UserError as fault:
        st.caption(fault.sentence)
        return
    plain = "".join(c if c.isalnum() else "-" for c in one.name).strip("-") or "state"
    st.download_button(
        "Take it along",
        data,
        file_name=f"{plain}{ENDING}",
        mime="application/octet-stream",
        key=f"take-{number}",
        icon=":material/download:",
        help="Opens on any machine with Tapedeck, as a transcript",
        on_click="ignore",
    )

"""The summary of a compaction: put together, written by hand, or by the model; and what it lost.

What the model is asked goes to the endpoint chosen under Run, once for each press of the button.
"""

from __future__ import annotations

import streamlit as st

from components.questions import answered
from components.state import Page
from tape.asking import INSTRUCTION, summarize
from tape.edits import Compact
from tape.edits.compact import stretch
from tape.edits.extract import extract, lost
from tape.errors import UserError
from tape.visible import one_line

OWN, HAND, MODEL = "Its own words", "By hand", "By the model"
HOW = {
    OWN: "Put together from what the stretch says; no model is asked.",
    HAND: "You write what the model will know of it.",
    MODEL: "A real call: the array up to the end of the stretch, with this instruction behind it.",
}
LOST_SHOWN = 30


def summary_of(page: Page) -> str | None:
    """The summary that was written or fetched; ``None`` where one is put together from the stretch."""
    if st.session_state.get(_key(page, "how"), OWN) == OWN:
        return None
    return str(st.session_state.get(_key(page, "text"), ""))


def draw_summary(page: Page, asked: Compact) -> None:
    """Draws the choice, the text, and what it leaves out of the stretch."""
    how = st.segmented_control(
        "The summary", list(HOW), default=OWN, required=True, key=_key(page, "how"), persist_state="session"
    )
    st.caption(HOW[how])
    if how == MODEL:
        st.text_area("Instruction", INSTRUCTION, key=_key(page, "instruction"), height=100)
        if st.button("Let the model summarize", key=_key(page, "ask"), icon=":material/edit_note:"):
            _fetch(page, asked)
    if how != OWN:
        st.text_area("Summary", key=_key(page, "text"), height=110)
    try:
        start, end = stretch(page.session, asked)
    except UserError as fault:
        st.text(fault.sentence)
        return
    gone = page.session.messages[start:end]
    text = summary_of(page)
    _draw_lost(page, lost(gone, extract(gone) if text is None else text))


def _fetch(page: Page, asked: Compact) -> None:
    instruction = st.session_state.get(_key(page, "instruction"), INSTRUCTION)
    with st.spinner("The model summarizes …"):
        told = answered(page.session, lambda session, client: summarize(session, asked, client, instruction))
    if told.fault:
        st.text(told.fault)
        return
    st.session_state[_key(page, "text")] = told.text


def _draw_lost(page: Page, names: tuple[str, ...]) -> None:
    if not names:
        st.caption("Every name, file and number of the stretch is in the summary.")
        return
    shown = ", ".join(one_line(name) for name in names[:LOST_SHOWN])
    more = f" and {len(names) - LOST_SHOWN:,} more" if len(names) > LOST_SHOWN else ""
    st.caption(f"Lost: {len(names):,} names, files and numbers that the summary does not repeat")
    st.text(f"{shown}{more}")


def _key(page: Page, name: str) -> str:
    return f"summary-{name}-{page.seen}"

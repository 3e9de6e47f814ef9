"""The glossary in the sidebar: ten words, one sentence each, and a button that points at the real thing.

The words and where they are found are ``tape.lessons.glossary``.
"""

from __future__ import annotations

import streamlit as st

from components.state import PANEL, Page
from tape.lessons.glossary import TERMS, Term


def draw_glossary(page: Page) -> None:
    """Draws the words; a word that the open session has no example of says so instead of pointing."""
    with st.expander("Glossary", key="glossary"):
        found = page.once_a_version("glossary", lambda: [term.find(page.session) for term in TERMS])
        for term, uid in zip(TERMS, found, strict=True):
            with st.container(key=f"term-{term.word.replace(' ', '-')}", gap=None):
                st.html(f"<p class='term'><b>{term.word}</b> {term.sentence}</p>")
                st.button(
                    "Show me" if uid is not None else "Not in this session",
                    key=f"show-{term.word}",
                    type="tertiary",
                    disabled=uid is None,
                    on_click=_show,
                    args=(page, term),
                )


def _show(page: Page, term: Term) -> None:
    """Points at the word in the session as it is now: on the tape, or in the chart of tokens."""
    uid = term.find(page.session)
    if uid is None:
        return
    page.show(uid)
    if term.chart:
        st.session_state[PANEL] = "Tokens"

"""Questions beside the session: one and the same to the array before and after an operation.

Nothing asked here enters the session. The endpoint is the one chosen under Run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from components.run_target import chosen_target, with_model
from components.state import Page
from tape.asking import Asked, ask
from tape.client import CallFailed, Client
from tape.errors import UserError
from tape.estimate import estimate
from tape.model import Session
from tape.visible import visible


@dataclass(frozen=True, slots=True)
class Told:
    """What came back: the words, or one sentence on why there are none; ``how`` says who gave them."""

    text: str = ""
    fault: str = ""
    how: str = ""


def answered(session: Session, question: Callable[[Session, Client], Asked]) -> Told:
    """Asks the chosen endpoint and waits; what an endpoint or a person did wrong becomes the ``fault``."""
    try:
        target = chosen_target()
        with Client(target) as client:
            said = question(with_model(session, target), client)
    except UserError as fault:
        return Told(fault=fault.sentence)
    except CallFailed as failure:
        return Told(fault=failure.sentence)
    return Told(said.text, how="scripted" if said.scripted else "live")


def draw_questions(page: Page, before: Session, after: Session) -> None:
    """Draws the question and, once asked, both answers. They are gone when the session changes."""
    field = f"question-{page.seen}"
    st.text_input(
        "Ask both arrays the same question",
        key=field,
        placeholder="What is my name?",
        help="One call to each, on the endpoint chosen under Run; nothing of it stays in the session.",
    )
    question = str(st.session_state.get(field, "")).strip()
    _say_cost(before, after)
    if st.button("Ask both", key=f"ask-both-{page.seen}", disabled=not question, icon=":material/forum:"):
        with st.spinner("Asking both …"):
            told = [answered(one, lambda s, client: ask(s, question, client)) for one in (before, after)]
        page.cache["answers"] = ((page.deck.token, page.deck.version.number), (question, *told))
    held, answers = page.cache.get("answers", (None, None))
    if held != (page.deck.token, page.deck.version.number) or answers is None:
        return
    asked, *told = answers
    st.caption(f"“{visible(asked)}”")
    for column, name, one in zip(st.columns(2), ("Before", "After"), told, strict=True):
        with column, st.container(border=True):
            st.caption(f"{name}{f', {one.how}' if one.how else ''}")
            st.text(visible(one.fault or one.text))


def _say_cost(before: Session, after: Session) -> None:
    try:
        target = chosen_target()
    except UserError:
        return
    if target.kind != "embedded":
        st.caption(f"Two calls. Before: {estimate(before).sentence} After: {estimate(after).sentence}")

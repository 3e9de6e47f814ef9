"""Asks a live endpoint how many tokens the next call would send; only ever because somebody pressed a button.

The whole array goes to the endpoint that is set under Run, to be counted; nothing is generated there. What
the embedded endpoint says is an estimate like ours and is not asked for.
"""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from components.run_target import chosen_target, with_model
from components.state import Page
from components.used import usage_of
from tape.client import CallFailed, Client, Target
from tape.errors import UserError
from tape.model import Session
from tape.visible import one_line
from tape.wire import request

KEPT = "counted by the endpoint"


class Counted(NamedTuple):
    """Tokens that an endpoint counted, and where that was."""

    tokens: int
    where: str


def counted_by(target: Target, session: Session) -> Counted:
    """The endpoint's own count of the session's next call. Raises ``CallFailed``, or ``UserError`` where no
    model is named."""
    if not session.model:
        raise UserError("An endpoint counts for a model, and none is named.", do="Enter one under Run.")
    with Client(target, retries=0) as client:
        tokens = client.count_tokens(request(session))
    return Counted(tokens, "the Claude API" if target.kind == "claude-api" else target.base_url)


def draw_endpoint_count(page: Page) -> None:
    """Draws the button, and what the endpoint said of this version of the session."""
    live = st.session_state.get("target", "Embedded") != "Embedded"
    with st.container(key="endpoint-count", horizontal=True, vertical_alignment="center"):
        st.button(
            "Count at the endpoint",
            key="count-tokens",
            type="tertiary",
            icon=":material/calculate:",
            disabled=not live,
            help="Sends the whole array to the endpoint that is set under Run, to be counted, not answered."
            if live
            else "Choose a live endpoint under Run: the embedded one estimates as this page does.",
            on_click=_count,
            args=(page,),
        )
    held = page.cache.get(KEPT)
    if held is not None and held[0] == (page.deck.token, page.deck.version.number):
        found: Counted = held[1]
        used = usage_of(page)
        guess = "≈ " if used.context_source == "estimated" else ""
        st.text(
            f"{found.tokens:,} tokens, counted by the endpoint ({one_line(found.where)}); "
            f"by this page {guess}{used.context_now:,}."
        )


def _count(page: Page) -> None:
    page.notice = ""
    try:
        target = chosen_target()
        found = counted_by(target, with_model(page.session, target))
    except (UserError, CallFailed) as fault:
        page.notice = fault.sentence
        return
    page.cache[KEPT] = ((page.deck.token, page.deck.version.number), found)

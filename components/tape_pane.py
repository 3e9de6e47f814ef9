"""The tape on the page, and when the rest of the page follows what was done on it.

A small session is drawn whole after every change. A large one draws the tape alone first, so that an edit is
painted at once, and the panels, whose sums over everything take longer, once nothing more is being changed:
the view says so itself (a ``settled`` item). Until then the marks of what is refused are those of before.
"""

from __future__ import annotations

import streamlit as st

from components.problems import wrong_places
from components.run_panel import take_item
from components.state import Page
from components.tape_view import Item, Notice, Options, tape_view

LARGE = 2_000
"""Messages from which on the panels follow later."""


def draw_tape(page: Page, options: Options, notice: Notice | None) -> None:
    """Draws the tape as part of the page; inside a fragment, and a keyed container at a fixed place."""
    page.tape_drawn = page.deck.version.number
    page.tape_wrong = wrong_places(page)
    page.tape_settled = False
    if len(page.session.messages) < LARGE or (page.run is not None and page.run.active):
        _tape(page, options, notice)
    else:
        st.fragment(_alone)(page, options, notice)


def _alone(page: Page, options: Options, notice: Notice | None) -> None:
    """The tape without the rest of the page, as long as there are only edits."""
    if page.tape_settled:
        page.tape_settled = False
        st.rerun()
    _tape(page, options, notice)


def _tape(page: Page, options: Options, notice: Notice | None) -> None:
    tape_view(
        page.deck,
        key="tape",
        goto=page.goto,
        options=options,
        notice=notice,
        wrong=page.tape_wrong,
        behind=page.deck.version.number != page.tape_drawn,
        on_item=lambda item: _take(page, item),
    )


def _take(page: Page, item: Item) -> None:
    """What came from the tape and is no edit concerns the whole page."""
    page.tape_settled = len(page.session.messages) >= LARGE
    if item.get("do") != "settled":
        take_item(page, item)

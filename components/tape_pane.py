"""The tape on the page, and when the rest of the page follows what was done on it.

A small session is drawn whole after every change. Of a large one the tape alone is drawn first, so that an
edit is painted at once; the panels, whose sums over everything take longer, follow when these are known
(``components.catching_up``) and nothing more is being changed: the view asks for it with ``settled`` items.
Until then the marks of what is refused are those of before.
"""

from __future__ import annotations

import streamlit as st

from components.catching_up import caught_up, is_large
from components.problems import wrong_places
from components.resuming import keep, resume
from components.run_order import run_state, take_item
from components.state import Page
from components.tape_view import Item, Notice, Options, tape_view


def draw_tape(page: Page, options: Options, notice: Notice | None) -> bool:
    """Draws the tape as part of the page; inside a fragment, and a keyed container at a fixed place. False
    where the rest of the page would have to wait for what is being worked out, and follows by itself."""
    page.tape_settled = False
    runs = page.run is not None and page.run.active
    known = runs or caught_up(page, begin=False)
    if known:
        page.tape_drawn = page.deck.version.number
        page.tape_wrong = wrong_places(page)
    if runs or not is_large(page):
        _tape(page, options, notice)
    else:
        st.fragment(_alone)(page, options, notice)
    return page.tape_drawn >= 0


def _alone(page: Page, options: Options, notice: Notice | None) -> None:
    """The tape without the rest of the page, as long as there are only edits."""
    if page.tape_settled:
        page.tape_settled = False
        st.rerun()
    _tape(page, options, notice)


def _tape(page: Page, options: Options, notice: Notice | None) -> None:
    keep(page.deck)
    tape_view(
        page.deck,
        key="tape",
        goto=page.goto,
        options=options,
        notice=notice,
        wrong=page.tape_wrong,
        behind=page.deck.version.number != page.tape_drawn,
        run=run_state(page),
        on_item=lambda item: _take(page, item),
    )


def _take(page: Page, item: Item) -> None:
    """What came from the tape and is no edit concerns the whole page."""
    if item.get("do") == "resume":
        token = item.get("deck")
        page.tape_settled = isinstance(token, str) and resume(page, token) and is_large(page)
    elif item.get("do") == "settled":
        page.tape_settled = caught_up(page)
    else:
        page.tape_settled = is_large(page)
        take_item(page, item)

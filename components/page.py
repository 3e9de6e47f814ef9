"""What stands where on the page, and the one fragment that an edit runs again: tape, panels, run.

No logic: each part is drawn by a module of its own from the state in ``components.state``.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from components.deck_bar import draw_bar
from components.export_panel import draw_export
from components.inspector import draw_inspector
from components.problems import draw_problems, wrong_places
from components.request_panel import draw_request
from components.run_panel import draw_run, take_item
from components.running import POLL_SECONDS, advance
from components.source import draw_source
from components.state import PANEL, Page, current
from components.tape_view import Options, tape_view
from components.tokens_panel import draw_tokens

FOLDER = Path(__file__).resolve().parent
PANELS = {
    "Tokens": draw_tokens,
    "Problems": draw_problems,
    "Message": draw_inspector,
    "Request": draw_request,
    "Run": draw_run,
    "Export": draw_export,
}


def draw() -> None:
    """Draws the whole page; the entry point of the script."""
    st.set_page_config("Tapedeck", str(FOLDER / "icon.svg"), layout="wide", initial_sidebar_state="expanded")
    st.html(FOLDER / "page.css")
    page = current()
    with st.sidebar:
        draw_source(page)
    polled = _runs(page)
    st.fragment(_view, run_every=POLL_SECONDS if polled else None)(page, polled)


def _view(page: Page, polled: bool) -> None:
    advance(page)
    if _runs(page) != polled:
        # Whether a fragment repeats itself is settled where it is called, so everything is drawn again.
        st.rerun()
    left, right = st.columns([13, 8], gap="small")
    with left, st.container(key="tape-pane"):
        tape_view(
            page.deck,
            key="tape",
            goto=page.goto,
            options=_options(page),
            notice=page.run.card if page.run is not None else None,
            wrong=wrong_places(page),
            on_item=lambda item: take_item(page, item),
        )
    with right, st.container(key="side-pane"):
        draw_bar(page)
        with st.container(key="notice"):
            if page.notice:
                st.text(page.notice)
        tabs = st.tabs(list(PANELS), key=PANEL, on_change="rerun")
        for tab, draw_panel in zip(tabs, PANELS.values(), strict=True):
            with tab:
                if tab.open:
                    draw_panel(page)


def _runs(page: Page) -> bool:
    return page.run is not None and page.run.active


def _options(page: Page) -> Options:
    if _runs(page):
        return {"follow": True, "select": True, "frozen": "A run is going on; stop it to change the array."}
    return {"run": True, "select": True}

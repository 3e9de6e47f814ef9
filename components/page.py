"""What stands where on the page, and the one fragment that an edit runs again: tape, panels, run.

No logic: each part is drawn by a module of its own from the state in ``components.state``.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from components.beside import draw_beside
from components.branches_panel import draw_branches
from components.compare_view import draw_compare
from components.deck_bar import draw_bar
from components.export_panel import draw_export
from components.inspector import draw_inspector
from components.lesson import draw_lesson, enter
from components.lesson_recorder import draw_recording
from components.operations_panel import draw_operations, fading, stretch_looked_at
from components.problems import draw_problems
from components.projector import draw_frame, draw_one_chart
from components.request_panel import draw_request
from components.rescue import draw_rescue
from components.run_panel import draw_run
from components.running import POLL_SECONDS, advance
from components.session_header import draw_session_header
from components.source import draw_source
from components.state import PANEL, Page, current
from components.tape_pane import draw_tape
from components.tape_view import Notice, Options
from components.tokens_panel import draw_tokens
from components.visiting import within
from components.window_view import LIT_MAX
from tape.secrets import reveal

FOLDER = Path(__file__).resolve().parent
PANELS = {
    "Tokens": draw_tokens,
    "Problems": draw_problems,
    "Message": draw_inspector,
    "Request": draw_request,
    "Run": draw_run,
    "Branches": draw_branches,
    "Operations": draw_operations,
    "Export": draw_export,
}


def draw() -> None:
    """Draws the whole page; the entry point of the script."""
    st.set_page_config("Tapedeck", str(FOLDER / "icon.svg"), layout="wide", initial_sidebar_state="expanded")
    st.html(FOLDER / "page.css")
    page = current()
    enter(page)
    reveal(page.deck.reveals)
    with st.sidebar:
        draw_source(page)
    polled = _runs(page)
    st.fragment(_view, run_every=POLL_SECONDS if polled else None)(page, polled)


def _view(page: Page, polled: bool) -> None:
    reveal(page.deck.reveals)
    advance(page)
    if _runs(page) != polled:
        # Whether a fragment repeats itself is settled where it is called, so everything is drawn again.
        st.rerun()
    draw_frame(page)
    draw_lesson(page)
    draw_compare(page)
    if draw_beside(page, _options(page), _notice(page)):
        return
    left, right = st.columns([7, 3] if page.projector else [13, 8], gap="small")
    with left, st.container(key="tape-pane"):
        whole = draw_tape(page, _options(page), _notice(page))
    with right, st.container(key="side-pane"):
        if not whole:
            st.caption("Working out tokens and problems of the whole session …")
            return
        if page.projector:
            draw_one_chart(page)
            return
        draw_recording(page)
        draw_bar(page)
        draw_session_header(page)
        draw_rescue(page)
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


def _notice(page: Page) -> Notice | None:
    """What an endpoint said last: to a run, else to a step of the lesson."""
    if page.run is not None and page.run.card is not None:
        return page.run.card
    return page.lesson.card if page.lesson is not None else None


def _options(page: Page) -> Options:
    options: Options = {"run": True, "select": True}
    if _runs(page):
        options = {"select": True, "frozen": "A run is going on; stop it to change the array."}
    if page.origin.sample is not None and page.lesson is None:
        options["link"] = page.origin.sample.name
    inside = within(page.deck)
    if inside is not None:
        options["within"] = inside
    if page.deck.reveals:
        options["reveals"] = True
    if page.lit:
        options["lit"] = list(page.lit[-LIT_MAX:])
    if page.projector:
        options["projector"] = True
    elif st.session_state.get(PANEL) == "Operations":
        options["fading"] = fading(page)
        cut = stretch_looked_at(page)
        if cut is not None and "frozen" not in options:
            options["cut"] = cut
    return options

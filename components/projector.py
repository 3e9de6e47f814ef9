"""The page for a projector: the tape, its stepper and one chart, large; nothing else.

What the tape itself does differently is an option of ``components.tape_view``; the lesson above it is
``components.lesson_view``. Sizes follow a variable that a presenter's keys change in the browser.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from components.state import Page
from components.token_chart import View, figure, lines, parts
from components.token_rows import binned, rows
from components.used import turn_at, turns_of, usage_of

STYLE = Path(__file__).resolve().parent / "projector.css"
ALT = "Tokens over the turns."


def draw_frame(page: Page) -> None:
    """Brings the style that takes everything away that is not for the projector. It applies only while the
    view of the lesson says so (in the browser): a style that Streamlit was given once stays on the page."""
    st.html(STYLE)


def draw_one_chart(page: Page) -> None:
    """Draws the chart, large, with the turn that the tape is at, and more room for what the lesson asks for;
    nothing without a call."""
    cut, used = turns_of(page), usage_of(page)
    if not cut:
        return
    frame, _ = page.once_a_version("projected", lambda: binned(rows(page.session, cut, used)), id(used))
    focus = page.lesson.chart if page.lesson is not None else None
    view = View(window=used.window, here=turn_at(page), projector=True, focus=focus)
    keys = [(name, color, "") for name, color in parts(frame).values()]
    keys += [(name, color, "line") for name, color in lines().values()]
    legend = "".join(
        f'<span><i class="{kind}" style="--swatch:{color}"></i>{name}</span>' for name, color, kind in keys
    )
    st.html(f'<div class="projected"><h2>What each call sends, and all so far</h2><p>{legend}</p></div>')
    st.plotly_chart(
        figure(frame, view), key=f"projected-{page.seen}", config={"displayModeBar": False}, alt=ALT
    )

"""The page for a projector: the tape, its stepper and one chart, large; nothing else.

What the tape itself does differently is an option of ``components.tape_view``; the lesson above it is
``components.lesson_view``. Sizes follow a variable that a presenter's keys change in the browser.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from components.state import Page
from components.token_chart import LINES, binned, calls_figure, parts, sum_figure, table
from components.tokens_panel import CONFIG, turn_tokens, turns_of, usage_of

STYLE = Path(__file__).resolve().parent / "projector.css"
TYPE = 20
HEIGHT = 420
ALT = "Tokens over the turns."


def draw_frame(page: Page) -> None:
    """Takes everything away that is not for the projector, at one fixed place of the page."""
    with st.container(key="projector-frame"):
        if page.projector:
            st.html(STYLE)


def draw_one_chart(page: Page) -> None:
    """Draws the chart that the lesson asks for, else that of single calls; nothing without a call."""
    if not turns_of(page):
        return
    chosen = (page.lesson.chart if page.lesson is not None else None) or "calls"
    frame, _ = binned(table(turn_tokens(usage_of(page))))
    if chosen == "sum":
        figure, title = sum_figure(frame), "All calls so far, and one call"
        keys = list(LINES.values())
    else:
        figure, title = calls_figure(frame), "What each call sends"
        keys = list(parts(frame).values())
    figure.update_layout(height=HEIGHT, font={"size": TYPE}, margin={"l": 4, "r": 10, "t": 40, "b": 4})
    figure.update_xaxes(tickfont={"size": TYPE})
    figure.update_yaxes(tickfont={"size": TYPE})
    figure.update_traces(textfont={"size": TYPE}, selector={"mode": "text"})
    legend = "".join(f'<span><i style="--swatch:{color}"></i>{name}</span>' for name, color in keys)
    st.html(f'<div class="projected"><h2>{title}</h2><p>{legend}</p></div>')
    st.plotly_chart(figure, key=f"projected-{chosen}-{page.seen}", config=CONFIG, alt=ALT)

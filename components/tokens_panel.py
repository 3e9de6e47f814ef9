"""The tokens panel: the chart of turns, the sums above it, and the table of turns below.

A click on a bar, a point or a row goes to that turn on the tape. The counts and where they come from are
``tape.usage``'s; drawing them is ``components.token_chart``'s.
"""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

import tape
from components.state import Page
from components.token_chart import LINES, TurnTokens, binned, calls_figure, parts, short, sum_figure, table
from tape.pricing import Cost
from tape.turns import Turn
from tape.usage import SessionUsage, usage

CONFIG = {"displayModeBar": False, "responsive": True}
ALT = "Tokens over the turns; the table below holds the same numbers."


def turns_of(page: Page) -> tuple[Turn, ...]:
    """The turns of the session as it is now."""
    found: tuple[Turn, ...] = page.once_a_version("turns", lambda: tape.turns(page.session))
    return found


def usage_of(page: Page) -> SessionUsage:
    """What the calls of the session used, as it is now."""
    found: SessionUsage = page.once_a_version("usage", lambda: usage(page.session))
    return found


def turn_tokens(used: SessionUsage) -> list[TurnTokens]:
    """The turns as the chart takes them."""
    return [
        TurnTokens(
            turn=one.turn,
            uid=one.message_uid,
            fresh=one.usage.input,
            cache_write=one.usage.cache_write,
            cache_read=one.usage.cache_read,
            output=one.usage.output,
            estimated=one.usage.source == "estimated",
        )
        for one in used.turns
    ]


def draw_tokens(page: Page) -> None:
    """Draws the sums, the two charts and the table; a sentence where there is no call yet."""
    cut = turns_of(page)
    if not cut:
        st.caption("No call has been made yet. Each answer of the model is one bar here.")
        return
    frame, size, calls, sums = page.once_a_version("chart", lambda: _drawn(usage_of(page)))
    st.html(_sums(usage_of(page), frame))
    _legend("Each turn", [(name, color, "") for name, color in parts(frame).values()])
    _chart(page, frame, calls, "chart-calls")
    _legend("Added up over the turns", [(name, color, "line") for name, color in LINES.values()])
    _chart(page, frame, sums, "chart-sums")
    if size > 1:
        st.caption(f"Each bar stands for {size} turns and shows the largest call of them.")
    if frame["estimated"].any():
        st.caption("≈ and hatching: estimated from the text, because the file has no counts.")
    _table(page)


def _drawn(used: SessionUsage) -> tuple[Any, ...]:
    frame, size = binned(table(turn_tokens(used)))
    return frame, size, calls_figure(frame, used.window), sum_figure(frame)


def _sums(used: SessionUsage, frame: pd.DataFrame) -> str:
    """The four numbers that are never mixed up, as HTML; nothing of the transcript is in it."""
    guess = "≈ " if used.source == "estimated" else ""
    now = f"{'≈ ' if used.context_source == 'estimated' else ''}{short(used.context_now)}"
    part = f"{used.filled:.0%} of the window" if used.filled is not None else "window not known"
    output = frame["output"].sum()
    sent = frame["so_far"].iloc[-1]
    shown = [
        ("context now", now, part),
        (
            "sent so far",
            f"{guess}{short(int(sent))}" if pd.notna(sent) else "not known",
            "all calls together",
        ),
        ("output", f"{guess}{short(int(output))}", "all answers"),
        _cost(used.total.cost),
    ]
    cells = "".join(
        f"<div><b>{value}</b><span>{name}</span><small>{note}</small></div>" for name, value, note in shown
    )
    return f'<div class="sums">{cells}</div>'


def _cost(spent: Cost) -> tuple[str, str, str]:
    if spent.usd is None:
        return "cost", "not known", "no priced calls"
    return "cost", str(spent).partition(";")[0], "all calls" if spent.whole else "the rest is not priced"


def _chart(page: Page, frame: pd.DataFrame, figure: Any, key: str) -> None:
    name = f"{key}-{page.seen}"

    def picked() -> None:
        points = st.session_state[name].selection.points
        if points and points[0].get("customdata") is not None:
            row = points[0]["customdata"]
            _go_to_turn(page, int(frame["turn"].iloc[row[0] if isinstance(row, list) else row]))

    st.plotly_chart(figure, key=name, on_select=picked, selection_mode="points", config=CONFIG, alt=ALT)


def _go_to_turn(page: Page, turn: int) -> None:
    cut = turns_of(page)
    if 1 <= turn <= len(cut):
        page.show(cut[turn - 1].message_uid)
        page.call = turn


def _legend(title: str, entries: list[tuple[str, str, str]]) -> None:
    keys = "".join(
        f'<span><i class="{kind}" style="--swatch:{color}"></i>{name}</span>' for name, color, kind in entries
    )
    st.html(f'<div class="legend"><b>{title}</b>{keys}</div>')


def _table(page: Page) -> None:
    name = f"turn-table-{page.seen}"
    frame = page.once_a_version("turn-table", lambda: shown_table(table(turn_tokens(usage_of(page)))))

    def picked() -> None:
        rows = st.session_state[name].selection.rows
        if rows:
            _go_to_turn(page, int(frame["turn"].iloc[rows[0]]))

    with st.expander("Every turn as a table", key="turn-table-open"):
        st.dataframe(
            frame,
            hide_index=True,
            height="auto" if len(frame) <= 12 else 420,
            key=name,
            on_select=picked,
            selection_mode="single-row",
            column_config={
                column: st.column_config.NumberColumn(format="localized") for column in frame.columns[1:-1]
            },
        )


def shown_table(frame: pd.DataFrame) -> pd.DataFrame:
    """The table of turns as people read it: counts in tokens, empty where unknown, and their source."""
    shown = frame[["turn", "cache_read", "cache_write", "fresh", "prompt", "output", "so_far"]].copy()
    shown["counts"] = frame["estimated"].map({True: "≈ estimated", False: "recorded"})
    return shown.rename(
        columns={
            "cache_read": "from cache",
            "cache_write": "newly cached",
            "prompt": "sent",
            "so_far": "sent so far",
        }
    )

"""What fills the window now: the context of the next call by kind, tool and file, and its largest messages.

A click on a part lights its messages up on the tape; a click on a message goes there. The parts are
``tape.window``'s. Names of tools and files are the transcript's own and are shown as text only.
"""

from __future__ import annotations

from html import escape
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from components.state import Page
from components.token_chart import dollars, short
from components.used import usage_of
from tape.visible import one_line
from tape.window import KINDS, Heavy, Part, heaviest, window_parts

COLORS = {
    "system prompt": "#b98a1e",
    "tool definitions": "#d9b44a",
    "not in this file": "#9aa0aa",
    "user text": "#2f6fb5",
    "assistant text": "#8a63d2",
    "thinking kept": "#b3a6cc",
    "tool inputs": "#d2691e",
    "tool results": "#3f9b6b",
    "images": "#17808f",
    "other": "#6b7280",
}
LIT_MAX = 1_000
SHOWN = 60
ALT = "What fills the window; the table below holds the same numbers."


def draw_window(page: Page) -> None:
    """Draws the bar, the treemap, the parts and the largest messages; nothing where the array is empty."""
    if not page.session.messages:
        return
    with st.expander("What fills the window now", key="window-open", on_change="rerun") as opened:
        if not opened.open:
            return
        used = usage_of(page)
        parts = window_parts(page.session, page.counted.of(page.session))
        whole = sum(part.tokens for part in parts)
        guess = "≈ " if used.context_source == "estimated" else ""
        of = f" of {short(used.window)}" if used.window else "; the window of this model is not known"
        st.caption(
            f"{guess}{whole:,} tokens in the next call{of}. Click a part of the bar or a row of the table to "
            "light it up on the tape; a click in the map enlarges."
        )
        kinds = by_kind(parts)
        _legend(kinds)
        _bar(page, kinds)
        st.plotly_chart(
            treemap(parts), key=f"window-tree-{page.seen}", config={"displayModeBar": False}, alt=ALT
        )
        _parts(page, parts)
        if page.lit:
            more = "" if len(page.lit) <= LIT_MAX else f"; the last {LIT_MAX:,} are lit"
            with st.container(horizontal=True, vertical_alignment="center"):
                st.caption(f"{len(page.lit):,} messages light up on the tape{more}.")
                st.button("Put out", key="put-out", type="tertiary", on_click=_light, args=(page, ()))
        _largest(page)


def by_kind(parts: tuple[Part, ...]) -> list[Part]:
    """One part a kind, in the order of the window."""
    found = []
    for kind in KINDS:
        mine = [part for part in parts if part.kind == kind]
        if mine:
            uids = dict.fromkeys(uid for part in mine for uid in part.uids)
            found.append(Part(kind, "", "", sum(part.tokens for part in mine), tuple(uids)))
    return found


def named(part: Part) -> str:
    """A part in words, safe to show as text."""
    words = [part.kind, one_line(part.name[:60]), one_line(part.detail[-80:])]
    return " · ".join(word for word in words if word)


def _legend(kinds: list[Part]) -> None:
    keys = "".join(
        f'<span><i style="--swatch:{COLORS[part.kind]}"></i>{part.kind} {short(part.tokens)}</span>'
        for part in kinds
    )
    st.html(f'<div class="legend">{keys}</div>')


def bar(kinds: list[Part]) -> go.Figure:
    """One bar of the whole window, a segment a kind."""
    plot = go.Figure(
        [
            go.Bar(
                x=[part.tokens],
                y=[""],
                orientation="h",
                name=part.kind,
                customdata=[n],
                marker={"color": COLORS[part.kind]},
                hovertemplate=f"{part.kind}: {part.tokens:,} tokens<extra></extra>",
                selected={"marker": {"opacity": 1}},
                unselected={"marker": {"opacity": 1}},
            )
            for n, part in enumerate(kinds)
        ]
    )
    plot.update_layout(
        barmode="stack",
        height=64,
        margin={"l": 2, "r": 2, "t": 2, "b": 20},
        showlegend=False,
        dragmode=False,
        clickmode="event+select",
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
    )
    plot.update_xaxes(fixedrange=True, showgrid=False, zeroline=False, tickformat="~s", nticks=6)
    plot.update_yaxes(fixedrange=True, showticklabels=False)
    return plot


def treemap(parts: tuple[Part, ...]) -> go.Figure:
    """The window as areas: kinds, in them tools, in them files; the smallest beyond sixty as one."""
    ids, labels, parents, values, colors = ["all"], ["the next call"], [""], [0], ["rgba(0,0,0,0)"]
    seen: set[str] = set()
    shown = sorted(parts, key=lambda part: -part.tokens)[:SHOWN]

    def add(id: str, label: str, parent: str, value: int, kind: str) -> None:
        if id in seen:
            values[ids.index(id)] += value
            return
        seen.add(id)
        ids.append(id)
        labels.append(escape(label))
        parents.append(parent)
        values.append(value)
        colors.append(COLORS[kind])

    for part in shown:
        add(part.kind, part.kind, "all", 0, part.kind)
        parent = part.kind
        for depth, word in enumerate((part.name[:60], part.detail[-80:])):
            if word:
                add(f"{parent}/{depth}{word}", one_line(word), parent, 0, part.kind)
                parent = f"{parent}/{depth}{word}"
        values[ids.index(parent)] += part.tokens
    plot = go.Figure(
        go.Treemap(
            ids=ids,
            labels=labels,
            parents=parents,
            values=values,
            marker={"colors": colors, "line": {"width": 1}, "cornerradius": 3},
            texttemplate="%{label}<br>%{value:,}",
            hovertemplate="%{label}: %{value:,} tokens<extra></extra>",
            branchvalues="remainder",
            tiling={"pad": 2},
            pathbar={"visible": False},
        )
    )
    plot.update_layout(height=260, margin={"l": 2, "r": 2, "t": 4, "b": 4}, paper_bgcolor="rgba(0,0,0,0)")
    return plot


def _bar(page: Page, kinds: list[Part]) -> None:
    name = f"window-bar-{page.seen}"

    def picked() -> None:
        points = st.session_state[name].selection.points
        row = points[0].get("customdata") if points else None
        if row is not None:
            _light(page, kinds[row[0] if isinstance(row, list) else row].uids)

    st.plotly_chart(
        bar(kinds),
        key=name,
        on_select=picked,
        selection_mode="points",
        config={"displayModeBar": False},
        alt=ALT,
    )


def _parts(page: Page, parts: tuple[Part, ...]) -> None:
    name = f"window-parts-{page.seen}"
    whole = sum(part.tokens for part in parts)
    frame = pd.DataFrame(
        {
            "part": [named(part) for part in parts],
            "tokens": [part.tokens for part in parts],
            "share": [f"{part.tokens / whole:.0%}" for part in parts],
            "messages": [len(part.uids) for part in parts],
        }
    )

    def picked() -> None:
        rows = st.session_state[name].selection.rows
        if rows and rows[0] < len(parts):
            _light(page, parts[rows[0]].uids)

    st.dataframe(
        frame,
        hide_index=True,
        height="auto" if len(frame) <= 8 else 300,
        key=name,
        on_select=picked,
        selection_mode="single-row",
        column_config={
            "tokens": st.column_config.NumberColumn(format="localized"),
        },
    )


def _light(page: Page, uids: tuple[str, ...]) -> None:
    page.lit = uids
    if uids:
        page.show(uids[0])


def _largest(page: Page) -> None:
    used = usage_of(page)
    heavy: tuple[Heavy, ...] = page.once_a_version(
        "heaviest", lambda: heaviest(page.session, used.turns, page.counted.of(page.session)), id(used)
    )
    if not heavy:
        return
    st.caption(
        "The largest messages, and what would have been saved on all later calls if one of them were gone: "
        "its tokens × the calls that sent it again."
    )
    name = f"heaviest-{page.seen}"

    def picked() -> None:
        rows = st.session_state[name].selection.rows
        if rows and rows[0] < len(heavy):
            page.show(heavy[rows[0]].uid)

    frame = pd.DataFrame(
        {
            "message": [f"#{one.position} {page.session.messages[one.position].role}" for one in heavy],
            "tokens": [one.tokens for one in heavy],
            "later calls": [one.calls for one in heavy],
            "tokens saved": [one.resent for one in heavy],
            "USD saved": ["not known" if one.usd is None else dollars(float(one.usd)) for one in heavy],
        }
    )
    columns: dict[str, Any] = {
        column: st.column_config.NumberColumn(format="localized")
        for column in ("tokens", "later calls", "tokens saved")
    }
    st.dataframe(
        frame,
        hide_index=True,
        height="auto",
        key=name,
        on_select=picked,
        selection_mode="single-row",
        column_config=columns,
    )

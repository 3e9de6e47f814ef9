"""The tokens panel: the chart of turns and its ways of looking, what would have been, the table of calls.

A click on a bar, a point or a row goes to that turn on the tape. The counts and where they come from are
``tape.usage``'s, suppositions ``tape.what_if``'s; drawing is ``components.token_chart``'s.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, Literal, cast

import pandas as pd
import streamlit as st

from components.endpoint_count import draw_endpoint_count
from components.session_header import priced_by
from components.state import Page
from components.take_tokens import draw_taking
from components.token_chart import Line, View, figure, lines, parts, supposed_styles
from components.token_rows import binned, described, rows
from components.used import turn_at, turns_of, usage_of
from components.window_view import draw_window
from tape.claude_counting import error_said
from tape.context import Counts
from tape.counting import Estimate
from tape.sizes import sizes
from tape.what_if import LABELS, Supposed, Supposition, formula, suppose

LIMIT = 50_000
ALT = "Tokens over the turns; the table below holds the same numbers."
PICTURE = "picture-format"


def config(page: Page) -> dict[str, Any]:
    """The chart's own menu: a picture of it, in the form that was chosen; nothing is sent for that."""
    kept = st.session_state.get(PICTURE, "PNG")
    name = f"tokens-{page.seen}"
    return {
        "displaylogo": False,
        "responsive": True,
        "modeBarButtons": [["toImage"]],
        "toImageButtonOptions": {"format": kept.lower(), "filename": name, "scale": 2},
    }


def draw_tokens(page: Page) -> None:
    """Draws the chart, the window and the table; a sentence where there is no call yet."""
    if not turns_of(page):
        st.caption("No call has been made yet. Each answer of the model is one bar here.")
        draw_window(page)
        return
    frame = frame_of(page)
    shown, size = page.once_a_version("binned", lambda: binned(frame), id(frame))
    view = _view(page, shown)
    said = page.once_a_version("said", lambda: described(page.session, turns_of(page), shown), id(shown))
    styles = [(name, color, "line") for name, color in lines(view).values()]
    styles += [(name, color, f"line {dash}") for name, color, dash in supposed_styles(view)]
    _legend("Each call", [(name, color, "") for name, color in parts(shown, view).values()])
    _legend("Over the turns", styles)
    _chart(page, shown, figure(shown, view, said))
    for line in _notes(page, shown, size, view):
        st.caption(line)
    draw_endpoint_count(page)
    _what_if(page)
    draw_window(page)
    _table(page, frame)
    draw_taking(page)


def frame_of(page: Page) -> pd.DataFrame:
    """A row a turn of the session as it is now."""
    used = usage_of(page)
    made: pd.DataFrame = page.once_a_version(
        "rows", lambda: rows(page.session, turns_of(page), used), id(used)
    )
    return made


def _view(page: Page, shown: pd.DataFrame) -> View:
    with st.container(key="chart-toggles", horizontal=True):
        unit = st.segmented_control(
            "Unit",
            ("Tokens", "USD"),
            default="Tokens",
            required=True,
            key="unit",
            label_visibility="collapsed",
        )
        summed = st.segmented_control(
            "Bars",
            ("Each call", "Added up"),
            default="Each call",
            required=True,
            key="bars",
            label_visibility="collapsed",
        )
        scale = st.segmented_control(
            "Scale",
            ("Linear", "Log"),
            default="Linear",
            required=True,
            key="scale",
            label_visibility="collapsed",
        )
    chosen: Literal["tokens", "USD"] = "USD" if unit == "USD" else "tokens"
    return View(
        unit=chosen,
        cumulative=summed == "Added up",
        log=scale == "Log",
        window=usage_of(page).window,
        here=turn_at(page),
        supposed=tuple(_supposed(page, shown, chosen)),
    )


def _what_if(page: Page) -> None:
    with st.container(key="what-if"):
        st.pills(
            "What if",
            list(LABELS),
            format_func=lambda what: LABELS[cast(Supposition, what)],
            selection_mode="multi",
            key="supposed",
            help="The same calls and answers, computed from the real array; dotted lines in the chart. "
            "What the model would have said to a shorter array nobody knows.",
        )
        chosen = _chosen()
        if "drop oldest" in chosen or "compact" in chosen:
            st.number_input("N, in tokens", 1_000, 10_000_000, LIMIT, 1_000, key="supposed-limit")
        for what in chosen:
            st.caption(f"{LABELS[what]}: {formula(what, _limit())}.")


def _chosen() -> list[Supposition]:
    return [cast(Supposition, what) for what in st.session_state.get("supposed") or ()]


def _limit() -> int:
    return int(st.session_state.get("supposed-limit", LIMIT))


def _supposed(page: Page, shown: pd.DataFrame, unit: str) -> list[Line]:
    """The suppositions that are switched on, added up over the turns and read at the rows of the chart."""
    found = []
    for what in _chosen():
        if unit == "tokens" and what in ("no cache", "perfect cache"):
            continue
        made = _suppose(page, what)
        values: list[float | None] = list(_summed(made.usd)) if unit == "USD" else [*accumulate(made.sent)]
        last = [int(n) - 1 for n in shown["turn"]]
        size = -(-len(values) // max(len(last), 1))
        ends = last if size <= 1 else [min((k + 1) * size, len(values)) - 1 for k in range(len(last))]
        found.append(Line(made.label, [values[i] for i in ends], made.formula))
    return found


def _suppose(page: Page, what: Supposition) -> Supposed:
    weights = sizes(page.session, page.counted.of(page.session))
    used = usage_of(page)

    def make() -> Supposed:
        return suppose(what, page.session, turns_of(page), used.turns, weights, _limit())

    found: Supposed = page.once_a_version(f"what-if {what}", make, _limit(), id(used))
    return found


def _summed(costs: Sequence[Any]) -> Any:
    so_far: float | None = 0.0
    for cost in costs:
        so_far = None if so_far is None or cost is None else so_far + float(cost)
        yield so_far


def _notes(page: Page, shown: pd.DataFrame, size: int, view: View) -> list[str]:
    used = usage_of(page)
    found = []
    if size > 1:
        found.append(
            f"Each bar stands for {size} turns and shows the largest call of them; "
            "what sub-agents spent is added up."
        )
    if shown["estimated"].any() or used.context_source == "estimated":
        found.append(_estimated(page))
    if view.log:
        found.append("On a log scale compare the tops; the parts of a bar are not in proportion.")
    if not view.usd and {"no cache", "perfect cache"} & set(_chosen()):
        found.append("A cache changes what a call costs, not what it sends: see USD.")
    if view.usd:
        found.append(priced_by(used) or "The price of this model is not known.")
    if used.inherited.spent:
        found.append(
            f"{used.inherited.spent:,} of these tokens stand in messages copied from another session "
            "and were paid there."
        )
    return found


def _estimated(page: Page) -> str:
    page.counted.start(page.session)
    if page.counted.going(page.session):
        st.fragment(_wait, run_every=1.0)(page)
    counted: Estimate = page.counted.of(page.session) or page.once_a_version(
        "estimate", lambda: Counts(page.session).estimate
    )
    what = "≈ and hatching: estimated from the text, because the file has no counts."
    if usage_of(page).source == "recorded":
        what = "≈: what came after the last recorded call is estimated."
    return f"{what} {counted.method} ({error_said(counted)})."


def _wait(page: Page) -> None:
    if page.counted.going(page.session):
        st.caption("Counting with ctok …")
    else:
        st.rerun()


def _chart(page: Page, frame: pd.DataFrame, drawn: Any) -> None:
    name = f"chart-{page.seen}"

    def picked() -> None:
        points = st.session_state[name].selection.points
        if points and points[0].get("customdata") is not None:
            row = points[0]["customdata"]
            _go_to_turn(page, int(frame["turn"].iloc[row[0] if isinstance(row, list) else row]))

    st.plotly_chart(drawn, key=name, on_select=picked, selection_mode="points", config=config(page), alt=ALT)


def _go_to_turn(page: Page, turn: int) -> None:
    cut = turns_of(page)
    if 1 <= turn <= len(cut):
        page.show(cut[turn - 1].message_uid)
        page.stepped = None
        page.call = turn


def _legend(title: str, entries: list[tuple[str, str, str]]) -> None:
    keys = "".join(
        f'<span><i class="{kind}" style="--swatch:{color}"></i>{name}</span>' for name, color, kind in entries
    )
    st.html(f'<div class="legend"><b>{title}</b>{keys}</div>')


def _table(page: Page, rows: pd.DataFrame) -> None:
    name = f"turn-table-{page.seen}"
    frame = page.once_a_version("turn-table", lambda: shown_table(rows), id(rows))

    def picked() -> None:
        chosen = st.session_state[name].selection.rows
        if chosen:
            _go_to_turn(page, int(frame["turn"].iloc[chosen[0]]))

    with st.expander("Every call as a table", key="turn-table-open"):
        st.dataframe(
            frame,
            hide_index=True,
            height="auto" if len(frame) <= 12 else 420,
            key=name,
            on_select=picked,
            selection_mode="single-row",
            column_config={
                column: st.column_config.NumberColumn(format="dollar" if column == "USD" else "localized")
                for column in frame.columns[1:-1]
            },
        )


def shown_table(frame: pd.DataFrame) -> pd.DataFrame:
    """The table of calls as people read it: tokens and USD, empty where unknown, and where they come from."""
    columns = ["turn", "cache_read", "cache_write", "fresh", "prompt", "output", "so_far", "usd_prompt"]
    shown = frame[columns].copy()
    shown["counts"] = frame["estimated"].map({True: "≈ estimated", False: "recorded"})
    return shown.rename(
        columns={
            "cache_read": "from cache",
            "cache_write": "newly cached",
            "prompt": "sent",
            "so_far": "sent so far",
            "usd_prompt": "USD",
        }
    )

"""The chart of tokens per turn and the table under it: figures only, no numbers of its own.

Two figures over the same turns: what each call sent and got back, by price class; and, on one scale, what one
call sends and what all calls together have sent so far. Colors hold on light and dark ground and for the
common kinds of color blindness: they differ in lightness. What tokens are, and which ones are estimated, is
decided in ``tape.usage``; this module draws it and says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd
import plotly.graph_objects as go

BARS_MAX = 120
LABELS_MAX = 6

PARTS = {
    "cache_read": ("from cache", "#9db4c8"),
    "cache_write": ("newly cached", "#4f8fc0"),
    "fresh": ("fresh", "#1f5f99"),
    "output": ("output", "#9a6fce"),
}
LINES = {
    "prompt": ("sent in this call", "#2f7fc1"),
    "so_far": ("sent so far, all calls together", "#d07a00"),
}
GRAY = "rgba(128,134,146,0.9)"
GRID = "rgba(128,134,146,0.18)"


@dataclass(frozen=True, slots=True)
class TurnTokens:
    """One turn as the chart needs it: counts in tokens, ``None`` where unknown, ``uid`` of its answer."""

    turn: int
    uid: str
    fresh: int | None
    cache_write: int | None
    cache_read: int | None
    output: int | None
    estimated: bool

    @property
    def prompt(self) -> int | None:
        """What the call sent, however it is priced; ``None`` when nothing is known."""
        known = [n for n in (self.fresh, self.cache_write, self.cache_read) if n is not None]
        return sum(known) if known else None


def table(turns: list[TurnTokens]) -> pd.DataFrame:
    """One row a turn, with the running sum of what was sent; unknown counts stay missing.

    The running sum is missing from the first turn on whose prompt is unknown: it would be too small.
    """
    columns = ["turn", "uid", "cache_read", "cache_write", "fresh", "prompt", "output", "estimated"]
    frame = pd.DataFrame([{c: getattr(t, c) for c in columns} for t in turns], columns=columns)
    counts = ["cache_read", "cache_write", "fresh", "prompt", "output"]
    frame[counts] = frame[counts].astype("Int64")
    frame["so_far"] = frame["prompt"].cumsum(skipna=False)
    return frame


def binned(frame: pd.DataFrame, most: int = BARS_MAX) -> tuple[pd.DataFrame, int]:
    """At most ``most`` rows, and how many turns each stands for.

    A row that stands for several turns is the one of them that sent most: prompts are levels, not flows, and
    a mean would be a call that never was. The running sum is the one at the end of the bin.
    """
    size = -(-len(frame) // most) if len(frame) > most else 1
    if size == 1:
        return frame, 1
    groups = pd.Series(range(len(frame)), index=frame.index) // size
    largest = frame["prompt"].fillna(-1).groupby(groups).idxmax()
    picked = frame.loc[largest].reset_index(drop=True)
    picked["so_far"] = frame["so_far"].groupby(groups).last().to_numpy()
    return picked, size


def calls_figure(frame: pd.DataFrame, window: int | None = None) -> go.Figure:
    """What each call sent and got, for a frame made by ``table`` (already ``binned``).

    ``window`` is the model's, in tokens; it is drawn where the calls come near it. Every bar carries its row
    number as custom data, so that a selection can be traced to a turn.
    """
    plot = go.Figure([_bars(frame, part, name, color) for part, (name, color) in parts(frame).items()])
    if len(frame) <= LABELS_MAX:
        plot.add_trace(_totals(frame))
    if window is not None and _near(frame, window):
        plot.add_hline(
            y=window,
            line={"color": GRAY, "width": 1, "dash": "dash"},
            annotation={"text": f"window {short(window)}", "font": {"size": 11, "color": GRAY}},
            annotation_position="top left",
        )
    _lay_out(plot, frame, height=200)
    plot.update_layout(barmode="stack", bargap=0.25 if len(frame) <= 40 else 0.05)
    return plot


def sum_figure(frame: pd.DataFrame) -> go.Figure:
    """What one call sends and what all calls together have sent so far, on one scale."""
    plot = go.Figure([_line(frame, column, name, color) for column, (name, color) in LINES.items()])
    _lay_out(plot, frame, height=175)
    return plot


def parts(frame: pd.DataFrame) -> dict[str, tuple[str, str]]:
    """The parts of a call that any turn of the frame has, with their names and colors."""
    return {part: told for part, told in PARTS.items() if frame[part].fillna(0).sum() > 0}


def _bars(frame: pd.DataFrame, part: str, name: str, color: str) -> go.Bar:
    return go.Bar(
        x=frame["turn"],
        y=frame[part].astype("Float64").fillna(0).astype(float),
        name=name,
        customdata=list(range(len(frame))),
        hovertext=[_told(name, n, e) for n, e in zip(frame[part], frame["estimated"], strict=True)],
        hovertemplate="turn %{x}<br>%{hovertext}<extra></extra>",
        marker={
            "color": color,
            "line": {"width": 0},
            "pattern": {
                "shape": ["/" if estimated else "" for estimated in frame["estimated"]],
                "fillmode": "overlay",
                "fgcolor": "rgba(255,255,255,0.75)",
                "size": 5,
                "solidity": 0.25,
            },
        },
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 0.45}},
    )


def _line(frame: pd.DataFrame, column: str, name: str, color: str) -> go.Scatter:
    few = len(frame) <= 40
    return go.Scatter(
        x=frame["turn"],
        y=frame[column].astype("Float64").to_numpy(dtype=float, na_value=float("nan")),
        name=name,
        customdata=list(range(len(frame))),
        mode="lines+markers" if few else "lines",
        line={"color": color, "width": 2.5},
        marker={"size": 6, "symbol": "circle" if column == "prompt" else "diamond"},
        hovertext=[_told(name, n, e) for n, e in zip(frame[column], frame["estimated"], strict=True)],
        hovertemplate="turn %{x}<br>%{hovertext}<extra></extra>",
        unselected={"marker": {"opacity": 1}},
    )


def _totals(frame: pd.DataFrame) -> go.Scatter:
    tops = frame[["prompt", "output"]].astype("Float64").fillna(0).sum(axis=1).astype(float)
    return go.Scatter(
        x=frame["turn"],
        y=tops,
        mode="text",
        text=[f"{'≈' if e else ''}{short(int(n))}" for n, e in zip(tops, frame["estimated"], strict=True)],
        textposition="top center",
        textfont={"size": 12},
        hoverinfo="skip",
        cliponaxis=False,
        unselected={"textfont": {"color": GRAY}},
    )


def _near(frame: pd.DataFrame, window: int) -> bool:
    top = frame["prompt"].max()
    return bool(pd.notna(top) and top > window / 5)


def _lay_out(plot: go.Figure, frame: pd.DataFrame, height: int) -> None:
    plot.update_layout(
        height=height,
        margin={"l": 4, "r": 4, "t": 22, "b": 4},
        showlegend=False,
        hoverlabel={"align": "left"},
        dragmode=False,
        clickmode="event+select",
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
    )
    fixed: dict[str, Any] = {"fixedrange": True, "automargin": True, "zeroline": False}
    many = len(frame) > 12
    ticks: dict[str, Any] = {"tickmode": "auto", "nticks": 9} if many else {"tickvals": list(frame["turn"])}
    plot.update_xaxes(**fixed, **ticks, tickformat="d", showgrid=False)
    plot.update_yaxes(**fixed, nticks=4, rangemode="tozero", gridcolor=GRID, tickformat="~s")


def _told(name: str, count: Any, estimated: bool) -> str:
    if pd.isna(count):
        return f"{name}: not known"
    return f"{name}: {'≈ ' if estimated else ''}{int(count):,} tokens{' (estimated)' if estimated else ''}"


def short(tokens: int) -> str:
    """A count as people say it: ``812``, ``4.1k``, ``41k``, ``1.2M``."""
    for size, letter in ((1_000_000, "M"), (1_000, "k")):
        if tokens >= size:
            value = tokens / size
            return f"{value:.1f}".removesuffix(".0") + letter if value < 10 else f"{value:.0f}{letter}"
    return str(tokens)

"""The chart of tokens per turn: one figure, two questions. What did this call send, and how does that add up?

Above, stacked bars of each call by price class, with the window as a ceiling; under them, where there are
any, what sub-agents spent, as a band of its own; below, on one scale, what one call sends and what all calls
together have sent so far. Colors hold on light and dark ground and for the common kinds of color blindness:
they differ in lightness, and what is close in color differs in shape. The numbers are those of
``components.token_rows``; nothing is computed here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from components.token_rows import cumulated

LABELS_MAX = 6
AGENTS = "agents"
FEW = 40
PARTS = {
    "cache_read": ("re-sent from cache", "#9db4c8"),
    "cache_write": ("newly cached", "#4f8fc0"),
    "fresh": ("fresh", "#1f5f99"),
    "output": ("output", "#9a6fce"),
    "agents": ("sub-agents", "#e6cf9c"),
}
LINES = {
    "prompt": ("sent in this call", "#2f7fc1"),
    "so_far": ("sent so far, all calls together", "#d07a00"),
}
USD_LINES = {
    "prompt": ("cost of this call", "#2f7fc1"),
    "so_far": ("cost so far, all calls together", "#d07a00"),
}
DASHES = ("dot", "dash", "dashdot", "longdashdot")
SUPPOSED = ("#7a6a00", "#00806a", "#b04a78", "#6b7280")
GRAY = "rgba(128,134,146,0.95)"
GRID = "rgba(128,134,146,0.18)"
BAND = "rgba(128,134,146,0.20)"


@dataclass(frozen=True, slots=True)
class Line:
    """A supposition as the chart draws it: its name, its value at each row, and how it was computed."""

    name: str
    values: Sequence[float | None]
    formula: str


@dataclass(frozen=True, slots=True)
class View:
    """How the numbers are looked at. ``window`` is the model's, in tokens; ``here`` the turn that the tape is
    at; ``supposed`` what would have been; ``projector`` makes everything large; ``focus`` gives more room to
    the bars (``calls``) or to the lines (``sum``)."""

    unit: Literal["tokens", "USD"] = "tokens"
    cumulative: bool = False
    log: bool = False
    window: int | None = None
    here: int | None = None
    supposed: tuple[Line, ...] = ()
    projector: bool = False
    focus: Literal["calls", "sum"] | None = None
    height: int = 390

    @property
    def usd(self) -> bool:
        """Whether money is shown."""
        return self.unit == "USD"


def figure(frame: pd.DataFrame, view: View = View(), said: Sequence[str] = ()) -> go.Figure:
    """The figure of rows made by ``token_rows.rows`` (already ``binned``). ``said`` tells of each row what
    its call sent. Every bar and point carries its row number as custom data: a click leads to a turn."""
    apart = AGENTS in parts(frame, view)
    plot = make_subplots(
        rows=3 if apart else 2,
        cols=1,
        shared_xaxes=True,
        vertical_spacing=0.06 if apart else 0.09,
        row_heights=_heights(view, apart),
    )
    last = 3 if apart else 2
    shown = cumulated(frame) if view.cumulative else frame
    for part, (name, color) in parts(frame, view).items():
        row = 2 if part == AGENTS else 1
        plot.add_trace(_bars(shown, frame, part, name, color, view, said), row=row, col=1)
    if len(frame) <= LABELS_MAX and not view.log:
        plot.add_trace(_totals(shown, view), row=1, col=1)
    for column, (name, color) in lines(view).items():
        plot.add_trace(_line(frame, column, name, color, view), row=last, col=1)
    for n, line in enumerate(view.supposed):
        plot.add_trace(_supposed(frame, line, n, view), row=last, col=1)
    _mark(plot, frame, view, last)
    _lay_out(plot, frame, view, apart)
    return plot


def _heights(view: View, apart: bool) -> list[float]:
    """The parts of the height that bars, sub-agents and lines have."""
    bars = {"calls": 0.72, "sum": 0.3}.get(view.focus or "", 0.56)
    return [bars - 0.06, 0.14, 0.92 - bars] if apart else [bars, 1 - bars]


def parts(frame: pd.DataFrame, view: View = View()) -> dict[str, tuple[str, str]]:
    """The parts of a call that any turn of the frame has, with their names and colors."""
    return {part: told for part, told in PARTS.items() if frame[_column(part, view)].fillna(0).sum() > 0}


def lines(view: View = View()) -> dict[str, tuple[str, str]]:
    """The two lines with their names and colors."""
    return USD_LINES if view.usd else LINES


def supposed_styles(view: View) -> list[tuple[str, str, str]]:
    """Name, color and dash of each supposition that is drawn."""
    return [(one.name, SUPPOSED[n % 4], DASHES[n % 4]) for n, one in enumerate(view.supposed)]


def _column(name: str, view: View) -> str:
    return f"usd_{name}" if view.usd else name


def _floats(values: pd.Series[Any]) -> Any:
    return values.astype("Float64").to_numpy(dtype=float, na_value=float("nan"))


def _bars(
    shown: pd.DataFrame,
    frame: pd.DataFrame,
    part: str,
    name: str,
    color: str,
    view: View,
    said: Sequence[str],
) -> go.Bar:
    column = _column(part, view)
    told = _hover(frame, name, shown[column], view)
    if said:
        told = [f"{one}<br>{more}" for one, more in zip(told, said, strict=True)]
    return go.Bar(
        x=frame["middle"],
        y=_floats(shown[column].fillna(0)),
        name=name,
        width=frame["span"] * (0.75 if len(frame) <= FEW else 1.0),
        customdata=list(range(len(frame))),
        hovertext=told,
        hovertemplate="%{hovertext}<extra></extra>",
        marker={
            "color": color,
            "line": {"width": 0},
            "pattern": {
                "shape": _hatching(frame, part),
                "fillmode": "overlay",
                "fgcolor": "rgba(255,255,255,0.75)",
                "size": 7 if view.projector else 5,
                "solidity": 0.25,
            },
        },
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 1}},
    )


def _hover(frame: pd.DataFrame, name: str, values: Any, view: View) -> list[str]:
    """What is said of each row: its turn, what the value is, and the value."""
    return [
        f"turn {turn}<br>{_told(name, value, estimated, view)}"
        for turn, value, estimated in zip(frame["turn"], values, frame["estimated"], strict=True)
    ]


def _hatching(frame: pd.DataFrame, part: str) -> str | list[str]:
    """Estimates are hatched; what sub-agents spent is dotted, never to be taken for the call's own. One sign
    where all rows have it: for a list the browser makes a pattern for each bar."""
    if part == AGENTS:
        return "."
    signs = ["/" if estimated else "" for estimated in frame["estimated"]]
    return signs if len(set(signs)) > 1 else (signs or [""])[0]


def _line(frame: pd.DataFrame, column: str, name: str, color: str, view: View) -> go.Scatter:
    values = frame[_column(column, view)]
    return go.Scatter(
        x=frame["middle"],
        y=_floats(values),
        name=name,
        customdata=list(range(len(frame))),
        mode="lines+markers" if len(frame) <= FEW else "lines",
        line={"color": color, "width": 4 if view.projector else 2.5},
        marker={
            "size": 11 if view.projector else 6,
            "symbol": "circle" if column == "prompt" else "diamond",
        },
        hovertext=_hover(frame, name, values, view),
        hovertemplate="%{hovertext}<extra></extra>",
        unselected={"marker": {"opacity": 1}},
    )


def _supposed(frame: pd.DataFrame, line: Line, n: int, view: View) -> go.Scatter:
    (name, color, dash) = supposed_styles(view)[n]
    return go.Scatter(
        x=frame["middle"],
        y=[float("nan") if value is None else value for value in line.values],
        name=name,
        customdata=list(range(len(frame))),
        mode="lines",
        line={"color": color, "width": 4 if view.projector else 2.5, "dash": dash},
        hovertext=[
            f"turn {turn}<br>{_told(f'{name}, so far', value, True, view)}<br>{_folded(line.formula)}"
            for turn, value in zip(frame["turn"], line.values, strict=True)
        ],
        hovertemplate="%{hovertext}<extra></extra>",
    )


def _folded(text: str, width: int = 60) -> str:
    """A sentence over several lines of a tooltip."""
    found = [""]
    for word in text.split():
        if len(found[-1]) + len(word) > width:
            found.append("")
        found[-1] += f"{word} "
    return "<br>".join(line.strip() for line in found)


def _totals(shown: pd.DataFrame, view: View) -> go.Scatter:
    drawn = [_column(part, view) for part in PARTS if part != AGENTS]
    tops = shown[drawn].astype("Float64").fillna(0).sum(axis=1).astype(float)
    say = dollars if view.usd else short
    return go.Scatter(
        x=shown["middle"],
        y=tops,
        mode="text",
        text=[f"{'≈' if e else ''}{say(n)}" for n, e in zip(tops, shown["estimated"], strict=True)],
        textposition="top center",
        textfont={"size": 20 if view.projector else 12},
        hoverinfo="skip",
        cliponaxis=False,
        unselected={"textfont": {"color": GRAY}},
    )


def _mark(plot: go.Figure, frame: pd.DataFrame, view: View, last: int) -> None:
    """The window, compactions, edits, and the turn that the tape is at."""
    if view.window is not None and not view.usd and not view.cumulative:
        drawn = view.log or _near(frame, view.window)
        if drawn:
            plot.add_hline(y=view.window, line={"color": GRAY, "width": 1.5, "dash": "dash"}, row=1, col=1)
        plot.add_annotation(
            text=f"{'- -' if drawn else '↑'} window {short(view.window)}",
            x=0,
            xref="x domain",
            xanchor="left",
            xshift=6,
            y=1,
            yref="y domain",
            yanchor="bottom",
            showarrow=False,
            font={"size": 18 if view.projector else 11, "color": GRAY},
        )
    rows = range(1, last + 1)
    for left in (frame["middle"] - frame["span"] / 2)[frame["compacted"]].tolist():
        for row in rows:
            plot.add_vline(x=left, line={"color": GRAY, "width": 1.5, "dash": "dot"}, row=row, col=1)
    _marks(plot, frame, "compacted", "▼ compacted before this turn", view, last)
    _marks(plot, frame, "edited", "◆ edited messages are new in this call", view, last)
    if view.here is not None and len(frame):
        nearest = (frame["middle"] - view.here).abs().argmin()
        middle, half = frame["middle"].iloc[nearest], frame["span"].iloc[nearest] / 2
        for row in rows:
            plot.add_vrect(
                middle - half, middle + half, fillcolor=BAND, line_width=0, layer="below", row=row, col=1
            )


def _marks(plot: go.Figure, frame: pd.DataFrame, column: str, told: str, view: View, last: int) -> None:
    marked = frame.loc[frame[column]]
    if marked.empty:
        return
    # On a log scale there is no zero to stand on: the marks stand on the line of what was sent.
    values = marked[_column("prompt", view)]
    plot.add_trace(
        go.Scatter(
            x=marked["middle"],
            y=_floats(values) if view.log else [0] * len(marked),
            mode="markers",
            marker={
                "symbol": "triangle-down" if column == "compacted" else "diamond-open",
                "size": 14 if view.projector else 8,
                "color": "#e0604f" if column == "compacted" else GRAY,
                "line": {"width": 2},
            },
            customdata=marked.index.tolist(),
            name=told,
            hovertext=[f"turn {turn}<br>{told}" for turn in marked["turn"]],
            hovertemplate="%{hovertext}<extra></extra>",
            cliponaxis=False,
            unselected={"marker": {"opacity": 1}},
        ),
        row=last,
        col=1,
    )


def _near(frame: pd.DataFrame, window: int) -> bool:
    top = frame["prompt"].max()
    return bool(pd.notna(top) and top > window / 5)


def _lay_out(plot: go.Figure, frame: pd.DataFrame, view: View, apart: bool) -> None:
    many = len(frame) > 12
    font = {"size": 20 if view.projector else 12}
    plot.update_layout(
        height=560 if view.projector else view.height,
        margin={"l": 4, "r": 6, "t": 34 if view.projector else 22, "b": 4},
        showlegend=False,
        hoverlabel={"align": "left"},
        dragmode=False,
        clickmode="event+select",
        barmode="stack",
        bargap=0.25 if len(frame) <= FEW else 0.05,
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font=font,
    )
    fixed: dict[str, Any] = {"fixedrange": True, "automargin": True, "zeroline": False, "tickfont": font}
    ticks: dict[str, Any] = (
        {"tickmode": "auto", "nticks": 5 if view.projector else 9}
        if many
        else {"tickvals": list(frame["turn"])}
    )
    plot.update_xaxes(**fixed, **ticks, tickformat="d", showgrid=False)
    numbers = {"tickformat": "$,.4~f"} if view.usd else {"exponentformat": "B"}
    axis: dict[str, Any] = {**numbers, "gridcolor": GRID, "nticks": 4}
    if view.log:
        plot.update_yaxes(**fixed, **axis, type="log", dtick=1)
    else:
        plot.update_yaxes(**fixed, **axis, rangemode="tozero")
    if apart:
        plot.update_yaxes(nticks=2, row=2, col=1)


def _told(name: str, count: Any, estimated: bool, view: View) -> str:
    if count is None or pd.isna(count):
        return f"{name}: not known"
    guess = "≈ " if estimated else ""
    ends = " (estimated)" if estimated else ""
    if view.usd:
        return f"{name}: {guess}{dollars(count)}{ends}"
    return f"{name}: {guess}{int(count):,} tokens{ends}"


def dollars(usd: float) -> str:
    """An amount as people say it: ``$0.0042``, ``$0.12``, ``$12.30``."""
    if 0 < usd < 0.00005:
        return "under $0.0001"
    return f"${usd:,.2f}" if usd >= 0.1 or usd == 0 else f"${usd:.4f}"


def short(tokens: float) -> str:
    """A count as people say it: ``812``, ``4.1k``, ``41k``, ``1.2M``, ``1.7B``."""
    for size, letter in ((1_000_000_000, "B"), (1_000_000, "M"), (1_000, "k")):
        if tokens >= size:
            value = tokens / size
            return f"{value:.1f}".removesuffix(".0") + letter if value < 10 else f"{value:.0f}{letter}"
    return str(int(tokens))

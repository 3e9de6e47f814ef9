"""The chart of tokens: every bar knows its turn, estimates are hatched, ceilings and marks are in place."""

from __future__ import annotations

import math

import pytest

from components.token_chart import LABELS_MAX, Line, View, dollars, figure, lines, parts, short
from components.token_rows import binned, framed
from tests.components.test_token_rows import row

CHARTS = [
    View(),
    View(unit="USD"),
    View(log=True),
    View(cumulative=True),
    View(projector=True),
    View(focus="sum"),
]


@pytest.mark.parametrize("view", CHARTS)
@pytest.mark.parametrize("count", [0, 1, 200])
def test_it_can_be_drawn_in_every_way(view: View, count: int) -> None:
    frame, _ = binned(framed([row(n + 1, n + 1, usd_prompt=0.1, usd_fresh=0.1) for n in range(count)]))
    drawn = figure(frame, view)
    names = {trace.name for trace in drawn.data}
    assert {name for name, _ in lines(view).values()} <= names
    assert all(len(trace.x) <= 120 for trace in drawn.data)
    assert drawn.layout.height >= 390


def test_every_bar_and_point_leads_to_its_row() -> None:
    drawn = figure(framed([row(1), row(2, edited=True)]), View(supposed=(Line("what", [1, 2], "how"),)))
    leading = [t for t in drawn.data if t.type == "bar" or t.mode != "text"]
    assert len(leading) == 6
    assert all(set(trace.customdata) <= {0, 1} for trace in leading)


def test_estimates_are_hatched_and_marked() -> None:
    drawn = figure(framed([row(1, estimated=True), row(2)]))
    bars = next(t for t in drawn.data if t.type == "bar")
    assert list(bars.marker.pattern.shape) == ["/", ""]
    assert "≈ 10 tokens (estimated)" in bars.hovertext[0]
    labels = next(t for t in drawn.data if t.type == "scatter" and t.mode == "text")
    assert list(labels.text) == ["≈15", "15"]


def test_a_part_that_nothing_has_is_not_in_the_legend() -> None:
    assert set(parts(framed([row(1)]))) == {"fresh", "output"}
    assert set(parts(framed([row(1, agents=5)]))) == {"fresh", "output", "agents"}


def test_lines_break_where_nothing_is_known() -> None:
    drawn = figure(framed([row(1), row(2, None)]))
    line = next(t for t in drawn.data if t.name == "sent in this call")
    assert line.y[0] == 10
    assert math.isnan(line.y[1])


@pytest.mark.parametrize(
    ("window", "log", "said", "drawn"),
    [
        (None, False, [], 0),
        (100, False, ["- - window 100"], 1),
        (1_000_000, False, ["↑ window 1M"], 0),
        (1_000_000, True, ["- - window 1M"], 1),
    ],
)
def test_the_window_is_a_ceiling_and_named_where_it_is_far(
    window: int | None, log: bool, said: list[str], drawn: int
) -> None:
    layout = figure(framed([row(1, 90)]), View(window=window, log=log)).layout
    assert [note.text for note in layout.annotations] == said
    assert len(layout.shapes) == drawn


def test_money_has_no_ceiling_of_tokens() -> None:
    layout = figure(framed([row(1, 90)]), View(window=100, unit="USD")).layout
    assert (len(layout.annotations), len(layout.shapes)) == (0, 0)


@pytest.mark.parametrize(("here", "bands"), [(None, 0), (1, 2), (2, 2), (99, 2)])
def test_the_turn_that_the_tape_is_at_stands_out_in_both_parts(here: int | None, bands: int) -> None:
    assert len(figure(framed([row(1), row(2)]), View(here=here)).layout.shapes) == bands


def test_compactions_and_edits_are_marks() -> None:
    drawn = figure(framed([row(1), row(2, compacted=True), row(3, edited=True)]))
    marks = {t.name: list(t.x) for t in drawn.data if t.type == "scatter" and t.mode == "markers"}
    assert list(marks.values()) == [[2], [3]]
    assert [shape.x0 for shape in drawn.layout.shapes] == [1.5, 1.5]


def test_suppositions_are_dotted_and_carry_their_formula() -> None:
    lines_of = tuple(Line(f"line {n}", [1.0, None], "sum of prompts " * 9) for n in range(4))
    drawn = figure(framed([row(1), row(2)]), View(supposed=lines_of))
    dotted = [t for t in drawn.data if t.type == "scatter" and t.line.dash]
    assert len({t.line.dash for t in dotted}) == 4
    assert "sum of prompts" in dotted[0].hovertext[0]
    assert "not known" in dotted[0].hovertext[1]


def test_what_sub_agents_spent_is_a_band_of_its_own() -> None:
    drawn = figure(framed([row(1, agents=900_000), row(2)]))
    own = {trace.name: trace.yaxis for trace in drawn.data if trace.type == "bar"}
    assert own["sub-agents"] not in {own["fresh"], own["output"]}
    labels = next(t for t in drawn.data if t.type == "scatter" and t.mode == "text")
    assert list(labels.text) == ["15", "15"]


def test_a_bar_of_many_turns_is_as_wide_as_they_are() -> None:
    frame, size = binned(framed([row(n + 1, n) for n in range(2000)]))
    bars = next(t for t in figure(frame, View(here=1000)).data if t.type == "bar")
    assert set(bars.width) == {size}
    assert sorted(bars.x) == list(bars.x)
    assert bars.hovertext[0] == f"turn {size}<br>fresh: {size - 1} tokens"


def test_labels_stand_only_where_there_is_room() -> None:
    def labels(count: int) -> int:
        return sum(
            t.mode == "text" for t in figure(framed([row(n) for n in range(count)])).data if t.type != "bar"
        )

    assert (labels(LABELS_MAX), labels(LABELS_MAX + 1)) == (1, 0)


@pytest.mark.parametrize(
    ("tokens", "said"),
    [
        (0, "0"),
        (812, "812"),
        (1000, "1k"),
        (4123, "4.1k"),
        (41_200, "41k"),
        (1_200_000, "1.2M"),
        (1_744_000_000, "1.7B"),
    ],
)
def test_counts_are_said_shortly(tokens: int, said: str) -> None:
    assert short(tokens) == said


@pytest.mark.parametrize(
    ("usd", "said"), [(0, "$0.00"), (0.0042, "$0.0042"), (0.12, "$0.12"), (1234.5, "$1,234.50")]
)
def test_amounts_are_said_shortly(usd: float, said: str) -> None:
    assert dollars(usd) == said

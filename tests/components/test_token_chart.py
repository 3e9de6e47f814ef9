"""The chart of tokens: the unknown stays missing, long sessions stay honest, every bar knows its turn."""

from __future__ import annotations

import math

import pytest

from components.token_chart import BARS_MAX, TurnTokens, binned, calls_figure, parts, short, sum_figure, table


def turn(n: int, fresh: int | None = 10, output: int | None = 5, *, estimated: bool = False) -> TurnTokens:
    return TurnTokens(n, f"m{n}", fresh, None, None, output, estimated)


def test_the_running_sum_adds_what_each_call_sent() -> None:
    frame = table([TurnTokens(1, "m1", 10, 5, None, 3, False), TurnTokens(2, "m3", 2, 0, 20, 4, False)])
    assert list(frame["prompt"]) == [15, 22]
    assert list(frame["so_far"]) == [15, 37]


def test_an_unknown_prompt_is_missing_and_ends_the_running_sum() -> None:
    frame = table([turn(1), turn(2, None), turn(3)])
    assert frame["prompt"].isna().tolist() == [False, True, False]
    assert frame["so_far"].isna().tolist() == [False, True, True]


@pytest.mark.parametrize("count", [0, 1, 3, 40, BARS_MAX, BARS_MAX + 1, 2000, 9999])
def test_there_are_never_more_bars_than_can_be_told_apart(count: int) -> None:
    frame, size = binned(table([turn(n + 1, n) for n in range(count)]))
    assert len(frame) <= BARS_MAX
    assert len(frame) * size >= count
    assert len(sum_figure(frame).data) == 2
    assert all(len(bars.x) <= BARS_MAX for bars in calls_figure(frame).data)


def test_a_bin_is_its_largest_call_and_ends_at_its_own_sum() -> None:
    turns = [turn(n + 1, 100 if n == 3 else 1) for n in range(10)]
    frame, size = binned(table(turns), most=2)
    assert size == 5
    assert frame["turn"].tolist() == [4, 6]
    assert frame["so_far"].tolist() == [104, 109]


def test_every_bar_and_point_leads_to_its_row() -> None:
    frame = table([turn(1), turn(2)])
    traces = [t for drawn in (calls_figure(frame), sum_figure(frame)) for t in drawn.data]
    leading = [t for t in traces if t.type == "bar" or t.mode != "text"]
    assert len(leading) == 4
    assert all(list(trace.customdata) == [0, 1] for trace in leading)


def test_estimates_are_hatched_and_marked() -> None:
    drawn = calls_figure(table([turn(1, estimated=True), turn(2)]))
    bars = next(t for t in drawn.data if t.type == "bar")
    assert list(bars.marker.pattern.shape) == ["/", ""]
    assert "≈ 10 tokens (estimated)" in bars.hovertext[0]
    labels = next(t for t in drawn.data if t.type == "scatter" and t.mode == "text")
    assert list(labels.text) == ["≈15", "15"]


def test_a_part_that_nothing_has_is_not_in_the_legend() -> None:
    assert set(parts(table([turn(1)]))) == {"fresh", "output"}


def test_lines_break_where_nothing_is_known() -> None:
    drawn = sum_figure(table([turn(1), turn(2, None)]))
    line = next(t for t in drawn.data if t.name == "sent in this call")
    assert line.y[0] == 10
    assert math.isnan(line.y[1])


@pytest.mark.parametrize(("window", "lines"), [(None, 0), (100, 1), (1_000_000, 0)])
def test_the_window_is_drawn_where_it_is_known_and_near(window: int | None, lines: int) -> None:
    assert len(calls_figure(table([turn(1, 90)]), window).layout.shapes) == lines


@pytest.mark.parametrize(
    ("tokens", "said"),
    [(0, "0"), (812, "812"), (1000, "1k"), (4123, "4.1k"), (41_200, "41k"), (1_200_000, "1.2M")],
)
def test_counts_are_said_shortly(tokens: int, said: str) -> None:
    assert short(tokens) == said

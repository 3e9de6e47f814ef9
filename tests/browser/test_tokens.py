"""Tokens on the page: chart and tape move together, what if, the window, the bill, what is taken along."""

from __future__ import annotations

import csv
import re
from pathlib import Path

from playwright.sync_api import Locator, expect

from tests.browser.deck import Deck

CLAUDE = "A Claude Code session"


def chart(deck: Deck) -> Locator:
    """The chart of turns."""
    return deck.page.locator("[class*='st-key-chart-'] .js-plotly-plot").first


def bars(deck: Deck) -> Locator:
    """The bars of the first part, one a turn."""
    return chart(deck).locator(".barlayer .trace").first.locator(".point")


def click(deck: Deck, what: Locator) -> None:
    """Clicks the middle of a mark of a chart, whatever lies over it."""
    what.scroll_into_view_if_needed()
    box = what.bounding_box()
    assert box is not None
    deck.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def selected(deck: Deck) -> Locator:
    """The position of the selected card."""
    return deck.tape.locator("article.card.selected .position")


def band(deck: Deck) -> Locator:
    """The highlight of a turn, in both halves of the chart."""
    return chart(deck).locator(
        ".shapelayer path[style*='fill-opacity: 0.2'], .shapelayer path[style*='0.2)']"
    )


def test_a_click_on_a_bar_moves_the_tape_to_that_turn(deck: Deck) -> None:
    deck.panel("Tokens")
    expect(bars(deck)).to_have_count(3)
    click(deck, bars(deck).nth(2))
    expect(selected(deck)).to_have_text("#5")
    click(deck, bars(deck).nth(0))
    expect(selected(deck)).to_have_text("#1")


def test_the_turn_under_the_stepper_stands_out_in_the_chart(deck: Deck) -> None:
    deck.panel("Tokens")
    expect(bars(deck)).to_have_count(3)
    deck.do("first")
    for _ in range(3):
        deck.do("next")
    expect(band(deck)).to_have_count(2)
    first = band(deck).first.get_attribute("d")
    for _ in range(4):
        deck.do("next")
    expect(band(deck).first).not_to_have_attribute("d", first or "")
    deck.do("last")
    expect(band(deck)).to_have_count(0)


def test_what_if_draws_a_dotted_line_and_takes_it_away(deck: Deck) -> None:
    panel = deck.panel("Tokens")
    lines = chart(deck).locator(".scatterlayer .trace path.js-line")
    expect(lines).to_have_count(2)
    pill = panel.get_by_role("button", name="drop the oldest")
    pill.click()
    expect(lines).to_have_count(3)
    expect(panel).to_contain_text("whole messages are dropped from the front")
    expect(panel.locator(".legend").nth(1)).to_contain_text("drop the oldest at 50,000 tokens")
    panel.get_by_role("button", name="no cache").click()
    expect(panel).to_contain_text("A cache changes what a call costs, not what it sends")
    panel.get_by_text("USD", exact=True).click()
    expect(panel.locator(".legend").nth(1)).to_contain_text("no cache")
    for name in ("drop the oldest", "no cache"):
        panel.get_by_role("button", name=name).click()
    expect(panel.locator(".legend").nth(1)).not_to_contain_text("no cache")
    expect(panel).not_to_contain_text("whole messages are dropped")


def test_units_sums_and_scale_change_what_the_chart_says(deck: Deck) -> None:
    panel = deck.panel("Tokens")
    deck.sample(CLAUDE)
    deck.holds(17)
    expect(panel.locator(".legend").nth(1)).to_contain_text("sent so far, all calls together")
    panel.get_by_text("USD", exact=True).click()
    expect(panel.locator(".legend").nth(1)).to_contain_text("cost so far, all calls together")
    expect(panel).to_contain_text("Prices: genai-prices")
    panel.get_by_text("Log", exact=True).click()
    expect(panel).to_contain_text("On a log scale")
    panel.get_by_text("Added up", exact=True).click()
    expect(bars(deck)).to_have_count(8)


def test_a_part_of_the_window_lights_its_messages_up(deck: Deck) -> None:
    panel = deck.panel("Tokens")
    panel.get_by_text("What fills the window now").click()
    bar = deck.page.locator("[class*='st-key-window-bar-'] .js-plotly-plot")
    expect(bar.locator(".barlayer .point")).not_to_have_count(0)
    click(deck, bar.locator(".barlayer .point").last)
    expect(deck.tape.locator("article.card.shining").first).to_be_visible()
    expect(panel).to_contain_text("light up on the tape")
    panel.get_by_role("button", name="Put out").click()
    expect(deck.tape.locator("article.card.shining")).to_have_count(0)


def test_a_call_has_a_bill_in_words(deck: Deck) -> None:
    panel = deck.panel("Request")
    expect(panel).to_contain_text("Call 3 re-sends 3 messages, ≈ ")
    expect(panel.locator(".bill li.old")).not_to_have_count(0)
    expect(panel.locator(".bill li.new")).to_have_count(2)


def test_the_numbers_say_what_they_are_not(deck: Deck) -> None:
    cells = deck.page.locator(".sums > div")
    expect(cells).to_have_count(4)
    for n in range(4):
        expect(cells.nth(n)).to_have_attribute("title", re.compile(r"\bnot?\b"))


def test_the_table_of_calls_is_taken_along(deck: Deck, tmp_path: Path) -> None:
    panel = deck.panel("Tokens")
    deck.sample(CLAUDE)
    deck.holds(17)
    with deck.page.expect_download() as taken:
        panel.get_by_role("button", name="CSV").click()
    path = tmp_path / "calls.csv"
    taken.value.save_as(path)
    with path.open(encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == 8

"""Threads beyond the last lane: one line with a count, however many there are."""

from __future__ import annotations

import json

from playwright.sync_api import expect

from tests.browser.deck import Deck
from tests.browser.test_opening import file


def fan(calls: int) -> bytes:
    """A message with so many calls, all answered in the next."""
    uses = [{"type": "tool_use", "id": f"t{n}", "name": "look", "input": {"at": n}} for n in range(calls)]
    results = [{"type": "tool_result", "tool_use_id": f"t{n}", "content": f"seen {n}"} for n in range(calls)]
    said = [("user", "Look."), ("assistant", uses), ("user", results), ("assistant", "Seen.")]
    return json.dumps([{"role": role, "content": content} for role, content in said]).encode()


def test_what_has_no_lane_of_its_own_is_one_line_with_a_count(deck: Deck) -> None:
    deck.upload(file("fan.json", fan(30)))
    deck.holds(4)
    threads = deck.tape.locator("svg.threads")
    expect(threads.locator("path.bundle")).to_have_count(1)
    expect(threads.locator(".many").first).to_have_text("19×")
    expect(threads.locator("path.thread:not(.bundle, .twigs)")).to_have_count(11)
    # A call of the bundle that is pointed at gets a line of its own, and its way leads to its result.
    expect(threads.locator(".solo")).to_have_count(0)
    end = deck.strip(1, 3).locator(".strip-head .ends button").last
    end.hover()
    expect(threads.locator("path.thread.solo.lit")).to_have_count(1)
    deck.card(0).hover()
    expect(threads.locator(".solo")).to_have_count(0)
    end.click()
    expect(deck.strip(2, 3)).to_be_in_viewport()


def test_three_thousand_parallel_calls_take_few_lines(deck: Deck) -> None:
    deck.upload(file("fan.json", fan(3_000)))
    deck.holds(4)
    threads = deck.tape.locator("svg.threads")
    expect(threads.locator(".many").first).to_have_text("2,989×")
    assert threads.evaluate("svg => svg.childElementCount") < 120
    deck.key("t")
    deck.scroller.hover()
    for _ in range(6):
        deck.page.mouse.wheel(0, 900)
    expect(deck.tape.locator(".stubs .stub-end.bundle").first).to_be_visible()

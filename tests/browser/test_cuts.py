"""The stretch that a compaction would replace, chosen on the tape itself: by dragging and by keys."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.deck import Deck


def test_the_cuts_of_a_compaction_are_dragged_on_the_tape_and_tear_no_pair(deck: Deck) -> None:
    panel = deck.panel("Operations")
    first, last = deck.tape.locator(".cut.first"), deck.tape.locator(".cut.last")
    fading = deck.tape.locator(".item.fading")
    expect(last).to_have_attribute("aria-valuenow", "2")
    expect(fading).to_have_count(3)
    box, target = last.bounding_box(), deck.card(1).bounding_box()
    assert box is not None
    assert target is not None
    mouse = deck.page.mouse
    mouse.move(box["x"] + 40, box["y"] + box["height"] / 2)
    mouse.down()
    mouse.move(box["x"] + 40, target["y"] + target["height"] + 90, steps=5)
    # Between the call in #1 and its result in #2 there is no place for a cut.
    expect(last).to_have_attribute("aria-valuenow", "2")
    mouse.move(box["x"] + 40, target["y"] + 4, steps=5)
    expect(fading).to_have_count(1)
    mouse.up()
    expect(last).to_have_attribute("aria-valuenow", "0")
    expect(panel).to_contain_text("Compact message 0 into a summary")
    last.press("ArrowDown")
    last.press("ArrowDown")
    expect(last).to_have_attribute("aria-valuenow", "4")
    first.press("ArrowDown")
    expect(panel).to_contain_text("Compact messages 1–4 into a summary.")
    panel.get_by_role("button", name="Do it").click()
    deck.holds(3)
    deck.panel("Tokens")
    expect(first).to_be_hidden()

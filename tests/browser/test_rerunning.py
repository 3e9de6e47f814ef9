"""A job run to its end with real tools, run again without a result that it rested on, and both compared."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.deck import Deck
from tests.sandboxed import WALLED

ENDED = re.compile("Run it again|Run the edited array")
LONGEST_RUN = 60_000


def ended(deck: Deck) -> None:
    """Waits until the run is over and the page shows it."""
    expect(deck.page.get_by_role("button", name=ENDED)).to_be_visible(timeout=LONGEST_RUN)
    expect(deck.tape.locator(".happening")).to_have_count(0)
    deck.rests()


def reach(deck: Deck, position: int) -> None:
    """Brings a card into view by its number."""
    deck.bar.locator(".goto").fill(str(position))
    deck.bar.locator(".goto").press("Enter")
    expect(deck.card(position)).to_be_in_viewport()


@pytest.mark.skipif(not WALLED, reason="commands are switched off without a sandbox; see tests/sandboxed.py")
def test_the_failing_test_is_fixed_and_without_the_file_the_run_goes_on_otherwise(deck: Deck) -> None:
    deck.sample("Fix the failing test")
    deck.holds(12)
    deck.page.get_by_role("button", name="Run it again").click()
    expect(deck.tape.locator(".happening .how-far")).to_contain_text("Turn 1")
    ended(deck)
    deck.holds(12)
    expect(deck.bar.locator(".counts")).to_contain_text("6 turns")
    reach(deck, 10)
    expect(deck.card(10)).to_contain_text("2 passed")
    expect(deck.card(10)).to_contain_text("workspace calculator")
    expect(deck.card(11)).to_contain_text("Fixed: I changed calc.py and the tests pass")

    reach(deck, 6)
    deck.strip(6, 0).hover()
    deck.strip(6, 0).get_by_role("button", name="Delete this block").click()
    deck.tape.get_by_role("alertdialog").get_by_role("button", name="Delete both").click()
    expect(deck.strip(6, 1)).to_have_count(0)
    deck.card(6).hover()
    again = deck.card(6).get_by_role("button", name="Re-run from here")
    again.hover()
    says = deck.card(6).locator(".says")
    expect(says).to_have_text("Sends messages 0–6; 5 later messages move to branch “before edit”.")
    again.click()
    expect(deck.tape.locator(".happening")).to_have_count(1)
    ended(deck)

    panel = deck.panel("Branches")
    old = panel.get_by_role("button", name="before edit", exact=True)
    expect(old).to_be_enabled()
    panel.get_by_role("button", name="Compare").click()
    compared = deck.page.locator(".compare")
    expect(compared.locator(".heads h2")).to_have_text(["before edit", "main"])
    expect(compared.locator(".shared summary").first).to_contain_text("5 messages the same on both sides")
    expect(compared.locator(".mark.first")).to_contain_text("First difference: message 5")
    expect(compared.locator(".heads .side").first).to_contain_text("Ends with: “Fixed")
    expect(compared.locator(".heads .side").nth(1)).to_contain_text("7 turns")
    expect(compared.locator(".block.deleted").first).to_contain_text("calc.py")
    deck.page.get_by_role("button", name="Back to the tape").click()
    expect(compared).to_have_count(0)
    old.click()
    deck.holds(12)
    expect(panel.get_by_role("button", name="main", exact=True)).to_be_enabled()

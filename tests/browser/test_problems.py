"""Problems on the page: red marks on the tape, the flash of a place, endpoints, and breaking a pair."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect

from tests.browser.deck import Deck

REACHED = re.compile(r"\breached\b")
WRONG = re.compile(r"\bwrong\b")


def problems(deck: Deck) -> Locator:
    """The Problems tab, open on the sample with a missing result."""
    deck.sample("Three calls, two results")
    deck.holds(3)
    return deck.panel("Problems")


def test_a_card_that_takes_part_in_a_refusal_wears_a_red_mark(deck: Deck) -> None:
    panel = problems(deck)
    mark = deck.card(1).locator(".mark.refused")
    expect(mark).to_have_attribute("title", re.compile("has no result"))
    expect(deck.strip(1, 2)).to_have_class(WRONG)
    expect(deck.strip(1, 1)).not_to_have_class(WRONG)
    expect(deck.card(2).locator(".mark.refused")).to_have_count(0)
    panel.get_by_role("button", name="Fix all safe").click()
    expect(mark).to_have_count(0)
    deck.do("undo")
    expect(mark).to_be_visible()


def test_a_finding_shows_its_place_on_the_tape(deck: Deck) -> None:
    panel = problems(deck)
    expect(panel).to_contain_text("The API says (last seen in 20")
    panel.get_by_role("button", name="messages[1].content[2]").click()
    expect(deck.strip(1, 2)).to_have_class(REACHED)
    expect(deck.tape).to_have_class(re.compile(r"\bflashing\b"))
    expect(deck.tape).not_to_have_class(re.compile(r"\bflashing\b"))


def test_another_endpoint_is_asked_at_once(deck: Deck) -> None:
    panel = deck.panel("Problems")
    expect(panel).to_contain_text("nothing here would be refused")
    panel.get_by_role("combobox").click()
    deck.page.get_by_role("option", name="Amazon Bedrock Converse").click()
    expect(panel).to_contain_text("prefill-unsupported")


def test_a_pair_is_broken_on_purpose_and_mended_beside_it(deck: Deck) -> None:
    panel = deck.panel("Problems")
    panel.get_by_role("button", name="Break it on purpose").click()
    deck.page.get_by_role("button", name="Put text in front").click()
    deck.page.keyboard.press("Escape")
    expect(panel).to_contain_text("Broken on purpose")
    expect(deck.threads("broken").first).to_be_visible()
    expect(deck.card(2).locator(".mark.refused")).to_be_visible()
    panel.locator(".st-key-broken").get_by_role("button", name="Put results first").click()
    expect(panel).to_contain_text("nothing here would be refused")
    expect(deck.threads("broken")).to_have_count(0)
    deck.do("undo")
    deck.do("undo")
    expect(deck.card(2)).not_to_contain_text("One thing before")

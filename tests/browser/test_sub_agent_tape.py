"""A sub-agent's own tape, in a browser: opened from its call with the keyboard, changed, and back."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.deck import Deck


def test_the_tape_of_a_sub_agent_opens_from_its_call_and_leads_back(deck: Deck) -> None:
    deck.sample("A Claude Code session")
    deck.holds(17)
    deck.key("#")
    deck.page.keyboard.type("9")
    deck.page.keyboard.press("Enter")
    way = deck.card(9).get_by_role("button", name="Open its tape")
    way.focus()
    deck.page.keyboard.press("Enter")
    deck.holds(4)
    expect(deck.bar.locator(".title")).to_contain_text("Explore")
    assert [role for _, role in deck.cards()] == ["user", "assistant", "user", "assistant"]
    expect(deck.threads()).to_have_count(1)
    deck.act(3, "Delete")
    deck.card(3).get_by_role("alertdialog").get_by_role("button", name="Delete").click()
    deck.holds(3)
    back = deck.bar.get_by_role("button", name="Back to the session")
    expect(back).to_contain_text("teapot")
    back.click()
    deck.holds(17)
    expect(deck.card(9)).to_contain_text("3 messages of its own")
    deck.do("undo")
    expect(deck.card(9)).to_contain_text("4 messages of its own")

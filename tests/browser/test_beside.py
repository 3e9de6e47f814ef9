"""Two lines of a session on two tapes beside each other, in a browser: the two personalities."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.deck import Deck


def test_two_personalities_are_edited_apart_and_asked_the_same(deck: Deck) -> None:
    page = deck.page
    deck.sample("What is my name? (with history)")
    deck.holds(4)
    panel = deck.panel("Branches")
    panel.get_by_text("Fork", exact=True).click()
    panel.get_by_label("Name of the branch").fill("the other")
    panel.get_by_label("Name of the branch").press("Enter")
    panel.get_by_role("button", name="Fork here").click()
    panel.get_by_role("button", name="Edit both").click()
    left, right = page.locator(".st-key-beside-main .tape"), page.locator(".st-key-beside-other .tape")
    first = right.locator("article.card:has(.position:text-is('#0'))")
    first.hover()
    first.get_by_role("button", name="Edit", exact=True).click()
    first.get_by_role("textbox").fill("My name is Grace.")
    first.get_by_role("button", name="Save").click()
    expect(first).to_contain_text("edited")
    for tape in (left, right):
        expect(tape.locator(".bar .counts")).to_contain_text("4 messages")
    expect(left.locator("article.card.user").first).not_to_contain_text("Grace")
    asked = page.get_by_placeholder("One question, two lines")
    asked.fill("What is my name?")
    asked.press("Enter")
    page.get_by_role("button", name="Send to both").click()
    expect(page.get_by_role("button", name="Send to both")).to_be_visible(timeout=40_000)
    expect(right.locator("article.card.assistant").last).to_contain_text("Grace")
    expect(left.locator("article.card.assistant").last).not_to_contain_text("Grace")
    page.get_by_role("button", name="Done").click()
    expect(page.locator(".tape")).to_have_count(1)
    deck.panel("Branches")
    expect(page.get_by_role("button", name="the other", exact=True)).to_be_visible()

"""A reload of the tab keeps what was open and edited."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.deck import Deck


def test_a_reload_keeps_the_session_its_edits_and_undo(deck: Deck) -> None:
    deck.sample("Two tickets, one reply")
    expect(deck.bar.locator(".title")).to_contain_text("Read tickets 101")
    deck.act(0, "Edit")
    editor = deck.tape.locator("form.editor textarea")
    editor.fill("Edited before the reload.")
    editor.press("Control+Enter")
    expect(deck.card(0)).to_contain_text("Edited before the reload.")
    deck.page.reload()
    expect(deck.card(0)).to_contain_text("Edited before the reload.")
    expect(deck.bar.locator(".title")).to_contain_text("Read tickets 101")
    assert "deck" not in deck.page.url
    deck.do("undo")
    expect(deck.card(0)).not_to_contain_text("Edited before the reload.")


def test_another_tab_knows_nothing_of_it(deck: Deck) -> None:
    deck.sample("Two tickets, one reply")
    expect(deck.bar.locator(".title")).to_contain_text("Read tickets 101")
    other = deck.page.context.new_page()
    other.goto(deck.page.url.partition("?")[0])
    expect(other.locator(".tape .bar .title")).to_have_text("Is the add function correct?")
    other.close()

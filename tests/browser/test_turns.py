"""Turns and tokens: headers, the stepper that grows the array beat by beat, keys, and the chart."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect

from tests.browser.deck import Deck


def test_every_turn_has_a_header_that_says_what_happens(deck: Deck) -> None:
    deck.do("fold")
    headers = deck.tape.locator(".turn")
    expect(headers).to_have_count(3)
    expect(headers.nth(0)).to_contain_text("turn 1")
    expect(headers.nth(0).locator(".flow")).to_have_text("call→act→append")
    expect(headers.nth(1)).to_contain_text("sends 1 again + 2 new")
    expect(headers.nth(2).locator(".flow")).to_have_text("call→answer")


def test_the_stepper_grows_the_array_one_beat_at_a_time(deck: Deck) -> None:
    deck.do("first")
    expect(deck.tape.locator("article.card:has(.position)")).to_have_count(0)
    for beat, count in enumerate((1, 1, 2, 3, 3, 4, 5, 5, 6), start=1):
        deck.do("next")
        expect(deck.bar.locator(".beat")).to_have_text(f"{beat} / 9")
        expect(deck.tape.locator("article.card:has(.position)").last.locator(".position")).to_have_text(
            f"#{count - 1}"
        )


def test_with_every_call_the_whole_array_flies_out_and_the_requests_grow(deck: Deck) -> None:
    film = deck.tape.locator(".film")
    expect(film).to_be_hidden()
    deck.do("first")
    expect(film).to_contain_text("nothing was sent yet")
    sent = []
    for _ in range(8):
        deck.do("next")
        expect(film.locator(".array .what")).to_have_text(
            re.compile(rf"^the array · {film.locator('.array i').count()} message")
        )
        flying = film.locator(".letter i").count()
        if flying:
            assert flying == film.locator(".array i").count()
            expect(film).to_contain_text(f"request {len(sent) + 1} · {flying} message")
            expect(film).to_contain_text("reads all of it")
            sent.append(flying)
        expect(film.locator(".sizes i")).to_have_count(len(sent))
    assert sent == [1, 3, 5]
    deck.do("last")
    expect(film).to_be_hidden()


def test_the_keys_step_and_go(deck: Deck) -> None:
    deck.key("ArrowLeft")
    expect(deck.bar.locator(".beat")).to_have_text("8 / 9")
    deck.key("ArrowRight")
    deck.key("g", "g", "j")
    expect(selected(deck)).to_have_text("#1")
    deck.key("n")
    expect(selected(deck)).to_have_text("#3")
    deck.key("t")
    expect(selected(deck)).to_have_text("#4")
    deck.key("p", "p")
    expect(selected(deck)).to_have_text("#1")
    deck.key("h", "h")
    expect(deck.tape.locator("article.card.folded")).to_have_count(1)
    deck.key("?")
    expect(deck.tape.locator("dialog.sheet")).to_contain_text("follow the thread to its other end")


def test_the_pages_own_keys_do_nothing_on_the_tape(deck: Deck) -> None:
    deck.key("c", "r")
    expect(deck.page.get_by_role("dialog", name="Clear caches")).to_have_count(0)
    deck.bar.locator(".query").fill("")
    deck.bar.locator(".query").type("jnp")
    expect(deck.bar.locator(".query")).to_have_value("jnp")
    expect(deck.tape.locator("article.card.selected")).to_have_count(0)


def test_the_chart_says_what_was_sent_and_what_was_estimated(deck: Deck) -> None:
    panel = deck.panel("Tokens")
    expect(panel).to_contain_text("estimated from the text, because the file has no counts")
    deck.sample("A Claude Code session")
    deck.holds(17)
    expect(panel).not_to_contain_text("estimated from the text")
    expect(deck.page.locator(".sums")).to_contain_text("2.5k")


def selected(deck: Deck) -> Locator:
    """The position of the selected card."""
    return deck.tape.locator("article.card.selected .position")

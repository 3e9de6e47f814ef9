"""A file that grows while it is read: new messages come without moving what is on screen."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from benchmarks.make_session import Maker
from tests.browser.deck import Deck


def opened(deck: Deck, path: Path) -> None:
    """Opens a path from the sidebar."""
    deck.sidebar.get_by_role("button", name="Path").click()
    deck.page.get_by_label("A file of this machine").fill(str(path))
    deck.page.get_by_test_id("stPopoverBody").get_by_role("button", name="Open it").click()


def place(deck: Deck) -> tuple[float, float]:
    """Where the first card stands and how high it is."""
    box = deck.card(0).bounding_box()
    assert box is not None
    return box["y"], box["height"]


def test_what_is_written_appears_below_without_moving_what_is_read(deck: Deck, tmp_path: Path) -> None:
    path, lines = tmp_path / "live.jsonl", list(Maker(60, 3).write())
    path.write_bytes(b"".join(lines[:40]))
    opened(deck, path)
    live = deck.bar.get_by_role("button", name="Live")
    expect(live).to_have_attribute("aria-pressed", "true")
    expect(deck.card(0)).to_be_visible()
    before = place(deck)
    with path.open("ab") as file:
        file.write(b"".join(lines[40:-1]))
        file.write(lines[-1][:30])
    chip = deck.tape.locator("button.below")
    expect(chip).to_contain_text("below")
    assert place(deck) == before
    chip.click()
    expect(chip).to_be_hidden()
    expect(deck.card(0)).not_to_be_in_viewport()
    with path.open("ab") as file:
        file.write(lines[-1][30:])
    expect(deck.tape.locator("article.card").last).to_be_visible()


def test_an_edit_ends_following_and_says_so(deck: Deck, tmp_path: Path) -> None:
    path, lines = tmp_path / "live.jsonl", list(Maker(30, 4).write())
    path.write_bytes(b"".join(lines[:20]))
    opened(deck, path)
    live = deck.bar.get_by_role("button", name="Live")
    expect(live).to_have_attribute("aria-pressed", "true")
    deck.act(0, "Delete")
    deck.tape.get_by_role("alertdialog").get_by_role("button", name="Delete", exact=True).click()
    expect(deck.bar.locator("[data-do=undo]")).to_be_enabled()
    with path.open("ab") as file:
        file.write(b"".join(lines[20:]))
    expect(deck.tape.locator(".said")).to_contain_text("followed no longer")
    expect(live).to_have_attribute("aria-pressed", "false")


def test_other_sessions_have_no_such_switch(deck: Deck) -> None:
    expect(deck.bar.get_by_role("button", name="Live")).to_have_count(0)

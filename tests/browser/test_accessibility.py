"""The page for those who see it badly, or have no mouse: an axe scan of every view, the keyboard alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open
from tests.browser.deck import Deck

GRAVE = ("serious", "critical")
GREYED = ".item.fading"
"""What an operation would take away is greyed on purpose; its words can be read once it is put aside."""
PANELS = ("Tokens", "Problems", "Message", "Request", "Run", "Branches", "Operations", "Export")


def grave(page: Page) -> list[str]:
    """Every serious finding of axe with the element that it names."""
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response
    return [
        f"{one['id']}: {node['html'][:120]} {node['failureSummary'][:200]}"
        for one in found["violations"]
        if one["impact"] in GRAVE
        for node in one["nodes"]
        if not greyed(page, node["target"][-1])
    ]


def greyed(page: Page, target: str | list[str]) -> bool:
    """Whether what axe names stands in a greyed card. Inside of a shadow tree it gives the way through it."""
    selector = target if isinstance(target, str) else target[-1]
    is_greyed: bool = page.locator(selector).first.evaluate("(one, greyed) => !!one.closest(greyed)", GREYED)
    return is_greyed


def searching(deck: Deck) -> None:
    deck.bar.locator(".query").fill("the")
    expect(deck.bar.locator(".found")).to_have_text("1 / 2")
    deck.bar.locator(".query").press("ArrowDown")
    expect(deck.tape.locator(".hits .row").first).to_be_focused()


def editing(deck: Deck) -> None:
    deck.key("j", "e")
    expect(deck.tape.locator("form.editor textarea")).to_be_focused()


def asking(deck: Deck) -> None:
    deck.act(1, "Delete")
    expect(deck.tape.get_by_role("alertdialog")).to_be_visible()


def broken(deck: Deck) -> None:
    deck.sample("Three calls, two results")
    deck.holds(3)


def pressed(*keys: str) -> Callable[[Deck], None]:
    return lambda deck: deck.key(*keys)


VIEWS = {
    "hits": searching,
    "outline": pressed("o"),
    "filters": pressed("F"),
    "keys": pressed("?"),
    "folded": pressed("H"),
    "film": pressed("ArrowLeft", "ArrowLeft"),
    "editor": editing,
    "question": asking,
    "broken": broken,
}


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_panel_passes_the_scan(open_page: Open, dark: bool) -> None:
    deck = Deck(open_page(dark=dark))
    deck.holds(6)
    found = {}
    for name in PANELS:
        deck.panel(name)
        deck.rests()
        if name != "Operations":
            expect(deck.tape.locator(GREYED)).to_have_count(0)
        found[name] = grave(deck.page)
    assert {name: one for name, one in found.items() if one} == {}


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("view", VIEWS)
def test_every_view_of_the_tape_passes_the_scan(open_page: Open, view: str, dark: bool) -> None:
    deck = Deck(open_page(dark=dark))
    deck.holds(6)
    VIEWS[view](deck)
    deck.rests()
    assert grave(deck.page) == []


def reach(page: Page, name: str, most: int = 200) -> None:
    """Presses Tab until something with that name has the focus."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if name in page.evaluate(
            """() => {
              let at = document.activeElement
              while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement
              const words = at?.textContent ?? ""
              return `${at?.getAttribute("aria-label") ?? ""} ${words.length < 200 ? words : ""}`
            }"""
        ):
            return
    raise AssertionError(f"{name} was not reached with {most} times Tab")


def test_a_session_is_opened_broken_read_and_mended_with_the_keyboard_alone(deck: Deck) -> None:
    page = deck.page
    reach(page, "Fix the failing test")
    page.keyboard.press("Enter")
    expect(deck.bar.locator(".title")).to_have_text("Fix the failing test.")
    # Keys speak to the tape from anywhere but a field; a result goes, its call stays.
    reach(page, "The messages array")
    for key in ("j", "j", "j"):
        page.keyboard.press(key)
    expect(deck.card(2)).to_be_focused()
    reach(page, "Delete")
    page.keyboard.press("Enter")
    reach(page, "Only this")
    page.keyboard.press("Enter")
    reach(page, "Tokens")
    page.keyboard.press("ArrowRight")
    panel = page.get_by_role("tabpanel", name="Problems")
    expect(panel).to_contain_text("No,")
    reach(page, "Fix all safe")
    page.keyboard.press("Enter")
    expect(panel).to_contain_text("Yes, nothing here would be refused.")
    reach(page, "The messages array")
    page.keyboard.press("?")
    expect(deck.tape.locator(".sheet")).to_be_visible()
    page.keyboard.press("Escape")
    expect(deck.tape.locator(".sheet")).to_be_hidden()

"""Takes the pictures of README.md from the page and our own samples: ``python -m docs.take_pictures``."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, expect, sync_playwright

from tests.browser.chromium import FLAGS, HOW_TO_MEND, find
from tests.browser.deck import Deck
from tests.browser.serving import serving

FOLDER = Path(__file__).resolve().parent / "pictures"
SIZE = {"width": 1440, "height": 900}


def first_sample(deck: Deck) -> None:
    """The page as it opens."""


def refused(deck: Deck) -> None:
    """A broken array, run: its threads, the refusal on the tape, and the repairs."""
    deck.sample("Three calls, two results")
    deck.holds(3)
    deck.panel("Run").locator(".st-key-run-loop button").click()
    expect(deck.tape.locator(".notice")).to_be_visible()
    deck.panel("Problems").get_by_role("button", name="Preview").first.click()
    expect(deck.page.get_by_role("button", name="Hide")).to_be_visible()


def claude_code(deck: Deck) -> None:
    """An agent's own file, with parallel calls."""
    deck.sample("A Claude Code session")
    deck.holds(17)
    deck.bar.locator(".goto").fill("5")
    deck.bar.locator(".goto").press("Enter")
    expect(deck.card(5)).to_be_in_viewport()


PICTURES: dict[str, tuple[bool, Callable[[Deck], None]]] = {
    "tape-light": (False, first_sample),
    "tape-dark": (True, first_sample),
    "refused-light": (False, refused),
    "claude-code-dark": (True, claude_code),
}


def take(browser: Browser, address: str) -> None:
    """Writes every picture into ``docs/pictures``."""
    for name, (dark, prepare) in PICTURES.items():
        page = browser.new_context(viewport=SIZE, color_scheme="dark" if dark else "light").new_page()  # type: ignore[arg-type]
        page.goto(address)
        deck = Deck(page)
        deck.holds(6)
        prepare(deck)
        page.mouse.move(0, 0)
        page.wait_for_load_state("networkidle")
        page.wait_for_timeout(1500)
        page.screenshot(path=FOLDER / f"{name}.png")
        page.context.close()


def main() -> None:
    """Starts the page and a browser, and takes the pictures. Ends with a sentence without a browser."""
    executable = find()
    if executable is None:
        raise SystemExit(HOW_TO_MEND)
    expect.set_options(timeout=20_000)
    with (
        tempfile.TemporaryDirectory() as scratch,
        serving(Path(scratch) / "log.txt") as address,
        sync_playwright() as playwright,
    ):
        take(playwright.chromium.launch(executable_path=executable, args=FLAGS), address)


if __name__ == "__main__":
    main()

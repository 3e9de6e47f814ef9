"""The page as the browser tests speak of it: the tape's cards, threads and bar, the sidebar, the panels."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Locator, Page, expect


class Deck:
    """One open page. Reading waits for what it reads; nothing here waits for time."""

    def __init__(self, page: Page) -> None:
        self.page = page
        # While Streamlit puts the tape elsewhere on the page, the old one is there for a moment too.
        self.tape = page.locator(".tape").last
        self.bar = self.tape.locator(".bar")
        self.scroller = self.tape.locator(".scroller")
        self.sidebar = page.get_by_test_id("stSidebar")

    def holds(self, messages: int) -> None:
        """Waits until the tape says that it holds so many messages, bodies and all."""
        word = "message" if messages == 1 else "messages"
        expect(self.bar.locator(".counts")).to_have_text(re.compile(rf"^{messages:,} {word}\b"))
        expect(self.tape.locator(".skeleton")).to_have_count(0)

    def rests(self) -> None:
        """Waits until the page's script has run, so that every panel shows what the tape shows."""
        expect(self.page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")

    def card(self, position: int) -> Locator:
        """The card of the message at a position."""
        return self.tape.locator("article.card").filter(
            has=self.page.locator(f".position:text-is('#{position}')")
        )

    def strip(self, position: int, block: int) -> Locator:
        """A content block of a message."""
        return self.card(position).locator(f".strip[data-block='{block}']")

    def cards(self) -> list[tuple[str, str]]:
        """Position and role word of every card on screen, from top to bottom."""
        found = self.tape.locator("article.card:has(.position)")
        return [
            (one.locator(".position").inner_text(), one.locator(".role").inner_text().lower())
            for one in found.all()
        ]

    def threads(self, kind: str = "") -> Locator:
        """The drawn lines, all or those of one kind (``broken``, ``pending``)."""
        return self.tape.locator(f"svg.threads path.thread{f'.{kind}' if kind else ''}:not(.end)")

    def do(self, what: str) -> None:
        """Presses a button of the bar: ``next``, ``undo``, ``original`` …"""
        self.bar.locator(f"[data-do={what}]").click()

    def key(self, *keys: str) -> None:
        """Presses keys with the focus on the tape."""
        self.scroller.focus()
        for key in keys:
            self.page.keyboard.press(key)

    def act(self, position: int, name: str) -> None:
        """Presses one of the buttons of a card: ``Edit``, ``Delete``, ``Insert above`` …"""
        card = self.card(position)
        card.hover()
        card.get_by_role("button", name=name, exact=True).click()

    def sample(self, title: str) -> None:
        """Opens a sample from the sidebar."""
        self.sidebar.get_by_role("button", name=title, exact=False).click()
        expect(self.bar.locator(".title")).not_to_be_empty()

    def upload(self, *files: dict[str, Any]) -> None:
        """Gives files to the uploader: ``{"name": …, "mimeType": …, "buffer": …}``."""
        self.sidebar.locator(".st-key-own input[type=file]").set_input_files(list(files))  # type: ignore[arg-type]

    def panel(self, name: str) -> Locator:
        """Opens one of the tabs on the right and gives its panel."""
        self.page.get_by_role("tab", name=name, exact=True).click()
        return self.page.get_by_role("tabpanel", name=name, exact=True)

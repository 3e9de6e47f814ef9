"""The program is killed in the middle of a run: the next start offers what the run had reached."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.browser.deck import Deck
from tests.browser.serving import serving


def test_a_run_that_was_killed_is_offered_at_the_next_start(browser: Browser, tmp_path: Path) -> None:
    data = tmp_path / "data"
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    with serving(tmp_path / "first.txt", data) as address:
        page = context.new_page()
        page.goto(address)
        deck = Deck(page)
        deck.holds(6)
        panel = deck.panel("Run")
        panel.get_by_role("radio", name="Replay").click(force=True)
        deck.rests()
        deck.act(0, "Edit")
        editor = deck.tape.locator("form.editor textarea")
        editor.fill("Is the divide function in other.py correct?")
        editor.press("Control+Enter")
        expect(deck.card(0)).to_contain_text("other.py")
        deck.act(0, "Re-run from here")
        expect(deck.tape.locator(".by-hand")).to_be_visible()
        kill(address)
        page.close()
    with serving(tmp_path / "second.txt", data) as address:
        page = context.new_page()
        page.goto(address)
        deck = Deck(page)
        offer = page.locator(".st-key-rescue")
        expect(offer).to_contain_text("A run was cut off")
        expect(offer).to_contain_text("2 messages, as of the last complete turn. A call has no result yet")
        deck.holds(6)
        deck.rests()
        offer.get_by_role("button", name="Open it").click()
        deck.holds(2)
        expect(deck.card(0)).to_contain_text("other.py")
        expect(deck.strip(1, 1)).to_contain_text("waiting for its result")
        expect(offer.get_by_role("button")).to_have_count(0)
        assert list(data.rglob("*.tapedeck")) == []
    context.close()


def kill(address: str) -> None:
    """Ends the server at that address at once, as a power cut would."""
    port = int(address.rpartition(":")[2])
    for found in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = found.read_bytes().split(b"\0")
        except OSError:
            continue
        if f"--server.port={port}".encode() in words:
            os.kill(int(found.parent.name), signal.SIGKILL)

"""Somebody else's transcript: a message in its middle is changed, and a person is the harness."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.deck import Deck
from tests.browser.test_rerunning import ended, reach


def test_a_claude_code_session_is_edited_run_again_and_answered_by_hand(
    deck: Deck, corpus: Callable[[str], Path]
) -> None:
    source = corpus("claude-code/parallel-tools.jsonl").read_bytes()
    deck.upload({"name": "session.jsonl", "mimeType": "application/json", "buffer": source})
    deck.holds(15)
    panel = deck.panel("Run")
    expect(panel.get_by_role("radio", name="Replay")).to_be_checked()
    panel.get_by_role("button", name=re.compile("Declare the . tools? it calls")).click()
    expect(panel).not_to_contain_text("No tools are declared")
    reach(deck, 5)
    deck.act(5, "Edit")
    editor = deck.tape.locator("form.editor textarea")
    editor.fill("Is the add function in calc.py correct?")
    editor.press("Control+Enter")
    expect(deck.card(5)).to_contain_text("Is the add function in calc.py correct?")
    deck.act(5, "Re-run from here")

    card = deck.tape.locator(".by-hand")
    expect(card).to_contain_text("You are the harness")
    expect(card).to_contain_text("calc.py")
    expect(deck.tape.locator(".happening")).to_contain_text("asks you")
    card.get_by_label("What the tool returned").fill("def add(a, b):\n    return a - b")
    card.get_by_role("button", name="Give this result").click()
    expect(deck.card(7)).to_contain_text("return a - b")
    expect(deck.card(7)).to_contain_text("by hand")
    expect(card).to_contain_text("test_calc.py")
    card.get_by_label("What the tool returned").fill("assert add(2, 3) == 5")
    card.get_by_role("button", name="Give this result").click()
    ended(deck)
    expect(deck.card(9)).to_contain_text("assert add(2, 3) == 5")
    deck.holds(11)

    deck.do("original")
    deck.holds(15)
    deck.do("original")
    deck.panel("Branches").get_by_role("button", name="before edit", exact=True).click()
    deck.holds(15)
    export = deck.panel("Export")
    with deck.page.expect_download() as coming:
        export.get_by_role("button", name=re.compile("Download as it came")).click()
    assert Path(coming.value.path()).read_bytes() == source


def test_a_result_that_is_an_error_is_said_to_be_one(deck: Deck, corpus: Callable[[str], Path]) -> None:
    source = corpus("claude-code/parallel-tools.jsonl").read_bytes()
    deck.upload({"name": "session.jsonl", "mimeType": "application/json", "buffer": source})
    deck.holds(15)
    panel = deck.panel("Run")
    panel.get_by_role("button", name=re.compile("Declare the . tools? it calls")).click()
    expect(panel).not_to_contain_text("No tools are declared")
    panel.get_by_role("textbox", name="New message").fill("Is the add function in calc.py correct?")
    panel.get_by_role("button", name="Append and run").click()
    card = deck.tape.locator(".by-hand")
    card.get_by_label("What the tool returned").fill("calc.py is not there")
    card.get_by_label("it is an error").check()
    card.get_by_role("button", name="Give this result").click()
    expect(deck.card(17)).to_contain_text("error from")
    expect(deck.card(17)).to_contain_text("by hand")
    ended(deck)

"""Running again: the array grows on the embedded endpoint, and a broken array is refused on the tape."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.deck import Deck

REFUSAL = "`tool_use` ids were found without `tool_result` blocks immediately after"


def test_one_button_runs_the_sample_again_and_the_array_grows(deck: Deck) -> None:
    deck.page.get_by_role("button", name="Run it again").click()
    expect(deck.bar.locator(".counts")).to_contain_text("1 message")
    deck.holds(6)
    expect(deck.page.get_by_role("button", name="Run it again")).to_be_visible()
    expect(deck.card(5)).to_contain_text("It should say")
    expect(deck.card(5)).to_contain_text("scripted")
    deck.do("undo")
    deck.holds(6)


def test_a_changed_question_is_answered_anew_from_there(deck: Deck) -> None:
    deck.act(0, "Edit")
    editor = deck.tape.locator("form.editor textarea")
    editor.fill("Is the multiply function correct?")
    editor.press("Control+Enter")
    expect(deck.card(0)).to_contain_text("multiply")
    deck.act(0, "Re-run from here")
    expect(deck.card(5)).to_contain_text("Yes: multiply in calc.py is correct")


def test_a_broken_array_is_refused_with_the_words_of_the_api(deck: Deck) -> None:
    deck.sample("Three calls, two results")
    deck.holds(3)
    deck.panel("Run").locator(".st-key-run-loop button").click()
    notice = deck.tape.locator(".notice")
    expect(notice).to_contain_text(REFUSAL)
    expect(notice).to_contain_text("400")
    deck.holds(3)


def test_three_calls_and_two_results_are_refused_and_once_mended_answered(deck: Deck) -> None:
    deck.sample("Three calls, two results")
    deck.holds(3)
    expect(deck.threads("broken")).to_have_count(1)
    expect(deck.strip(1, 2)).to_contain_text("never answered")
    deck.panel("Run").get_by_role("button", name="Send once").click()
    notice = deck.tape.locator(".notice")
    expect(notice).to_contain_text("400")
    expect(notice).to_contain_text(f"messages.1: {REFUSAL}")
    deck.page.get_by_role("button", name="1 problem").click()
    panel = deck.page.get_by_role("tabpanel", name="Problems")
    panel.get_by_role("button", name="Answer it: not executed").click()
    expect(panel).to_contain_text("nothing here would be refused")
    expect(deck.threads("broken")).to_have_count(0)
    deck.panel("Run").get_by_role("button", name="Send once").click()
    deck.holds(4)
    expect(deck.card(3)).to_contain_text("scripted")
    expect(deck.tape.locator(".notice")).to_have_count(0)


def test_send_once_makes_one_call_and_carries_nothing_out(deck: Deck) -> None:
    for position in (5, 3, 1):
        deck.act(position, "Delete")
        deck.tape.get_by_role("alertdialog").get_by_role("button").first.click()
        expect(deck.tape.get_by_role("alertdialog")).to_have_count(0)
    deck.holds(1)
    deck.panel("Run").get_by_role("button", name="Send once").click()
    deck.holds(2)
    expect(deck.strip(1, 1)).to_contain_text("waiting for its result")


def test_a_new_session_starts_from_nothing(deck: Deck) -> None:
    deck.sidebar.get_by_role("button", name="New", exact=True).click()
    expect(deck.bar.locator(".counts")).to_contain_text("0 messages")
    panel = deck.panel("Run")
    panel.get_by_role("textbox", name="New message").fill("What is 2 + 2?")
    panel.get_by_role("button", name="Append", exact=True).click()
    deck.holds(1)
    panel.locator(".st-key-run-loop button").click()
    deck.holds(2)
    expect(deck.card(1)).to_contain_text("2 + 2 = 4")


def test_the_request_of_each_call_can_be_read(deck: Deck) -> None:
    panel = deck.panel("Request")
    panel.get_by_role("spinbutton").fill("3")
    panel.get_by_role("spinbutton").press("Enter")
    expect(panel).to_contain_text("3 sent before, 2 new")
    expect(panel).to_contain_text("messages[3] to [4]")

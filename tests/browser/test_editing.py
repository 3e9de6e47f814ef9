"""Editing in place: delete with its pair, rewrite, insert, move, undo, and the way back to the original."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.deck import Deck


def test_deleting_a_call_offers_its_result_and_undo_brings_both_back(deck: Deck) -> None:
    deck.act(1, "Delete")
    question = deck.tape.get_by_role("alertdialog")
    expect(question).to_contain_text("#2 answers it (list_files)")
    question.get_by_role("button", name="Delete both").click()
    deck.holds(4)
    expect(deck.card(1)).to_contain_text("I will read")
    deck.do("undo")
    deck.holds(6)
    expect(deck.threads("broken")).to_have_count(0)
    deck.do("redo")
    deck.holds(4)


def test_a_pair_can_be_broken_on_purpose(deck: Deck) -> None:
    deck.act(2, "Delete")
    deck.tape.get_by_role("alertdialog").get_by_role("button", name="Only this").click()
    deck.holds(5)
    expect(deck.strip(1, 1)).to_contain_text("never answered")
    expect(deck.threads("broken")).to_have_count(1)
    expect(deck.page.get_by_role("button", name="1 problem")).to_be_visible()


def test_a_message_is_rewritten_on_its_card_and_says_so(deck: Deck) -> None:
    deck.act(0, "Edit")
    editor = deck.tape.locator("form.editor textarea")
    editor.fill("Is the multiply function correct?")
    editor.press("Control+Enter")
    card = deck.card(0)
    expect(card).to_contain_text("Is the multiply function correct?")
    expect(card).to_contain_text("edited")
    card.get_by_role("button", name="show original").click()
    expect(deck.card(0)).to_contain_text("Is the add function correct?")
    deck.card(0).get_by_role("button", name="Restore this message").click()
    expect(deck.card(0)).not_to_contain_text("multiply")


def test_what_is_no_json_is_kept_in_the_editor_with_a_sentence(deck: Deck) -> None:
    deck.act(0, "Edit")
    form = deck.tape.locator("form.editor")
    form.get_by_role("button", name="JSON").click()
    form.locator("textarea").fill('{"type": "text", "text": ')
    form.get_by_role("button", name="Save").click()
    expect(form.locator(".why")).to_contain_text("This is not JSON yet")
    deck.page.keyboard.press("Escape")
    expect(form).to_have_count(0)
    expect(deck.card(0)).to_contain_text("Is the add function correct?")


def test_messages_are_inserted_and_moved(deck: Deck) -> None:
    deck.act(0, "Insert above")
    editor = deck.tape.locator("form.editor")
    editor.locator("textarea").fill("Good morning.")
    editor.get_by_role("button", name="Insert", exact=True).click()
    deck.holds(7)
    expect(deck.card(0)).to_contain_text("Good morning.")
    expect(deck.card(0)).to_contain_text("inserted")
    deck.act(0, "Move down")
    expect(deck.card(1)).to_contain_text("Good morning.")
    expect(deck.card(0)).to_contain_text("Is the add function correct?")


def test_a_block_of_a_message_is_deleted_with_its_partner(deck: Deck) -> None:
    strip = deck.strip(3, 2)
    strip.hover()
    strip.get_by_role("button", name="Delete this block").click()
    deck.tape.get_by_role("alertdialog").get_by_role("button", name="Delete both").click()
    expect(deck.card(3).locator(".strip")).to_have_count(2)
    expect(deck.card(4).locator(".strip")).to_have_count(1)
    expect(deck.threads("broken")).to_have_count(0)


def test_the_original_can_be_looked_at_and_restored(deck: Deck) -> None:
    deck.act(0, "Delete")
    deck.tape.get_by_role("alertdialog").get_by_role("button", name="Delete", exact=True).click()
    deck.holds(5)
    deck.do("original")
    deck.holds(6)
    expect(deck.card(0).get_by_role("button", name="Delete")).to_have_count(0)
    deck.do("original")
    deck.holds(5)
    deck.tape.locator(".tombstone").get_by_role("button", name="Restore").click()
    deck.holds(6)


def test_a_problem_is_mended_with_one_button(deck: Deck) -> None:
    deck.sample("A call that nobody answered")
    deck.holds(3)
    deck.page.get_by_role("button", name="1 problem").click()
    panel = deck.page.get_by_role("tabpanel", name="Problems")
    expect(panel).to_contain_text("unanswered-tool-use")
    panel.get_by_role("button", name="Answer it: not executed").click()
    expect(panel).to_contain_text("nothing here would be refused")
    expect(deck.threads("broken")).to_have_count(0)


def test_blocks_are_inserted_and_moved_within_a_message(deck: Deck) -> None:
    strip = deck.strip(3, 0)
    strip.hover()
    strip.get_by_role("button", name="Insert a block below").click()
    form = deck.tape.locator("form.editor")
    form.locator("textarea").fill("One after the other.")
    form.get_by_role("button", name="Insert", exact=True).click()
    expect(deck.strip(3, 1)).to_contain_text("One after the other.")
    deck.strip(3, 1).hover()
    deck.strip(3, 1).get_by_role("button", name="Move this block up").click()
    expect(deck.strip(3, 0)).to_contain_text("One after the other.")
    expect(deck.strip(3, 1)).to_contain_text("I will read")
    deck.do("undo")
    deck.do("undo")
    expect(deck.card(3).locator(".strip")).to_have_count(3)


def test_a_block_is_inserted_beside_the_only_one_as_json(deck: Deck) -> None:
    strip = deck.strip(0, 0)
    strip.hover()
    expect(strip.get_by_role("button", name="Delete this block")).to_have_count(0)
    strip.get_by_role("button", name="Insert a block below").click()
    form = deck.tape.locator("form.editor")
    form.get_by_role("button", name="JSON").click()
    form.locator("textarea").fill('{"type": "text", "text": "Be brief."}')
    form.get_by_role("button", name="Insert", exact=True).click()
    expect(deck.strip(0, 1)).to_contain_text("Be brief.")
    expect(deck.card(0)).to_contain_text("edited")

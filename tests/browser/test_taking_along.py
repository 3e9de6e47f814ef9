"""Downloads: the file as it came, byte for byte, or in another form."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import expect

from tape.samples import FOLDER
from tests.browser.deck import Deck
from tests.browser.test_opening import file


def download(deck: Deck, choice: str) -> tuple[str, bytes]:
    """Chooses a form under Export and takes the file; its name and its bytes."""
    panel = deck.panel("Export")
    deck.rests()
    panel.locator("label").filter(has_text=choice).click()
    expect(panel.get_by_role("radio", name=choice)).to_be_checked()
    with deck.page.expect_download() as started:
        panel.get_by_role("button", name=f"Download {choice}").click()
    return started.value.suggested_filename, Path(started.value.path()).read_bytes()


def test_an_untouched_file_comes_back_byte_for_byte(deck: Deck) -> None:
    source = (FOLDER / "claude-code" / "teapot.jsonl").read_bytes().replace(b"\n", b"\r\n")
    deck.upload(file("mine.jsonl", source))
    deck.holds(17)
    assert download(deck, "as it came") == ("mine.jsonl", source)


def test_an_edit_changes_the_file_only_where_it_was_made(deck: Deck) -> None:
    before = (FOLDER / "add-function.json").read_bytes()
    deck.act(0, "Edit")
    editor = deck.tape.locator("form.editor textarea")
    editor.fill("Is the multiply function correct?")
    editor.press("Control+Enter")
    expect(deck.card(0)).to_contain_text("multiply")
    _, after = download(deck, "as it came")
    assert after == before.replace(b"Is the add function correct?", b"Is the multiply function correct?")


def test_a_session_is_taken_along_in_other_forms(deck: Deck) -> None:
    deck.sample("Two tickets, one reply")
    deck.holds(4)
    name, chat = download(deck, "OpenAI Chat")
    assert name.endswith("openai-chat.json")
    assert [m["role"] for m in json.loads(chat)["messages"]] == [
        "system", "user", "assistant", "tool", "tool", "assistant",
    ]  # fmt: skip
    deck.sample("Two tickets, in OpenAI form")
    deck.holds(5)
    _, request = download(deck, "Anthropic Messages")
    body = json.loads(request)
    assert [m["role"] for m in body["messages"]] == ["user", "assistant", "user", "assistant"]
    assert body["system"] == "You help the support desk."

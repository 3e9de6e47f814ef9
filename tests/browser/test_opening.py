"""Opening: the page starts on a session, and takes samples, uploads, pasted text, paths and broken files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tape.samples import FOLDER, samples
from tests.browser.deck import Deck

CHAT = [
    {"role": "user", "content": "What is the weather in Bonn?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": "call_1",
                "type": "function",
                "function": {"name": "weather", "arguments": '{"city": "Bonn"}'},
            }
        ],
    },
    {"role": "tool", "tool_call_id": "call_1", "content": "rain"},
]
BARE = [{"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Hello to you."}]


def file(name: str, content: bytes | Any) -> dict[str, Any]:
    """A file as the uploader takes it; anything but bytes becomes JSON."""
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    return {"name": name, "mimeType": "application/json", "buffer": data}


def test_the_page_opens_on_a_session(deck: Deck) -> None:
    expect(deck.bar.locator(".title")).to_have_text("Is the add function correct?")
    assert deck.cards()[:4] == [("#0", "user"), ("#1", "assistant"), ("#2", "user"), ("#3", "assistant")]


def test_every_sample_opens_and_says_what_to_try(deck: Deck) -> None:
    for sample in samples()[1:]:
        deck.sample(sample.title)
        deck.holds(len(sample.load().messages))
        expect(deck.sidebar).to_contain_text(sample.to_try)


def test_uploads_are_recognized_by_their_content(deck: Deck) -> None:
    request = {"model": "claude-opus-4-1", "system": "Be kind.", "max_tokens": 9, "messages": [*BARE, *BARE]}
    for content, format, messages in (
        (BARE, "anthropic-messages", 2),
        (request, "anthropic-messages", 4),
        (CHAT, "openai-chat", 3),
        ({"model": "gpt-5", "messages": [*CHAT, CHAT[0]]}, "openai-chat", 4),
        ((FOLDER / "claude-code" / "teapot.jsonl").read_bytes(), "claude-code", 17),
    ):
        deck.upload(file("session.txt", content))
        deck.holds(messages)
        expect(deck.bar.locator(".format")).to_have_text(format)


def test_json_can_be_pasted(deck: Deck) -> None:
    deck.sidebar.get_by_role("button", name="Paste").click()
    deck.page.get_by_role("textbox", name="Paste a transcript").fill(json.dumps(BARE))
    deck.page.get_by_role("button", name="Open it").click()
    deck.holds(2)
    expect(deck.card(1)).to_contain_text("Hello to you.")


def test_a_path_can_be_opened(deck: Deck, tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_text(json.dumps(BARE))
    deck.sidebar.get_by_role("button", name="Path").click()
    deck.page.get_by_role("textbox", name="A file of this machine").fill(str(tmp_path / "mine.json"))
    deck.page.get_by_role("button", name="Open it").click()
    deck.holds(2)


def test_a_broken_file_opens_as_far_as_it_goes_and_the_report_says_where(deck: Deck) -> None:
    lines = (FOLDER / "claude-code" / "teapot.jsonl").read_bytes().splitlines(keepends=True)
    lines[3] = b'{"type": "assistant", "message": {"role": \n'
    lines.insert(9, b'{"type": "never-heard-of", "sessionId": "x"}\n')
    lines[-1] = lines[-1][:40]
    deck.upload(file("torn.jsonl", b"".join(lines)))
    expect(deck.bar.locator(".format")).to_have_text("claude-code")
    expect(deck.card(0)).to_contain_text("What is this project")
    report = deck.sidebar.locator(".st-key-report").get_by_test_id("stExpander")
    report.click()
    expect(report).to_contain_text("2 broken")
    expect(report).to_contain_text("never-heard-of (line 10)")
    expect(report).to_contain_text("line 4:")


@pytest.mark.parametrize("content", [b"", bytes(range(256)) * 20], ids=["empty", "not text"])
def test_what_cannot_be_shown_leaves_the_open_session_alone(deck: Deck, content: bytes) -> None:
    deck.upload(file("nothing.bin", content))
    expect(deck.sidebar).to_contain_text("This was not opened.")
    expect(deck.bar.locator(".title")).to_have_text("Is the add function correct?")

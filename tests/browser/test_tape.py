"""The tape: the array, card by card, every kind of block, and a line from each call to its result."""

from __future__ import annotations

import base64
import re
import struct
import zlib
from typing import Any

from playwright.sync_api import expect

from tests.browser.deck import Deck
from tests.browser.test_opening import file


def picture() -> str:
    """A PNG of one red pixel, as base64."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0\xff\0\0")) + chunk(b"IEND", b"")
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + body).decode()


def use(id: str, name: str = "look") -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": name, "input": {"at": "sky"}}


def result(id: str, content: Any = "blue") -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "content": content}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def show(deck: Deck, *messages: tuple[str, Any]) -> None:
    """Opens an array of messages, given as role and content."""
    array = [{"role": role, "content": content} for role, content in messages]
    deck.upload(file("array.json", array))
    deck.holds(len(array))


def test_cards_stand_in_the_order_of_the_array_with_their_true_roles(deck: Deck) -> None:
    expect(deck.tape.locator("article.card").first).to_contain_text("sent beside the array with every call")
    deck.key("G")
    expect(deck.card(5)).to_be_visible()
    roles = dict(deck.cards())
    assert roles["#5"] == "assistant"
    assert roles["#4"] == "user"


def test_a_result_is_a_green_card_in_the_user_role_that_says_so(deck: Deck) -> None:
    card = deck.card(2)
    expect(card.locator(".role")).to_have_text("user")
    expect(card.locator(".card-head")).to_contain_text("tool result")
    red, green, blue = card.evaluate(
        """card => {
            const probe = document.createElement("canvas").getContext("2d", { willReadFrequently: true })
            probe.fillStyle = getComputedStyle(card).borderLeftColor
            probe.fillRect(0, 0, 1, 1)
            return [...probe.getImageData(0, 0, 1, 1).data].slice(0, 3)
        }"""
    )
    assert green > red
    assert green > blue


def test_every_kind_of_block_has_its_strip(deck: Deck) -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": picture()}}
    odd = {"type": "hologram", "depth": 3}
    thought = {"type": "thinking", "thinking": "What color is it?", "signature": "c2ln"}
    show(
        deck,
        ("user", [text("Look *up*."), image]),
        ("assistant", [thought, text("I will."), use("a")]),
        ("user", [result("a", [text("blue"), image])]),
        ("assistant", [odd]),
    )
    expect(deck.strip(0, 0).locator("em")).to_have_text("up")
    expect(deck.strip(0, 1).locator("img")).to_be_visible()
    folded = deck.strip(1, 0)
    expect(folded).to_contain_text("thinking")
    expect(folded).not_to_contain_text("What color is it?")
    folded.locator("button.folder").click()
    expect(deck.strip(1, 0)).to_contain_text("What color is it?")
    expect(deck.strip(2, 0).locator("img")).to_be_visible()
    expect(deck.strip(3, 0)).to_contain_text("hologram")
    deck.strip(3, 0).locator("button.folder").click()
    expect(deck.strip(3, 0)).to_contain_text('"depth": 3')


def test_a_line_links_each_call_to_its_result_over_other_cards(deck: Deck) -> None:
    show(
        deck,
        ("user", "Look twice."),
        ("assistant", [use("a"), use("b")]),
        ("user", [result("b", "one"), result("a", "two")]),
        ("assistant", "Done."),
    )
    expect(deck.threads()).to_have_count(2)
    expect(deck.threads("broken")).to_have_count(0)
    lanes = {line.get_attribute("d") for line in deck.threads().all()}
    assert len(lanes) == 2
    deck.strip(1, 0).locator("button.pill").click()
    expect(deck.card(2)).to_have_class(re.compile("selected"))


def test_broken_pairs_have_broken_threads_with_a_word(deck: Deck) -> None:
    show(
        deck,
        ("user", "Look."),
        ("assistant", [use("a")]),
        ("user", "Are you there?"),
        ("assistant", [use("same"), use("same")]),
        ("user", [result("same"), result("nobody")]),
    )
    expect(deck.strip(1, 0)).to_contain_text("never answered")
    expect(deck.strip(3, 0)).to_contain_text("id used twice")
    expect(deck.strip(4, 1)).to_contain_text("answers nothing")
    expect(deck.threads("broken")).to_have_count(4)
    expect(deck.page.get_by_role("button", name="problem")).to_be_visible()


def test_a_long_array_is_windowed_and_every_message_can_be_reached(deck: Deck) -> None:
    show(deck, *[(("user", "assistant")[n % 2], f"message number {n}") for n in range(3000)])
    assert deck.tape.locator("article.card").count() < 100
    deck.key("G")
    expect(deck.card(2999)).to_contain_text("message number 2999")
    deck.bar.locator(".goto").fill("1500")
    deck.bar.locator(".goto").press("Enter")
    expect(deck.card(1500)).to_contain_text("message number 1500")
    positions = [int(position[1:]) for position, _ in deck.cards()]
    assert positions == list(range(positions[0], positions[0] + len(positions)))
    assert deck.page.evaluate("document.querySelectorAll('*').length") < 5000


def test_words_are_found_in_cards_that_are_not_drawn(deck: Deck) -> None:
    show(deck, *[(("user", "assistant")[n % 2], f"message number {n}") for n in range(900)])
    deck.key("/")
    deck.page.keyboard.type("number 777")
    deck.page.keyboard.press("Enter")
    expect(deck.card(777)).to_be_visible()
    expect(deck.bar.locator(".found")).to_contain_text("1")


def test_what_a_file_holds_beside_its_messages_can_be_shown(deck: Deck) -> None:
    deck.sample("A Claude Code session")
    deck.holds(17)
    lines = deck.tape.locator(".asides").first
    expect(lines).to_contain_text("not sent to the model")
    lines.get_by_role("button").click()
    expect(deck.tape.locator(".asides").first).to_contain_text("ai-title")


def test_the_raw_json_of_a_message_is_as_the_file_has_it(deck: Deck) -> None:
    show(deck, ("user", [{"type": "text", "text": "Hi.", "never-heard-of": 1}]))
    deck.card(0).click()
    panel = deck.panel("Message")
    panel.get_by_text("JSON", exact=True).click()
    expect(panel).to_contain_text('"never-heard-of": 1')

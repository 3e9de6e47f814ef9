"""Servers that refuse, slow down, break off or say nothing: one sentence on the page, and nothing lost."""

from __future__ import annotations

import json
import re
import threading
import time

import pytest
from playwright.sync_api import expect

from tests.browser.deck import Deck
from tests.browser.test_rerunning import ended
from tests.loopback import HoldingServer, RawServer, response


def refusal(status: int, kind: str, message: str, *headers: str) -> bytes:
    """An error answer in the API's form, which says not to try again by itself."""
    envelope = {"type": "error", "error": {"type": kind, "message": message}}
    return response(status, json.dumps(envelope).encode(), "x-should-retry: false", *headers)


def events(*sent: dict[str, object]) -> bytes:
    """Events of a stream, in a response that ends with them."""
    body = b"".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n".encode() for one in sent)
    return response(200, body, kind="text/event-stream")


START: dict[str, object] = {
    "type": "message_start",
    "message": {"id": "msg_1", "type": "message", "role": "assistant", "content": [], "model": "m"},
}
BLOCK: dict[str, object] = {
    "type": "content_block_start",
    "index": 0,
    "content_block": {"type": "text", "text": ""},
}
HALF: dict[str, object] = {
    "type": "content_block_delta",
    "index": 0,
    "delta": {"type": "text_delta", "text": "Half an ans"},
}
BUSY: dict[str, object] = {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}


def ask(deck: Deck, url: str) -> None:
    """Sends the array of the page once to the server at that address."""
    panel = deck.panel("Run")
    panel.get_by_role("radio", name="Other server").click(force=True)
    choice = panel.get_by_role("combobox", name="Server")
    choice.fill("Another address")
    choice.press("Enter")
    address = panel.get_by_role("textbox", name="Base URL")
    address.fill(url)
    address.press("Enter")
    deck.rests()
    panel.get_by_role("button", name="Send it all").click()


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (refusal(400, "invalid_request_error", "messages: no"), "messages: no"),
        (refusal(401, "authentication_error", "invalid key"), "invalid key"),
        (response(413, b"<html>Too large</html>", kind="text/html"), "larger than"),
        (refusal(429, "rate_limit_error", "slow", "retry-after: 7"), "It asks to wait 7 seconds"),
        (refusal(529, "overloaded_error", "busy"), "The endpoint is overloaded (529). It says: busy."),
        (events(START, BUSY), "broke the answer off with an error. It says: busy."),
    ],
    ids=["400", "401", "413", "429", "529", "error in the stream"],
)
def test_a_fault_is_one_sentence_and_the_session_stays(deck: Deck, answer: bytes, sentence: str) -> None:
    with RawServer(answer).running() as url:
        ask(deck, url)
        notice = deck.tape.locator(".notice")
        expect(notice).to_contain_text(sentence)
        ended(deck)
        assert len(notice.locator("p").inner_text().splitlines()) == 1
        deck.holds(6)
        expect(deck.bar.locator("[data-do=undo]")).to_be_disabled()


def test_a_stream_that_is_cut_keeps_the_words_that_had_come(deck: Deck) -> None:
    with RawServer(events(START, BLOCK, HALF)).running() as url:
        ask(deck, url)
        expect(deck.tape.locator(".notice")).to_contain_text(re.compile("closed|cut"))
        deck.holds(7)
        expect(deck.card(6)).to_contain_text("Half an ans")
        expect(deck.card(6)).to_contain_text("interrupted")
    deck.do("undo")
    deck.holds(6)


def test_words_stand_on_the_tape_before_the_answer_is_complete_whatever_panel_is_open(deck: Deck) -> None:
    with HoldingServer(events(START, BLOCK, HALF)).running() as url:
        ask(deck, url)
        arriving = deck.tape.locator(".arriving")
        expect(arriving).to_contain_text("Half an ans")
        deck.panel("Tokens")
        deck.panel("Problems")
        expect(arriving).to_contain_text("Half an ans")
        expect(deck.tape.locator(".happening .how-far")).to_contain_text("Turn 1")
        deck.tape.locator(".happening").get_by_role("button", name="Stop").click()
        deck.holds(7)
        expect(arriving).to_have_count(0)
        expect(deck.card(6)).to_contain_text("Half an ans")
        expect(deck.card(6)).to_contain_text("interrupted")
    expect(deck.panel("Run")).to_contain_text("Stopped, as asked.")
    deck.do("undo")
    deck.holds(6)


def test_a_server_that_says_nothing_is_waited_for_in_sight_and_stopped_at_once(deck: Deck) -> None:
    with HoldingServer().running() as url:
        ask(deck, url)
        expect(deck.tape.locator(".happening")).to_contain_text("waiting for the first word")
        stopped = time.monotonic()
        deck.tape.locator(".happening").get_by_role("button", name="Stop").click()
        expect(deck.tape.locator(".happening")).to_have_count(0)
        took = time.monotonic() - stopped
        deck.holds(6)
    assert took < 5, took


def test_a_slow_first_word_is_an_answer_all_the_same(deck: Deck) -> None:
    whole: list[dict[str, object]] = [
        START,
        BLOCK,
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "At last."}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 3}},
        {"type": "message_stop"},
    ]
    late = threading.Event()
    server = SlowServer(events(*whole), late)
    with server.running() as url:
        ask(deck, url)
        expect(deck.tape.locator(".happening")).to_contain_text("waiting for the first word")
        late.set()
        deck.holds(7)
        expect(deck.card(6)).to_contain_text("At last.")
        expect(deck.card(6)).to_contain_text("live")
    deck.do("undo")
    deck.holds(6)


class SlowServer(RawServer):
    """Answers only once the event is set."""

    def __init__(self, answer: bytes, late: threading.Event) -> None:
        super().__init__(answer)
        self._late = late

    def _request(self, connection: object) -> bytes:
        got = super()._request(connection)  # type: ignore[arg-type]
        self._late.wait(20)
        return got

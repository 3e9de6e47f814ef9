"""The Python side of the tape: what it sends to the browser, and what it does with what comes back."""

from __future__ import annotations

import json
from typing import Any

import pytest

from components.deck import Deck
from components.tape_view import _take, carry_out
from tape.errors import UserError
from tests.page_driver import Driver
from tests.strategies import assistant, session, text, user


@pytest.fixture
def open_deck() -> Deck:
    return Deck(session(user("go"), assistant(text("done"))))


def sent(open_deck: Deck, *items: Any, doc: str | None = None) -> dict[str, Any]:
    return {"client": "one", "doc": open_deck.token if doc is None else doc, "items": list(items)}


def append(seq: int, words: str = "more") -> dict[str, Any]:
    return {"seq": seq, "do": "apply", "op": {"op": "append", "messages": [user(words)]}}


def test_each_item_is_carried_out_once_however_often_it_is_sent(open_deck: Deck) -> None:
    for _ in range(3):
        _take(open_deck, sent(open_deck, append(1), append(2)), None)
    _take(open_deck, sent(open_deck, append(2), append(3), {"seq": 4, "do": "undo"}), None)
    assert len(open_deck.session.messages) == 4


def test_other_items_go_to_the_page_after_the_deck_changed(open_deck: Deck) -> None:
    seen: list[tuple[Any, int]] = []
    run = {"seq": 2, "do": "run", "mode": "from", "uid": "m0"}
    _take(
        open_deck,
        sent(open_deck, append(1), run),
        lambda item: seen.append((item["do"], len(open_deck.session.messages))),
    )
    assert seen == [("run", 3)]


def test_a_queue_for_another_document_is_left_alone(open_deck: Deck) -> None:
    _take(open_deck, sent(open_deck, append(1), doc="another"), None)
    assert open_deck.version.number == 0


@pytest.mark.parametrize(
    "odd", [None, "x", [], {}, {"doc": ""}, {"client": 1, "items": []}, {"client": "a", "items": None}]
)
def test_what_is_no_queue_is_left_alone(open_deck: Deck, odd: Any) -> None:
    _take(open_deck, {"doc": open_deck.token, **odd} if isinstance(odd, dict) else odd, None)
    assert open_deck.version.number == 0


def test_a_refusal_is_kept_with_its_number_and_the_rest_goes_on(open_deck: Deck) -> None:
    bad = {"seq": 1, "do": "apply", "op": {"op": "delete", "targets": ["m9"]}}
    _take(open_deck, sent(open_deck, bad, append(2)), None)
    assert open_deck.refusal is not None
    assert (open_deck.refusal.client, open_deck.refusal.seq) == ("one", 1)
    assert len(open_deck.session.messages) == 3


def test_typed_json_is_read_on_this_side_so_that_numbers_stay(open_deck: Deck) -> None:
    typed = '{"type": "tool_use", "id": "a", "name": "x", "input": {"n": 12345678901234567890}}'
    item = {"do": "apply", "op": {"op": "replace", "target": "m1.0"}, "json": {"value": typed}}
    carry_out(open_deck, item)
    assert open_deck.session.messages[1].blocks[0].input == {"n": 12345678901234567890}  # type: ignore[attr-defined]
    with pytest.raises(UserError, match="not JSON"):
        carry_out(open_deck, {**item, "json": {"value": "{"}})


def test_restore_takes_one_message_or_all(open_deck: Deck) -> None:
    carry_out(open_deck, {"do": "apply", "op": {"op": "delete", "targets": ["m0"]}})
    carry_out(open_deck, {"do": "restore", "uid": "m0"})
    assert open_deck.session.messages is open_deck.opened.messages
    carry_out(open_deck, append(1))
    carry_out(open_deck, {"do": "restore"})
    assert open_deck.session is open_deck.opened


def test_the_page_sends_less_than_two_kilobytes_and_answers_the_queue() -> None:
    driver = Driver()

    def data() -> dict[str, Any]:
        written = driver.at.get_by_key("tape").proto.json
        assert len(written.encode()) < 2_000
        found: dict[str, Any] = json.loads(written)
        return found

    first = data()
    assert first["v"] == 0
    driver.apply(op="replace", target="m0", value="Is the sub function correct?")
    after = data()
    assert after["v"] == 1
    assert after["ack"] == {"client": "test", "seq": 1}
    assert after["can"] == {"undo": True, "redo": False}
    driver.apply(op="delete", targets=["m99"])
    assert data()["refused"]["seq"] == 2
    for _ in range(40):
        driver.apply(op="append", messages=[user("a")])
        data()

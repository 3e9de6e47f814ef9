"""The open document: operations, undo, patches that lead from version to version, and a queue taken once."""

from __future__ import annotations

import gc
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from components import deck
from components.deck import PATCH_BYTES, Deck
from tape.errors import UserError
from tests.strategies import answer, assistant, call, session, user


@pytest.fixture
def open_deck() -> Deck:
    return Deck(session(user("go"), assistant(call("a")), user(answer("a")), assistant("done")))


def words(open_deck: Deck) -> list[str]:
    return [entry.uid for entry in open_deck.session.messages]


def test_a_deck_is_found_by_its_token_while_somebody_holds_it(open_deck: Deck) -> None:
    other = Deck(open_deck.session)
    assert other.token != open_deck.token
    assert deck.find(other.token) is other
    token = other.token
    del other
    gc.collect()
    assert deck.find(token) is None
    assert deck.find("") is None


def test_an_operation_makes_a_version_and_undo_takes_it_back(open_deck: Deck) -> None:
    before = open_deck.session
    open_deck.apply({"op": "delete", "targets": ["m1"], "partners": True})
    assert words(open_deck) == ["m0", "m3"]
    assert open_deck.version.number == 1
    open_deck.undo()
    assert open_deck.session is before
    open_deck.redo()
    assert words(open_deck) == ["m0", "m3"]
    assert open_deck.version.number == 3


def test_nothing_to_undo_changes_nothing(open_deck: Deck) -> None:
    open_deck.undo()
    open_deck.redo()
    assert open_deck.version.number == 0


def test_what_is_refused_changes_nothing(open_deck: Deck) -> None:
    with pytest.raises(UserError):
        open_deck.apply({"op": "delete", "targets": ["m99"]})
    with pytest.raises(UserError):
        open_deck.apply({"op": "no such"})
    assert open_deck.version.number == 0
    assert open_deck.patches() == []


def test_restoring_brings_back_the_original_as_one_step(open_deck: Deck) -> None:
    open_deck.apply({"op": "delete", "targets": ["m3"]})
    open_deck.apply({"op": "replace", "target": "m0", "value": user("stop")})
    open_deck.restore()
    assert open_deck.session is open_deck.opened
    open_deck.undo()
    assert words(open_deck) == ["m0", "m1", "m2"]


def test_one_message_is_restored_where_it_stood(open_deck: Deck) -> None:
    open_deck.apply({"op": "delete", "targets": ["m1"], "partners": True})
    open_deck.apply({"op": "replace", "target": "m3", "value": assistant("changed")})
    open_deck.restore("m2")
    assert words(open_deck) == ["m0", "m2", "m3"]
    open_deck.restore("m1")
    assert words(open_deck) == ["m0", "m1", "m2", "m3"]
    open_deck.restore("m3")
    assert open_deck.session.messages is open_deck.opened.messages
    with pytest.raises(UserError, match="no such message"):
        open_deck.restore("n0")


def test_a_run_replaces_the_session_as_one_step(open_deck: Deck) -> None:
    longer = replace(
        open_deck.session, messages=(*open_deck.session.messages, *session(user("more")).messages[:1])
    )
    open_deck.replace_session(longer, "Ran once")
    assert open_deck.history.log[-1].sentence == "Ran once"
    assert open_deck.version.number == 1


def test_patches_name_only_what_changed(open_deck: Deck) -> None:
    open_deck.apply({"op": "replace", "target": "m0", "value": user("stop")})
    [[number, changes]] = open_deck.patches()
    assert number == 1
    assert changes["rows"][0][:2] == [0, 1]
    assert "links" not in changes


def test_patches_stay_small_and_without_a_gap(open_deck: Deck) -> None:
    for n in range(80):
        open_deck.apply({"op": "append", "messages": [user(f"message {n}")]})
    patches = open_deck.patches()
    assert len(json.dumps(patches)) < PATCH_BYTES + 100
    numbers = [number for number, _ in patches]
    assert numbers == list(range(81 - len(numbers), 81))


def test_a_change_that_is_too_large_is_no_patch(open_deck: Deck) -> None:
    open_deck.apply({"op": "append", "messages": [user("x")]})
    open_deck.apply({"op": "append", "messages": [user(str(n)) for n in range(200)]})
    assert open_deck.patches() == []
    open_deck.apply({"op": "append", "messages": [user("y")]})
    assert [number for number, _ in open_deck.patches()] == [3]


def queue(*numbers: int) -> list[Any]:
    return [{"seq": n, "do": "undo"} for n in numbers]


def test_a_queue_is_taken_once_and_in_order(open_deck: Deck) -> None:
    assert [item["seq"] for item in open_deck.take("one", queue(1, 2))] == [1, 2]
    assert [item["seq"] for item in open_deck.take("one", queue(1, 2, 3))] == [3]
    assert list(open_deck.take("one", queue(1, 2, 3))) == []
    assert [item["seq"] for item in open_deck.take("two", queue(1))] == [1]
    assert open_deck.acknowledged("one") == 3
    assert open_deck.last_client == ("two", 1)


@pytest.mark.parametrize("item", [None, 7, [], {}, {"seq": "1"}, {"seq": None, "do": "undo"}])
def test_what_is_no_item_is_left_out(open_deck: Deck, item: Any) -> None:
    assert list(open_deck.take("one", [item])) == []


def test_readers_see_whole_versions_while_others_write(open_deck: Deck) -> None:
    def write() -> None:
        for _ in range(60):
            open_deck.apply({"op": "append", "messages": [user("x")]})
            open_deck.undo()

    def read() -> bool:
        for _ in range(400):
            number, current, lists = open_deck.version
            assert lists.messages is current.messages
            assert len(current.messages) == 4 + number % 2
        return True

    with ThreadPoolExecutor(3) as pool:
        writing, readers = pool.submit(write), [pool.submit(read) for _ in range(2)]
        writing.result()
        assert all(reader.result() for reader in readers)

"""What several have open: made once, held once, gone with the last of them."""

from __future__ import annotations

import gc
import json
from pathlib import Path
from threading import Barrier, Thread
from weakref import ref

import pytest

from components.deck import Deck
from components.opening import from_bytes, from_path
from components.sharing import Shared
from components.state import Page
from tape.errors import UserError

DATA = json.dumps([{"role": "user", "content": "go"}]).encode()


class Value:
    """Something that can be weakly referred to."""


def test_a_value_is_made_once_for_all_who_ask_together() -> None:
    shared: Shared[Value] = Shared()
    start, made, given = Barrier(6), [], []

    def make() -> Value:
        made.append(1)
        return Value()

    def ask() -> None:
        start.wait()
        given.append(shared.get("key", make))

    asking = [Thread(target=ask) for _ in range(6)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    assert len(made) == 1
    assert len(set(map(id, given))) == 1
    given.clear()
    gc.collect()
    shared.get("key", make)
    assert len(made) == 2


def test_what_cannot_be_made_is_tried_again() -> None:
    shared: Shared[Value] = Shared()

    def fail() -> Value:
        raise UserError("no")

    for _ in range(2):
        with pytest.raises(UserError):
            shared.get("key", fail)
    assert isinstance(shared.get("key", Value), Value)


def test_two_who_open_the_same_bytes_share_the_session_and_others_do_not() -> None:
    one, two = (from_bytes("upload", [("a.json", DATA)]) for _ in range(2))
    assert one.load() is two.load()
    assert one.opened is two.opened
    assert from_bytes("upload", [("a.json", DATA + b" ")]).load() is not one.load()


def test_a_session_goes_with_the_last_page_that_shows_it(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(DATA)
    pages = []
    for _ in range(2):
        origin = from_path(str(path))
        pages.append(Page(origin, Deck(origin.load())))
    del origin
    held = ref(pages[0].deck.opened)
    assert held() is pages[1].deck.opened
    pages.pop()
    assert held() is not None
    other = from_bytes("paste", [("b", DATA)])
    for _ in range(2):
        pages[0].open(other)
    gc.collect()
    assert held() is None

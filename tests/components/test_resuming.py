"""A page that is loaded again: what it gets back, for how long, and that it is a copy."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from components import resuming
from components.deck import Deck
from components.opening import from_bytes
from components.resuming import keep, resume
from components.state import Page
from tape.wire import request

ARRAY = b'[{"role": "user", "content": "go"}, {"role": "assistant", "content": "done"}]'
OTHER = b'[{"role": "user", "content": "the first sample"}]'


def page(data: bytes = OTHER) -> Page:
    """A page as it is when it was just loaded."""
    origin = from_bytes("paste", [("pasted", data)])
    return Page(origin, Deck(origin.load()))


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    resuming._KEPT.clear()
    yield
    resuming._KEPT.clear()


@pytest.fixture
def left() -> Page:
    """A page on which somebody opened a session and edited it twice, one step taken back."""
    left = page()
    left.open(from_bytes("paste", [("mine", ARRAY)]))
    left.deck.apply({"op": "delete", "targets": ["m0"], "partners": False})
    left.deck.apply({"op": "append", "messages": [{"role": "user", "content": "more"}]})
    left.deck.undo()
    keep(left.deck)
    return left


def test_edits_undo_and_redo_come_back(left: Page) -> None:
    again = page()
    assert resume(again, left.deck.token)
    assert request(again.session) == request(left.session)
    assert again.origin.name == "mine"
    again.deck.redo()
    assert again.session.messages[-1].text == "more"
    for _ in range(2):
        again.deck.undo()
    assert again.session is again.deck.opened
    assert not again.deck.history.can_undo


def test_the_session_that_a_page_began_with_comes_back_too() -> None:
    began = page()
    began.deck.apply({"op": "append", "messages": [{"role": "user", "content": "more"}]})
    keep(began.deck)
    again = page()
    assert resume(again, began.deck.token)
    assert again.session.messages[-1].text == "more"


def test_what_comes_back_is_a_copy(left: Page) -> None:
    again = page()
    assert resume(again, left.deck.token)
    assert again.deck.token != left.deck.token
    before = left.session
    again.deck.apply({"op": "delete", "targets": ["m1"]})
    assert left.session is before
    assert len(again.session.messages) == 0


def test_a_deck_that_nobody_else_holds_is_kept(left: Page) -> None:
    token = left.deck.token
    left.open(from_bytes("paste", [("other", OTHER)]))
    left.left = None
    assert resume(page(), token)


@pytest.mark.parametrize("token", ["", "x", "../m0", "é"])
def test_other_words_bring_nothing_back(left: Page, token: str) -> None:
    fresh = page()
    deck = fresh.deck
    assert not resume(fresh, token)
    assert fresh.deck is deck


def test_only_a_page_where_nothing_was_done_goes_back(left: Page) -> None:
    busy = page()
    busy.deck.apply({"op": "append", "messages": [{"role": "user", "content": "mine"}]})
    assert not resume(busy, left.deck.token)
    chosen = page()
    chosen.open(from_bytes("paste", [("chosen", ARRAY)]))
    assert not resume(chosen, left.deck.token)


def test_what_is_kept_is_bounded_in_number_and_time(left: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    for n in range(resuming.MOST + 3):
        other = page()
        other.deck.apply({"op": "append", "messages": [{"role": "user", "content": str(n)}]})
        keep(other.deck)
    assert len(resuming._KEPT) == resuming.MOST
    assert left.deck.token not in resuming._KEPT
    monkeypatch.setattr(resuming, "SECONDS", -1)
    keep(page().deck)
    assert not resuming._KEPT


def test_what_was_never_edited_is_not_kept() -> None:
    keep(page().deck)
    assert not resuming._KEPT

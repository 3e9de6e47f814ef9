"""Working out what the panels of a large session want: once, in a thread, and only while it is wanted."""

from __future__ import annotations

import pytest

from components import catching_up
from components.catching_up import Work, caught_up, is_large
from components.deck import Deck
from components.opening import from_bytes
from components.state import Page
from tape.rules import lint
from tape.usage import usage

ARRAY = b'[{"role": "user", "content": "go"}, {"role": "assistant", "content": "done"}]'


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Page:
    monkeypatch.setattr(catching_up, "LARGE", 2)
    monkeypatch.setattr(catching_up, "chosen_endpoint", lambda: "anthropic")
    origin = from_bytes("paste", [("pasted", ARRAY)])
    return Page(origin, Deck(origin.load()))


def wait(page: Page) -> None:
    thread = catching_up._work(page.session, "anthropic").thread
    assert thread is not None
    thread.join(10)


def test_a_small_session_needs_nothing_ahead(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catching_up, "LARGE", 3)
    assert not is_large(page)
    assert caught_up(page)


def test_what_the_panels_want_is_worked_out_and_kept(page: Page) -> None:
    assert is_large(page)
    assert not caught_up(page, begin=False)
    assert catching_up._work(page.session, "anthropic").thread is None
    caught_up(page)
    wait(page)
    assert caught_up(page, begin=False)
    assert usage(page.session) is usage(page.session)
    assert lint(page.session) == lint(page.session, "anthropic", page.session.model)


def test_an_edit_begins_anew_and_the_way_back_does_not(page: Page) -> None:
    caught_up(page)
    wait(page)
    page.deck.apply({"op": "append", "messages": [{"role": "user", "content": "more"}]})
    assert not caught_up(page, begin=False)
    caught_up(page)
    wait(page)
    page.deck.undo()
    assert caught_up(page, begin=False)


def test_what_is_no_longer_shown_is_left(page: Page) -> None:
    old = page.session
    page.deck.apply({"op": "append", "messages": [{"role": "user", "content": "more"}]})
    work = Work("anthropic")
    work.start(page, old)
    thread = work.thread
    if thread is not None:
        thread.join(10)
    assert not work.done
    assert work.thread is None

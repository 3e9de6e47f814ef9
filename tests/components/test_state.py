"""What the page remembers: opening is all or nothing, answers last for a version, goals are told apart."""

from __future__ import annotations

import pytest

from components.deck import Deck
from components.opening import Origin, from_bytes
from components.state import Page
from tape.errors import UserError
from tape.wire import session_of

ORIGIN = Origin("new", "New session")


@pytest.fixture
def page() -> Page:
    body = {"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]}
    return Page(ORIGIN, Deck(session_of(body)))


def test_what_cannot_be_opened_leaves_everything(page: Page) -> None:
    deck = page.deck
    page.selected = "m1"
    page.try_to_open(lambda: from_bytes("upload", [("nothing.json", b"")]))
    assert page.deck is deck
    assert page.selected == "m1"
    assert page.refusal.startswith("nothing.json: The file is empty.")


def test_another_session_starts_afresh(page: Page) -> None:
    page.show("m1")
    page.notice = page.refusal = "old"
    page.open(from_bytes("paste", [("pasted", b'[{"role": "user", "content": "new"}]')]))
    assert [m.text for m in page.session.messages] == ["new"]
    assert (page.selected, page.goto, page.notice, page.refusal, page.seen) == (None, None, "", "", 1)


def test_a_refused_change_is_the_notice_until_something_succeeds(page: Page) -> None:
    before = page.session
    page.apply({"op": "delete", "targets": ["m9"]})
    assert page.session is before
    assert "m9" in page.notice
    page.apply({"op": "delete", "targets": ["m1"]})
    assert len(page.session.messages) == 1
    assert page.notice == ""


def test_an_answer_is_made_once_a_version(page: Page) -> None:
    made: list[int] = []

    def make() -> int:
        made.append(1)
        return len(page.session.messages)

    assert [page.once_a_version("count", make), page.once_a_version("count", make)] == [2, 2]
    assert len(made) == 1
    page.apply({"op": "delete", "targets": ["m1"]})
    assert page.once_a_version("count", make) == 1
    assert page.once_a_version("count", make, "another") == 1
    assert len(made) == 3


def test_every_goal_has_a_number_of_its_own(page: Page) -> None:
    page.show("m0")
    first = page.goto
    page.show("m0")
    assert first is not None
    assert page.goto is not None
    assert page.goto["seq"] > first["seq"]
    page.open(ORIGIN)
    page.show("m0")
    assert page.goto["seq"] > first["seq"] + 1


def test_a_block_selects_the_message_that_holds_it(page: Page) -> None:
    page.selected = "m1.0"
    assert page.message is page.session.messages[1]
    page.selected = "gone"
    assert page.message is None


def test_a_conversation_that_is_not_there_is_no_crash_of_the_page(page: Page) -> None:
    origin = from_bytes("paste", [("pasted", b'[{"role": "user", "content": "only"}]')])
    with pytest.raises(UserError):
        page.open(origin.as_format("no-such-format"))
    assert len(page.session.messages) == 2

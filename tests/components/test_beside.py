"""Two lines beside each other: edited apart, asked the same, and both kept."""

from __future__ import annotations

import pytest

from tape.branches import current, line
from tests.page_driver import Driver


@pytest.fixture
def driver() -> Driver:
    """A sample with the line ``other``, which parts after its second message; both are beside each other."""
    found = Driver()
    found.click("sample-forgets")
    found.tape(do="apply", op={"op": "append", "messages": [{"role": "user", "content": "And now?"}]})
    found.tape(do="apply", op={"op": "fork", "at": found.session.messages[1].uid, "name": "other"})
    found.panel("Branches")
    found.click("beside")
    assert found.page.beside is not None
    return found


def texts(driver: Driver, name: str) -> list[str]:
    return [entry.text for entry in line(driver.session, name).messages]


def test_what_is_edited_on_one_side_leaves_the_other_as_it_was(driver: Driver) -> None:
    left, right = driver.page.beside.left, driver.page.beside.right  # type: ignore[union-attr]
    before = texts(driver, left)
    driver.beside(do="apply", op={"op": "replace", "target": 0, "value": "Hm?"})
    driver.beside(do="apply", op={"op": "append", "messages": [{"role": "user", "content": "On the right."}]})
    assert texts(driver, left) == before
    assert texts(driver, right)[0] == "Hm?"
    assert texts(driver, right)[-1] == "On the right."
    driver.tape(do="apply", op={"op": "delete", "targets": [0]})
    driver.click("beside-done")
    assert driver.page.beside is None
    assert texts(driver, left) == before[1:]
    assert texts(driver, right)[0] == "Hm?"


def test_undo_on_the_right_is_the_rights_own(driver: Driver) -> None:
    right = driver.page.beside.right  # type: ignore[union-attr]
    before = texts(driver, right)
    driver.beside(do="apply", op={"op": "delete", "targets": [0]})
    assert texts(driver, right) == before[1:]
    driver.beside(do="undo")
    assert texts(driver, right) == before


def test_both_get_the_same_message_and_answer_with_their_own_past(driver: Driver) -> None:
    beside = driver.page.beside
    assert beside is not None
    driver.beside(do="apply", op={"op": "replace", "target": 0, "value": "My name is Ada."})
    driver.at.text_input(key=f"beside-say-{driver.page.seen}").set_value("What is my name?")
    driver.click("beside-both")
    driver.finish()
    driver.run()
    driver.finish()
    driver.run()
    assert current(driver.session) == beside.left
    for name in (beside.left, beside.right):
        said = line(driver.session, name).messages
        assert [entry.role for entry in said[-2:]] == ["user", "assistant"]
        assert said[-2].text == "What is my name?"
    assert "Ada" in texts(driver, beside.right)[-1]
    assert "Ada" not in texts(driver, beside.left)[-1]
    assert [entry.text for entry in beside.deck.session.messages] == texts(driver, beside.right)


def test_a_line_that_is_no_longer_there_ends_it_with_a_sentence(driver: Driver) -> None:
    driver.tape(do="undo")
    beside = driver.page.beside
    assert beside is not None
    assert beside.left == current(driver.session)
    driver.tape(do="undo")
    assert driver.page.beside is None
    assert 'no branch "other"' in driver.page.notice

"""The tape of a sub-agent: opened from its call, changed there, and back with the change as one step."""

from __future__ import annotations

import pytest

import tape
from components.resuming import keep
from components.visiting import within
from tape.threads import threads
from tests.page_driver import Driver


@pytest.fixture
def driver() -> Driver:
    found = Driver()
    found.click("sample-claude-code")
    return found


def test_a_sub_agents_array_is_on_the_page_and_its_call_is_shown_on_the_way_back(driver: Driver) -> None:
    outer = driver.session
    lane = outer.lanes[0]
    driver.tape(do="visit", number=0)
    assert driver.session is lane.session
    assert within(driver.page.deck) == {"of": outer.title, "name": "Explore"}
    driver.tape(do="leave")
    assert driver.session is outer
    assert driver.page.selected == lane.spawned_by
    assert not driver.page.deck.history.can_undo


def test_what_was_changed_there_is_one_step_of_the_session_that_started_it(driver: Driver) -> None:
    outer = driver.session
    driver.tape(do="visit", number=0)
    driver.tape(do="apply", op={"op": "delete", "target": 3})
    driver.tape(do="apply", op={"op": "append", "messages": [{"role": "assistant", "content": "Nowhere."}]})
    driver.tape(do="leave")
    assert driver.session.lanes[0].session.messages[-1].text == "Nowhere."
    assert driver.session.messages is outer.messages
    assert threads(driver.session) == threads(outer)
    driver.tape(do="undo")
    assert driver.session is outer


def test_a_second_visit_knows_what_the_file_had(driver: Driver) -> None:
    recorded = driver.session.lanes[0].session
    driver.tape(do="visit", number=0)
    driver.tape(do="apply", op={"op": "delete", "target": 3})
    driver.tape(do="leave")
    driver.tape(do="visit", number=0)
    assert len(driver.session.messages) == len(recorded.messages) - 1
    driver.tape(do="restore")
    assert driver.session is recorded


def test_the_download_of_a_changed_sub_agent_is_its_own_file(driver: Driver) -> None:
    driver.tape(do="visit", number=0)
    before = tape.dump(driver.session).data
    driver.tape(do="apply", op={"op": "delete", "target": 3})
    driver.panel("Export")
    assert 0 < len(tape.dump(driver.session).data) < len(before)
    assert "Only what you changed" in driver.words
    driver.tape(do="leave")
    driver.panel("Export")
    assert "downloaded from its own tape" in driver.words


def test_one_that_is_not_there_is_refused_in_a_sentence(driver: Driver) -> None:
    outer = driver.session
    driver.tape(do="visit", number=7)
    assert driver.session is outer
    refusal = driver.page.deck.refusal
    assert refusal is not None
    assert "no such sub-agent" in refusal.text


def test_a_spawned_sub_agent_runs_on_its_own_tape(driver: Driver) -> None:
    driver.click("sample-add-function")
    driver.tape(do="apply", op={"op": "spawn", "task": "What is 2 + 2?"})
    driver.tape(do="visit", number=0)
    driver.tape(do="run", mode="loop")
    driver.finish()
    assert driver.session.messages[-1].role == "assistant"
    driver.tape(do="leave")
    assert driver.session.lanes[0].session.messages[-1].role == "assistant"


def test_another_session_that_is_opened_ends_the_visit(driver: Driver) -> None:
    driver.tape(do="visit", number=0)
    driver.click("sample-add-function")
    assert driver.page.deck.inside is None
    driver.tape(do="leave")
    assert driver.page.origin.name == "Is the add function correct?"


def test_a_page_that_is_loaded_again_comes_back_to_the_sub_agent(driver: Driver) -> None:
    driver.tape(do="visit", number=0)
    driver.tape(do="apply", op={"op": "delete", "target": 3})
    keep(driver.page.deck)
    again = Driver()
    again.tape(do="resume", deck=driver.page.deck.token)
    assert again.session is driver.session
    again.tape(do="leave")
    assert len(again.session.messages) == 17
    assert len(again.session.lanes[0].session.messages) == 3

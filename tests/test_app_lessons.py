"""Lessons on the page, without a browser: presses, hands, runs made beside the lesson, and a live model."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from components.lectern import Lectern
from components.run_target import OTHER, OWN
from components.state import KEY, Page
from tape.edits import Delete
from tape.endpoint.app import create_app
from tests.corpus import REPOSITORY
from tests.loopback import serving
from tests.page_driver import Driver


@pytest.fixture
def driver() -> Driver:
    driver = Driver()
    driver.click("lesson-threading")
    return driver


def lectern(driver: Driver) -> Lectern:
    """The lesson on the page."""
    found = driver.page.lesson
    assert found is not None
    return found


def press(driver: Driver, do: str = "next", **more: Any) -> None:
    """One press in the lesson, as the browser sends it, and the run of the script after it."""
    driver.lesson(do=do, **more)


def to(driver: Driver, step: int) -> None:
    """Presses on until the lesson is at a step (from 1), done or not; questions get the first answer."""
    while lectern(driver).player.now.index + 1 < step:
        if lectern(driver).player.waits and lectern(driver).player.step.kind == "predict":
            press(driver, "guess", value=0)
        else:
            press(driver)
        assert lectern(driver).fault == ""


def test_a_press_is_one_step_of_the_history_and_back_undoes_it(driver: Driver) -> None:
    to(driver, 4)
    before = driver.session
    press(driver)
    assert len(driver.session.messages) == 3
    assert [done.sentence for done in driver.page.deck.history.log] == [
        "Deleted message 3. Deleted the result in message 2 (block 1), leaving 1 call without a result"
    ]
    press(driver, "back")
    assert driver.session is before
    assert driver.page.deck.history.log == ()


def test_a_refusal_is_shown_on_the_tape_and_in_the_lesson(driver: Driver) -> None:
    to(driver, 6)
    press(driver)
    card = lectern(driver).card
    assert card is not None
    assert "`tool_use` ids were found without" in card["text"]
    assert len(driver.session.messages) == 3
    press(driver)
    assert lectern(driver).card is None
    assert "`tool_use` ids were found without" in lectern(driver).player.text


def test_the_class_commits_before_anything_is_revealed(driver: Driver) -> None:
    to(driver, 5)
    press(driver)
    assert "First the class" in lectern(driver).fault
    for wrong in (7, -1, "0", None, True, float("nan"), 1e99):
        press(driver, "guess", value=wrong)
        assert lectern(driver).fault
        assert lectern(driver).player.waits
    press(driver, "guess", value=1)
    assert lectern(driver).fault == ""


def test_an_operation_that_no_longer_fits_is_refused_with_a_sentence(driver: Driver) -> None:
    to(driver, 4)
    driver.page.apply(Delete(("messages[2]",)))
    press(driver)
    assert "message" in lectern(driver).fault.lower()
    assert lectern(driver).player.waits
    driver.tape(do="undo")
    press(driver)
    assert lectern(driver).fault == ""
    assert not lectern(driver).player.waits


def test_back_after_a_change_by_hand_brings_the_array_of_before(driver: Driver) -> None:
    to(driver, 4)
    before = driver.session
    press(driver)
    driver.apply(op="append", messages=[{"role": "user", "content": "Hello"}])
    press(driver, "back")
    assert driver.session is before


def test_a_run_made_beside_the_lesson_counts_as_its_run(driver: Driver) -> None:
    driver.click("lesson-amnesiac")
    to(driver, 4)
    assert lectern(driver).player.step.kind == "run"
    driver.tape(do="run", mode="once")
    driver.finish()
    driver.run()
    assert not lectern(driver).player.waits
    assert "Nice to meet you, Ada." in driver.session.messages[-1].text


def test_a_run_goes_to_the_model_that_is_chosen_under_run(driver: Driver) -> None:
    driver.click("lesson-amnesiac")
    to(driver, 4)
    with serving(create_app(pace=0.0)) as address:
        driver.at.session_state["target"] = OTHER
        driver.at.session_state["preset"] = OWN
        driver.at.session_state["base-url"] = address
        press(driver)
        driver.finish()
        driver.run()
    assert lectern(driver).fault == ""
    assert not lectern(driver).player.waits
    assert driver.page.run is not None
    assert driver.page.run.order.target.base_url == address
    press(driver)
    assert "Nice to meet you, Ada." in lectern(driver).player.text


def test_opening_something_else_ends_the_lesson(driver: Driver) -> None:
    driver.click("sample-forgets")
    assert driver.page.lesson is None


def opened(**asked: str) -> Page:
    """The page of somebody who opens an address."""
    at = AppTest.from_file(str(REPOSITORY / "app.py"), default_timeout=60)
    at.query_params.update(asked)
    page = at.run().session_state[KEY]
    assert not at.exception
    assert isinstance(page, Page)
    return page


def test_an_address_opens_a_lesson_at_its_step() -> None:
    found = opened(lesson="d", step="7", said="5.1").lesson
    assert found is not None
    assert found.player.now.index == 6
    verdict = found.player.verdict()
    assert verdict is not None
    assert verdict.correct is True


def test_an_address_that_names_no_lesson_says_so() -> None:
    page = opened(lesson="Z", step="x")
    assert page.lesson is None
    assert "no lesson of that name" in page.refusal


@pytest.mark.parametrize("step", ["0", "999", "-3", "7.5", "²"])
def test_a_step_that_is_none_is_no_harm(step: str) -> None:
    assert opened(lesson="memory", step=step).lesson is not None

"""One array run several times, one message to two lines, and the run panel's buttons, without a browser."""

from __future__ import annotations

import json
import time

import pytest

from components import run_results, trials_panel
from tape.branches import current, tree
from tests.loopback import RawServer, response
from tests.page_driver import Driver

BUSY = response(
    529,
    json.dumps({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}).encode(),
    "x-should-retry: false",
)


def elsewhere(driver: Driver, url: str) -> None:
    """Chooses another address as the one that answers."""
    driver.panel("Run")
    driver.at.session_state["target"] = "Other server"
    driver.at.session_state["preset"] = "Another address"
    driver.at.session_state["base-url"] = url
    driver.run()


@pytest.mark.parametrize("mode", ["replay", "live"])
def test_five_runs_of_an_answered_question_end_alike_and_enter_nothing(mode: str) -> None:
    driver = Driver()
    driver.panel("Run")
    driver.at.session_state[f"results-mode-{driver.page.seen}"] = mode
    driver.run()
    before = driver.session
    driver.click("trials-begin")
    trials = driver.page.cache["trials"][1]
    assert isinstance(trials, trials_panel.Trials)
    deadline = time.monotonic() + 20
    while trials.active and time.monotonic() < deadline:
        time.sleep(0.05)
    driver.run()
    assert (trials.fault, len(trials.ended)) == ("", 5)
    assert "All 5 runs gave the same answer." in driver.words
    assert driver.session is before


def test_one_message_goes_to_two_lines_which_are_then_compared() -> None:
    driver = Driver()
    driver.click("run-again")
    driver.finish()
    driver.panel("Branches")
    driver.at.text_area(key=f"both-{driver.page.seen}").set_value("What is 2 + 2?")
    driver.click("send-both")
    deadline = time.monotonic() + 20
    while "compared" not in driver.page.cache and time.monotonic() < deadline:
        time.sleep(0.05)
        driver.run()
    compared = driver.page.cache["compared"][1]
    assert {compared.left, compared.right} == {"main", "before the re-run"}
    lines = [driver.session.messages, driver.session.branches[-1].messages]
    assert [line[-2].text for line in lines] == ["What is 2 + 2?"] * 2
    assert all("4" in line[-1].text for line in lines)


def test_a_failed_run_keeps_the_second_line_from_being_asked() -> None:
    driver = Driver()
    driver.click("run-again")
    driver.finish()
    with RawServer(BUSY).running() as url:
        elsewhere(driver, url)
        driver.panel("Branches")
        driver.at.text_area(key=f"both-{driver.page.seen}").set_value("What is 2 + 2?")
        driver.click("send-both")
        driver.finish()
    assert "was not asked" in driver.page.notice
    assert "compared" not in driver.page.cache


def test_a_failed_call_can_be_tried_again() -> None:
    driver = Driver()
    server = RawServer(BUSY)
    with server.running() as url:
        elsewhere(driver, url)
        driver.click("run-once")
        driver.finish()
        sent = len(server.requests)
        driver.click("run-retry")
        driver.finish()
        assert len(server.requests) > sent
    assert "overloaded" in driver.page.run.fault


def test_a_key_stays_with_the_address_it_was_entered_for() -> None:
    driver = Driver()
    server, other = RawServer(BUSY), RawServer(BUSY)
    with server.running() as url, other.running() as second:
        elsewhere(driver, url)
        field = next(one for one in driver.at.text_input if one.label == "Key")
        field.set_value("for-the-first-alone")
        driver.run()
        driver.click("test-connection")
        assert b"for-the-first-alone" in b"".join(server.requests)
        elsewhere(driver, second)
        assert next(one for one in driver.at.text_input if one.label == "Key").value == ""
        driver.click("test-connection")
        assert other.requests
        assert b"for-the-first-alone" not in b"".join(other.requests)


def test_a_broken_array_is_sent_on_purpose_and_an_answered_one_from_its_question() -> None:
    driver = Driver()
    driver.panel("Run")
    assert driver.at.button(key="run-loop").label == "Run until it stops"
    driver.click("run-loop")
    driver.finish()
    assert driver.page.run.fault == ""
    driver.click("run-all")
    driver.finish()
    assert "prefill" in driver.page.run.fault
    driver.click("sample-dangling-call")
    driver.panel("Run")
    assert driver.at.button(key="run-loop").label == "Send it broken"
    driver.click("run-loop")
    driver.finish()
    assert "(400)" in driver.page.run.fault


def test_a_shared_server_never_runs_commands_without_a_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []
    monkeypatch.setattr(run_results, "serves_this_machine", lambda: False)
    real = run_results.available
    monkeypatch.setattr(
        run_results,
        "available",
        lambda *, single_user: (asked.append(single_user), real(single_user=single_user))[1],
    )
    assert run_results.sandbox().kind in ("bwrap", "off")
    assert asked == [False]


def test_a_coin_sends_a_message_to_one_line_and_leaves_the_other() -> None:
    driver = Driver()
    driver.click("run-again")
    driver.finish()
    driver.panel("Branches")
    lines = {one.name: one.messages for one in tree(driver.session)}
    driver.at.text_area(key=f"both-{driver.page.seen}").set_value("What is 2 + 2?")
    driver.click("send-one")
    driver.finish()
    grown = {one.name for one in tree(driver.session) if one.messages > lines[one.name]}
    assert len(grown) == 1
    assert grown == {current(driver.session)}


def test_one_message_of_another_line_is_brought_over_and_nothing_else() -> None:
    driver = Driver()
    asked = driver.session.messages[-1]
    driver.click("run-again")
    driver.finish()
    driver.panel("Branches")
    before = driver.session
    (chosen,) = (one for one in driver.at.selectbox if one.label == "Message")
    chosen.select_index(-1)
    driver.run()
    driver.click("bring-over")
    assert driver.session.messages[:-1] == before.messages
    assert driver.session.messages[-1].text == asked.text
    assert driver.session.branches == before.branches
    driver.tape(do="undo")
    assert driver.session is before


def test_a_fork_on_the_page_is_a_second_line_that_both_can_be_asked_on() -> None:
    driver = Driver()
    driver.panel("Branches")
    driver.at.text_input(key=f"fork-name-{driver.page.seen}-0").set_value("the other")
    driver.run()
    key = f"fork-at-{driver.page.seen}-{driver.page.deck.version.number}"
    driver.at.selectbox(key=key).select_index(0)
    driver.run()
    driver.click("fork-here")
    assert {one.name: one.messages for one in tree(driver.session)} == {"main": 6, "the other": 6}
    driver.tape(do="undo")
    assert driver.session.untouched
    assert driver.session.branches == ()

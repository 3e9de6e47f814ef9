"""The page opens on a session, every sample opens, and every panel can be drawn for each of them."""

from __future__ import annotations

import pytest

from components.page import PANELS
from tape.samples import samples
from tape.usage import usage
from tests.page_driver import Driver

NAMES = [one.name for one in samples()]


def test_it_opens_on_the_first_sample() -> None:
    driver = Driver()
    assert driver.page.origin.sample == samples()[0]
    assert len(driver.session.messages) >= 6
    assert driver.session.untouched
    assert samples()[0].to_try in driver.words


def test_the_tape_gets_the_open_session_and_little_else() -> None:
    driver = Driver()
    sent = driver.at.get_by_key("tape").proto.json
    assert driver.page.deck.token in sent
    assert len(sent) < 2_000


@pytest.mark.parametrize("name", NAMES)
def test_every_sample_opens_with_all_its_panels(name: str) -> None:
    driver = Driver()
    driver.click(f"sample-{name}")
    assert driver.page.origin.sample is not None
    assert driver.page.origin.sample.name == name
    assert driver.session.messages
    driver.page.show(driver.session.messages[-1].uid)
    for panel in PANELS:
        driver.panel(panel)


def test_a_panel_that_is_closed_is_not_drawn() -> None:
    driver = Driver()
    driver.panel("Export")
    assert [button.key for button in driver.at.button if button.key == "run-loop"] == []


def test_the_sums_say_what_is_estimated() -> None:
    driver = Driver()
    used = usage(driver.session)
    sums = next(
        str(html.proto.body) for html in driver.at.get("html") if "context now" in str(html.proto.body)
    )
    assert ("≈" in sums) == (used.context_source == "estimated" or used.source == "estimated")


def test_a_turn_that_is_clicked_is_shown_on_the_tape() -> None:
    driver = Driver()
    driver.at.session_state[f"turn-table-{driver.page.seen}"] = {"selection": {"rows": [1], "columns": []}}
    turns = usage(driver.session).turns
    driver.page.show(turns[1].message_uid)
    driver.run()
    assert driver.page.goto == {"uid": turns[1].message_uid, "seq": driver.page.goto["seq"]}
    assert f'"uid": "{turns[1].message_uid}"' in driver.at.get_by_key("tape").proto.json


def test_the_message_panel_shows_what_is_selected_on_the_tape() -> None:
    driver = Driver()
    driver.panel("Message")
    question = driver.session.messages[0]
    driver.tape(do="select", uid=question.uid)
    assert driver.page.message is question
    assert "messages[0] · user" in driver.words
    assert question.text in driver.words


def test_the_request_of_a_call_tells_old_from_new() -> None:
    driver = Driver()
    driver.panel("Request")
    driver.at.number_input[0].set_value(2)
    driver.run()
    assert "Call 2 sent 3 messages: 1 sent before, 2 new." in driver.words
    driver.at.number_input[0].set_value(1)
    driver.run()
    assert "Call 1 sent 1 message: 0 sent before, 1 new." in driver.words

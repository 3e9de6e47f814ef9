"""Changing the session on the page: what the tape sends, the message panel, problems and their repairs."""

from __future__ import annotations

import json

from tape.rules import lint
from tests.page_driver import Driver

BROKEN = [
    {"role": "user", "content": "read both"},
    {
        "role": "assistant",
        "content": [
            {"type": "tool_use", "id": "a", "name": "read_file", "input": {"path": "a"}},
            {"type": "tool_use", "id": "b", "name": "read_file", "input": {"path": "b"}},
        ],
    },
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "A"}]},
]


def broken() -> Driver:
    driver = Driver()
    driver.upload("broken.json", json.dumps(BROKEN).encode())
    return driver


def refused(driver: Driver) -> list[str]:
    return [one.code for one in lint(driver.session) if one.severity == "refused"]


def test_a_deletion_on_the_tape_can_be_undone_and_done_again() -> None:
    driver = Driver()
    before = driver.session
    driver.apply(op="delete", targets=[before.messages[-1].uid])
    after = driver.session
    assert len(after.messages) == len(before.messages) - 1
    driver.tape(do="undo")
    assert driver.session is before
    driver.tape(do="redo")
    assert driver.session is after
    driver.tape(do="restore")
    assert driver.session.untouched


def test_an_item_that_is_sent_twice_is_done_once() -> None:
    driver = Driver()
    count = len(driver.session.messages)
    driver.apply(op="append", messages=[{"role": "user", "content": "once"}])
    driver.tape(do="select", uid=None)
    assert len(driver.session.messages) == count + 1


def test_an_edit_changes_the_panels_with_it() -> None:
    driver = Driver()
    driver.panel("Request")
    driver.apply(op="replace", target="m0", value="Is the mul function correct?")
    driver.at.number_input[0].set_value(1)
    driver.run()
    assert "Is the mul function correct?" in driver.words
    assert "Call 1 would send" in driver.words


def test_a_message_is_changed_as_json() -> None:
    driver = Driver()
    driver.tape(do="select", uid="m0")
    driver.panel("Message")
    driver.at.session_state["view"] = "Edit"
    driver.run()
    driver.at.text_area(key=f"edit-m0-0-{driver.page.seen}").set_value(
        '{"role": "user", "content": "changed"}'
    )
    driver.run()
    driver.click("save-message")
    assert driver.session.messages[0].text == "changed"
    assert driver.session.messages[0].provenance.origin == "edited"
    assert driver.page.notice == ""


def test_json_that_is_none_changes_nothing_and_says_where() -> None:
    driver = Driver()
    before = driver.session
    driver.tape(do="select", uid="m0")
    driver.panel("Message")
    driver.at.session_state["view"] = "Edit"
    driver.run()
    driver.at.text_area(key=f"edit-m0-0-{driver.page.seen}").set_value('{"role": "user",\n "content" "x"}')
    driver.run()
    driver.click("save-message")
    assert driver.session is before
    assert "line 2" in driver.page.notice
    assert driver.page.notice in driver.words


def test_an_operation_that_makes_no_sense_is_refused_on_the_tape() -> None:
    driver = Driver()
    before = driver.session
    driver.apply(op="delete", targets=["m999"])
    assert driver.session is before
    assert "m999" in driver.at.get_by_key("tape").proto.json


def test_a_problem_is_counted_shown_previewed_and_mended() -> None:
    driver = broken()
    assert driver.at.button(key="to-problems").label == "1 problem"
    driver.click("to-problems")
    assert "unanswered-tool-use" in driver.words
    driver.click("preview-anthropic-refused-0-0")
    assert "+ " in driver.words
    assert refused(driver) == ["unanswered-tool-use"]
    driver.click("mend-anthropic-refused-0-0")
    assert refused(driver) == []
    assert [b.key for b in driver.at.button if b.key == "to-problems"] == []
    driver.tape(do="undo")
    assert refused(driver) == ["unanswered-tool-use"]


def test_everything_safe_is_mended_at_once() -> None:
    driver = broken()
    driver.panel("Problems")
    driver.click("mend-all")
    assert refused(driver) == []
    driver.tape(do="undo")
    assert len(driver.session.messages) == 3


def test_a_problem_leads_to_its_place() -> None:
    driver = broken()
    driver.panel("Problems")
    driver.click("show-anthropic-refused-0")
    assert driver.page.selected == "m1.1"
    assert '"uid": "m1.1"' in driver.at.get_by_key("tape").proto.json


def test_problems_depend_on_the_endpoint() -> None:
    driver = Driver()
    driver.upload("two.json", b'[{"role":"assistant","content":"hi"},{"role":"user","content":"hello"}]')
    driver.panel("Problems")
    anthropic = driver.words
    driver.at.selectbox(key="endpoint").set_value("strict")
    driver.run()
    assert "first-not-user" in driver.words
    assert driver.words != anthropic


def test_red_marks_follow_the_endpoint_that_is_asked() -> None:
    driver = Driver()
    driver.upload("two.json", b'[{"role":"assistant","content":"hi"},{"role":"user","content":"hello"}]')
    assert json.loads(driver.at.get_by_key("tape").proto.json)["wrong"] == {}
    driver.panel("Problems")
    driver.at.selectbox(key="endpoint").set_value("strict")
    driver.run()
    (mark,) = json.loads(driver.at.get_by_key("tape").proto.json)["wrong"].items()
    assert mark[0] == "m0"
    assert list(mark[1]) == ["-1"]
    assert driver.at.button(key="to-problems").label == "1 problem"


def test_a_pair_is_broken_on_purpose_and_mended_beside_it() -> None:
    driver = Driver()
    driver.panel("Problems")
    driver.click("break-answer-twice")
    assert refused(driver) == ["duplicate-tool-result"]
    assert "Broken on purpose" in driver.words
    driver.click("unbreak-0-0")
    assert refused(driver) == []
    assert "Broken on purpose" not in driver.words


def test_where_there_is_no_pair_there_is_nothing_to_break() -> None:
    driver = Driver()
    driver.upload("one.json", b'[{"role":"user","content":"hello"}]')
    driver.panel("Problems")
    assert [b.key for b in driver.at.button if b.key.startswith("break-")] == []

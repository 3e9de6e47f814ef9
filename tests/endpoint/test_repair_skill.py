"""Fix it: six turns, each one chosen from the results in the array."""

from __future__ import annotations

from tests.endpoint.asking import Harness

FAILS = "F..\nFAILED test_string_case.py::test_headline - AssertionError\n1 failed, 2 passed in 0.03s"
PASSES = "...\n3 passed in 0.02s"
QUESTION = "A test fails. Please find out why and fix it."
RUN = [("run_bash", {"command": "python -m pytest -q"})]


def test_a_repair_takes_six_turns_and_mends_the_file() -> None:
    harness = Harness("string-case", FAILS, PASSES, writing=True)
    said = harness.ask(QUESTION)
    names = [[name for name, _ in calls] for calls in harness.asked()]
    assert names == [
        ["list_files"],
        ["run_bash"],
        ["read_file", "read_file"],
        ["edit_file"],
        ["run_bash"],
        [],
    ]
    assert said == "Fixed: I changed string_case.py and the tests pass. They say: 3 passed in 0.02s"
    assert "return text.strip().title()" in harness.files.read("string_case.py")


def test_tests_that_pass_leave_nothing_to_fix() -> None:
    harness = Harness("string-case", PASSES, writing=True)
    said = harness.ask(QUESTION)
    assert said == "The tests already pass: 3 passed in 0.02s There is nothing to fix."


def test_the_output_of_the_tests_is_believed_over_the_code() -> None:
    harness = Harness("string-case", FAILS, FAILS, writing=True)
    said = harness.ask(QUESTION)
    assert said.startswith("The tests still fail: 1 failed, 2 passed")
    assert "no small change" in said


def test_a_deleted_listing_is_asked_for_again() -> None:
    harness = Harness("string-case", FAILS, PASSES, PASSES, writing=True)
    harness.ask(QUESTION)
    harness.messages = [harness.messages[0]]
    harness.go_on()
    assert harness.asked()[0] == [("list_files", {})]


def test_without_a_shell_it_edits_and_says_that_nothing_was_run() -> None:
    harness = Harness("calculator", writing=True)
    said = harness.ask("Please fix calc.py.")
    assert said.startswith("I changed calc.py. I could not run its tests here.")
    assert "return a + b" in harness.files.read("calc.py")


def test_without_a_tool_that_writes_it_says_what_it_would_change() -> None:
    harness = Harness("calculator")
    said = harness.ask("Please fix calc.py.")
    assert "It should say `return a + b`." in said
    assert said.endswith("I cannot change the file: this request declares no tool that writes.")


def test_an_edit_that_keeps_failing_is_given_up() -> None:
    harness = Harness("calculator", *["1 failed"] * 9, writing=True)
    harness.tools = tuple(tool for tool in harness.tools if tool.name != "edit_file")
    harness.declared = [tool for tool in harness.declared if tool["name"] != "edit_file"]
    said = harness.ask("Fix calc.py")
    assert said.startswith("The tests still fail")
    assert sum(name == "write_file" for calls in harness.asked() for name, _ in calls) == 1

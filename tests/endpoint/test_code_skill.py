"""Is this code right? The scripted model reads before it answers, and believes what it reads."""

from __future__ import annotations

import pytest

from tape.endpoint.scripted import answer
from tests.endpoint.asking import READING, SHELL, Harness, body, calls, words
from tests.strategies import answer as result
from tests.strategies import assistant, call, user

QUESTION = "Is the add function in calc.py correct?"
WRONG = "def add(a, b):\n    return a - b\n"
RIGHT = "def add(a, b):\n    return a + b\n"
TEST = "from calc import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n"


def read(source: str, test: str = TEST) -> list[dict[str, object]]:
    """The array after both files were read."""
    return [
        user(QUESTION),
        assistant(call("t1", "read_file", {"path": "calc.py"})),
        user(result("t1", source)),
        assistant(call("t2", "read_file", {"path": "test_calc.py"})),
        user(result("t2", test)),
    ]


def test_the_question_takes_three_turns() -> None:
    harness = Harness("calculator")
    said = harness.ask(QUESTION)
    assert harness.asked() == [
        [("read_file", {"path": "calc.py"})],
        [("read_file", {"path": "test_calc.py"})],
        [],
    ]
    assert said.startswith("No: add in calc.py is not correct.")
    assert "`return a - b`" in said
    assert "gives -1" in said
    assert said.endswith("It should say `return a + b`.")


def test_without_a_file_name_it_lists_first_and_reads_side_by_side() -> None:
    harness = Harness("calculator")
    harness.ask("Is the add function correct?")
    both = [("read_file", {"path": "calc.py"}), ("read_file", {"path": "test_calc.py"})]
    assert harness.asked() == [[("list_files", {})], both, []]


def test_a_changed_result_is_believed() -> None:
    assert words(*read(WRONG), tools=READING).startswith("No: add in calc.py is not correct.")
    assert words(*read(RIGHT), tools=READING).startswith(
        "Yes: add in calc.py is correct as far as I can see."
    )


def test_a_changed_test_is_believed() -> None:
    said = words(*read(WRONG, TEST.replace("== 5", "== -1")), tools=READING)
    assert said.startswith("Yes: add in calc.py is correct")


def test_a_deleted_result_is_read_again() -> None:
    array = read(WRONG)
    assert calls(answer(body(*array[:1], *array[3:], tools=READING))) == [("read_file", {"path": "calc.py"})]
    assert calls(answer(body(*array[:3], tools=READING))) == [("read_file", {"path": "test_calc.py"})]


def test_what_is_in_sight_is_not_read_again() -> None:
    asked_again = [*read(WRONG), assistant("No."), user("And is the add function in calc.py correct now?")]
    assert answer(body(*asked_again, tools=READING)).stop_reason == "end_turn"


def test_without_a_tool_it_says_that_it_cannot_look() -> None:
    assert words(user(QUESTION)).startswith("I cannot look: this request declares no tool")


def test_a_shell_reads_where_no_tool_does() -> None:
    assert calls(answer(body(user(QUESTION), tools=[SHELL]))) == [("run_bash", {"command": "cat calc.py"})]


def test_pasted_code_needs_no_tool() -> None:
    said = words(user(f"Is this right?\n```python\n{WRONG}```"))
    assert "by its name it should say `return a + b`" in said


def test_a_file_that_is_not_there_ends_in_an_honest_answer() -> None:
    harness = Harness("tickets")
    said = harness.ask(QUESTION)
    assert harness.asked()[1] == [("list_files", {})]
    assert said.startswith("I could not read calc.py: There is no file")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def add(a, b:\n", "No: calc.py does not parse. Line 1:"),
        ("def plus(a, b):\n    return a + b\n", "calc.py has no function add; it defines plus."),
        ("def add(a, b):\n    return open(a).read(b)\n", "I cannot tell by reading calc.py alone"),
    ],
)
def test_it_says_what_it_cannot_tell(source: str, said: str) -> None:
    assert words(*read(source), tools=READING).startswith(said)


def test_line_numbers_in_front_of_a_file_are_not_part_of_it() -> None:
    numbered = "".join(f"{n:>6}→{line}\n" for n, line in enumerate(WRONG.splitlines(), 1))
    assert "`return a - b`" in words(*read(numbered), tools=READING)


def test_tools_of_other_agents_are_understood() -> None:
    schema = {"type": "object", "properties": {"file_path": {"type": "string"}}, "required": ["file_path"]}
    tools = [{"name": "Read", "description": "Reads a file.", "input_schema": schema}]
    assert calls(answer(body(user(QUESTION), tools=tools))) == [("Read", {"file_path": "calc.py"})]

"""Training rows: turns with from and value, calls as JSON in their words, instructions with an output."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tape
from tape.edits import from_json
from tape.model import Image, Session, ToolUse
from tests.formats.agent_logs import lines
from tests.formats.training_files import PLAIN, TOOLS, turns


def loaded(value: Any) -> Session:
    return tape.load(value if isinstance(value, bytes) else json.dumps(value).encode(), format="sharegpt")


def shape(session: Session) -> list[tuple[str, list[str]]]:
    return [(entry.role, [head.kind for head in entry.heads]) for entry in session.messages]


def test_empty_turns_and_two_in_a_row_stay() -> None:
    session = loaded(PLAIN)
    assert [(entry.role, entry.text) for entry in session.messages] == [
        ("user", "Is it far?"),
        ("assistant", ""),
        ("user", "Is it?"),
        ("assistant", "No."),
    ]
    assert session.id == "row-1"


def test_a_call_in_words_is_a_call() -> None:
    session = loaded(TOOLS)
    assert shape(session) == [
        ("user", ["text", "image"]),
        ("assistant", ["tool_use"]),
        ("user", ["tool_result"]),
        ("assistant", ["text"]),
    ]
    assert [link.state for link in tape.threads(session).links] == ["ok"]
    assert session.system == "Use the map."
    assert [tool.name for tool in session.tools or ()] == ["map"]
    picture = session.messages[0].blocks[1]
    assert isinstance(picture, Image)
    assert picture.ref == "lake.png"


def test_parallel_calls_stand_in_one_message() -> None:
    both = '[{"name": "a", "arguments": "{\\"x\\": 1}"}, {"name": "b", "parameters": {}}]'
    session = loaded({"conversations": turns(("function_call", both), ("tool", "1"), ("tool", "2"))})
    assert shape(session) == [
        ("assistant", ["tool_use", "tool_use"]),
        ("user", ["tool_result", "tool_result"]),
    ]
    first = session.messages[0].blocks[0]
    assert isinstance(first, ToolUse)
    assert (first.name, first.input) == ("a", {"x": 1})


def test_words_that_are_no_call_stay_words() -> None:
    session = loaded({"conversations": turns(("function_call", "call the map"))})
    assert shape(session) == [("assistant", ["text"])]


@pytest.mark.parametrize(
    "data", [lines(PLAIN, TOOLS), json.dumps([PLAIN, TOOLS]).encode()], ids=["lines", "list"]
)
def test_every_row_is_a_conversation(data: bytes) -> None:
    reading = tape.read(data)
    assert reading.format == "sharegpt"
    assert [(one.id, one.title) for one in reading.conversations] == [
        ("row-1", "Is it far?"),
        ("1", "<image>Where is this?"),
    ]
    session = reading.conversations[1].load()
    op = {"op": "replace", "target": "messages[3].content[0]", "value": "On the pier."}
    done = tape.dump(tape.apply(session, from_json(op)))
    assert done.losses == ()
    assert done.data == data.replace(b'"At the lake."', b'"On the pier."')


def test_a_changed_call_keeps_the_style_of_its_words() -> None:
    data = json.dumps(TOOLS).encode()
    use = {"type": "tool_use", "id": "gen_1", "name": "map", "input": {"x": 2}}
    op = {"op": "replace", "target": "messages[1].content[0]", "value": use}
    done = tape.dump(tape.apply(tape.load(data), from_json(op)))
    assert done.losses == ()
    assert done.data == data.replace(b'\\"x\\": 1', b'\\"x\\": 2')


def test_a_new_turn_has_the_names_of_the_others() -> None:
    row = {"conversations": turns(("user", "Hi"), ("assistant", "Ho"))}
    new = [{"role": "user", "content": "And?"}, {"role": "assistant", "content": "So."}]
    done = tape.dump(tape.apply(loaded(row), from_json({"op": "append", "messages": new})))
    assert json.loads(done.data)["conversations"] == turns(
        ("user", "Hi"), ("assistant", "Ho"), ("user", "And?"), ("assistant", "So.")
    )


def test_an_instruction_with_its_output_is_two_messages() -> None:
    row = {"instruction": "Add", "input": "1 2", "output": "3", "history": [["Hi", "Ho"]]}
    reading = tape.read(json.dumps([row]).encode())
    session = reading.conversations[0].load()
    assert (reading.format, reading.confidence) == ("sharegpt", 2)
    assert [entry.text for entry in session.messages] == ["Hi", "Ho", "Add\n1 2", "3"]


def test_the_answer_that_was_not_preferred_is_a_branch() -> None:
    row = {
        "conversations": turns(("human", "Well?")),
        "chosen": {"from": "gpt", "value": "Good"},
        "rejected": {"from": "gpt", "value": "Bad"},
    }
    session = loaded(row)
    assert [entry.text for entry in session.messages] == ["Well?", "Good"]
    (branch,) = session.branches
    assert (branch.at, [entry.text for entry in branch.messages]) == ("m0", ["Bad"])


@pytest.mark.parametrize(
    "row",
    [
        {"conversations": [{"from": "human", "value": None}, {"from": "wizard", "value": "x"}]},
        {"conversations": [{"from": "gpt", "value": {"a": 1}}, {"from": "tool", "value": [1]}, None]},
        {"conversations": turns(("function_call", "[]"), ("function_call", '{"name": 1}')), "images": 3},
        {
            "conversations": turns(("human", "x")),
            "tools": "no json",
            "system": 4,
            "chosen": {},
            "rejected": {},
        },
        {"instruction": "a", "output": "", "history": [[1, 2], "x", ["y"]]},
    ],
)
def test_odd_rows_are_read_and_come_back(row: Any) -> None:
    data = json.dumps(row).encode()
    session = tape.load(data, format="sharegpt")
    assert all(len(entry.blocks) == len(entry.heads) for entry in session.messages)
    assert tape.dump(session).data == data


def test_the_row_with_missing_turns_has_its_counts(corpus: Callable[[str], Path]) -> None:
    """SOURCES.md: 1 record, 6 user, 6 assistant, no calls. A row counts its 12 turns as records here."""
    path = corpus("sharegpt/conversation.missingturns.json")
    reading = tape.read(path)
    session = reading.conversations[0].load()
    assert reading.format == "sharegpt"
    assert session.report is not None
    assert session.report.records == 12
    assert [entry.role for entry in session.messages] == ["user", "assistant"] * 6
    assert tape.dump(session).data == path.read_bytes()


@pytest.mark.parametrize("under", ["", "conversations"])
@pytest.mark.parametrize("rows", [False, True])
def test_turns_are_found_again_where_few_are_left(under: str, rows: bool) -> None:
    """With one of two turns gone, half of the list is no turn any more."""
    several: Any = [None, {"from": "human", "value": "Is it?"}, {"from": "gpt", "value": "No."}]
    row = {under: several} if under else several
    session = loaded([row, row] if rows else row)
    dumped = tape.dump(tape.apply(session, from_json({"op": "delete", "targets": ["m0"]})))
    left = {under: [None, several[2]]} if under else [None, several[2]]
    assert json.loads(dumped.data) == ([left, row] if rows else left)

"""The preview of a change names what goes, comes or differs, and nothing else."""

from __future__ import annotations

from components.preview import differences
from tape.edits import apply, from_json
from tape.model import Session
from tape.wire import session_of

CALL = {"type": "tool_use", "id": "t1", "name": "read_file", "input": {"path": "a.py"}}
RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": "x = 1"}


def session() -> Session:
    return session_of(
        {
            "messages": [
                {"role": "user", "content": "read it"},
                {"role": "assistant", "content": [{"type": "text", "text": "reading"}, CALL]},
                {"role": "user", "content": [RESULT]},
            ]
        }
    )


def told(operation: dict[str, object]) -> list[str]:
    before = session()
    return list(differences(before, apply(before, from_json(operation))))


def test_a_deletion_names_the_pair_that_goes() -> None:
    lines = told({"op": "delete", "targets": ["m1"]})
    assert lines[0] == "@@ messages[1]"
    assert "@@ messages[2]" in lines
    assert not any(line.startswith("+") for line in lines)
    assert any("read_file" in line for line in lines)


def test_an_edit_shows_only_the_block_that_changed() -> None:
    lines = told({"op": "replace", "target": "m1.0", "value": {"type": "text", "text": "looking"}})
    assert lines == [
        "@@ messages[1]",
        "- reading",
        "+ looking",
    ]


def test_a_move_is_said_as_one() -> None:
    before = session_of({"messages": [{"role": "user", "content": text} for text in "abc"]})
    after = apply(before, from_json({"op": "move", "target": "m2", "to": 0}))
    assert list(differences(before, after)) == [
        "@@ order",
        "+ messages[2] now stands in front of messages[0]",
    ]


def test_the_system_prompt_counts_too() -> None:
    assert told({"op": "set_system", "system": "Be brief."}) == ["@@ system", "- null", '+ "Be brief."']


def test_nothing_is_no_lines() -> None:
    one = session()
    assert list(differences(one, one)) == []

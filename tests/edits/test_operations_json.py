"""Operations as JSON: what is written comes back, and mistakes are named by their key."""

from __future__ import annotations

from typing import Any

import pytest

from tape.edits import from_json, to_json
from tape.errors import UserError

GOOD: list[dict[str, Any]] = [
    {"op": "append", "messages": [{"role": "user", "content": "go on"}]},
    {"op": "insert", "at": "end", "message": {"role": "user", "content": []}},
    {"op": "insert", "at": 0, "message": {"role": "assistant", "content": None}},
    {"op": "insert", "into": "messages[2]", "index": 1, "block": {"type": "text", "text": "x"}},
    {"op": "delete", "targets": ["m3", 4, "messages[1].content[0]"]},
    {"op": "delete", "targets": ["m3"], "partners": False, "thinking": True},
    {"op": "replace", "target": "m3.1", "value": "other words"},
    {"op": "replace", "target": "m3.1", "value": {"type": "text", "text": "x"}, "force": True},
    {"op": "move", "target": "m3", "to": 0},
    {"op": "move", "target": "m3.1", "to": 0, "into": "m5"},
    {"op": "set_system", "system": None},
    {"op": "set_system", "system": [{"type": "text", "text": "Be terse."}]},
    {"op": "set_tools", "tools": None},
    {"op": "set_tools", "tools": []},
    {"op": "merge", "targets": [1, 2]},
]


@pytest.mark.parametrize("value", GOOD, ids=lambda v: v["op"])
def test_operation_survives_json(value: dict[str, Any]) -> None:
    operation = from_json(value)
    assert to_json(operation) == value
    assert from_json(to_json(operation)) == operation


def test_one_target_needs_no_list() -> None:
    assert from_json({"op": "delete", "target": 3}) == from_json({"op": "delete", "targets": [3]})


@pytest.mark.parametrize(
    ("value", "where", "words"),
    [
        (["delete"], "", 'the key "op"'),
        ({"targets": [1]}, "", 'the key "op"'),
        ({"op": "delet", "targets": [1]}, "op", "Known are append, insert"),
        ({"op": "delete"}, "targets", "needs the key"),
        ({"op": "delete", "targets": [1, None]}, "targets[1]", "a uid"),
        ({"op": "delete", "targets": [True]}, "targets[0]", "a uid"),
        ({"op": "delete", "targets": [1], "partner": True}, "partner", "has no key"),
        ({"op": "delete", "targets": [1], "partners": 1}, "partners", "true or false"),
        ({"op": "append", "messages": {"role": "user"}}, "messages", "a list of objects"),
        ({"op": "insert", "at": 1, "message": "hi"}, "message", "an object"),
        ({"op": "insert", "into": 1, "index": "0", "block": {}}, "index", "a whole number"),
        ({"op": "move", "target": 1, "to": 1.5}, "to", "a whole number"),
        ({"op": "set_system"}, "system", "needs the key"),
        ({"op": "set_system", "system": 3}, "system", "a string, a list of text blocks or null"),
        ({"op": "set_tools", "tools": ["read"]}, "tools", "a list of objects"),
    ],
)
def test_mistake_is_named(value: Any, where: str, words: str) -> None:
    with pytest.raises(UserError) as caught:
        from_json(value)
    assert caught.value.where == where
    assert words in str(caught.value)

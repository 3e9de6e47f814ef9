"""What a change would do, in lines: what comes, goes and stays, and nothing that differs is hidden."""

from __future__ import annotations

from typing import Any

import pytest

from components.preview import differences
from tape.edits import apply, from_json
from tape.repairs import repairs
from tape.rules import lint
from tape.wire import session_of
from tests.strategies import answer, assistant, call, text, user

ARRAY = [user("read both"), assistant(call("a"), call("b")), user(answer("b", "B"))]


def lines(array: list[Any], **operation: Any) -> list[str]:
    """The preview of an operation on an array."""
    session = session_of({"messages": array})
    return list(differences(session, apply(session, from_json(operation))))


def test_a_repair_shows_where_its_result_will_stand() -> None:
    session = session_of({"messages": ARRAY})
    (finding,) = lint(session)
    repair = repairs(session, finding)[0]
    head, role, new, old = differences(session, apply(session, repair))
    assert (head, role) == ("@@ messages[2]", "  role: user")
    assert new.startswith("+ result for a, an error: Not executed")
    assert old == "  result for b: B"


def test_a_deletion_shows_what_goes() -> None:
    told = lines(ARRAY, op="delete", targets=["m1.1"], partners=True)
    assert "- call read_file {}, id b" in told
    assert "- result for b: B" in told


@pytest.mark.parametrize(
    "value",
    [
        {"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}},
        {"type": "text", "text": "hi "},
    ],
)
def test_what_the_short_form_leaves_out_is_told_as_json(value: dict[str, Any]) -> None:
    told = lines([user(text("hi"))], op="replace", target="m0.0", value=value)
    assert [line[0] for line in told] == ["@", " ", "-", "+"]
    assert told[2] != told[3].replace("+", "-", 1)


def test_a_long_line_is_cut_and_says_so() -> None:
    (*_, new) = lines([user("hi")], op="replace", target="m0", value="long " * 100)
    assert len(new) <= 162
    assert new.endswith("…")


def test_settings_are_part_of_it() -> None:
    session = session_of({"messages": [user("hi")], "model": "claude-opus-5-5", "temperature": 0.5})
    (finding,) = [one for one in lint(session) if one.code == "sampling-params"]
    told = list(differences(session, apply(session, repairs(session, finding)[0])))
    assert told == ["@@ settings", '  model: "claude-opus-5-5"', "- temperature: 0.5"]


def test_nothing_changed_says_nothing() -> None:
    session = session_of({"messages": ARRAY})
    assert list(differences(session, session)) == []

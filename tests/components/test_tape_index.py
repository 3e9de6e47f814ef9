"""The index of a session: rows, threads, turns, what is gone; and splices from version to version."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from components.tape_view.index import KINDS, LISTS, Splice, follow, index, row, splices
from tape.edits import Delete, Replace, apply, from_json
from tape.edits.rewind import rewind
from tape.errors import UserError
from tape.model import Aside, Branch, Call, Lane, Provenance, Session, Usage
from tape.wire import parse_message
from tests import strategies
from tests.strategies import answer, assistant, call, session, text, user


def lists(value: Session, opened: Session | None = None) -> dict[str, list[Any]]:
    found = index(value, opened or value)
    return {name: getattr(found, name) for name in LISTS}


def patched(old: dict[str, list[Any]], changes: dict[str, list[Splice]]) -> dict[str, list[Any]]:
    """What the view does with splices."""
    new = {name: list(entries) for name, entries in old.items()}
    for name, steps in changes.items():
        for at, removed, added in steps:
            new[name][at : at + removed] = added
    return new


def test_a_row_says_what_stands_in_a_message() -> None:
    entry = parse_message(assistant(text("one\ntwo"), call("a", "ls"), call("b", "cat")), "m4")
    assert row(entry) == ["m4", "a", "tcc", 11, 4, ["ls", "cat"]]


@pytest.mark.parametrize(
    ("entry", "marks"),
    [
        (user(answer("a", is_error=True)), "e"),
        ({"role": "robot", "content": "x"}, "x"),
        (user("x"), None),
    ],
)
def test_marks_are_letters(entry: Any, marks: str | None) -> None:
    found = row(parse_message(entry, "m0"))
    assert found[6:] == ([marks] if marks else [])


def test_a_row_says_where_a_message_comes_from() -> None:
    entry = replace(parse_message(user("x"), "m0"), provenance=Provenance("scripted"))
    assert row(entry)[7] == "scripted"


def test_links_name_both_ends_and_their_state() -> None:
    found = lists(
        session(
            user("go"),
            assistant(call("a"), call("b")),
            user(answer("b"), answer("a")),
            assistant(call("c")),
            user("never mind", answer("zz")),
            assistant(call("d")),
        )
    )
    assert found["links"] == [["m1", 0, "m2", 1, "ok"], ["m1", 1, "m2", 0, "ok"]]
    assert found["broken"] == [["m3", 0, "unanswered"], ["m4", 1, "orphan"], ["m5", 0, "pending"]]


def test_an_id_that_two_calls_bear_is_told_at_both() -> None:
    found = lists(session(assistant(call("a")), user(answer("a")), assistant(call("a")), user(answer("a"))))
    assert [link[4] for link in found["links"]] == ["reused", "reused"]


def test_turns_carry_recorded_tokens_or_estimates() -> None:
    recorded = replace(
        session(user("go"), assistant("done")), calls=(Call("m1", usage=Usage(input=7, output=3)),)
    )
    assert lists(recorded)["turns"] == [["m1", 7, 3, "recorded"]]
    [turn] = lists(session(user("go"), assistant("done")))["turns"]
    assert turn[3] == "estimated"
    assert turn[1] > 0


def test_what_stands_beside_the_array_is_counted_where_it_stands() -> None:
    one = session(user("go"), assistant(call("a", "Task")))
    beside = replace(
        one,
        asides=(Aside(None, 0, "mode"), Aside("m0", 1, "hook"), Aside("m0", 2, "hook")),
        lanes=(Lane(session(user("sub")), "m1.0", "Explore"), Lane(session(), "nowhere", None)),
        branches=(Branch("before", "m0", one.messages, "left"),),
    )
    found = lists(beside)
    assert found["asides"] == [[None, 1], ["m0", 2]]
    assert found["lanes"] == [["m1", 0, 0, 1, "Explore"], [None, -1, 1, 0, ""]]
    assert found["branches"] == [["m0", 0, 2, "before", "left"]]


def test_what_was_deleted_is_remembered_where_it_stood() -> None:
    opened = session(user("a"), assistant("b"), user("c"))
    now = apply(opened, Delete(("m1",)))
    assert lists(now, opened)["gone"] == [["m0", "m1", "a", 1]]


def test_what_lives_on_in_a_branch_is_not_deleted() -> None:
    opened = session(user("a"), assistant("b"), user("c"))
    now = lists(rewind(opened, "m0", "before"), opened)
    assert now["gone"] == []
    assert now["branches"][0][:4] == ["m0", 0, 2, "before"]


OPERATIONS = st.sampled_from(["delete", "insert", "move", "replace", "append", "system"])


@settings(max_examples=120, deadline=None)
@given(
    strategies.sessions(), st.lists(st.tuples(OPERATIONS, st.integers(0, 30), st.integers(0, 30)), max_size=5)
)
def test_splices_lead_from_each_version_to_the_next(
    opened: Session, steps: list[tuple[str, int, int]]
) -> None:
    now = opened
    old = index(opened, opened)
    for name, a, b in steps:
        count = len(now.messages)
        written = {
            "delete": {"op": "delete", "targets": [a % max(1, count)], "partners": b % 2 == 0},
            "insert": {"op": "insert", "at": a % max(1, count), "message": user("new")},
            "move": {"op": "move", "target": a % max(1, count), "to": b % max(1, count)},
            "replace": {"op": "replace", "target": a % max(1, count), "value": user("other")},
            "append": {"op": "append", "messages": [assistant(call("n"))]},
            "system": {"op": "set_system", "system": "be brief"},
        }[name]
        try:
            after = apply(now, from_json(written))
        except UserError:
            continue
        new = follow(old, after, opened)
        changes = splices(old, new)
        assert {name: getattr(new, name) for name in LISTS} == lists(after, opened)
        assert new.head == index(after, opened).head
        assert patched({name: getattr(old, name) for name in LISTS}, changes) == lists(after, opened)
        assert sum(len(one.added) for one in changes.get("rows", [])) <= count + 1
        now, old = after, new


def test_an_edit_is_one_row() -> None:
    opened = session(*[user(str(i)) if i % 2 == 0 else assistant(str(i)) for i in range(1000)])
    after = apply(opened, Replace("m500", "changed"))
    [change] = splices(index(opened, opened), index(after, opened))["rows"]
    assert (change.at, change.removed, len(change.added)) == (500, 1, 1)


def test_two_edits_far_apart_are_two_splices() -> None:
    opened = session(*[user(str(i)) if i % 2 == 0 else assistant(str(i)) for i in range(1000)])
    after = apply(apply(opened, Replace("m900", "changed")), Delete(("m3",)))
    first, second = splices(index(opened, opened), follow(index(opened, opened), after, opened))["rows"]
    assert (first.at, first.removed, first.added) == (3, 1, [])
    assert (second.at, second.removed, second.added) == (899, 1, [row(after.messages[899])])


def test_tokens_of_a_call_follow_what_the_session_says_of_it() -> None:
    opened = replace(
        session(user("go"), assistant("done")), calls=(Call("m1", usage=Usage(input=7, output=3)),)
    )
    after = replace(opened, calls=(Call("m1", usage=Usage(input=9, output=4)),))
    assert follow(index(opened, opened), after, opened).turns == [["m1", 9, 4, "recorded"]]


def test_every_kind_of_block_has_a_letter() -> None:
    assert len(set(KINDS.values())) == len(KINDS) == 7

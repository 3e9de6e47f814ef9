"""Lines of a session: the tree, switching between any two, looking at one, and two side by side."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tape.branches import apart, current, line, tree, with_line
from tape.edits import Append, Delete, Fork, Replace, Switch, apply
from tape.edits.rewind import rewind
from tape.edits.side_by_side import change, side_by_side
from tape.errors import UserError
from tape.model import Session
from tests.strategies import answer, assistant, call, session, user

WORK = session(
    user("one"), assistant("two"), user("three"), assistant("four"), user("five"), assistant("six")
)


def say(before: Session, *texts: str) -> Session:
    """The session with more messages, the user's first."""
    roles = ("user", "assistant")
    return apply(before, Append(tuple({"role": roles[i % 2], "content": t} for i, t in enumerate(texts))))


def texts(of: Session) -> list[str]:
    """What each message says."""
    return [entry.text for entry in of.messages]


def test_a_re_run_makes_a_branch_with_its_parent_and_what_made_it() -> None:
    again = rewind(WORK, "m2", "before the re-run")
    assert [
        (one.name, one.parent, one.at, one.operation, one.messages, one.current) for one in tree(again)
    ] == [
        ("main", None, None, "", 3, True),
        ("before the re-run", "main", "m2", "re-run from an earlier message", 6, False),
    ]
    assert texts(line(again, "before the re-run")) == texts(WORK)
    assert line(again, "main") is again


def test_a_branch_of_a_branch_can_be_switched_to_and_back() -> None:
    first = say(rewind(WORK, "m3", "first"), "five again", "six again")
    second = say(rewind(first, "m0", "second"), "quite other")
    assert [(one.name, one.parent) for one in tree(second)] == [
        ("main", None), ("second", "main"), ("first", "second")
    ]  # fmt: skip
    whole = {name: texts(line(second, name)) for name in ("main", "first", "second")}
    assert whole["first"] == texts(WORK)
    assert whole["second"] == [*texts(WORK)[:3], "five again", "six again"]
    there = apply(second, Switch("first", current(second)))
    assert (current(there), texts(there)) == ("first", whole["first"])
    assert {name: texts(line(there, name)) for name in whole} == whole
    back = apply(there, Switch("main", current(there)))
    assert (current(back), texts(back)) == ("main", whole["main"])
    assert {name: texts(line(back, name)) for name in whole} == whole


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=6))
def test_no_switch_changes_what_any_line_says(steps: list[tuple[int, int]]) -> None:
    grown = WORK
    for number, (at, _) in enumerate(steps):
        uid = grown.messages[at % len(grown.messages)].uid
        if grown.messages[0].uid == uid and grown.messages[0].role == "assistant":
            continue
        grown = say(rewind(grown, uid, f"before {number}"), f"said {number}", f"answered {number}")
    whole = {one.name: texts(line(grown, one.name)) for one in tree(grown)}
    for _, to in steps:
        names = [branch.name for branch in grown.branches]
        if names:
            grown = apply(grown, Switch(names[to % len(names)], current(grown)))
            assert {one.name: texts(line(grown, one.name)) for one in tree(grown)} == whole
            assert sum(one.current for one in tree(grown)) == 1


CHANGES = st.lists(st.tuples(st.sampled_from(["delete", "replace", "append"]), st.integers(0, 9)), max_size=5)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=4), st.integers(0, 9), CHANGES)
def test_a_line_that_was_changed_apart_comes_back_and_no_other_line_changes(
    forks: list[int], which: int, changes: list[tuple[str, int]]
) -> None:
    grown = WORK
    for number, at in enumerate(forks):
        uid = grown.messages[at % len(grown.messages)].uid
        grown = say(rewind(grown, uid, f"before {number}"), f"asked {number}", f"answered {number}")
    name = grown.branches[which % len(grown.branches)].name
    alone = apart(grown, name)
    for what, at in changes:
        target = alone.messages[at % len(alone.messages)].uid if alone.messages else None
        if what == "append" or target is None:
            alone = apply(alone, Append(({"role": "user", "content": "more"},)))
        elif what == "delete":
            alone = apply(alone, Delete((target,)))
        else:
            alone = apply(alone, Replace(target, {"role": "user", "content": "other words"}))
    back = with_line(grown, name, alone.messages)
    assert line(back, name).messages == alone.messages
    assert back.messages is grown.messages
    parents = {one.name: one.parent for one in tree(grown)}
    for one in tree(grown):
        above = one.parent
        while above is not None and above != name:
            above = parents[above]
        if one.name != name and above is None:
            assert line(back, one.name).messages == line(grown, one.name).messages
    assert {one.name for one in tree(back)} == {one.name for one in tree(grown)}


def test_a_line_that_is_not_there_is_said_so() -> None:
    with pytest.raises(UserError, match='no branch "x"'):
        line(WORK, "x")
    forked = apply(WORK, Fork("m3", "fork"))
    with pytest.raises(UserError, match="already"):
        apply(apply(forked, Fork("m1", "other")), Switch("fork", "other"))
    assert [one.name for one in tree(forked)] == ["main", "fork"]


def test_two_lines_are_aligned_by_uid_with_the_first_difference_marked() -> None:
    edited = apply(WORK, Replace("m2", {"role": "user", "content": "three, changed"}))
    compared = side_by_side(WORK, edited)
    assert [row.state for row in compared.rows] == ["same", "same", "changed", "same", "same", "same"]
    assert compared.first == 2
    words = change(compared.rows[2], WORK, edited).blocks[0].lines
    assert "".join(piece for one in words for differs, piece in one.words if differs) == ", changed"


def test_what_is_only_on_one_side_stands_alone() -> None:
    shorter = apply(WORK, Delete(("m2", "m3")))
    compared = side_by_side(WORK, shorter)
    assert [(row.left, row.right, row.state) for row in compared.rows] == [
        (0, 0, "same"), (1, 1, "same"), (2, None, "left"), (3, None, "left"), (4, 2, "same"), (5, 3, "same")
    ]  # fmt: skip
    assert side_by_side(WORK, WORK).first is None
    assert side_by_side(shorter, WORK).rows[2].state == "right"


def test_behind_a_re_run_messages_stand_beside_those_of_their_role() -> None:
    asked = session(user("go"), assistant(call("a", "ls")), user(answer("a", "files")), assistant("Done."))
    again = apply(
        rewind(asked, "m0", "before"),
        Append(
            ({"role": "assistant", "content": [call("b", "ls", {"path": "src"})]},),
        ),
    )
    compared = side_by_side(line(again, "before"), again)
    assert [(row.left, row.right, row.state) for row in compared.rows] == [
        (0, 0, "same"), (1, 1, "changed"), (2, None, "left"), (3, None, "left")
    ]  # fmt: skip
    blocks = change(compared.rows[1], line(again, "before"), again).blocks
    assert [block.state for block in blocks] == ["edited"]

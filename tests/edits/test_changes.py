"""What a session says about its changes since it was read."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from tape.edits import Delete, Insert, Move, Replace, SetSystem, apply
from tape.edits.changes import Changes, Tombstone, changes
from tape.edits.compare import MAX_LINES, Line, compare, lines
from tape.edits.rewind import rewind
from tape.model import Base, Session
from tests.strategies import answer, assistant, call, session, text, user


def read(*entries: dict[str, object]) -> Session:
    """A session as a reader gives it: with a base to compare with."""
    start = session(*entries)
    return replace(start, base=Base("anthropic-messages", (), start.messages))


START = read(user("go"), assistant(text("I look."), call("a")), user(answer("a", "x = 1")), assistant("done"))


def test_an_untouched_session_has_no_changes() -> None:
    assert changes(START) == Changes()
    assert not changes(START)
    assert not changes(session(user("new")))


def test_each_kind_of_change_is_told_apart() -> None:
    after = apply(START, Replace("m0", "stop"))
    after = apply(after, Insert(1, user("now")))
    after = apply(after, Delete(("m3",)))
    after = apply(after, SetSystem("Be terse."))
    assert changes(after) == Changes(
        edited=frozenset({"m0"}),
        inserted=frozenset({"n0"}),
        deleted=(Tombstone("m3", "assistant", 3, "m2"),),
        system=True,
    )
    assert changes(after)


def test_a_tombstone_says_where_a_message_lives_on() -> None:
    after = rewind(START, "m2", "before")
    assert changes(after).deleted == (Tombstone("m3", "assistant", 3, "m2", "before"),)


@pytest.mark.parametrize(("target", "to"), [(0, 3), (3, 0), (1, 2)])
def test_one_move_is_one_moved_message(target: int, to: int) -> None:
    moved = changes(apply(START, Move(target, to))).moved
    assert len(moved) == 1


def test_any_order_is_explained() -> None:
    many = read(*(user(str(i)) for i in range(60)))
    order = list(many.messages)
    random.Random(7).shuffle(order)
    moved = changes(replace(many, messages=tuple(order))).moved
    still = [entry.uid for entry in order if entry.uid not in moved]
    assert still == [entry.uid for entry in many.messages if entry.uid not in moved]
    assert 30 < len(moved) < 60


def test_a_message_is_compared_block_by_block() -> None:
    after = apply(START, Replace("m1", assistant(call("a", input={"path": "b.py"}), text("I look.\nTwice."))))
    found = compare(START.messages[1], after.messages[1])
    assert [(block.name, block.state) for block in found.blocks] == [("call", "edited"), ("text", "edited")]
    gone = compare(START.messages[1], apply(START, Delete(("m1.0",))).messages[1])
    assert [(block.name, block.state) for block in gone.blocks] == [("text", "deleted"), ("call", "same")]
    new = compare(None, START.messages[0])
    assert (new.role_before, new.role_after) == (None, "user")
    assert [block.state for block in new.blocks] == ["inserted"]


def test_a_changed_line_is_compared_word_by_word() -> None:
    assert lines("a\nthe add function\nz", "a\nthe sub function\nz") == (
        Line(" ", "a"),
        Line("-", "the add function", ((False, "the "), (True, "add"), (False, " function"))),
        Line("+", "the sub function", ((False, "the "), (True, "sub"), (False, " function"))),
        Line(" ", "z"),
    )


@pytest.mark.parametrize("size", [5, MAX_LINES])
def test_both_texts_can_be_read_back_from_their_lines(size: int) -> None:
    chance = random.Random(size)
    before = [chance.choice("abc") for _ in range(size)]
    after = [chance.choice("abc") for _ in range(size)]
    found = lines("\n".join(before), "\n".join(after))
    assert [line.text for line in found if line.sign != "+"] == before
    assert [line.text for line in found if line.sign != "-"] == after

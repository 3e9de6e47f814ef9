"""Threads that were carried over to a changed array are those that a walk over the whole array finds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tape.derived import change
from tape.model import Message, Session
from tape.thread_changes import carried
from tape.thread_scan import scan
from tape.thread_values import Threads
from tests.strategies import answer, assistant, call, session, sessions, text, user

Draw = Callable[[st.SearchStrategy[Any]], Any]
Array = tuple[Message, ...]


def told(found: Threads) -> tuple[Any, ...]:
    """All that threads say, positions and rounds too."""
    ends = [*(uid for link in found.links for uid in link[:2]), *(one.uid for one in found.unlinked)]
    places = {uid: found.positions[uid] for uid in ends}
    return found.links, found.unlinked, places, found.rounds, list(found.positions)


def renamed(messages: Array, mark: str) -> Array:
    """The same messages under other uids, so that two sessions can be mixed."""
    return tuple(
        replace(
            entry,
            uid=f"{mark}{entry.uid}",
            heads=tuple(replace(head, uid=f"{mark}{head.uid}") for head in entry.heads),
        )
        for entry in messages
    )


@st.composite
def changed(draw: Draw, messages: Array, more: Array) -> Array:
    """An array after a piece of it was taken out, put in, moved, or lost a block."""
    n = len(messages)
    a, b = sorted((draw(st.integers(0, n)), draw(st.integers(0, n))))
    match draw(st.sampled_from(("cut", "put", "swap", "move", "block", "block in", "name"))):
        case "cut":
            return (*messages[:a], *messages[b:])
        case "put":
            return (*messages[:a], *more, *messages[a:])
        case "swap":
            return (*messages[:a], *more[:2], *messages[b:])
        case "move":
            c = draw(st.integers(0, n - (b - a)))
            rest = (*messages[:a], *messages[b:])
            return (*rest[:c], *messages[a:b], *rest[c:])
        case "block" if a < n and messages[a].heads:
            j = draw(st.integers(0, len(messages[a].heads) - 1))
            heads = messages[a].heads
            less = replace(messages[a], heads=(*heads[:j], *heads[j + 1 :]))
            return (*messages[:a], less, *messages[a + 1 :])
        case "block in" if a < n and more:
            j = draw(st.integers(0, len(messages[a].heads)))
            heads = messages[a].heads
            grown = replace(messages[a], heads=(*heads[:j], *more[0].heads, *heads[j:]))
            return (*messages[:a], grown, *messages[a + 1 :])
    return messages


@given(sessions(), sessions(), st.booleans(), st.data())
def test_carrying_over_is_walking_anew(
    one: Session, other: Session, merge: bool, data: st.DataObject
) -> None:
    messages = one.messages
    known = scan(messages, merge)
    for step in range(data.draw(st.integers(1, 4))):
        after = data.draw(changed(messages, renamed(other.messages, f"s{step}")))
        again = carried(known, after, change(messages, after), merge)
        assert again is not None
        assert told(again) == told(scan(after, merge))
        messages, known = after, again


def test_a_pair_far_apart_is_judged_again_when_something_comes_between() -> None:
    ids = [f"t{n}" for n in range(40)]
    rounds = [entry for id in ids for entry in (assistant(call(id)), user(answer(id)))]
    array = session(user("go"), assistant(call("far")), *rounds, user(answer("far"))).messages
    known = scan(array, True)
    assert [link.id for link in known.far] == ["far"]
    new = renamed(session(user("wait")).messages, "new")
    after = (*array[:9], *new, *array[9:])
    again = carried(known, after, change(array, after))
    assert again is not None
    assert told(again) == told(scan(after, True))
    closer = (*after[:3], *after[-1:])
    once_more = carried(again, closer, change(after, closer))
    assert once_more is not None
    assert told(once_more) == told(scan(closer, True))
    assert once_more.far == ()


@pytest.mark.parametrize("most", [10, 3_000])
def test_a_change_of_very_much_is_left_to_a_walk(most: int) -> None:
    array = session(user(text("go"))).messages
    after = (*array, *(renamed(array, f"{n}-")[0] for n in range(most)))
    assert (carried(scan(array, True), after, change(array, after)) is None) == (most > 2_000)


@given(sessions(), st.booleans())
def test_links_of_one_block_are_those_of_the_table(one: Session, merge: bool) -> None:
    found = scan(one.messages, merge)
    uids = [head.uid for entry in one.messages for head in entry.heads]
    assert {uid: found.of(uid) for uid in uids if found.of(uid)} == found.by_uid

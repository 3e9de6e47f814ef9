"""Derived values: computed once, kept with their session, gone with it, carried over from the nearest."""

from __future__ import annotations

import gc
from dataclasses import replace
from threading import Barrier, Thread
from weakref import ref

import tape
from tape import derived
from tape.derived import Change, change, nearest, once
from tape.edits import Delete, apply
from tape.model import Session
from tests.strategies import session, user

MADE: list[tuple[Session, int]] = []


class Value:
    """Something that can be weakly referred to."""


@once
def counted(session: Session, by: int = 1, *, twice: bool = False) -> int:
    """How many messages there are."""
    MADE.append((session, by))
    return len(session.messages) * by * (2 if twice else 1)


@once
def valued(session: Session) -> Value:
    """A fresh value."""
    return Value()


def test_a_value_is_computed_once_for_each_session_and_argument() -> None:
    one, other = session(user("a")), session(user("a"))
    MADE.clear()
    assert [counted(one), counted(one, 1), counted(one, by=1), counted(one, 3), counted(other)] == [
        1,
        1,
        1,
        3,
        1,
    ]
    assert [by for _, by in MADE] == [1, 3, 1]
    assert counted(one, twice=True) == 2


def test_another_version_of_a_session_has_values_of_its_own() -> None:
    one = session(user("a"), user("b"))
    assert counted(one) == 2
    assert counted(replace(one, messages=one.messages[:1])) == 1


def test_values_go_with_their_session() -> None:
    one = session(user("a"))
    value = ref(valued(one))
    assert value() is not None
    del one
    gc.collect()
    assert value() is None


def test_only_the_last_sessions_of_a_file_keep_values() -> None:
    first = tape.load(b'[{"role": "user", "content": "a"}]')
    versions = [replace(first) for _ in range(derived.KEPT_OF_ONE_FILE + 3)]
    values = [ref(valued(one)) for one in versions]
    gc.collect()
    alive = [value() is not None for value in values]
    assert alive == [False] * 3 + [True] * derived.KEPT_OF_ONE_FILE


def test_the_nearest_session_is_the_one_that_differs_least() -> None:
    one = session(*(user(str(n)) for n in range(10)))
    far = apply(one, Delete((0, 9)))
    close = apply(one, Delete((4,)))
    for known in (one, close, far):
        counted(known, 7)
    asked = apply(close, Delete((5,)))
    found = nearest(asked, counted, 7)
    assert found is not None
    assert (found.session, found.value, found.change) == (close, 63, Change(5, 6, 5))
    assert nearest(asked, counted, 8) is None
    assert nearest(session(user("b")), counted, 7) is None


def test_what_changed_is_found_by_identity() -> None:
    one = session(*(user("same") for _ in range(4)))
    assert change(one.messages, one.messages) == (4, 4, 4)
    assert change(one.messages, one.messages[1:]) == (0, 1, 0)
    assert change(one.messages, (*one.messages[:2], *session(user("same")).messages)) == (2, 4, 3)


def test_threads_that_ask_together_get_one_value() -> None:
    one, start = session(user("a")), Barrier(8)
    found: list[Value] = []

    def ask() -> None:
        start.wait()
        found.append(valued(one))

    asking = [Thread(target=ask) for _ in range(8)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    assert len(found) == 8
    assert len(set(map(id, found))) == 1

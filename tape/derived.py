"""What follows from a session and from nothing else: computed once, kept for as long as the session lives.

``once`` makes a function of a session remember what it gave; the values stand in the session itself, so that
they go when it goes, and only the last few sessions of a file keep any. ``nearest`` finds a session like a
given one whose value is known, and ``Change`` says how the two arrays differ, so that a function can carry
the known value over instead of starting again: an edit then costs what was edited, not what is there. A
value must not hold its session, which would otherwise never be let go.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Sequence
from functools import wraps
from inspect import signature
from operator import eq
from threading import Lock
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar
from weakref import ref

from tape.differences import shared
from tape.model import Message, Session

P = ParamSpec("P")
T = TypeVar("T")

KEPT = 400
KEPT_OF_ONE_FILE = 6


def once(make: Callable[Concatenate[Session, P], T]) -> Callable[Concatenate[Session, P], T]:
    """The same function, computed once for each session and each of its other (hashable) arguments.

    Safe from any thread: two that ask at the same time may both compute, and both get the value of one.
    """
    form = signature(make)

    @wraps(make)
    def known(session: Session, /, *args: P.args, **how: P.kwargs) -> T:
        key = _key(form, make, session, args, how)
        found = session.derived.get(key, known)
        if found is known:
            made = make(session, *args, **how)
            with _LOCK:
                found = session.derived.setdefault(key, made)
                _note(session)
        return found

    known.__dict__["form"] = form
    return known


class Change(NamedTuple):
    """How two arrays differ: ``old[start:old_stop]`` became ``new[start:new_stop]``; before and behind stand
    the same messages in both."""

    start: int
    old_stop: int
    new_stop: int


class Near(NamedTuple):
    """A session with a known value, and how its array became that of the session asked about."""

    session: Session
    value: Any
    change: Change


def nearest(session: Session, function: Callable[..., Any], *args: Hashable, **how: Hashable) -> Near | None:
    """The session of the same file that differs least from this one and has the value of a ``once`` function
    for these arguments; ``None`` where there is none that shares a message with it."""
    form = function.__dict__["form"]
    key = _key(form, function.__wrapped__, session, args, how)  # type: ignore[attr-defined]
    best: Near | None = None
    for other in _recent():
        value = other.derived.get(key, key)
        if other is session or value is key or not _of_one_kind(other, session):
            continue
        found = Near(other, value, change(other.messages, session.messages))
        shares = found.change.start or found.change.old_stop < len(other.messages)
        if shares and (best is None or _size(found.change) < _size(best.change)):
            best = found
    return best


def change(old: Sequence[Message], new: Sequence[Message]) -> Change:
    """What two arrays share at their start and, beyond that, at their end. Compares messages by identity."""
    if old is new:
        return Change(len(old), len(old), len(old))
    start, end = shared(old, new, eq)
    return Change(start, len(old) - end, len(new) - end)


def _of_one_kind(one: Session, other: Session) -> bool:
    """Whether two sessions may share messages: they are of one file, or one is a longer reading of it."""
    same = one.base is other.base
    return same or bool(one.messages and other.messages and one.messages[0] is other.messages[0])


def _size(changed: Change) -> int:
    return changed.old_stop + changed.new_stop - 2 * changed.start


def _key(form: Any, make: Any, session: Session, args: Any, how: Any) -> Hashable:
    bound = form.bind(session, *args, **how)
    bound.apply_defaults()
    return (make, *list(bound.arguments.values())[1:])


_LOCK = Lock()
_RECENT: deque[ref[Session]] = deque()


def _recent() -> list[Session]:
    """The sessions that keep values, the last one first."""
    with _LOCK:
        return [one for known in _RECENT if (one := known()) is not None]


def _note(session: Session) -> None:
    """Counts a session among those that keep values; the oldest beyond the limits lose theirs."""
    if _RECENT and _RECENT[0]() is session:
        return
    kept, of_one_file = [ref(session)], 1
    for known in _RECENT:
        one = known()
        if one is None or one is session:
            continue
        same = session.base is not None and one.base is session.base
        of_one_file += same
        if len(kept) >= KEPT or (same and of_one_file > KEPT_OF_ONE_FILE):
            one.derived.clear()
        else:
            kept.append(known)
    _RECENT.clear()
    _RECENT.extend(kept)

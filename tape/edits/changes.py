"""What became of a session since it was read: derived by comparing with its base, never recorded.

Says which messages were edited, inserted, deleted, moved or put aside on a branch. What one message says now
and said before is compared in ``tape.edits.compare``.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from itertools import pairwise

from tape.model import Message, Role, Session


@dataclass(frozen=True, slots=True)
class Tombstone:
    """Where a message stood that is gone.

    ``index`` is its place in the original, ``after`` the uid of the last message before it that is still in
    the array (``None``: at the head), ``branch`` the name of the branch where it lives on, if it does.
    """

    uid: str
    role: Role
    index: int
    after: str | None
    branch: str | None = None


@dataclass(frozen=True, slots=True)
class Changes:
    """The uids that differ from the original. ``moved`` is the smallest set that explains the new order."""

    edited: frozenset[str] = frozenset()
    inserted: frozenset[str] = frozenset()
    moved: frozenset[str] = frozenset()
    deleted: tuple[Tombstone, ...] = ()
    system: bool = False
    tools: bool = False

    def __bool__(self) -> bool:
        return bool(self.edited or self.inserted or self.moved or self.deleted or self.system or self.tools)


def changes(session: Session, original: Session | None = None) -> Changes:
    """What differs from ``original``, or from the session's base. Nothing, where there is neither.

    Works in time of the number of messages, never of what they say.
    """
    base = original or session.base
    if base is None:
        return Changes()
    beside = {"system": session.system != base.system, "tools": session.tools != base.tools}
    if session.messages is base.messages:
        return Changes(**beside)
    before = {entry.uid: (i, entry) for i, entry in enumerate(base.messages)}
    order = [before[entry.uid][0] for entry in session.messages if entry.uid in before]
    return Changes(
        edited=frozenset(e.uid for e in session.messages if e.uid in before and before[e.uid][1] is not e),
        inserted=frozenset(e.uid for e in session.messages if e.uid not in before),
        moved=frozenset(base.messages[i].uid for i in _out_of_order(order)),
        deleted=_tombstones(base.messages, session),
        **beside,
    )


def _tombstones(before: tuple[Message, ...], session: Session) -> tuple[Tombstone, ...]:
    here = {entry.uid for entry in session.messages}
    aside = {entry.uid: branch.name for branch in session.branches for entry in branch.messages}
    found: list[Tombstone] = []
    last: str | None = None
    for i, entry in enumerate(before):
        if entry.uid in here:
            last = entry.uid
        else:
            found.append(Tombstone(entry.uid, entry.role, i, last, aside.get(entry.uid)))
    return tuple(found)


def _out_of_order(order: list[int]) -> set[int]:
    """The numbers outside of a longest rising run: the fewest that must have been moved."""
    if all(a < b for a, b in pairwise(order)):
        return set()
    tops: list[int] = []
    ends: list[int] = []
    came_from: list[int] = []
    for at, number in enumerate(order):
        place = bisect_left(tops, number)
        came_from.append(ends[place - 1] if place else -1)
        tops[place : place + 1] = [number]
        ends[place : place + 1] = [at]
    rising: set[int] = set()
    at = ends[-1] if ends else -1
    while at >= 0:
        rising.add(order[at])
        at = came_from[at]
    return set(order) - rising

"""Looks and changes that ways to mend share: find blocks, change blocks, drop what may be gone already."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from tape.edits.build import rewrite
from tape.edits.delete import delete
from tape.edits.operations import Delete
from tape.edits.settle import with_messages
from tape.edits.targets import Spot, places
from tape.model import Block, Head, Session, ToolResult
from tape.threads import Threads, threads


@lru_cache(maxsize=1)
def last_threads(session: Session) -> Threads:
    """The threads of a session, kept until another is asked for: many findings of one come in a row."""
    return threads(session)


def head_at(session: Session, found: Threads, uid: str) -> Head:
    """The head of a call or result that is in the array."""
    i, j = found.positions[uid]
    return session.messages[i].heads[j]


def result_at(session: Session, spot: Spot) -> ToolResult:
    """The result at a place that holds one."""
    block = session.messages[spot.message].blocks[spot.block or 0]
    assert isinstance(block, ToolResult)
    return block


def without(session: Session, uids: Iterable[str], *, partners: bool = False) -> Session:
    """The session without these messages and blocks; those that are gone already do not matter."""
    known = places(session)
    there = tuple(uid for uid in uids if uid in known)
    return delete(session, Delete(there, partners)) if there else session


def change_blocks(session: Session, uids: Iterable[str], change: Callable[[Block], Block]) -> Session:
    """The session with each of these blocks as ``change`` gives it: the same where nothing is to do."""
    wanted = set(uids)
    messages = list(session.messages)
    for i, entry in enumerate(messages):
        if any(head.uid in wanted for head in entry.heads):
            blocks = entry.blocks
            after = tuple(change(b) if b.uid in wanted else b for b in blocks)
            if any(a is not b for a, b in zip(after, blocks, strict=True)):
                messages[i] = rewrite(entry, after)
    return with_messages(session, messages)

"""The lines of a session: what its array goes on with, and every branch as the whole array that it is.

A ``Branch`` holds only what comes behind the message where it parts from another line; here that becomes
whole arrays again, and a tree. Making branches and switching between them are operations (``tape.edits``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

from tape.errors import UserError
from tape.model import Branch, Message, Session

MAIN = "main"
APART = 1_000_000
"""How far the numbers of what is inserted into a line apart are from those of its session."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line: ``parent`` is the line it parts from, behind the message ``at`` (a uid; ``None``: from the
    first message on). ``operation`` says what made it, ``messages`` counts its whole array."""

    name: str
    parent: str | None
    at: str | None
    operation: str
    messages: int
    current: bool = False


def current(session: Session) -> str:
    """The name of the line that the session goes on with now."""
    return session.line or free(session, MAIN)


def free(session: Session, name: str) -> str:
    """The name, with a number if a branch has it already."""
    taken = {branch.name for branch in session.branches}
    number, found = 2, name
    while found in taken:
        found, number = f"{name} {number}", number + 1
    return found


def tree(session: Session) -> tuple[Line, ...]:
    """Every line: the current one first, each behind its parent. A branch that stands nowhere is left out."""
    here = current(session)
    lines = [Line(here, None, None, "", len(session.messages), current=True)]
    homes = {entry.uid: (here, place) for place, entry in enumerate(session.messages)}
    left = list(session.branches)
    while left:
        placed = [branch for branch in left if branch.at is None or branch.at in homes]
        if not placed:
            break
        for branch in placed:
            parent, place = (here, -1) if branch.at is None else homes[branch.at]
            total = place + 1 + len(branch.messages)
            lines.append(Line(branch.name, parent, branch.at, branch.reason, total))
            for number, entry in enumerate(branch.messages):
                homes.setdefault(entry.uid, (branch.name, place + 1 + number))
        left = [branch for branch in left if branch not in placed]
    return tuple(lines)


def line(session: Session, name: str) -> Session:
    """A line as a session of its own, for looking at and comparing; its branches are left out.

    Raises ``UserError`` where there is no such line, or it stands nowhere any more.
    """
    if name in ("", current(session)):
        return session
    messages = whole(session, name)
    uids = {entry.uid for entry in messages}
    calls = tuple(call for call in session.calls if call.message_uid in uids)
    return replace(session, messages=messages, calls=calls, branches=(), line=name)


def whole(session: Session, name: str) -> tuple[Message, ...]:
    """The whole array of a branch. Raises ``UserError`` as ``line`` does."""
    chain = _chain(session, name)
    before = session.messages[: _end(session.messages, chain[0].at)]
    for branch, inner in pairwise(chain):
        before += branch.messages[: _end(branch.messages, inner.at)]
    return before + chain[-1].messages


def apart(session: Session, name: str) -> Session:
    """A line to be edited apart and brought back by ``with_line``: what is inserted into it gets uids that
    nothing in the session has or will have. Raises ``UserError`` as ``line`` does."""
    alone = line(session, name)
    serials = (int(entry.uid[1:]) for entry in alone.messages if entry.uid[1:].isdecimal())
    return replace(alone, serial=max(session.serial + APART, *serials, 0) + 1)


def with_line(session: Session, name: str, messages: tuple[Message, ...]) -> Session:
    """The session in which the branch ``name`` is this array.

    The branch parts where it did, or earlier from the current line where a message before that place is
    another one; so every other line stays as it is, but those that part from this branch share with it what
    is before their place. Raises ``UserError`` as ``line`` does.
    """
    old = whole(session, name)
    branch = next(one for one in session.branches if one.name == name)
    before = old[: len(old) - len(branch.messages)]
    if _alike(before, messages) == len(before):
        changed = replace(branch, messages=messages[len(before) :])
        branches = tuple(changed if one is branch else one for one in session.branches)
    else:
        shared = _alike(session.messages, messages)
        at = session.messages[shared - 1].uid if shared else None
        changed = replace(branch, at=at, messages=messages[shared:])
        # Last, because it repeats messages of the line that it parted from, which stays their first home.
        branches = (*(one for one in session.branches if one is not branch), changed)
    there = {entry.uid for entry in session.messages}
    there.update(entry.uid for one in branches for entry in one.messages)
    homes = _homes(old, there)
    return replace(
        session,
        branches=tuple(replace(one, at=homes[one.at]) if one.at in homes else one for one in branches),
    )


def _alike(one: tuple[Message, ...], other: tuple[Message, ...]) -> int:
    """With how many of the very same messages both begin."""
    pairs = zip(one, other, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a is not b), min(len(one), len(other)))


def _homes(old: tuple[Message, ...], kept: set[str]) -> dict[str | None, str | None]:
    """For the uid of each message that is gone, that of the one before it that is still there."""
    found: dict[str | None, str | None] = {}
    last: str | None = None
    for entry in old:
        if entry.uid in kept:
            last = entry.uid
        else:
            found[entry.uid] = last
    return found


def parted(session: Session, name: str, leave_as: str) -> tuple[Branch, ...]:
    """The branches when the line ``name`` becomes the current one, and the current one a branch ``leave_as``.

    A line is kept even where nothing is left behind the place at which it parts, for its name was given on
    purpose. Raises ``UserError`` as ``line`` does.
    """
    chain = _chain(session, name)
    behind = session.messages[_end(session.messages, chain[0].at) :]
    changed = {chain[-1].name: Branch(leave_as, chain[0].at, behind, reason="switched")}
    for branch, inner in pairwise(chain):
        behind = branch.messages[_end(branch.messages, inner.at) :]
        changed[branch.name] = Branch(branch.name, inner.at, behind, branch.reason)
    return tuple(changed.get(branch.name, branch) for branch in session.branches)


def _chain(session: Session, name: str) -> list[Branch]:
    """The branch with that name, and before it those that it parts from, down to the current line."""
    found = [branch for branch in session.branches if branch.name == name]
    if not found:
        raise UserError(f'There is no branch "{name}".', where="branch")
    chain = found[:1]
    here = {entry.uid for entry in session.messages}
    while chain[0].at is not None and chain[0].at not in here:
        others = (b for b in session.branches if b not in chain)
        parent = next((b for b in others if any(e.uid == chain[0].at for e in b.messages)), None)
        if parent is None:
            raise UserError(
                f'The place of branch "{name}" is not in the array any more.',
                where="branch",
                do="Undo first.",
            )
        chain.insert(0, parent)
    return chain


def _end(messages: tuple[Message, ...], at: str | None) -> int:
    """Where what comes behind the message ``at`` begins."""
    return 0 if at is None else next(i for i, entry in enumerate(messages) if entry.uid == at) + 1

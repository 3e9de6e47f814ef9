"""Two arrays from one message on: what follows is kept as a branch too, and either can be gone on with."""

from __future__ import annotations

from dataclasses import replace

from tape.edits.operations import Fork, Switch
from tape.edits.settle import settle
from tape.edits.targets import find_message, plural
from tape.errors import UserError
from tape.model import Branch, Session


def fork(session: Session, operation: Fork) -> Session:
    """The session with a branch that goes on as it does now; both can then be edited apart.

    Raises ``UserError`` for a name that is taken.
    """
    at = find_message(session, operation.at)
    _check_name(session, operation.name)
    branch = Branch(operation.name, session.messages[at].uid, session.messages[at + 1 :], reason="fork")
    return replace(session, branches=(*session.branches, branch))


def switch(session: Session, operation: Switch) -> Session:
    """The session that goes on with the branch; what it went on with until now becomes a branch itself.

    Raises ``UserError`` when there is no such branch, or its place is not in the array any more.
    """
    branch = next((b for b in session.branches if b.name == operation.branch), None)
    if branch is None:
        known = ", ".join(b.name for b in session.branches) or "none"
        raise UserError(
            f'There is no branch "{operation.branch}".', where="branch", do=f"There are: {known}."
        )
    at = 0 if branch.at is None else find_message(session, branch.at) + 1
    tail = session.messages[at:]
    others = tuple(b for b in session.branches if b is not branch)
    name = operation.leave_as
    _check_name(replace(session, branches=others), name)
    left = (Branch(name, branch.at, tail, reason="switched"),) if tail else ()
    return settle(session, (*session.messages[:at], *branch.messages), branches=(*others, *left))


def _check_name(session: Session, name: str) -> None:
    if not name.strip():
        raise UserError("A branch needs a name.", where="name")
    if any(branch.name == name for branch in session.branches):
        raise UserError(f'There is a branch "{name}" already.', where="name")


def fork_sentence(session: Session, operation: Fork) -> str:
    """``Forked at message 4 into branch "polite"``."""
    at = find_message(session, operation.at)
    later = plural(len(session.messages) - at - 1, "message")
    return f'Forked at message {at}: branch "{operation.name}" starts with the {later} behind it'


def switch_sentence(operation: Switch) -> str:
    """``Switched to branch "polite"``."""
    return f'Switched to branch "{operation.branch}"; the other is branch "{operation.leave_as}"'

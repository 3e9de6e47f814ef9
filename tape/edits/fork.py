"""Two arrays from one message on: what follows is kept as a branch too, and either can be gone on with."""

from __future__ import annotations

from dataclasses import replace

from tape.branches import parted, whole
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

    A branch may have left another branch. Raises ``UserError`` when there is no such branch, its place is
    nowhere any more, or the name to leave under is taken.
    """
    if all(branch.name != operation.branch for branch in session.branches):
        known = ", ".join(b.name for b in session.branches) or "none"
        raise UserError(
            f'There is no branch "{operation.branch}".', where="branch", do=f"There are: {known}."
        )
    others = tuple(b for b in session.branches if b.name != operation.branch)
    _check_name(replace(session, branches=others), operation.leave_as)
    messages = whole(session, operation.branch)
    branches = parted(session, operation.branch, operation.leave_as)
    return settle(session, messages, branches=branches, line=operation.branch)


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

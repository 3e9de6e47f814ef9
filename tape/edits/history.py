"""Undo, redo and the log: whole sessions in the order they came about.

Sessions share every message that an edit did not touch, so keeping a hundred of them costs little more than
keeping one. What an operation does is decided in ``tape.edits.carry_out``; what the steps changed, taken
together, in ``tape.edits.changes``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

from tape.edits.carry_out import apply, sentence
from tape.edits.operations import Operation
from tape.errors import UserError
from tape.model import Session

DEPTH = 100


class Done(NamedTuple):
    """One step of the log: its sentence, and the operation (``None`` for a run or a restore)."""

    sentence: str
    operation: Operation | None = None


@dataclass(frozen=True, slots=True)
class History:
    """A session with its past and future.

    ``original`` is the session as it was opened and always within reach. ``past`` holds the sessions that
    undo goes back to, each with the step that led away from it, ``future`` those that redo goes to, each with
    the step that leads there. Only the last ``DEPTH`` sessions are kept; ``older`` is the log of the rest.
    """

    original: Session
    session: Session
    past: tuple[tuple[Session, Done], ...] = field(default=(), repr=False)
    future: tuple[tuple[Session, Done], ...] = field(default=(), repr=False)
    older: tuple[Done, ...] = field(default=(), repr=False)

    def apply(self, operation: Operation) -> History:
        """Carries an operation out as one step. Raises ``UserError`` as ``tape.edits.apply`` does."""
        after = apply(self.session, operation)
        return self.push(after, sentence(self.session, operation), operation)

    def push(self, session: Session, said: str, operation: Operation | None = None) -> History:
        """Makes ``session`` the present one, as a step that ``said`` describes. What was undone is lost."""
        past = (*self.past, (self.session, Done(said, operation)))
        over = max(len(past) - DEPTH, 0)
        older = (*self.older, *(done for _, done in past[:over]))
        return replace(self, session=session, past=past[over:], future=(), older=older)

    def undo(self) -> History:
        """The history one step back. Raises ``UserError`` when there is none."""
        if not self.past:
            raise UserError("There is nothing to undo.", do=self.limit)
        before, done = self.past[-1]
        return replace(self, session=before, past=self.past[:-1], future=((self.session, done), *self.future))

    def redo(self) -> History:
        """The history one step forward again. Raises ``UserError`` when nothing was undone."""
        if not self.future:
            raise UserError("There is nothing to redo.")
        after, done = self.future[0]
        return replace(self, session=after, past=(*self.past, (self.session, done)), future=self.future[1:])

    def restore(self) -> History:
        """Makes the original the present session again, as a step that can itself be undone.

        Raises ``UserError`` when it is the present session.
        """
        if self.session is self.original:
            raise UserError("This is the original already.")
        return self.push(self.original, "Restored the original")

    @property
    def log(self) -> tuple[Done, ...]:
        """Every step that led from the original to the present session, oldest first."""
        return (*self.older, *(done for _, done in self.past))

    @property
    def limit(self) -> str:
        """A sentence about steps that are out of reach; empty while there are none."""
        if not self.older:
            return ""
        return f"Only the last {DEPTH} steps can be undone; {len(self.older):,} before them cannot."


def history(session: Session) -> History:
    """A history that starts with this session as its original."""
    return History(session, session)

"""Undo, redo and the log: whole sessions in the order they came about.

Sessions share every message that an edit did not touch, so keeping a hundred of them costs little more than
keeping one. What an operation does is decided in ``tape.edits.carry_out``; what the steps changed, taken
together, in ``tape.edits.changes``.
"""

from __future__ import annotations

from typing import NamedTuple

from tape.edits.carry_out import apply, sentence
from tape.edits.operations import Operation, Switch
from tape.errors import UserError
from tape.model import Session

DEPTH = 100


class Done(NamedTuple):
    """One step of the log: its sentence, and the operation (``None`` for a run or a restore)."""

    sentence: str
    operation: Operation | None = None


class History:
    """A session with its past and future; the one thing here that changes in place.

    ``original`` is the session as it was opened and always within reach. Undo and redo give back the very
    same sessions. Only the last ``DEPTH`` of them are kept; the log is kept whole.
    """

    def __init__(self, session: Session) -> None:
        self.original = session
        self._session = session
        self._past: list[tuple[Session, Done]] = []
        self._future: list[tuple[Session, Done]] = []
        self._older: list[Done] = []

    def copy(self) -> History:
        """Another history with the same past and future, which goes its own way from here."""
        other = History(self.original)
        other._session = self._session
        other._past, other._future = self._past.copy(), self._future.copy()
        other._older = self._older.copy()
        return other

    @property
    def session(self) -> Session:
        """The session of now."""
        return self._session

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to take back."""
        return bool(self._past)

    @property
    def can_redo(self) -> bool:
        """Whether there is a step that was taken back."""
        return bool(self._future)

    @property
    def before_edits(self) -> Session:
        """The session before the edits that came last in a row: as it was opened, ran, or was switched to."""
        found = self._session
        for before, done in reversed(self._past):
            if done.operation is None or isinstance(done.operation, Switch):
                break
            found = before
        return found

    def apply(self, operation: Operation) -> Session:
        """Carries an operation out as one step. Raises ``UserError`` as ``tape.edits.apply`` does."""
        before = self._session
        return self.push(apply(before, operation), sentence(before, operation), operation)

    def push(self, session: Session, said: str, operation: Operation | None = None) -> Session:
        """Makes ``session`` the present one, as a step that ``said`` describes. What was undone is lost."""
        self._past.append((self._session, Done(said, operation)))
        self._older += [done for _, done in self._past[:-DEPTH]]
        del self._past[:-DEPTH]
        self._future.clear()
        self._session = session
        return session

    def undo(self) -> Session:
        """Goes one step back. Raises ``UserError`` when there is none."""
        if not self._past:
            raise UserError("There is nothing to undo.", do=self.limit)
        before, done = self._past.pop()
        self._future.append((self._session, done))
        self._session = before
        return before

    def redo(self) -> Session:
        """Goes one step forward again. Raises ``UserError`` when nothing was undone."""
        if not self._future:
            raise UserError("There is nothing to redo.")
        after, done = self._future.pop()
        self._past.append((self._session, done))
        self._session = after
        return after

    def restore(self) -> Session:
        """Makes the original the present session again, as a step that can itself be undone.

        Raises ``UserError`` when it is the present session.
        """
        if self._session is self.original:
            raise UserError("This is the original already.")
        return self.push(self.original, "Restored the original")

    @property
    def log(self) -> tuple[Done, ...]:
        """Every step that led from the original to the present session, oldest first."""
        return (*self._older, *(done for _, done in self._past))

    @property
    def limit(self) -> str:
        """A sentence about steps that are out of reach; empty while there are none."""
        if not self._older:
            return ""
        return f"Only the last {DEPTH} steps can be undone; {len(self._older):,} before them cannot."

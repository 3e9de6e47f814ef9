"""Counts the tokens of the session on the page in the background, where that is closer than its characters.

One thread a page at most; a change of the session stops it. What counts is ``tape.claude_counting``.
"""

from __future__ import annotations

from threading import Event, Thread
from weakref import ReferenceType, ref

from tape.claude_counting import can_count, count
from tape.counting import Estimate
from tape.model import Session


class CountingAhead:
    """The count of one session at a time. Safe to ask from any thread."""

    def __init__(self) -> None:
        self._session: ReferenceType[Session] | None = None
        self._found: Estimate | None = None
        self._thread: Thread | None = None
        self._stop = Event()

    def of(self, session: Session) -> Estimate | None:
        """The count of this session; ``None`` where it was not asked for or is not there yet."""
        return self._found if self._session is not None and self._session() is session else None

    def going(self, session: Session) -> bool:
        """Whether this session is being counted."""
        mine = self._session is not None and self._session() is session
        return mine and self._thread is not None and self._thread.is_alive()

    def start(self, session: Session) -> None:
        """Begins to count a session, unless that was done, cannot be done here, or goes on already."""
        if not can_count(session.model) or (self._session is not None and self._session() is session):
            return
        self._stop.set()
        self._session, self._found, self._stop = ref(session), None, Event()
        self._thread = Thread(target=self._run, args=(session, self._stop), name="counting", daemon=True)
        self._thread.start()

    def _run(self, session: Session, stop: Event) -> None:
        found = count(session, stop)
        if not stop.is_set():
            self._found = found

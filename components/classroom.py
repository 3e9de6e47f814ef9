"""What lives on the server between the pages of a class: codes that start a lesson, and presenters' desks.

Both are in memory only, and bounded. A code of four letters gives everybody who enters it a copy of their
own; a desk is what a presenter's second window follows, under a token that cannot be guessed.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING
from weakref import ReferenceType, ref

from tape.errors import UserError
from tape.lessons import Lesson

if TYPE_CHECKING:
    from components.lectern import Lectern

LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"
"""Without I and O, which are read as digits from the last row."""
MOST_CODES = 200
MOST_DESKS = 500


class Codes:
    """Codes and the lessons that they start. The oldest are forgotten once there are too many."""

    def __init__(self, most: int = MOST_CODES) -> None:
        self._most = most
        self._lessons: OrderedDict[str, Lesson] = OrderedDict()
        self._lock = Lock()

    def give(self, lesson: Lesson) -> str:
        """A new code for the lesson."""
        with self._lock:
            code = self._free()
            self._lessons[code] = lesson
            while len(self._lessons) > self._most:
                self._lessons.popitem(last=False)
            return code

    def lesson(self, code: str) -> Lesson:
        """The lesson that a code starts, however it is typed. Raises ``UserError`` where there is none."""
        with self._lock:
            found = self._lessons.get("".join(code.split()).upper()[:8])
        if found is None:
            raise UserError("No lesson has this code.", do="Look at the board again: it has four letters.")
        return found

    def _free(self) -> str:
        while True:
            code = "".join(secrets.choice(LETTERS) for _ in range(4))
            if code not in self._lessons:
                return code


class Desk:
    """What a presenter's second window follows. It outlives a reload of the first: the page that comes back
    with its token takes its place. ``begun`` is when the lesson's first step was left, in seconds of a steady
    clock; ``None`` before."""

    def __init__(self) -> None:
        self.token = secrets.token_urlsafe(24)
        self.begun: float | None = None
        self._lectern: ReferenceType[Lectern] | None = None

    @property
    def lectern(self) -> Lectern | None:
        """The lesson that is given at this desk; ``None`` when its page is gone."""
        return self._lectern() if self._lectern is not None else None

    def follow(self, lectern: Lectern) -> None:
        """From now on the desk is that lesson's."""
        self._lectern = ref(lectern)


class Desks:
    """All desks by their tokens. The oldest are forgotten once there are too many."""

    def __init__(self, most: int = MOST_DESKS) -> None:
        self._most = most
        self._desks: OrderedDict[str, Desk] = OrderedDict()
        self._lock = Lock()

    def new(self) -> Desk:
        """A desk with a token of its own."""
        desk = Desk()
        with self._lock:
            self._desks[desk.token] = desk
            while len(self._desks) > self._most:
                self._desks.popitem(last=False)
        return desk

    def find(self, token: str) -> Desk | None:
        """The desk of that token, ``None`` where there is none."""
        with self._lock:
            return self._desks.get(token)


CODES = Codes()
DESKS = Desks()

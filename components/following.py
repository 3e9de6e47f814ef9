"""A file that is still being written, followed: what comes to it comes to the tape.

Works on files of lines (JSONL) that were opened by a path. What is new is looked for when the view asks
(``look``); a last line without its end waits for the rest. The file is read again whole, so that new lines
may complete messages that were there, but every message that stayed as it was remains the same object: the
tape gets the new ones alone. Following stops, and says so, when the array is changed here or the file gets
shorter; nothing is ever merged.
"""

from __future__ import annotations

import mmap
import time
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import tape
from tape.containers import open_all
from tape.errors import UserError
from tape.formats.base import BringsFiles
from tape.formats.registry import format_named
from tape.model import Message, Session
from tape.records import Source

if TYPE_CHECKING:
    from components.deck import Deck
    from components.opening import Origin

FRESH_SECONDS = 120
"""A file that was written to so shortly ago is followed without being asked."""
EDITED = "The file is followed no longer, because the array was changed here. Open it again to follow it."
SHORTER = "The file is followed no longer, because it became shorter. Open it again to read it anew."


class Following:
    """One path that is open on a deck. Safe to ask from any thread; one look at a time.

    ``stopped`` is a sentence once it is over, empty before.
    """

    def __init__(self, path: Path, format: str, index: int = 0) -> None:
        self.path, self.format, self.index = path, format, index
        self.stopped = ""
        self._lock = Lock()
        self._size = self._now()[0]
        self._read = self._whole(self._size, self._size)[0] if self._size else 0

    @property
    def fresh(self) -> bool:
        """Whether the file was written to just now, so that more may come."""
        return time.time() - self._now()[1] < FRESH_SECONDS

    def look(self, deck: Deck) -> bool:
        """Brings what the file has got since the last look to the deck; whether there was something."""
        with self._lock:
            if self.stopped:
                return False
            size = self._now()[0]
            if size < self._size:
                self.stopped = SHORTER
            elif size > self._size:
                if deck.session is not deck.opened:
                    self.stopped = EDITED
                    return False
                self._size = size
                return self._take(deck, size)
            return False

    def _now(self) -> tuple[int, float]:
        try:
            stat = self.path.stat()
        except OSError:
            return 0, 0.0
        return stat.st_size, stat.st_mtime

    def _whole(self, size: int, beyond: int) -> tuple[int, bytes]:
        """How many bytes the whole lines of the file have, and these, if they are more than ``beyond``."""
        with self.path.open("rb") as file, mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ) as held:
            end = held.rfind(b"\n") + 1
            return end, held[:end] if end > beyond else b""

    def _take(self, deck: Deck, size: int) -> bool:
        opened = deck.opened
        try:
            session = self._load(size)
        except UserError as fault:
            self.stopped = fault.sentence
            return False
        if session is None:
            return False
        if not deck.grow(continued(opened, session), opened):
            self.stopped = EDITED
            return False
        return True

    def _load(self, size: int) -> Session | None:
        """The session of the whole lines in the file; ``None`` where no line was completed since the last."""
        whole, data = self._whole(size, self._read)
        self._read = max(whole, self._read)
        if not data:
            return None
        sources: list[Source] = open_all(data, self.path.name)
        format = format_named(self.format)
        if isinstance(format, BringsFiles):
            sources += [one for path in format.companions(self.path) for one in open_all(path)]
        reading = tape.read(sources, format=self.format)
        return reading.conversations[min(self.index, len(reading.conversations) - 1)].load()


def follow_file(deck: Deck, origin: Origin) -> None:
    """Lets a deck follow its file, where it was opened by a path and stands in lines: what grows while it is
    written."""
    base, path = deck.opened.base, origin.inputs[0] if origin.inputs else None
    lines = base is not None and base.sources[0].container == "jsonl" and base.sources[0].outer is None
    if origin.kind == "path" and isinstance(path, Path) and origin.reading is not None and lines:
        deck.following = Following(path, origin.reading.format, origin.index)


def continued(before: Session, after: Session) -> Session:
    """``after``, with the message objects of ``before`` wherever a message stayed as it was."""
    known = {entry.uid: entry for entry in before.messages}
    messages = tuple([_either(known.get(entry.uid), entry) for entry in after.messages])
    base = after.base
    return replace(after, messages=messages, base=replace(base, messages=messages) if base else None)


def _either(old: Message | None, new: Message) -> Message:
    if old is None or old.role != new.role or old.records != new.records:
        return new
    return old if old.heads == new.heads and old.meta == new.meta else new

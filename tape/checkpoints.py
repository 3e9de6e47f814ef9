"""Checkpoints on disk: what a run has reached survives the program, whatever ends it.

One file a session, in the user's data folder, written aside and put in place whole, readable by the user
alone, few in number. They hold what the session holds and nothing else: no key ever stands in a session. Only
for a Tapedeck that serves one person: a server must not offer one user's sessions to another.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from tape.errors import UserError
from tape.growth import open_calls
from tape.kept_session import About, about, pack, unpack
from tape.model import Session

VARIABLE: Final = "TAPEDECK_DATA"
"""Names the folder to use instead of the user's data folder."""
ENDING: Final = ".tapedeck"
MOST: Final = 20
"""Checkpoints of runs that are kept; those that a person named are kept apart, up to ``MOST_NAMED``."""
MOST_NAMED: Final = 100
BYTES: Final = 256_000_000


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A kept session: where it lies, its size in bytes, and what it says of itself."""

    path: Path
    size: int
    about: About

    def load(self) -> Session:
        """The session. Raises ``UserError`` where it cannot be read."""
        return unpack(_read(self.path))


def folder() -> Path:
    """Where checkpoints lie; it need not be there yet."""
    if chosen := os.environ.get(VARIABLE):
        return Path(chosen) / "checkpoints"
    home = Path.home()
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "tapedeck" / "checkpoints"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home) / "tapedeck" / "checkpoints"
    shared = os.environ.get("XDG_DATA_HOME", "")
    data = Path(shared) if Path(shared).is_absolute() else home / ".local" / "share"
    return data / "tapedeck" / "checkpoints"


class Keeper:
    """Keeps the states of one session, each in the place of the one before. ``id`` tells sessions apart."""

    def __init__(self, id: str, title: str, *, name: str = "") -> None:
        self._id, self._title, self._name = id, title, name

    @property
    def path(self) -> Path:
        """Where it keeps."""
        plain = re.sub(r"[^A-Za-z0-9_-]+", "-", f"{self._id}-{self._name}" if self._name else self._id)
        return folder() / f"{plain[:80] or 'session'}{ENDING}"

    def keep(self, session: Session) -> str:
        """Writes the session to disk; empty, or the sentence that says why it could not be written."""
        try:
            _write(self.path, pack(session, describe(session, self._id, self._title, self._name)))
            _prune()
        except UserError as error:
            return error.sentence
        except OSError as error:
            return f"The checkpoint could not be written: {error.strerror or error}."
        return ""

    def forget(self) -> None:
        """Removes what it kept, if anything."""
        with suppress(OSError):
            self.path.unlink(missing_ok=True)


def describe(session: Session, id: str, title: str, name: str = "") -> About:
    """What a state says of itself, as of now."""
    now = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    waiting = len(open_calls(session))
    return About(id[:200], title[:200], name[:200], now, len(session.messages), waiting)


def listed() -> tuple[Checkpoint, ...]:
    """What is kept, newest first; files that are no checkpoints are passed over."""
    found = []
    for path in _files():
        with suppress(OSError, UserError, zipfile.BadZipFile):
            found.append(Checkpoint(path, path.stat().st_size, _about(path)))
    return tuple(sorted(found, key=lambda one: (one.about.at, one.path.name), reverse=True))


def forget(checkpoint: Checkpoint) -> None:
    """Removes a checkpoint from disk."""
    with suppress(OSError):
        checkpoint.path.unlink(missing_ok=True)


def _about(path: Path) -> About:
    with zipfile.ZipFile(path) as archive:
        return about(archive.comment)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UserError(
            f"The checkpoint cannot be read: {error.strerror}.", where=path.name, do="Choose another."
        ) from None


def _files() -> list[Path]:
    with suppress(OSError):
        return [path for path in folder().iterdir() if path.suffix == ENDING and path.is_file()]
    return []


def _write(path: Path, data: bytes) -> None:
    """Puts the bytes in place whole: after a crash there is the old file or the new one, never a part."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    aside, name = tempfile.mkstemp(prefix=".", suffix=".part", dir=path.parent)  # made with mode 0600
    try:
        with os.fdopen(aside, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    if hasattr(os, "O_DIRECTORY"):
        opened = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


def _prune() -> None:
    """Removes the oldest beyond what is kept, and parts that a crash left."""
    total = 0
    counts = {True: 0, False: 0}
    for one in listed():
        named = bool(one.about.name)
        counts[named] += 1
        total += one.size
        if counts[named] > (MOST_NAMED if named else MOST) or (total > BYTES and sum(counts.values()) > 1):
            forget(one)
    hour_ago = datetime.now(UTC).timestamp() - 3600
    for part in folder().glob(".*.part"):
        with suppress(OSError):
            if part.stat().st_mtime < hour_ago:
                part.unlink()

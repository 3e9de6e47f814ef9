"""Which checkpoints belong to a Tapedeck that is running now: each program holds a lock while it lives.

The system lets go of a lock whatever ends its program, so that nothing has to be tidied after a crash.
"""

from __future__ import annotations

import atexit
import secrets
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import IO, Final

SIGN: Final = "own"


def own_id() -> str:
    """A new id for a checkpoint of this program, which others can tell from those of ended programs."""
    return f"{SIGN}-{_own()[0]}-{secrets.token_hex(8)}"


def goes_on(id: str) -> bool:
    """Whether the checkpoint of that id was written by another program that is running still."""
    parts = id.split("-")
    if len(parts) != 3 or parts[0] != SIGN or not parts[1].isalnum() or parts[1] == _own()[0]:
        return False
    try:
        with _path(parts[1]).open("r+b") as file:
            return not _lock(file)
    except OSError:
        return False


@cache
def _own() -> tuple[str, IO[bytes] | None]:
    """The sign of this program, and the file that it keeps locked; none where the disk takes no file."""
    sign = secrets.token_hex(6)
    try:
        file = _path(sign).open("x+b")
        _lock(file)
    except OSError:
        return sign, None
    atexit.register(_path(sign).unlink, missing_ok=True)
    return sign, file


def _path(sign: str) -> Path:
    return Path(tempfile.gettempdir()) / f"tapedeck-{sign}.lock"


if sys.platform == "win32":
    import msvcrt

    def _lock(file: IO[bytes]) -> bool:
        """Takes the lock; False where somebody else has it."""
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _lock(file: IO[bytes]) -> bool:
        """Takes the lock; False where somebody else has it."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

"""How far reading has come, for somebody who waits while another thread reads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import local

FRAMING = 0.25
"""The part of the time that finding the lines of a large file takes; the rest goes into what they say."""


class Progress:
    """What is done of one piece of reading: ``part`` grows from 0 to 1. One thread writes, any reads."""

    def __init__(self) -> None:
        self.part = 0.0


_HERE = local()


@contextmanager
def telling(progress: Progress) -> Iterator[None]:
    """While it lasts, reading in this thread is told to ``progress``."""
    _HERE.progress = progress
    try:
        yield
    finally:
        del _HERE.progress


def came(part: float) -> None:
    """Reading has come so far (0 to 1); nothing happens where nobody waits in this thread."""
    progress: Progress | None = getattr(_HERE, "progress", None)
    if progress is not None:
        progress.part = max(progress.part, min(part, 1.0))

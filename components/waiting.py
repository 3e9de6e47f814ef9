"""Something that may take seconds, with a bar that moves meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import Generic, TypeVar

import streamlit as st

from tape.progress import Progress, telling

T = TypeVar("T")
PATIENCE = 0.4
"""Seconds after which the bar appears."""
STEP = 0.1


class _Doing(Generic[T]):
    """A piece of work in a thread of its own: what it gave, or what it raised."""

    def __init__(self, work: Callable[[], T]) -> None:
        self.progress = Progress()
        self.given: list[T] = []
        self.raised: BaseException | None = None
        self.thread = Thread(target=self._run, args=(work,), name="waiting", daemon=True)
        self.thread.start()

    def _run(self, work: Callable[[], T]) -> None:
        try:
            with telling(self.progress):
                self.given.append(work())
        except BaseException as fault:
            self.raised = fault


def waited(work: Callable[[], T], words: str) -> T:
    """What ``work`` gives, with a bar and these words while it takes long. Raises what it raises. The work
    must not touch Streamlit: it runs in another thread."""
    doing = _Doing(work)
    doing.thread.join(PATIENCE)
    if doing.thread.is_alive():
        bar = st.progress(0.0, text=words)
        while doing.thread.is_alive():
            bar.progress(doing.progress.part, text=words)
            doing.thread.join(STEP)
        bar.empty()
    if doing.raised is not None:
        raise doing.raised
    return doing.given[0]

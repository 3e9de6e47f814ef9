"""Counts tokens of Claude models from text, offline, with ``ctok`` where it is installed (Python 3.12 on).

``ctok`` is an unofficial reconstruction of Claude's tokenizers: what it gives is an estimate, closer than
characters per token, and is labelled so. Families go by model as its documentation maps them (version 1.3,
2026-11): up to Opus 4.6 the third, Opus 4.7 its own, everything later the one of 4.8. It reads about 0.3
million characters a second, so that texts are remembered by their content and long ones are counted in parts.
How estimates are put together is in ``tape.counting``; on Python 3.11 and for other models that is all.
"""

from __future__ import annotations

import math
from functools import cache
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from threading import Event

from tape.capabilities import model_named
from tape.counting import Counter, Estimate
from tape.model import Session

WHOLE = 400_000
REMEMBERED = 50_000
LONG = 24_000
PARTS, PART = 12, 1_000
FRAMES = {"3.0": 7, "4.7": 11, "4.8": 6}


class Stopped(Exception):
    """Raised inside a count that was told to stop."""


def family(model: str | None) -> str | None:
    """The version that ``ctok`` counts this model by; ``None`` for models of other makers."""
    row = model_named(model)
    if row is None or row.tokenizer is None:
        return None
    if row.tokenizer == "2023":
        return "3.0"
    return "4.7" if row.id == "claude-opus-4-7" else "4.8"


@cache
def installed() -> str | None:
    """The version of ``ctok`` that is installed; ``None`` where there is none."""
    if find_spec("ctok") is None:
        return None
    try:
        return version("ctok")
    except PackageNotFoundError:
        return None


def can_count(model: str | None) -> bool:
    """Whether tokens of this model can be counted here rather than judged by their characters."""
    return family(model) is not None and installed() is not None


def count(session: Session, stop: Event | None = None) -> Estimate | None:
    """Tokens of everything a request of this session would send; ``None`` where ``can_count`` says no, or
    where ``stop`` was set meanwhile.

    Up to 400,000 characters every message is read; beyond, a sample, whose error the estimate states.
    """
    if not can_count(session.model):
        return None
    try:
        return ClaudeCounter(session.model, stop).session(session)
    except Stopped:
        return None


class ClaudeCounter(Counter):
    """A counter that asks ``ctok`` about every text. Raises ``Stopped`` once ``stop`` is set."""

    whole = WHOLE

    def __init__(self, model: str | None, stop: Event | None = None) -> None:
        super().__init__(model)
        self.family = family(model) or "4.8"
        self.stop = stop

    @property
    def method(self) -> str:
        """Which version of what counts, for people."""
        return f"ctok {installed()}, the tokenizer of Claude {self.family}"

    def plain(self, text: str, ratio: float) -> float:
        """Tokens of a text. Of more than 24,000 characters twelve parts of 1,000 stand for the whole."""
        if self.stop is not None and self.stop.is_set():
            raise Stopped
        if len(text) <= LONG:
            return _counted(self.family, text)
        self.in_parts = True
        step = (len(text) - PART) / (PARTS - 1)
        parts = [text[(at := int(i * step)) : at + PART] for i in range(PARTS)]
        return sum(_counted(self.family, part) for part in parts) * len(text) / (PARTS * PART)


_KNOWN: dict[tuple[str, bytes], int] = {}


def _counted(name: str, text: str) -> int:
    """Tokens of a text, remembered by its content: the same result sent again is counted once."""
    if not text:
        return 0
    key = (name, blake2b(text.encode("utf-8", "replace"), digest_size=16).digest())
    found = _KNOWN.get(key)
    if found is None:
        import ctok

        clean = text.encode("utf-8", "replace").decode("utf-8")
        found = max(int(ctok.token_count(clean, name)) - FRAMES[name], 0)
        if len(_KNOWN) >= REMEMBERED:
            _KNOWN.clear()
        _KNOWN[key] = found
    return found


def error_said(estimate: Estimate) -> str:
    """How far an estimate may be off, in words: ``± 3 % for a sample of 212 messages``, ``± 25 %``."""
    said = [] if estimate.error is None else [_sample(estimate, estimate.error)]
    if estimate.ratio:
        said.append("± 25 % for going by characters")
    if estimate.in_parts:
        said.append("long texts judged by parts of them")
    return ", ".join(said) or "every message read"


def _sample(estimate: Estimate, error: float) -> str:
    return f"± {max(1, math.ceil(error * 100))} % for a sample of {estimate.read:,} messages"

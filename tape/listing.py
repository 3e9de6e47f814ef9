"""The conversations of a file as a list for people: which match some words, in which order, how large.

Titles, dates and sizes are what the format gives cheaply. How many messages and turns a conversation has is
what its tape shows, so it is loaded for that, and let go. Drawing the list is left to the page and the
command line.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import tape
from tape.errors import UserError
from tape.formats.base import Conversation
from tape.visible import one_line

UNTITLED: Final = "untitled"


@dataclass(frozen=True, slots=True)
class Counts:
    """How many messages and turns the tape of a conversation shows."""

    messages: int
    turns: int


def counted(conversation: Conversation) -> Counts | None:
    """The counts of a conversation, which is loaded for it; ``None`` where it cannot be loaded."""
    try:
        session = conversation.load()
    except UserError:
        return None
    return Counts(len(session.messages), len(tape.turns(session)))


def title_of(conversation: Conversation) -> str:
    """Its title on one visible line, secrets masked."""
    return one_line(conversation.title).strip() or UNTITLED


def moment_of(conversation: Conversation) -> str:
    """Its date to the minute, ``2026-05-01 10:00``; empty where the file has none."""
    return one_line((conversation.date or "")[:16].replace("T", " "))


def size_of(conversation: Conversation) -> str:
    """What it takes in the file, ``41.8 kB``; empty where that is not known."""
    if conversation.size is None:
        return ""
    for unit, worth in (("MB", 1e6), ("kB", 1e3)):
        if conversation.size >= worth:
            return f"{conversation.size / worth:,.1f} {unit}"
    return f"{conversation.size:,} B"


def matching(conversations: Sequence[Conversation], words: str) -> list[int]:
    """The numbers of those whose title holds every one of the words, or whose id is the text itself, whatever
    the case; all of them for no words."""
    wanted = words.casefold().split()
    return [
        number
        for number, one in enumerate(conversations)
        if one.id == words.strip() or all(word in one.title.casefold() for word in wanted)
    ]


ORDERS: Final[dict[str, tuple[Callable[[Conversation], Any] | None, bool]]] = {
    "as in the file": (None, False),
    "newest first": (lambda one: one.date or "", True),
    "oldest first": (lambda one: (one.date is None, one.date or ""), False),
    "largest first": (lambda one: -1 if one.size is None else one.size, True),
    "by title": (lambda one: one.title.casefold(), False),
}
"""The orders of a list: what it goes by, and whether the largest is first. What is unknown stands last."""


def ordered(conversations: Sequence[Conversation], numbers: Sequence[int], order: str) -> list[int]:
    """The numbers in one of ``ORDERS``; equals stay in the order of the file."""
    by, falling = ORDERS[order]
    if by is None:
        return list(numbers)
    return sorted(numbers, key=lambda number: by(conversations[number]), reverse=falling)

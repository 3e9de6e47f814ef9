"""Whether a file that was just written gives the array it was written from, and where it first does not."""

from __future__ import annotations

from collections.abc import Sequence

from tape.model import Message
from tape.notes import Note

Shape = tuple[str, list[tuple[str, str | None, int, bool]]]


def differs(again: Sequence[Message], now: Sequence[Message], *, system: bool = True) -> list[Note]:
    """Where the array read again differs from the one that was to be written: one note, or none. Without
    ``system`` the form has no system messages, and one that became a user message is no difference."""
    shorter = min(len(again), len(now))
    at = next((i for i in range(shorter) if _shape(again[i], system) != _shape(now[i], system)), shorter)
    if at == len(again) == len(now):
        return []
    text = "Read again, the file differs from here on: its form cannot say all of this."
    return [Note(f"messages[{at}]", "order-not-kept", text)]


def _shape(entry: Message, system: bool) -> Shape:
    role = "user" if entry.role == "system" and not system else entry.role
    return role, [
        (head.kind, None if "generated-id" in head.flags else head.id, head.chars, "error" in head.flags)
        for head in entry.heads
    ]

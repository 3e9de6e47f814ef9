"""What a format cannot carry, gathered while a session is written: one note for each kind of loss."""

from __future__ import annotations

from collections import Counter

from tape.notes import Note


class Losses:
    """Counts each loss by its sentence and remembers where it was met first."""

    def __init__(self) -> None:
        self._count: Counter[str] = Counter()
        self._first: dict[str, str] = {}

    def lose(self, text: str, where: str = "") -> None:
        """Remarks one loss; ``where`` is a place a person can find (``messages[3].content[1]``)."""
        self._count[text] += 1
        self._first.setdefault(text, where)

    def notes(self) -> tuple[Note, ...]:
        """One note for each sentence, in the order they were met first."""
        return tuple(
            Note(self._first[text], "not-carried", text if count == 1 else f"{text} ({count} times)")
            for text, count in self._count.items()
        )

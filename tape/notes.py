"""What a reader or writer remarks instead of raising: a place, a kind and a sentence."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Note:
    """One remark about the data.

    ``where`` is a place a person can find (``line 41``, ``messages[3].content[1]``), ``kind`` a stable
    kebab-case word (``torn-record``, ``unknown-record``, ``lone-surrogate`` …), ``text`` one sentence.
    """

    where: str
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What became of every record of a source. Counts are records; line numbers are 1-based.

    ``unknown`` and ``aside`` map a record type to the lines it stands on (the first hundred),
    ``aside_counts`` and ``unknown_counts`` to how many there are. ``merged`` counts records
    that joined an earlier message.
    """

    records: int = 0
    in_messages: int = 0
    merged: int = 0
    aside: dict[str, tuple[int, ...]] = field(default_factory=dict)
    aside_counts: dict[str, int] = field(default_factory=dict)
    unknown: dict[str, tuple[int, ...]] = field(default_factory=dict)
    unknown_counts: dict[str, int] = field(default_factory=dict)
    broken: tuple[int, ...] = ()

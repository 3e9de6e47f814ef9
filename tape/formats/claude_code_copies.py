"""Finds the messages that a resumed or forked Claude Code session copied from the one it came from.

Opened together, a copy must not count twice; but two sessions that merely share an id, or begin with the same
words, are no copies. A copy is a run of equal lines at the start of both files that holds a model's answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import zip_longest

from tape.formats.claude_code_scan import is_message
from tape.formats.claude_lines import Body, Lines
from tape.model import Message, Session
from tape.notes import Note
from tape.records import Broken


def copied(lines: Lines, others: list[tuple[str, Lines]]) -> tuple[str, frozenset[int]]:
    """The name of the session that this one began as a copy of, and the records that are the copy.

    ``others`` are the sessions opened with it, by name. Of two that share a beginning the one that went on
    later is the copy.
    """
    best: tuple[str, frozenset[int]] = ("", frozenset())
    for name, other in others:
        records, later = _shared(lines, other)
        if later and len(records) > len(best[1]):
            best = name, frozenset(records)
    return best


def _shared(lines: Lines, other: Lines) -> tuple[list[int], bool]:
    """The records at the start that both have, and whether the first of the two went on later."""
    records: list[int] = []
    answered = False
    for mine, theirs in zip_longest(_messages(lines), _messages(other)):
        if mine is None:
            return records, False
        if theirs is None:
            return (records, True) if answered else ([], False)
        i, value = mine
        if value.get("type") != theirs[1].get("type") or value.get("message") != theirs[1].get("message"):
            later = str(value.get("timestamp") or "") >= str(theirs[1].get("timestamp") or "")
            return (records, later) if answered else ([], False)
        records.append(i)
        answered = answered or value.get("type") == "assistant"
    return records if answered else [], True


def _messages(lines: Lines) -> Iterator[tuple[int, Mapping[str, object]]]:
    for i in range(len(lines)):
        try:
            value = lines.value(i)
        except Broken:
            continue
        if isinstance(value, Mapping) and is_message(value) and value.get("isSidechain") is not True:
            yield i, value


def marked(session: Session, origin: str, records: frozenset[int]) -> Session:
    """The session with the messages that stand in these records marked as inherited from ``origin``."""
    if not records:
        return session
    entries = tuple(_inherited(m, origin) if _inside(m, records) else m for m in session.messages)
    count = sum(1 for m in entries if m.meta.get("inherited") == origin)
    text = f"{count} messages are a copy of the session {origin!r}, from which this one went on."
    base = session.base
    return replace(
        session,
        messages=entries,
        base=replace(base, messages=entries) if base else None,
        notes=(*session.notes, Note("messages[0]", "inherited-messages", text)),
    )


def _inside(entry: Message, records: frozenset[int]) -> bool:
    return isinstance(entry.body, Body) and records.issuperset(entry.body.records)


def _inherited(entry: Message, origin: str) -> Message:
    return replace(entry, meta={**entry.meta, "inherited": origin})

"""Writes an edited Claude Code session back: its file with nothing changed but what was edited.

Compares the array with the one that was read. A changed message changes its own lines
(``claude_code_content``), a deleted one drops them, an inserted or moved one puts lines in
(``claude_code_patch``), and the lines that hung on what is gone hang on what stood above it.
"""

from __future__ import annotations

from tape.formats.base import Dumped
from tape.formats.claude_code_content import ContentDiff, increasing
from tape.formats.claude_code_patch import rewrite
from tape.formats.claude_code_session import read_file
from tape.formats.claude_code_weave import Placed, Plan
from tape.formats.claude_lines import Body, Lines
from tape.model import Message, Session
from tape.notes import Note
from tape.records import Source


def dump(session: Session) -> Dumped:
    """The bytes of the session's file after its edits, and what the file could not take in."""
    base = session.base
    if base is None:
        raise ValueError("a session that was not read from a file has none to patch")
    lines: Lines = base.extra["lines"]
    plan = Plan()
    order = {entry.uid: i for i, entry in enumerate(base.messages)}
    numbers = [_number(entry, base.messages, order) for entry in session.messages]
    stay = increasing(numbers)
    gone = set(order) - {session.messages[i].uid for i in stay}
    for entry in base.messages:
        if entry.uid in gone:
            plan.dropped.update(_records(entry))
    after = _before_all(base.messages, gone)
    for i, entry in enumerate(session.messages):
        old = base.messages[numbers[i]] if numbers[i] >= 0 else None
        if i in stay and old is not None:
            if entry is not old:
                _change(lines, old, entry, f"messages[{i}]", plan)
            after = max(after, *_records(old))
        else:
            moved = old if old is not None and old.blocks == entry.blocks else None
            plan.placed.append(Placed(after, entry, _records(moved) if moved else ()))
    data = rewrite(lines, plan, session)
    notes = [*_not_in_the_file(session), *plan.notes]
    if plan.structural:
        notes += _read_again(data, session, lines)
    return Dumped(data, tuple(notes))


def _number(entry: Message, before: tuple[Message, ...], order: dict[str, int]) -> int:
    """The position that a message had, -1 for a new one or one that changed its role."""
    at = order.get(entry.uid, -1)
    return at if at >= 0 and before[at].role == entry.role else -1


def _records(entry: Message) -> tuple[int, ...]:
    return entry.body.records if isinstance(entry.body, Body) else ()


def _before_all(entries: tuple[Message, ...], gone: set[str]) -> int:
    """The record behind which a message goes that is to be the first."""
    first = next((entry for entry in entries if entry.uid not in gone), entries[0] if entries else None)
    return min(_records(first)) - 1 if first else -1


def _change(lines: Lines, old: Message, entry: Message, where: str, plan: Plan) -> None:
    changes = ContentDiff(lines, old, entry, where).find()
    for record, edits in changes.edits.items():
        plan.edits.setdefault(record, []).extend(edits)
    plan.dropped |= changes.dropped
    plan.blocks += changes.new_lines
    plan.notes += changes.notes


def _not_in_the_file(session: Session) -> list[Note]:
    notes = []
    if session.system is not None and session.base and session.system != session.base.system:
        notes.append(Note("system", "system-left-out", "A Claude Code file holds no system prompt."))
    if session.tools is not None and session.base and session.tools != session.base.tools:
        notes.append(Note("tools", "tools-left-out", "A Claude Code file holds no tool definitions."))
    for i, entry in enumerate(session.messages):
        if entry.role == "system":
            text = "A Claude Code file holds no system message; it was written as a user message."
            notes.append(Note(f"messages[{i}]", "role-changed", text))
    return notes


def _read_again(data: bytes, session: Session, lines: Lines) -> list[Note]:
    """Where the new file gives another array than the session: Claude Code's order cannot say everything."""
    if not data.strip():
        return []
    source = Source(data, lines.source.name)
    again = read_file(Lines(source, lines.root)).main.session.messages
    for i, entry in enumerate(session.messages):
        if i >= len(again) or _shape(again[i]) != _shape(entry):
            break
    else:
        if len(again) == len(session.messages):
            return []
        i = len(session.messages)
    text = "Read again, the file differs from here on: its form keeps every result behind its call."
    return [Note(f"messages[{i}]", "order-not-kept", text)]


def _shape(entry: Message) -> tuple[str, list[tuple[str, str | None, int]]]:
    role = "user" if entry.role == "system" else entry.role
    return role, [(head.kind, head.id, head.chars) for head in entry.heads]

"""Writes an edited Claude Code session back: its file with nothing changed but what was edited.

Compares the array with the one that was read. A changed message changes its own lines
(``claude_code_content``), a deleted one drops them, an inserted or moved one puts lines in
(``claude_code_weave``), and the lines that hung on what is gone hang on what stood above it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from tape.formats.base import Dumped
from tape.formats.claude_code_content import ContentDiff, increasing
from tape.formats.claude_code_patch import rewrite
from tape.formats.claude_code_scan import Scan, scan
from tape.formats.claude_code_session import File, read_file
from tape.formats.claude_code_weave import Piece, Placed, Plan, Weaver
from tape.formats.claude_lines import Body, Lines, Streamed
from tape.formats.read_again import differs
from tape.model import Message, Session
from tape.notes import Note
from tape.records import Source


class Form(NamedTuple):
    """What differs between the forms that are kept in such lines: the name for people, and how to read it."""

    label: str
    scan: Callable[[Lines], Scan]
    read: Callable[[Lines], File]


SESSION_FILE = Form("A Claude Code file", scan, read_file)


def dump(session: Session, form: Form = SESSION_FILE) -> Dumped:
    """The bytes of the session's file after its edits, and what the file could not take in."""
    base = session.base
    if base is None:
        raise ValueError("a session that was not read from a file has none to patch")
    lines: Lines = base.extra["lines"]
    plan = _planned(session, lines, base.messages)
    pieces: list[Piece] = list(range(len(lines)))
    if plan.structural:
        pieces = Weaver(lines, form.scan(lines), plan, session).pieces()
    data = rewrite(lines, plan, pieces)
    notes = [*_not_in_the_file(session, form.label), *plan.notes]
    if (plan.structural or session.branches) and data.strip():
        again = form.read(Lines(Source(data, lines.source.name), lines.root))
        notes += differs(again.main.session.messages, session.messages, system=False)
    return Dumped(data, tuple(notes))


def _planned(session: Session, lines: Lines, before: tuple[Message, ...]) -> Plan:
    """What has to happen to the lines of the file."""
    plan = Plan()
    order = {entry.uid: i for i, entry in enumerate(before)}
    numbers = [_number(entry, before, order) for entry in session.messages]
    stay = increasing(numbers)
    kept = {session.messages[i].uid for i in stay}
    for entry in before:
        if entry.uid not in kept:
            plan.dropped.update(_records(entry))
    first = next((entry for entry in before if entry.uid in kept), before[0] if before else None)
    after = min(_records(first)) - 1 if first else len(lines) - 1
    for i, entry in enumerate(session.messages):
        old = before[numbers[i]] if numbers[i] >= 0 else None
        if i in stay and old is not None:
            if entry is not old:
                _change(lines, old, entry, f"messages[{i}]", plan)
            after = max((after, *_records(old)))
        else:
            moved = old is not None and (old is entry or old.blocks == entry.blocks)
            plan.placed.append(Placed(after, entry, _records(old) if moved and old else ()))
    return plan


def _number(entry: Message, before: tuple[Message, ...], order: dict[str, int]) -> int:
    """The position that a message had, -1 for a new one or one that changed its role."""
    at = order.get(entry.uid, -1)
    return at if at >= 0 and before[at].role == entry.role else -1


def _records(entry: Message) -> tuple[int, ...]:
    return entry.body.records if isinstance(entry.body, (Body, Streamed)) else ()


def _change(lines: Lines, old: Message, entry: Message, where: str, plan: Plan) -> None:
    if isinstance(old.body, Streamed):
        if old.blocks != entry.blocks:
            text = "Only stream events tell of this reply; its change is not in the file."
            plan.notes.append(Note(where, "message-kept", text))
        return
    changes = ContentDiff(lines, old, entry, where).find()
    for record, edits in changes.edits.items():
        plan.edits.setdefault(record, []).extend(edits)
    plan.dropped |= changes.dropped
    plan.blocks += changes.new_lines
    plan.notes += changes.notes


def _not_in_the_file(session: Session, label: str) -> list[Note]:
    notes = []
    if session.system is not None and session.base and session.system != session.base.system:
        notes.append(Note("system", "system-left-out", f"{label} holds no system prompt."))
    if session.tools is not None and session.base and session.tools != session.base.tools:
        notes.append(Note("tools", "tools-left-out", f"{label} holds no tool definitions."))
    for i, entry in enumerate(session.messages):
        if entry.role == "system":
            text = f"{label} holds no system message; it was written as a user message."
            notes.append(Note(f"messages[{i}]", "role-changed", text))
    return notes

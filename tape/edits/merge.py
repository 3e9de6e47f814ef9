"""Joins neighbors of one role into one message, as the Claude API reads them anyway."""

from __future__ import annotations

from dataclasses import replace

from tape.edits.build import rewrite
from tape.edits.operations import Merge
from tape.edits.settle import settle
from tape.edits.targets import find_all, numbers
from tape.errors import UserError
from tape.model import Message, Session


def merge(session: Session, operation: Merge) -> Session:
    """The session with the messages as one, which keeps the uid of the first.

    Raises ``UserError`` unless they are two or more, stand side by side and have the same role.
    """
    indexes = _indexes(session, operation)
    entries = [session.messages[i] for i in indexes]
    one = joined(entries)
    messages = (*session.messages[: indexes[0]], one, *session.messages[indexes[-1] + 1 :])
    return settle(session, messages, {entry.uid: one.uid for entry in entries[1:]})


def joined(entries: list[Message]) -> Message:
    """One message of all blocks, in order."""
    first = entries[0]
    records = sorted({record for entry in entries for record in entry.records})
    one = rewrite(
        first, tuple(block for entry in entries for block in entry.blocks), meta={"content_form": "list"}
    )
    return replace(one, records=tuple(records))


def _indexes(session: Session, operation: Merge) -> list[int]:
    indexes = [spot.message for spot in find_all(session, operation.targets)]
    first, last = indexes[0], indexes[-1]
    if len(indexes) < 2 or indexes != list(range(first, last + 1)):
        raise UserError("Only messages that stand side by side can be merged.", where="targets")
    written = [(session.messages[i].role, session.messages[i].meta.get("unknown_role")) for i in indexes]
    if len(set(written)) > 1:
        i = next(i for i, role in zip(indexes, written, strict=True) if role != written[0])
        raise UserError(
            "Only messages of the same role can be merged.",
            where=f"messages[{i}].role",
            do="Change the role first.",
        )
    return indexes


def sentence(session: Session, operation: Merge) -> str:
    """``Merged messages 3 and 4``."""
    return f"Merged {numbers(_indexes(session, operation))}"

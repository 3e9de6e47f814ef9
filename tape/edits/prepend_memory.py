"""Puts durable facts in front of everything: into the system prompt, or as a first user message."""

from __future__ import annotations

from tape.edits.build import INSERTED, Fresh, rewrite
from tape.edits.cuts import pinned
from tape.edits.operations import PrependMemory
from tape.edits.settle import settle
from tape.errors import UserError
from tape.model import Session, Text, message


def prepend_memory(session: Session, operation: PrependMemory) -> Session:
    """The session that starts with the facts. Raises ``UserError`` when there are none."""
    if not operation.text.strip():
        raise UserError("There is nothing to remember.", where="text")
    if operation.place == "user":
        return _first_message(session, operation.text)
    if session.system is None and session.messages and session.messages[0].role == "system":
        return _into_message(session, operation.text)
    system = session.system
    if isinstance(system, list):
        return settle(session, session.messages, system=[{"type": "text", "text": operation.text}, *system])
    whole = f"{operation.text}\n\n{system}" if system else operation.text
    return settle(session, session.messages, system=whole)


def _first_message(session: Session, text: str) -> Session:
    at = pinned(session)
    fresh = Fresh(session.serial)
    uid = fresh.message()
    block = Text(uid=f"{uid}.0", text=text)
    first = message(uid, "user", (block,), provenance=INSERTED, meta={"content_form": "string"})
    messages = (*session.messages[:at], first, *session.messages[at:])
    return settle(session, messages, serial=fresh.serial)


def _into_message(session: Session, text: str) -> Session:
    """The system prompt of this session is the first message of its array."""
    first = session.messages[0]
    fresh = Fresh(session.serial)
    changed = rewrite(first, (Text(uid=fresh.block(), text=text), *first.blocks))
    return settle(session, (changed, *session.messages[1:]), serial=fresh.serial)


def sentence(operation: PrependMemory) -> str:
    """``Put a memory into the system prompt``."""
    if operation.place == "user":
        return "Put a memory in front as a user message"
    return "Put a memory into the system prompt"

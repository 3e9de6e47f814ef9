"""Puts new messages or blocks into the array. What stands there already is not touched."""

from __future__ import annotations

from tape.edits.build import Fresh, new_block, new_message, rewrite
from tape.edits.operations import Append, Insert, InsertBlock
from tape.edits.settle import settle
from tape.edits.targets import find_message, plural
from tape.errors import UserError
from tape.model import Session


def append(session: Session, operation: Append) -> Session:
    """The session with the messages at its end. Raises ``UserError`` when one of them is none."""
    fresh = Fresh(session.serial)
    added = tuple(
        new_message(value, fresh.message(), f"messages[{i}]") for i, value in enumerate(operation.messages)
    )
    if not added:
        raise UserError("There is no message to append.", where="messages")
    return settle(session, session.messages + added, serial=fresh.serial)


def insert(session: Session, operation: Insert) -> Session:
    """The session with the message at its place. Raises ``UserError`` for a bad place or message."""
    at = _place(session, operation)
    fresh = Fresh(session.serial)
    added = new_message(operation.message, fresh.message(), "message")
    messages = (*session.messages[:at], added, *session.messages[at:])
    return settle(session, messages, serial=fresh.serial)


def insert_block(session: Session, operation: InsertBlock) -> Session:
    """The session with the block in its message. Raises ``UserError`` for a bad place or block."""
    i = find_message(session, operation.into)
    blocks = session.messages[i].blocks
    check_index(operation.index, len(blocks), "index", "block")
    fresh = Fresh(session.serial)
    added = new_block(operation.block, fresh.block())
    changed = rewrite(session.messages[i], (*blocks[: operation.index], added, *blocks[operation.index :]))
    messages = (*session.messages[:i], changed, *session.messages[i + 1 :])
    return settle(session, messages, serial=fresh.serial)


def check_index(index: int, last: int, key: str, noun: str) -> None:
    """Raises ``UserError`` unless ``0 <= index <= last``."""
    if not 0 <= index <= last:
        raise UserError(
            f"There is no place {index} for a {noun}: it must be between 0 and {last}.", where=key
        )


def _place(session: Session, operation: Insert) -> int:
    if operation.at == "end":
        return len(session.messages)
    if isinstance(operation.at, int):
        check_index(operation.at, len(session.messages), "at", "message")
        return operation.at
    return find_message(session, operation.at)


def append_sentence(operation: Append) -> str:
    """``Appended a user message``."""
    roles = [str(value["role"]) for value in operation.messages]
    if len(roles) == 1:
        return f"Appended {_a(roles[0])} message"
    return f"Appended {plural(len(roles), 'message')}"


def insert_sentence(session: Session, operation: Insert) -> str:
    """``Inserted a user message as message 3``."""
    return f"Inserted {_a(str(operation.message['role']))} message as message {_place(session, operation)}"


def insert_block_sentence(session: Session, operation: InsertBlock) -> str:
    """``Inserted a text block into message 3``."""
    i = find_message(session, operation.into)
    return f"Inserted {_a(str(operation.block['type']))} block into message {i}"


def _a(word: str) -> str:
    """``a user``, ``an assistant``."""
    return f"{'an' if word[:1].lower() in 'aeio' else 'a'} {word}"

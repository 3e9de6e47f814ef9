"""Puts a message or block elsewhere. A moved message is the same value; nothing it says is changed."""

from __future__ import annotations

from tape.edits.build import rewrite
from tape.edits.insert import check_index
from tape.edits.operations import Move
from tape.edits.settle import settle
from tape.edits.targets import Spot, find, find_message, words_for
from tape.errors import UserError
from tape.model import Message, Session


def move(session: Session, operation: Move) -> Session:
    """The session with the message or block at its new place. Raises ``UserError`` for a bad place."""
    spot = find(session, operation.target)
    if spot.block is None:
        return settle(session, _moved_message(session.messages, spot.message, operation))
    home = spot.message if operation.into is None else find_message(session, operation.into)
    if home == spot.message:
        changed = _inside(session.messages[home], spot, operation.to)
        return settle(session, (*session.messages[:home], changed, *session.messages[home + 1 :]))
    return settle(session, _to_another(session.messages, spot, home, operation.to))


def _moved_message(messages: tuple[Message, ...], at: int, operation: Move) -> tuple[Message, ...]:
    if operation.into is not None:
        raise UserError("A message cannot stand inside another.", where="into", do="Merge the two instead.")
    check_index(operation.to, len(messages) - 1, "to", "message")
    rest = (*messages[:at], *messages[at + 1 :])
    return (*rest[: operation.to], messages[at], *rest[operation.to :])


def _inside(entry: Message, spot: Spot, to: int) -> Message:
    blocks = list(entry.blocks)
    check_index(to, len(blocks) - 1, "to", "block")
    blocks.insert(to, blocks.pop(spot.block or 0))
    return rewrite(entry, tuple(blocks))


def _to_another(messages: tuple[Message, ...], spot: Spot, home: int, to: int) -> tuple[Message, ...]:
    """Takes the block out of its message, which goes when nothing is left of it."""
    blocks = list(messages[spot.message].blocks)
    block = blocks.pop(spot.block or 0)
    target = messages[home].blocks
    check_index(to, len(target), "to", "block")
    changed = list(messages)
    changed[home] = rewrite(messages[home], (*target[:to], block, *target[to:]))
    changed[spot.message] = rewrite(messages[spot.message], tuple(blocks))
    return tuple(m for i, m in enumerate(changed) if i != spot.message or blocks)


def sentence(session: Session, operation: Move) -> str:
    """``Moved message 4 to 2``."""
    spot = find(session, operation.target)
    if spot.block is not None and operation.into is not None:
        home = find_message(session, operation.into)
        if home != spot.message:
            return f"Moved {words_for(session, spot)} into message {home}"
    place = "place" if spot.block is None else "block"
    return f"Moved {words_for(session, spot)} to {place} {operation.to}"

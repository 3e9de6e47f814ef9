"""The outline of a session: its turns in a line each, under what was asked.

What a turn cost is in the index that the browser has; here are the words and the times, which stand in the
bodies and are read for the part that is looked at.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import tape
from components.tape_view.payload import line
from tape.model import Message, Session, Text, ToolResult
from tape.turns import Turn, opens_work

MOST = 200


def outline(session: Session, start: int, count: int) -> dict[str, Any]:
    """Turns from number ``start`` (from 0) on, at most 200: ``[uid of the answer, first words of it, what was
    asked or null, seconds or null]``, what was asked as ``[uid, first words]`` where a piece of work begins.
    ``of`` is how many turns there are."""
    found = tape.turns(session)
    part = found[start : start + min(count, MOST)]
    return {"of": len(found), "from": start, "turns": [_row(session, found, turn) for turn in part]}


def _row(session: Session, found: tuple[Turn, ...], turn: Turn) -> list[Any]:
    answer = session.messages[turn.at]
    words = line([block for block in answer.blocks if isinstance(block, Text)])
    begins = turn.index == 1 or found[turn.index - 2].exchange != turn.exchange
    return [answer.uid, words, _asked(session, turn) if begins else None, seconds(session, turn)]


def _asked(session: Session, turn: Turn) -> list[str] | None:
    for entry in reversed(session.messages[turn.new_from : turn.at]):
        if opens_work(entry):
            return [entry.uid, line([block for block in entry.blocks if not isinstance(block, ToolResult)])]
    return None


def seconds(session: Session, turn: Turn) -> float | None:
    """From what was sent last until the round trip of a turn was there, by the times in the file; ``None``
    where these are not there or run backwards."""
    if not turn.at:
        return None
    sent, ended = _time(session.messages[turn.at - 1]), _time(session.messages[turn.next - 1])
    if sent is None or ended is None or (sent.tzinfo is None) != (ended.tzinfo is None):
        return None
    took = (ended - sent).total_seconds()
    return round(took, 1) if took >= 0 else None


def _time(entry: Message) -> datetime | None:
    text = entry.meta.get("timestamp")
    if not isinstance(text, str):
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None

"""Where the array may be cut so that no pair is torn: between exchanges, never inside a round of calls."""

from __future__ import annotations

from itertools import accumulate

from tape.model import Session
from tape.threads import threads
from tape.turns import opens_work


def cuts(session: Session) -> tuple[bool, ...]:
    """For each place between messages, from in front of the first to behind the last, whether a cut is fine.

    It is not where a call stands before it and its result behind it, nor inside one turn of the assistant's.
    """
    messages = session.messages
    pairs = threads(session)
    torn = [0] * (len(messages) + 1)
    for link in pairs.links:
        call, result = pairs.positions[link.call_uid][0], pairs.positions[link.result_uid][0]
        torn[min(call, result) + 1] += 1
        torn[max(call, result) + 1 if max(call, result) < len(messages) else -1] -= 1
    whole = [count == 0 for count in accumulate(torn)]
    for i in range(1, len(messages)):
        if messages[i - 1].role == messages[i].role == "assistant":
            whole[i] = False
    return tuple(whole)


def openings(session: Session) -> tuple[int, ...]:
    """The messages that open an exchange: a user message that asks for something, where a cut is fine."""
    whole = cuts(session)
    return tuple(i for i, entry in enumerate(session.messages) if whole[i] and opens_work(entry))


def pinned(session: Session) -> int:
    """How many system messages stand at the head of the array: they stay, whatever else goes."""
    for i, entry in enumerate(session.messages):
        if entry.role != "system":
            return i
    return len(session.messages)

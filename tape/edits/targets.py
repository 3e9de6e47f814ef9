"""Finds what an operation speaks of: targets to places in the array, and places to words for people."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from tape.edits.operations import Target
from tape.errors import UserError
from tape.model import Head, Message, Session

_POSITION = re.compile(r"messages\[(\d+)\](?:\.content\[(\d+)\])?")
_API_PATH = re.compile(r"messages\.(\d+)(?:\.content\.(\d+))?")
NOUNS = {
    "text": "text",
    "thinking": "thinking",
    "tool_use": "call",
    "tool_result": "result",
    "image": "image",
    "document": "document",
    "other": "block",
}


class Spot(NamedTuple):
    """A message (``block`` is ``None``) or a block, by its indexes in the array as it stands."""

    message: int
    block: int | None = None

    @property
    def where(self) -> str:
        """The place as people read it: ``messages[3].content[1]``."""
        inside = "" if self.block is None else f".content[{self.block}]"
        return f"messages[{self.message}]{inside}"


def find(session: Session, target: Target) -> Spot:
    """Where a target stands. Raises ``UserError`` when there is no such message or block."""
    if isinstance(target, int):
        return _checked(session, Spot(target))
    written = _POSITION.fullmatch(target) or _API_PATH.fullmatch(target)
    if written:
        block = written[2]
        return _checked(session, Spot(int(written[1]), None if block is None else int(block)))
    named = next((i for i, entry in enumerate(session.messages) if entry.uid == target), None)
    if named is not None:
        return Spot(named)
    for i, entry in _likely_first(session, target.rpartition(".")[0]):
        for j, head in enumerate(entry.heads):
            if head.uid == target:
                return Spot(i, j)
    raise UserError(
        f'There is no message or block "{target}" in this session.',
        do='Name it by number (3), position ("messages[3].content[1]") or uid ("m3.1").',
    )


def _likely_first(session: Session, name: str) -> Iterator[tuple[int, Message]]:
    """Every message with its index, first the one of that uid: blocks are called after their message, save
    those that were put into another."""
    for i, entry in enumerate(session.messages):
        if entry.uid == name:
            yield i, entry
    yield from enumerate(session.messages)


def find_message(session: Session, target: Target) -> int:
    """The index of a target that must be a message. Raises ``UserError`` when it is a block or not there."""
    spot = find(session, target)
    if spot.block is not None:
        raise UserError("This operation works on a whole message, not on a block.", where=spot.where)
    return spot.message


def find_all(session: Session, targets: Iterable[Target]) -> tuple[Spot, ...]:
    """The places of several targets, each once, in the order of the array. Raises ``UserError`` when there is
    none, or one that is not there."""
    wanted = tuple(targets)
    if not wanted:
        raise UserError("The operation names no message and no block.", where="targets")
    if len(wanted) > 8:
        known = places(session)
        spots = {known[t] if isinstance(t, str) and t in known else find(session, t) for t in wanted}
    else:
        spots = {find(session, t) for t in wanted}
    return tuple(sorted(spots, key=lambda s: (s.message, -1 if s.block is None else s.block)))


def places(session: Session) -> dict[str, Spot]:
    """The place of every message and block by uid."""
    found: dict[str, Spot] = {}
    for i, entry in enumerate(session.messages):
        found[entry.uid] = Spot(i)
        for j, head in enumerate(entry.heads):
            found[head.uid] = Spot(i, j)
    return found


def _checked(session: Session, spot: Spot) -> Spot:
    messages = session.messages
    if not 0 <= spot.message < len(messages):
        raise UserError(f"There is no message {spot.message}: {_holds(len(messages), 'message')}.")
    blocks = len(messages[spot.message].heads)
    if spot.block is not None and spot.block >= blocks:
        raise UserError(f"Message {spot.message} has no block {spot.block}: {_holds(blocks, 'block')}.")
    return spot


def _holds(count: int, noun: str) -> str:
    return (
        "there are none"
        if not count
        else f"{plural(count, noun)} are there, 0 to {count - 1}"
        if count > 1
        else (f"only {noun} 0 is there")
    )


def plural(count: int, noun: str) -> str:
    """``1 result``, ``2 results``."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def listed(words: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def numbers(indexes: Iterable[int]) -> str:
    """Message numbers as a person says them: ``message 4``, ``messages 1, 3 and 5–9``."""
    runs: list[list[int]] = []
    for i in sorted(set(indexes)):
        if runs and runs[-1][1] == i - 1:
            runs[-1][1] = i
        else:
            runs.append([i, i])
    words = [str(a) if a == b else f"{a}–{b}" for a, b in runs]
    if len(words) > 5:
        words = [*words[:4], f"{len(words) - 4} more places"]
    return f"message{'' if runs[0][0] == runs[-1][1] else 's'} {listed(words)}"


def noun(head: Head) -> str:
    """A block as a person calls it: ``call to read_file``, ``result``, ``text``."""
    if head.kind == "tool_use" and head.name:
        return f"call to {head.name}"
    if head.kind == "other" and head.name:
        return f"{head.name} block"
    return NOUNS[head.kind]


def words_for(session: Session, spot: Spot) -> str:
    """``message 3``, ``the call to read_file in message 1``; numbered where several are alike."""
    if spot.block is None:
        return f"message {spot.message}"
    heads = session.messages[spot.message].heads
    name = noun(heads[spot.block])
    alike = sum(1 for h in heads if noun(h) == name) > 1
    return f"the {name} in message {spot.message}{f' (block {spot.block})' if alike else ''}"

"""Two arrays side by side, as rows: aligned by uid, and behind the place where they part by order and role.

What changed inside a row is ``tape.edits.compare``'s, block by block and word by word.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from tape.edits.compare import MessageChange, compare
from tape.model import Message, Session, head_of
from tape.wire import message_json

MOST_ALIGNED = 4_000
"""Messages of the part that differs, up to which uids are searched for further down the other array."""


@dataclass(frozen=True, slots=True)
class Row:
    """A message on the left, on the right, or both; ``left`` and ``right`` are their positions."""

    left: int | None
    right: int | None
    state: Literal["same", "changed", "left", "right"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The rows in order; ``first`` is the first row that is not the same, ``None`` where all are."""

    rows: tuple[Row, ...]
    first: int | None


def side_by_side(left: Session, right: Session) -> Comparison:
    """Two arrays as rows. Messages that share a uid stand in one row; between those, a message stands beside
    the one of the same role that comes as far behind the last shared one."""
    rows = tuple(_rows(left.messages, right.messages))
    return Comparison(rows, next((i for i, row in enumerate(rows) if row.state != "same"), None))


def change(row: Row, left: Session, right: Session) -> MessageChange:
    """What is different in a row. Blocks are compared by uid, in messages that share none by their order."""
    before = None if row.left is None else left.messages[row.left]
    after = None if row.right is None else right.messages[row.right]
    if before is not None and after is not None and before.uid != after.uid:
        return compare(before, _renamed(after, before))
    return compare(before, after)


def _rows(left: Sequence[Message], right: Sequence[Message]) -> Iterator[Row]:
    at_left = at_right = 0
    for one, other, size in _shared(left, right):
        yield from _between(left, right, (at_left, one), (at_right, other))
        for number in range(size):
            yield _row(left, right, one + number, other + number)
        at_left, at_right = one + size, other + size


def _shared(left: Sequence[Message], right: Sequence[Message]) -> Iterator[tuple[int, int, int]]:
    """Runs of messages with equal uids: where on the left, on the right, how many. The last has none."""
    ours, theirs = [m.uid for m in left], [m.uid for m in right]
    pairs = zip(ours, theirs, strict=False)
    head = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(ours), len(theirs)))
    yield 0, 0, head
    if len(ours) + len(theirs) - 2 * head <= MOST_ALIGNED:
        matcher = difflib.SequenceMatcher(None, ours[head:], theirs[head:], autojunk=False)
        for block in matcher.get_matching_blocks()[:-1]:
            yield head + block.a, head + block.b, block.size
    yield len(ours), len(theirs), 0


def _between(
    left: Sequence[Message], right: Sequence[Message], ours: tuple[int, int], theirs: tuple[int, int]
) -> Iterator[Row]:
    i, j = ours[0], theirs[0]
    while i < ours[1] and j < theirs[1]:
        if left[i].role == right[j].role:
            yield _row(left, right, i, j)
            i, j = i + 1, j + 1
        elif ours[1] - i >= theirs[1] - j:
            yield Row(i, None, "left")
            i += 1
        else:
            yield Row(None, j, "right")
            j += 1
    yield from (Row(number, None, "left") for number in range(i, ours[1]))
    yield from (Row(None, number, "right") for number in range(j, theirs[1]))


def _row(left: Sequence[Message], right: Sequence[Message], i: int, j: int) -> Row:
    one, other = left[i], right[j]
    same = one is other or (_outline(one) == _outline(other) and message_json(one) == message_json(other))
    return Row(i, j, "same" if same else "changed")


def _outline(entry: Message) -> tuple[object, ...]:
    return entry.role, tuple((head.kind, head.chars) for head in entry.heads)


def _renamed(entry: Message, like: Message) -> Message:
    """The message with the uids of the blocks that stand at the same place in ``like``, of the same kind."""
    blocks = list(entry.blocks)
    for number, (block, head) in enumerate(zip(blocks, like.heads, strict=False)):
        if head_of(block).kind == head.kind:
            blocks[number] = replace(block, uid=head.uid)
    return entry.with_blocks(tuple(blocks))

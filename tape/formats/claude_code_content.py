"""What an edited message asks of the lines that it was read from, and of nothing else.

Each block remembers the line and the place it came from, so that a changed word changes that value, a block
that is gone takes its own line along where it stood alone, and a new block of a reply gets a line of its own.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tape.formats.claude_code_beside import beside_changes
from tape.formats.claude_lines import Body, Lines, Path, content_of
from tape.json_text import Edit, InsertAt, Remove, Set, same
from tape.model import Block, Json, Message, Text
from tape.notes import Note
from tape.wire import block_json

INSERTED = -1


@dataclass(frozen=True)
class NewLine:
    """A block that needs a line of its own, behind the line of a record or before it."""

    record: int
    before: bool
    uid: str
    value: Json


@dataclass
class Changes:
    """Edits of lines by record (paths begin at the line), lines to drop, and blocks that need a new line."""

    edits: dict[int, list[Edit]] = field(default_factory=dict)
    dropped: set[int] = field(default_factory=set)
    new_lines: list[NewLine] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

    def edit(self, record: int, edit: Edit) -> None:
        """Adds an edit of a line."""
        self.edits.setdefault(record, []).append(edit)


@dataclass(frozen=True)
class _Spot:
    """A block of the source: its number in the message, its line, and its number in that line."""

    number: int
    record: int
    index: int
    value: Json


class ContentDiff:
    """What turns the blocks of one message as it was read into those it has now."""

    def __init__(self, lines: Lines, base: Message, now: Message, where: str) -> None:
        self.base, self.now, self.where = base, now, where
        self.records = base.body.records if isinstance(base.body, Body) else ()
        self.values: dict[int, Mapping[str, Any]] = {r: lines.value(r) for r in self.records}
        self.path: Path = content_of(self.values[self.records[0]])[0]
        self.changes = Changes()

    def find(self) -> Changes:
        """The changes; none where the blocks say the same."""
        first = self.records[0]
        content = content_of(self.values[first])[1]
        if len(self.records) == 1 and not isinstance(content, list):
            self._rewrite(first, content)
        else:
            self._align()
        return self.changes

    def _rewrite(self, record: int, content: Json) -> None:
        """Content that is no list: a bare string stays one while a single text is all there is."""
        blocks = self.now.blocks
        only = blocks[0] if len(blocks) == 1 else None
        written: Json = [block_json(block) for block in blocks]
        if isinstance(content, str) and isinstance(only, Text) and not only.extra:
            written = only.text
        elif not blocks and (content is None or content == ""):
            return
        if not same(content, written):
            self.changes.edit(record, Set(self.path, written))

    def _align(self) -> None:
        before = self._spots()
        after = self.now.blocks
        if not before:
            if after:
                self.changes.edit(self.records[0], Set(self.path, [block_json(block) for block in after]))
            return
        numbers = {f"{self.base.uid}.{spot.number}": spot.number for spot in before}
        order = [numbers.get(block.uid, -1) for block in after]
        stay = increasing(order)
        kept: dict[int, set[int]] = {record: set() for record in self.records}
        at = 0
        last: _Spot | None = None
        for i, block in enumerate(after):
            if i in stay:
                at = order[i] + 1
                last = before[order[i]]
                self._set(last, block)
                kept[last.record].add(last.index)
                continue
            spare = self._spare(before, at, order, stay, i, block)
            if spare is not None:
                at, last = spare.number + 1, spare
                self._set(spare, block)
                kept[spare.record].add(spare.index)
            else:
                self._insert(before, last, block, kept)
        self._remove(before, kept)

    def _spots(self) -> list[_Spot]:
        spots: list[_Spot] = []
        for record, value in self.values.items():
            content = content_of(value)[1]
            items = content if isinstance(content, list) else [] if content is None else [content]
            for index, item in enumerate(items):
                spots.append(_Spot(len(spots), record, index, item))
        return spots

    def _spare(
        self, before: list[_Spot], at: int, order: list[int], stay: set[int], i: int, block: Block
    ) -> _Spot | None:
        """A block of the source that goes between the same neighbors and is of the same type: it becomes the
        new one, so that little of the line changes."""
        end = next((order[j] for j in range(i + 1, len(order)) if j in stay), len(before))
        wanted = block_json(block)
        kind = wanted.get("type") if isinstance(wanted, dict) else None
        for spot in before[at:end]:
            if isinstance(spot.value, dict) and spot.value.get("type") == kind:
                return spot
        return None

    def _place(self, spot: _Spot) -> Path:
        listed = isinstance(content_of(self.values[spot.record])[1], list)
        return (*self.path, spot.index) if listed else self.path

    def _set(self, spot: _Spot, block: Block) -> None:
        written = block_json(block)
        old: Json = spot.value
        if isinstance(old, str) and isinstance(block, Text):
            old = {"type": "text", "text": old}
        if same(old, written):
            return
        place = self._place(spot)
        is_bare = isinstance(spot.value, str) and isinstance(block, Text) and not block.extra
        self.changes.edit(spot.record, Set(place, written["text"] if is_bare else written))
        edits, note = beside_changes(self.values[spot.record], spot.value, written, self.where)
        for edit in edits:
            self.changes.edit(spot.record, edit)
        if note:
            self.changes.notes.append(note)

    def _insert(
        self, before: list[_Spot], last: _Spot | None, block: Block, kept: dict[int, set[int]]
    ) -> None:
        anchor = last or before[0]
        value = block_json(block)
        listed = isinstance(content_of(self.values[anchor.record])[1], list)
        if self.base.role == "assistant" and (self._one_a_line(before) or not listed):
            self.changes.new_lines.append(NewLine(anchor.record, last is None, block.uid, value))
            return
        self.changes.edit(anchor.record, InsertAt(self.path, anchor.index + (last is not None), value))
        kept[anchor.record].add(INSERTED)

    def _one_a_line(self, before: list[_Spot]) -> bool:
        return len(before) == len(self.records) and len({spot.record for spot in before}) == len(before)

    def _remove(self, before: list[_Spot], kept: dict[int, set[int]]) -> None:
        empty = [record for record in self.records if not kept[record]]
        if len(empty) == len(self.records):
            self.changes.edit(empty.pop(0), Set(self.path, []))
        self.changes.dropped.update(empty)
        for spot in before:
            if spot.record not in empty and kept[spot.record] and spot.index not in kept[spot.record]:
                self.changes.edit(spot.record, Remove(self._place(spot)))


def increasing(numbers: Sequence[int]) -> set[int]:
    """The positions of a longest run of growing numbers, negative ones left out: what can stay in place."""
    tails: list[int] = []
    ends: list[int] = []
    before: list[int] = [-1] * len(numbers)
    for i, n in enumerate(numbers):
        if n < 0:
            continue
        at = bisect_left(tails, n)
        before[i] = ends[at - 1] if at else -1
        if at == len(tails):
            tails.append(n)
            ends.append(i)
        else:
            tails[at], ends[at] = n, i
    stay: set[int] = set()
    at = ends[-1] if ends else -1
    while at >= 0:
        stay.add(at)
        at = before[at]
    return stay

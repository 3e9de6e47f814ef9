"""Decides which lines an edited Claude Code file has, in which order, and on which line each hangs.

Whoever hung on a line that is gone hangs on what stood above it, and whoever hung on the line before a new
one hangs on the new one, so that Claude Code can still walk from the last line to the first and resume.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from tape.formats.claude_code_content import NewLine
from tape.formats.claude_code_make import Maker
from tape.formats.claude_code_scan import Scan
from tape.formats.claude_lines import Body, Line, Lines, Side, Streamed
from tape.json_text import Edit, Set
from tape.model import Message, Session
from tape.notes import Note


@dataclass(frozen=True)
class Placed:
    """A message to put in behind the line of record ``after`` (-1: before all). One that only moved brings
    its own lines along: their records."""

    after: int
    entry: Message
    records: tuple[int, ...] = ()


@dataclass(frozen=True)
class Fresh:
    """A line that the file did not have."""

    value: dict[str, Any]


Piece: TypeAlias = "int | Fresh"


@dataclass
class Plan:
    """All that a new version of a file needs: edits of lines by record, lines to drop, what to put in."""

    edits: dict[int, list[Edit]] = field(default_factory=dict)
    dropped: set[int] = field(default_factory=set)
    placed: list[Placed] = field(default_factory=list)
    blocks: list[NewLine] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

    @property
    def structural(self) -> bool:
        """True where lines come or go."""
        return bool(self.dropped or self.placed or self.blocks)


class Weaver:
    """Walks over the new order of lines once and links parents on the way; adds to the plan's edits."""

    def __init__(self, lines: Lines, found: Scan, plan: Plan, session: Session) -> None:
        self.lines, self.plan, self.session = lines, plan, session
        self.items: dict[int, Line | Side] = {item.record: item for item in found.items}
        self.parents = {item.uuid: item.parent for item in found.items if item.uuid}
        gone = {self.items[record].uuid for record in plan.dropped if record in self.items}
        self.gone = {uuid for uuid in gone if uuid}
        for record in found.repeats:
            if lines.value(record).get("uuid") in self.gone:
                plan.dropped.add(record)
        self.lane = self._lane()
        self.maker = Maker(session.id or found.last_session or "", session.model, set(self.parents))
        self.calls = {call.message_uid: call for call in session.calls}
        self.like = next((r for r, item in self.items.items() if self._is_model(item)), None)
        self.at: str | None = None
        self.last: str | None = None
        self.instead: dict[str | None, str] = {}

    def pieces(self) -> list[Piece]:
        """The lines of the new file: records of the old one and new ones."""
        placed: dict[int, list[Placed]] = {}
        for one in self.plan.placed:
            placed.setdefault(one.after, []).append(one)
        before: dict[int, list[NewLine]] = {}
        behind: dict[int, list[NewLine]] = {}
        for block in self.plan.blocks:
            (before if block.before else behind).setdefault(block.record, []).append(block)
        found: list[Piece] = []
        for record in range(-1, len(self.lines)):
            for block in before.get(record, ()):
                found.append(self._block(block))
            if record >= 0 and record not in self.plan.dropped:
                found.append(self._old(record))
            for block in behind.get(record, ()):
                found.append(self._block(block))
            for one in placed.get(record, ()):
                found += self._moved(one) if one.records else self._new(one)
        return found

    def _lane(self) -> str | None:
        """The sub-agent whose array is edited, ``None`` for the session's own."""
        base = self.session.base
        for entry in base.messages if base else ():
            if isinstance(entry.body, (Body, Streamed)) and (item := self.items.get(entry.body.records[0])):
                return item.lane
        return None

    def _is_model(self, item: Line | Side) -> bool:
        """Whether a line can lend its other keys to a new one."""
        return isinstance(item, Line) and item.lane == self.lane and "queued" not in item.marks

    def _old(self, record: int) -> int:
        item = self.items.get(record)
        if item is None:
            return record
        parent = self._above(item.parent)
        if item.lane == self.lane:
            parent = self._instead_of(parent, item)
        if parent != item.parent:
            self._link(record, item, parent)
        self._passed(item)
        return record

    def _passed(self, item: Line | Side) -> None:
        if item.lane != self.lane:
            return
        self.last = item.uuid or self.last
        if isinstance(item, Line):
            self.at = item.at or self.at
            self.like = item.record if self._is_model(item) else self.like

    def _above(self, parent: str | None) -> str | None:
        passed: set[str] = set()
        while parent in self.gone and parent not in passed:
            passed.add(parent)
            parent = self.parents.get(parent)
        return None if parent in self.gone else parent

    def _instead_of(self, parent: str | None, item: Line | Side) -> str | None:
        if parent is None:
            return self.instead.pop(None, None) if isinstance(item, Line) else None
        while parent in self.instead:
            parent = self.instead[parent]
        return parent

    def _link(self, record: int, item: Line | Side, parent: str | None) -> None:
        value = self.lines.value(record)
        key = "parentUuid" if value.get("parentUuid") == item.parent else "logicalParentUuid"
        if key in value:
            self.plan.edits.setdefault(record, []).append(Set((key,), parent))

    def _enter(self) -> str | None:
        """The parent of a line that is put in here; before every line of the tree that of the first one."""
        if self.last is not None and self.at is not None:
            return self.last
        for record, item in self.items.items():
            if isinstance(item, Line) and item.lane == self.lane and record not in self.plan.dropped:
                self.at = self.at or item.at
                return self._above(item.parent) if self.last is None else self.last
        return self.last

    def _leave(self, parent: str | None, uuid: str | None) -> None:
        """From here on ``uuid`` stands where ``parent`` stood."""
        if uuid is not None and uuid != parent:
            self.instead[parent] = uuid
            self.last = uuid

    def _new(self, one: Placed) -> Iterator[Fresh]:
        parent = self._enter()
        template: Mapping[str, Any] = self.lines.value(self.like) if self.like is not None else {}
        made = list(self.maker.lines(one.entry, template, parent, self.at, self.calls.get(one.entry.uid)))
        for value in made:
            yield Fresh(value)
        self._leave(parent, made[-1].get("uuid"))

    def _block(self, block: NewLine) -> Fresh:
        parent = self._enter()
        value = self.maker.block_line(block.value, self.lines.value(block.record), block.uid, parent)
        self._leave(parent, value.get("uuid"))
        return Fresh(value)

    def _moved(self, one: Placed) -> Iterator[int]:
        parent = self._enter()
        own = {self.items[record].uuid for record in one.records}
        above = parent
        for record in one.records:
            item = self.items[record]
            if item.parent not in own and item.parent != above:
                self._link(record, item, above)
            above = item.uuid or above
            yield record
        self._leave(parent, above)

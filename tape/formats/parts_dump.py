"""Writes an edited session back into the records it was read from: only the values that were touched change.

Works on units: lines, or elements of one list in a document. A unit whose parts are all gone goes; a new
message becomes new units where the format can make some; what the file could not take in is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tape.containers import repack
from tape.formats.arrays import Path, at, patched
from tape.formats.base import Dumped
from tape.formats.claude_code_content import increasing
from tape.formats.lines import Item, Line, NewLine, relined
from tape.formats.parts import ABSENT, Body, Chunk, Field, Part
from tape.formats.parts_chain import relinked
from tape.formats.read_again import differs
from tape.json_text import Arrange, Change, Edit, InsertAt, Keep, New, Remove, Set, same
from tape.model import Base, Block, Json, Message, Place, Session, message
from tape.notes import Note
from tape.records import Source

KEPT = "{label} holds this together with something else; it was left in the file."
NOT_NEW = "{label} has no place for a new message of this kind; it is not in the file."
BROKEN = "{label} is broken where it was edited: none of the edits is in the file."
NOT_CHANGED = "{label} has no place for this change; it is not in the file."


@dataclass(frozen=True)
class Form:
    """What differs between formats that are patched so.

    ``read`` reads a changed source again, as the session that was edited. ``make`` gives the units of a
    message, ``like`` being units of messages before it, nearest last; ``None`` for an edit that cannot be.
    ``element`` gives a block as an element of the list that its neighbors stand in. ``copies`` gives the
    edits that keep what a record says twice in step: for a part, its block before and after. ``doubles`` says
    what a file holds twice that is not kept in step. ``chain`` are the keys of a line's id and its parent's.
    """

    label: str
    read: Callable[[Source, Session], Session | None]
    make: Callable[[Message, Sequence[Json]], list[Json] | None] = lambda entry, like: None
    element: Callable[[Block], Json | None] = lambda block: None
    copies: Callable[[Session, Chunk, Block, Block], Iterator[tuple[int, Edit]]] = lambda *_: iter(())
    doubles: str = ""
    chain: tuple[str, str] | None = None


def dump(session: Session, form: Form) -> Dumped:
    """The bytes of the session's file after its edits, and what the file could not take in. A file that is
    broken where it was to be edited stays as it is."""
    base = session.base
    if base is None:
        raise ValueError("the session has no source")
    try:
        return _Dump(session, base, form).done()
    except (KeyError, ValueError):
        source = base.sources[0]
        whole = repack(source, source.restore(bytes(source.body)))
        return Dumped(whole, (Note("", "not-written", BROKEN.format(label=form.label)),))


LOST = "The system prompt stood in a record that is gone, so the file does not hold it any more."


@dataclass
class _Placed:
    """Units to put in behind unit ``after`` (-1: before all): new values, or old units that moved."""

    after: int
    values: list[Json] = field(default_factory=list)
    units: tuple[int, ...] = ()


class _Dump:
    def __init__(self, session: Session, base: Base, form: Form) -> None:
        self.session, self.base, self.form = session, base, form
        self.source = base.sources[0]
        self.array: Place | None = base.extra.get("array")
        self.edits: dict[int, list[Edit]] = {}
        self.dropped: set[int] = set()
        self.placed: list[_Placed] = []
        self.notes: list[Note] = []
        self.left: dict[int, int] = {}
        self.owners: dict[int, set[str]] = {}
        self.homes: dict[tuple[int, Path], int] = {}
        self.removed: list[tuple[Chunk, Part, str]] = []
        left = (entry for branch in session.branches for entry in branch.messages)
        for entry in (*base.messages, *left):
            for unit in self.units(entry):
                self.owners.setdefault(unit, set()).add(entry.uid)
            for chunk, part in _parts(entry):
                unit = self.unit(chunk.place)
                self.left[unit] = self.left.get(unit, 0) + 1
                if part.home is not None:
                    home = (chunk.place.record, part.home)
                    self.homes[home] = self.homes.get(home, 0) + 1

    def unit(self, place: Place) -> int:
        """The number of the unit that a place is in; negative for one outside the list."""
        if self.array is None:
            return place.record
        steps = place.path[len(self.array.path) :]
        inside = place.record == self.array.record and place.path[: len(self.array.path)] == self.array.path
        return steps[0] if inside and steps and isinstance(steps[0], int) else -1 - place.record

    def units(self, entry: Message) -> tuple[int, ...]:
        """The units that a message was read from, in order."""
        body = entry.body
        chunks = body.chunks if isinstance(body, Body) else ()
        return tuple(dict.fromkeys(self.unit(chunk.place) for chunk in chunks))

    def own(self, entry: Message) -> tuple[int, ...]:
        """The units that hold nothing but this message."""
        return tuple(u for u in self.units(entry) if u >= 0 and self.owners.get(u, set()) == {entry.uid})

    def done(self) -> Dumped:
        self._plan()
        self._settle()
        for what, now, before in (
            ("system prompt", self.session.system, self.base.system),
            ("tool definitions", self.session.tools, self.base.tools),
        ):
            if now != before and not (what == "system prompt" and self._system(now, before)):
                self.notes.append(Note("", "no-place", f"{self.form.label} has no place for new {what}."))
        if self.form.doubles and self.edits:
            self.notes.append(Note("", "copies-left", self.form.doubles))
        body = self._written()
        data = repack(self.source, self.source.restore(body))
        if body.strip():
            again = self.form.read(Source(body, self.source.name), self.session)
            self.notes += differs(again.messages if again else (), self.session.messages)
            if again is not None and again.system != self.session.system == self.base.system:
                self.notes.append(Note("", "system-lost", LOST))
        return Dumped(data, tuple(self.notes))

    def _system(self, now: Json, before: Json) -> bool:
        place: Place | None = self.base.extra.get("system_place")
        if place is None or not isinstance(now, str) or not isinstance(before, str):
            return False
        self.edits.setdefault(place.record, []).append(Set(place.path, now))
        return True

    def _plan(self) -> None:
        before = self.base.messages
        order = {entry.uid: i for i, entry in enumerate(before)}
        now = self.session.messages
        numbers = [order.get(entry.uid, -1) for entry in now]
        numbers = [
            n if n >= 0 and before[n].role == e.role else -1 for n, e in zip(numbers, now, strict=True)
        ]
        stay = increasing(numbers)
        kept = {now[i].uid for i in stay}
        moved = {
            entry.uid: before[numbers[i]]
            for i, entry in enumerate(now)
            if i not in stay and numbers[i] >= 0 and self._movable(before[numbers[i]], entry)
        }
        for entry in before:
            if entry.uid not in kept and entry.uid not in moved:
                self._remove(list(_parts(entry)), f"messages[{order[entry.uid]}]")
                self.dropped.update(u for u in self.own(entry) if not self.left.get(u))
        after = self._first(before, kept)
        for i, entry in enumerate(now):
            old = before[numbers[i]] if numbers[i] >= 0 else None
            if i in stay and old is not None:
                if entry is not old:
                    self._change(old, entry, f"messages[{i}]")
                after = max((after, *self.units(old)))
            elif entry.uid in moved:
                units = self.units(moved[entry.uid])
                self.dropped.update(units)
                self.placed.append(_Placed(after, units=units))
            else:
                self._new(entry, after, f"messages[{i}]")

    def _movable(self, old: Message, entry: Message) -> bool:
        units = self.units(old)
        return bool(units) and self.own(old) == units and (entry is old or entry.blocks == old.blocks)

    def _first(self, before: Sequence[Message], kept: set[str]) -> int:
        """Behind which unit a message stands that comes before all that stay."""
        units = [u for entry in before if entry.uid in kept for u in self.units(entry)[:1]]
        units = units or [u for entry in before for u in self.units(entry)[:1]]
        return units[0] - 1 if units else self._count() - 1

    def _count(self) -> int:
        if self.array is None:
            return len(self.source)
        found = at(self.source.held(self.array.record), self.array.path)
        return len(found) if isinstance(found, list) else 0

    def _edit(self, record: int, edit: Edit) -> None:
        self.edits.setdefault(record, []).append(edit)

    def _change(self, old: Message, entry: Message, where: str) -> None:
        was = list(_parts(old))
        pairs, new = _aligned([part.block for _, part in was], entry.blocks)
        gone = [pair for i, pair in enumerate(was) if i not in pairs]
        if (new or gone) and not self._elements(was, pairs, entry, new):
            self._again(old, entry, where)
            return
        for i, j in pairs.items():
            chunk, part = was[i]
            self._fields(chunk, part, entry.blocks[j], f"{where}.content[{j}]")
        self._remove(gone, where)

    def _elements(
        self, was: list[tuple[Chunk, Part]], pairs: dict[int, int], entry: Message, new: list[int]
    ) -> bool:
        """Puts new blocks into the list that their neighbors stand in. False, and nothing done, where they
        stand in none."""
        edits: list[tuple[int, InsertAt]] = []
        places = {j: was[i] for i, j in pairs.items()}
        for j in new:
            value = self.form.element(entry.blocks[j])
            before = next((places[k] for k in range(j - 1, -1, -1) if k in places), None)
            behind = next((places[k] for k in range(j + 1, len(entry.blocks)) if k in places), None)
            spot = _element(before, 1) or _element(behind, 0)
            if value is None or spot is None:
                return False
            edits.append((spot[0], InsertAt(spot[1][:-1], int(spot[1][-1]), value)))
        for record, edit in edits:
            self._edit(record, edit)
        return True

    def _again(self, old: Message, entry: Message, where: str) -> None:
        """Writes a message anew in the place of its units."""
        units = self.own(old)
        if units != self.units(old) or not self._new(entry, max(units, default=-1), where):
            self.notes.append(Note(where, "change-kept-out", NOT_CHANGED.format(label=self.form.label)))
            return
        self.dropped.update(units)

    def _new(self, entry: Message, after: int, where: str) -> bool:
        values = self.form.make(entry, self._like(after))
        if values is None:
            self.notes.append(Note(where, "no-place", NOT_NEW.format(label=self.form.label)))
            return False
        self.placed.append(_Placed(after, values))
        return True

    def _like(self, after: int) -> list[Json]:
        """The units of messages up to a place, or the first one behind it."""
        units = sorted(u for u in self.owners if u >= 0)
        near = [u for u in units if u <= after][-8:] or units[:1]
        return [self._value(u) for u in near]

    def _value(self, unit: int) -> Json:
        if self.array is None:
            return self.source.held(unit)
        return at(self.source.held(self.array.record), (*self.array.path, unit))

    def _fields(self, chunk: Chunk, part: Part, block: Block, where: str) -> None:
        if block == part.block:
            return
        done = False
        for one in part.fields:
            before, now = one.value(part.block), one.value(block)
            if before is now or (before is not ABSENT and now is not ABSENT and same(before, now)):
                continue
            self._edit(chunk.place.record, _set(one, now))
            done = True
        for record, edit in self.form.copies(self.session, chunk, part.block, block):
            self._edit(record, edit)
        if not done:
            self.notes.append(Note(where, "change-kept-out", NOT_CHANGED.format(label=self.form.label)))

    def _remove(self, parts: list[tuple[Chunk, Part]], where: str) -> None:
        """Notes that parts go; how is decided once it is known what else goes."""
        for chunk, part in parts:
            self.left[self.unit(chunk.place)] -= 1
            if part.home is not None:
                self.homes[chunk.place.record, part.home] -= 1
            self.removed.append((chunk, part, where))

    def _settle(self) -> None:
        """Takes parts out: the unit or the value where nothing is left of it, else the parts alone."""
        done: set[tuple[int, Path]] = set()
        for chunk, part, where in self.removed:
            unit, record = self.unit(chunk.place), chunk.place.record
            if unit >= 0 and self.left[unit] == 0:
                self.dropped.add(unit)
            elif part.home is not None and self.homes[record, part.home] == 0:
                if (record, part.home) not in done:
                    done.add((record, part.home))
                    self._edit(record, Remove(part.home))
            elif part.gone:
                for edit in part.gone:
                    self._edit(record, edit)
            else:
                self.notes.append(Note(where, "message-kept", KEPT.format(label=self.form.label)))

    def _written(self) -> bytes:
        for record in {self.unit_record(u) for u in self.dropped}:
            self.edits[record] = [e for e in self.edits.get(record, []) if not self._in_dropped(record, e)]
        if not self.dropped and not self.placed:
            return bytes(patched(self.source, {r: e for r, e in self.edits.items() if e}))
        placed: dict[int, list[_Placed]] = {}
        for one in self.placed:
            placed.setdefault(one.after, []).append(one)
        return self._relined(placed) if self.array is None else self._arranged(self.array, placed)

    def unit_record(self, unit: int) -> int:
        """The record that a unit is, or is in."""
        return unit if self.array is None else self.array.record

    def _in_dropped(self, record: int, edit: Edit) -> bool:
        unit = self.unit(Place(record, tuple(edit.path)))
        moved = {u for one in self.placed for u in one.units}
        return unit in self.dropped and unit not in moved

    def _relined(self, placed: dict[int, list[_Placed]]) -> bytes:
        items: list[Item] = []
        for unit in range(-1, len(self.source)):
            if unit >= 0 and unit not in self.dropped:
                items.append(Line(unit, tuple(self.edits.get(unit, ()))))
            for one in placed.get(unit, ()):
                items += [Line(u, tuple(self.edits.get(u, ()))) for u in one.units]
                items += [NewLine(value) for value in one.values]
        if self.form.chain is not None:
            items = list(relinked(self.source, items, *self.form.chain))
        return relined(self.source, items)

    def _arranged(self, array: Place, placed: dict[int, list[_Placed]]) -> bytes:
        depth = len(array.path)
        inside: dict[int, list[Edit]] = {}
        outside: list[Edit] = []
        for edit in self.edits.get(array.record, ()):
            unit = self.unit(Place(array.record, tuple(edit.path)))
            if unit >= 0:
                inside.setdefault(unit, []).append(replace(edit, path=tuple(edit.path)[depth + 1 :]))
            else:
                outside.append(edit)

        def element(unit: int) -> Keep | Change:
            return Change(unit, edits=tuple(inside[unit])) if unit in inside else Keep(unit)

        items: list[Keep | Change | New] = []
        for unit in range(-1, self._count()):
            if unit >= 0 and unit not in self.dropped:
                items.append(element(unit))
            for one in placed.get(unit, ()):
                items += [element(u) for u in one.units]
                items += [New(value) for value in one.values]
        edits = {**self.edits, array.record: [*outside, Arrange(array.path, tuple(items))]}
        return bytes(patched(self.source, {r: e for r, e in edits.items() if e}))


def _parts(entry: Message) -> Iterator[tuple[Chunk, Part]]:
    if isinstance(entry.body, Body):
        yield from entry.body.parts()


def _aligned(old: Sequence[Block], new: Sequence[Block]) -> tuple[dict[int, int], list[int]]:
    """Which old block became which new one (by uid and kind, else in order), and which new ones are left."""
    pairs: dict[int, int] = {}
    for by_uid in (True, False):
        for j, block in enumerate(new):
            if j in pairs.values():
                continue
            low = max((i for i, k in pairs.items() if k < j), default=-1)
            high = min((i for i, k in pairs.items() if k > j), default=len(old))
            free = (i for i in range(low + 1, high) if i not in pairs and _becomes(old[i], block, by_uid))
            if (i := next(free, None)) is not None:
                pairs[i] = j
    return pairs, [j for j in range(len(new)) if j not in pairs.values()]


def _becomes(old: Block, new: Block, by_uid: bool) -> bool:
    return type(old) is type(new) and (old.uid == new.uid or not by_uid)


def _element(neighbor: tuple[Chunk, Part] | None, behind: int) -> tuple[int, Path] | None:
    """The record and path of the element next to a part, where that part is an element of a list."""
    if neighbor is None or len(neighbor[1].gone) != 1 or not isinstance(neighbor[1].gone[0], Remove):
        return None
    path = tuple(neighbor[1].gone[0].path)
    if not path or not isinstance(path[-1], int):
        return None
    return neighbor[0].place.record, (*path[:-1], path[-1] + behind)


def _set(one: Field, value: Any) -> Edit:
    return Remove(one.path) if value is ABSENT else Set(one.path, value)


def alone(entry: Message, block: Block) -> Message:
    """A message that is only this block of it, for formats that write one record a block."""
    return message(entry.uid, entry.role, (block,), meta=entry.meta, provenance=entry.provenance)

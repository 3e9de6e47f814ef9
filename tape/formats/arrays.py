"""What formats share whose file holds a messages array as JSON: finding its entries, and patching them.

A conversation is an array in some record, with the request it is part of and perhaps a response that follows
it. How an entry becomes a message, and a message an entry, is the business of the format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

from tape.containers import repack
from tape.formats.base import Dumped
from tape.formats.lines import Item, Line, NewLine, relined
from tape.json_spans import elements
from tape.json_text import Arrange, Change, Edit, Keep, New, Remove, Set, patch, same
from tape.model import EMPTY, Base, Json, Message, Place, Session
from tape.notes import ImportReport, Note
from tape.records import Broken, Source, loads

Path: TypeAlias = tuple[str | int, ...]
LAZY_FROM = 4_000_000
NO_PLACE = "{count} messages have no place in this file and are not in it."
MOVED = "The response moved into the messages, for what follows it now."
KEPT = "The response is a recorded stream; it stays in the file as it was."
EMPTIED = "The response stays in the file, without its content."


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a conversation stands in a source: the record, the request object, its array and the message of
    the response behind it. All paths begin at the record, or in the JSON that the string at ``inside`` holds;
    ``None`` where there is none. With ``lines`` every record is one entry of the array."""

    record: int = 0
    request: Path | None = None
    array: Path | None = None
    reply: Path | None = None
    lines: bool = False
    inside: Path | None = None


@dataclass(frozen=True, slots=True)
class Piece:
    """An entry as it stands in the file. ``again`` parses it anew where it is too large to be kept."""

    place: Place
    value: Json
    again: Callable[[], Json] | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry to be written: where it stood (``None``: it is new) and the edits of its inside; ``value`` is
    all of it as it is now, left out where it stays in its array."""

    value: Json = None
    place: Place | None = None
    edits: tuple[Edit, ...] = ()


def documents(source: Source) -> Iterator[tuple[int, Json]]:
    """The records of a source that are JSON, with their numbers; a broken document as far as it goes."""
    if source.container == "json":
        yield 0, source.document
        return
    for i in range(len(source)):
        try:
            yield i, source.json(i)
        except Broken:
            continue


def at(value: Json, path: Path | None) -> Json:
    """The value at a path, ``None`` where there is none."""
    if path is None:
        return None
    for step in path:
        if value.__class__ is dict:
            value = value.get(step)
        elif value.__class__ is list and step.__class__ is int and step < len(value):
            value = value[step]
        else:
            return None
    return value


def pieces(source: Source, spot: Spot, document: Json) -> list[Piece]:
    """The entries of the array and the response behind it, in order."""
    found: list[Piece] = []
    if spot.inside is not None:
        document = loads(at(document, spot.inside))
    entries = at(document, spot.array)
    if spot.array is not None and isinstance(entries, list):
        again = _rereader(source, spot.record, spot.array) if spot.inside is None else None
        for i, value in enumerate(entries):
            place = Place(spot.record, (*spot.array, i))
            found.append(Piece(place, value, partial(again, i) if again is not None else None))
    if spot.reply is not None:
        found.append(Piece(Place(spot.record, spot.reply), at(document, spot.reply)))
    return found


def line_pieces(source: Source) -> list[Piece]:
    """The entries of a file with one a record."""
    large = len(source.body) >= LAZY_FROM

    def reader(record: int) -> Callable[[], Json] | None:
        return (lambda: source.json(record)) if large else None

    return [Piece(Place(record), value, reader(record)) for record, value in documents(source)]


def _rereader(source: Source, record: int, array: Path) -> Callable[[int], Json] | None:
    """A function that parses one element of an array anew; ``None`` where all of it is small enough to be
    kept. Where the elements stand is looked for when one is asked for and the document is no longer held."""
    if source.kept:
        return lambda i: at(source.held(record), array)[i]
    start, end = source.span(record)
    if end - start < LAZY_FROM or source.broken(record):
        return None
    spans: list[tuple[int, int]] = []

    def read(i: int) -> Json:
        if source.holds_document:
            return at(source.document, array)[i]
        if not spans:
            text = source.raw(record).decode("latin-1")
            spans.extend((start + member.value, start + member.end) for member in elements(text, array))
        return source.value(*spans[i])

    return read


def based(
    session: Session,
    source: Source,
    spot: Spot,
    *,
    merged: int = 0,
    places: Mapping[str, tuple[Place, ...]] = EMPTY,
) -> Session:
    """The session with what ``dump`` needs to know, the remarks of its source and the import report.

    ``places`` are those of the entries that were joined into one message, by its uid.
    """
    base = Base(
        session.format,
        (source,),
        session.messages,
        session.system,
        session.tools,
        session.title,
        {"spot": spot, "places": places},
    )
    notes = (*session.notes, *source.notes())
    return replace(session, base=base, notes=notes, report=report(source, notes, merged))


def report(source: Source, notes: Iterable[Note] = (), merged: int = 0) -> ImportReport:
    """The import report of a source whose every record is part of a conversation."""
    broken = tuple(
        int(n.where.removeprefix("line ")) for n in notes if n.kind in ("torn-record", "broken-record")
    )
    lost = 0 if source.container == "json" else len(broken)
    return ImportReport(len(source), len(source) - lost - merged, merged, broken=broken)


def dump_array(
    session: Session,
    entries: Sequence[Entry],
    edits: Iterable[Edit],
    emptied: Iterable[Edit],
    removed: Iterable[Edit],
) -> Dumped:
    """The source with its array changed to these entries, and ``edits`` done to its record.

    A response that is no longer there, or no longer last, is ``removed`` behind an array, and ``emptied``
    where it is all that the record holds. Raises ``KeyError`` or ``ValueError`` where the record is broken
    before the place that is to be changed.
    """
    base = session.base
    if base is None:
        raise ValueError("the session has no source")
    spot: Spot = base.extra["spot"]
    source = base.sources[0]
    if spot.lines:
        return Dumped(repack(source, source.restore(_lines(base, entries))))
    changes, losses = list(edits), list[Note]()
    answer = next((i for i, e in enumerate(entries) if e.place and not stands_in(e.place, spot.array)), None)
    array = list(entries if answer is None else entries[:answer])
    if spot.reply is not None and answer is None:
        losses.append(Note("", "reply-emptied", EMPTIED))
        changes += [_below(spot.reply, e) for e in (emptied if spot.array is None else removed)]
    if answer is not None:
        behind = list(entries[answer + 1 :])
        moved = bool(behind) and spot.array is not None and spot.reply is not None
        if moved and spot.reply is not None:
            losses.append(Note("", "reply-moved", MOVED))
            changes += [_below(spot.reply, edit) for edit in removed]
            array.append(Entry(entries[answer].value))
        elif spot.reply is not None:
            changes += [_below(spot.reply, edit) for edit in entries[answer].edits]
        elif entries[answer].edits:
            losses.append(Note("", "response-kept", KEPT))
        array += behind
    if spot.array is not None:
        items = [_item(entry, spot.array) for entry in array]
        before = [i for m in base.messages for i in _indexes(base, m, spot.array)]
        if any(not isinstance(i, Keep) for i in items) or before != [
            i.index for i in items if isinstance(i, Keep)
        ]:
            changes.append(Arrange(spot.array, tuple(items)))
    elif array:
        losses.append(Note("", "no-place", NO_PLACE.format(count=len(array))))
    if changes and spot.inside is not None:
        held = at(_record(source, spot.record), spot.inside)
        changes = [Set(spot.inside, patch(held, changes))]
    body = patched(source, {spot.record: changes}) if changes else source.body
    return Dumped(repack(source, source.restore(bytes(body))), tuple(losses))


def _record(source: Source, record: int) -> Json:
    return source.document if source.container == "json" else source.json(record)


def _lines(base: Base, entries: Sequence[Entry]) -> bytes:
    """The body of a file with one entry a record: records that hold none stay where they are."""
    source = base.sources[0]
    taken = {record for entry in base.messages for record in entry.records}
    items: list[Item] = []
    done = 0
    for entry in entries:
        if entry.place is None:
            items.append(NewLine(entry.value))
            continue
        record = entry.place.record
        items += [Line(i) for i in range(done, record) if i not in taken]
        items.append(Line(record, entry.edits))
        done = max(done, record + 1)
    items += [Line(i) for i in range(done, len(source)) if i not in taken]
    return relined(source, items)


def patched(source: Source, edits: Mapping[int, Sequence[Edit]]) -> bytes:
    """The body of a source with edits done to some of its records; all else stays byte for byte."""
    parts: list[bytes] = []
    done = 0
    for record in sorted(edits):
        start, end = source.span(record)
        text = patch(source.exact(record), edits[record])
        parts += [source.body[done:start], text.encode("utf-8", "surrogateescape")]
        done = end
    return b"".join([*parts, source.body[done:]])


def places_of(base: Base, entry: Message) -> tuple[Place, ...]:
    """Where the entries stand that a message was read from."""
    several: tuple[Place, ...] = base.extra["places"].get(entry.uid, ())
    return several or ((entry.place,) if entry.place else ())


def _indexes(base: Base, entry: Message, array: Path) -> list[int]:
    """Which elements of the array a message was read from."""
    places = places_of(base, entry)
    return [p.path[-1] for p in places if p.path[:-1] == array and isinstance(p.path[-1], int)]


def _item(entry: Entry, array: Path) -> Keep | Change | New:
    index = entry.place.path[-1] if entry.place and stands_in(entry.place, array) else None
    if not isinstance(index, int):
        return New(entry.value)
    return Change(index, edits=entry.edits) if entry.edits else Keep(index)


def stands_in(place: Place, array: Path | None) -> bool:
    """Whether a place is that of an element of the array."""
    return array is not None and place.path[:-1] == array and isinstance(place.path[-1:][0], int)


def _below(path: Path, edit: Edit) -> Edit:
    return replace(edit, path=(*path, *edit.path))


def field_edits(path: Path, old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Edit]:
    """Edits that turn the members ``old`` of the object at ``path`` into ``new``; others are not touched."""
    edits: list[Edit] = [Remove((*path, key)) for key in old if key not in new]
    return edits + [
        Set((*path, key), value) for key, value in new.items() if key not in old or not same(old[key], value)
    ]

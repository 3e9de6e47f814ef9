"""Files with many conversations: the objects that may be one, found without keeping what they hold.

An object is an element of the array that the document is, the document itself, or a line. What a conversation
looks like inside is the business of the format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from tape.formats.arrays import at
from tape.formats.base import Conversation
from tape.formats.titles import title_of_messages
from tape.model import Branch, Json, Message, Place, Session
from tape.notes import Note
from tape.records import Broken, Source
from tape.records.elements import elements

BRANCHES: Final = 200


@dataclass(frozen=True, slots=True)
class Spot:
    """Where an object stands that may be a conversation: its source, its place there, and its number."""

    source: Source
    place: Place
    number: int

    @property
    def size(self) -> int:
        """Bytes of the record that it stands in."""
        return self.source.size(self.place.record)


def spots(source: Source) -> Iterator[tuple[Spot, Json]]:
    """Each object that may be a conversation, with its value, in order. Never raises on data."""
    if source.container == "json":
        document = source.document
        if not isinstance(document, list):
            yield Spot(source, Place(0), 0), document
            return
        inside = elements(source)
        apart = inside is not None and len(inside) == len(document)
        if apart:
            source.forget()
        for i, value in enumerate(document):
            yield (Spot(inside, Place(i), i) if inside and apart else Spot(source, Place(0, (i,)), i)), value
        return
    for i in range(len(source)):
        try:
            yield Spot(source, Place(i), i), source.json(i)
        except Broken:
            continue


def again(source: Source, session: Session, load: Callable[[Spot], Session | None]) -> Session | None:
    """The conversation of a changed source that a session was read from."""
    number = session.base.extra.get("number") if session.base else None
    return next((load(spot) for spot, _ in spots(source) if spot.number == number), None)


def numbered(session: Session, spot: Spot, items: int) -> Session:
    """The session with what finds it again in its file, and its report counting ``items`` of its own."""
    report, base = session.report, session.base
    if base is None or report is None:
        return session
    beside = sum(report.aside_counts.values()) + sum(report.unknown_counts.values())
    used = max(0, items - beside)
    entries = sum(1 for entry in session.messages if entry.heads)
    return replace(
        session,
        base=replace(base, extra={**base.extra, "number": spot.number}),
        report=replace(report, records=items, in_messages=used, merged=max(0, used - entries)),
    )


def listed(spot: Spot, id: str, title: str, load: Callable[[], Session], date: Json) -> Conversation:
    """A conversation in the list: its title, its date as ISO text, its size in bytes."""
    return Conversation(id, title, load, moment(date), spot.size)


def bytes_of(source: Source, records: Mapping[int, int], record: int) -> int | None:
    """Bytes of a record; ``None`` where they are not known, or it holds more than one conversation, whose
    parts are not known. ``records`` says how many were found in each."""
    return (source.size(record) or None) if records[record] == 1 else None


def moment(value: Json) -> str | None:
    """A time as ISO text: what is text already, or seconds since 1970; ``None`` for anything else."""
    if isinstance(value, str):
        return value or None
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        return f"{datetime.fromtimestamp(value, UTC).isoformat(timespec='seconds')[:19]}Z"
    except (ValueError, OverflowError, OSError):
        return None


def chain(ids: Sequence[str], parents: dict[str, str | None], leaf: str | None) -> list[str]:
    """The way from the root of a tree to a leaf, as ids; a circle is cut where it closes."""
    known, path = set(ids), list[str]()
    seen: set[str] = set()
    while leaf is not None and leaf in known and leaf not in seen:
        seen.add(leaf)
        path.append(leaf)
        leaf = parents.get(leaf)
    return path[::-1]


def leaves(ids: Sequence[str], parents: dict[str, str | None]) -> list[str]:
    """The ids that are nobody's parent, in the order of the file."""
    inner = {parents.get(id) for id in ids}
    return [id for id in ids if id not in inner]


def tree_branches(
    parents: dict[str, str | None],
    active: Sequence[str],
    uids: Mapping[str, str],
    walk: Callable[[Sequence[str]], tuple[Message, ...]],
) -> Iterator[Branch]:
    """What stands on other ways of a tree than the active one, each behind the last message that both share.
    ``uids`` are the messages that nodes became, ``walk`` gives the messages of some nodes."""
    shared, ids = set(active), list(parents)
    for leaf in [id for id in leaves(ids, parents) if id not in shared][:BRANCHES]:
        path = chain(ids, parents, leaf)
        at = next((uids[id] for id in reversed(path) if id in shared and id in uids), None)
        entries = walk([id for id in path if id not in shared])
        if entries:
            yield Branch(title_of_messages(entries) or "another answer", at, entries, "left in the tree")


def value_at(spot: Spot) -> Json:
    """The object itself."""
    return at(spot.source.held(spot.place.record), spot.place.path)


def no_messages(where: str) -> Note:
    """The remark on a conversation that holds none."""
    return Note(where, "no-messages", "This conversation holds no messages.")

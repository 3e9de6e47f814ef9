"""Where the samples of an Inspect log stand: in one document, in members of a zip, or in chunks of members.

A sample in chunks has its messages in a pool of several members: they are read as one document, and an edit
goes back into the member that it came from.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from tape.archives import Archive
from tape.errors import UserError
from tape.formats.arrays import at
from tape.formats.conversations import spots
from tape.json_spans import walk
from tape.model import Json, Place
from tape.notes import Note
from tape.records import Outer, Source
from tape.records.elements import elements
from tape.records.framing import Buffer

EVENT_BYTES: Final = 50_000_000


@dataclass(frozen=True, slots=True)
class Sample:
    """One sample: the source and place of its messages, what is known beside them, and its events."""

    source: Source
    place: Place
    facts: dict[str, Json]
    attachments: dict[str, Json]
    events: list[Json]
    messages: list[tuple[Place, Json]]


class Pool:
    """The messages of one sample in chunks, as one array; ``replaced`` puts them back into their members."""

    def __init__(self, archive: Archive, folder: str) -> None:
        self.archive, self.folder = archive, folder
        self.data: Buffer = archive.data
        self.outer: Outer | None = archive.outer
        self.member = archive.member
        self.notes: list[Note] = archive.notes
        self._members = [
            (name, _elements(archive.read(name))) for name in _chunks(archive, folder, "messages")
        ]

    def document(self) -> bytes:
        """All messages as one JSON array."""
        return b"[" + b",\n".join(one for _, several in self._members for one in several) + b"]"

    def replaced(self, member: str, data: bytes) -> bytes:
        """The archive with the messages as they are now."""
        now, archive, done = _elements(data), self.archive, bytes(self.archive.data)
        for name, before in self._members:
            after, now = now[: len(before)], now[len(before) :]
            if after != before:
                text = self.archive.read(name)
                for old, new in zip(before, after, strict=False):
                    text = text.replace(old, new, 1) if old != new else text
                done = archive.replaced(name, text)
                archive = Archive(done, archive.name)
        return done


def _elements(data: bytes) -> list[bytes]:
    text = data.decode("latin-1")
    start = text.find("[")
    spans = [(one.value, one.end) for one, _ in walk(text, start)] if start >= 0 else []
    return [data[left:right] for left, right in spans]


def archive_of(source: Source) -> Archive | None:
    """The zip that a log's header was taken from."""
    return source.outer if isinstance(source.outer, Archive) else None


def names_of(archive: Archive) -> list[str]:
    """The members or folders of the samples, by id and epoch as people count them."""
    flat = [name for name in archive.names if re.fullmatch(r"samples/[^/]+\.json", name)]
    chunked = [name[: -len("sample.json")] for name in archive.names if name.endswith("/sample.json")]
    return sorted([*flat, *chunked], key=_counted)


def _counted(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)]


def _chunks(archive: Archive, folder: str, kind: str) -> list[str]:
    wanted = re.compile(re.escape(f"{folder}{kind}/") + r"(\d+)\.json")
    return sorted((n for n in archive.names if wanted.fullmatch(n)), key=_counted)


def summaries(archive: Archive) -> dict[tuple[str, str], dict[str, Any]]:
    """What the log's summaries say of each sample, by id and epoch."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    names = [n for n in archive.names if n == "summaries.json" or n.startswith("_journal/summaries/")]
    for name in names:
        value = _json(archive, name)
        for one in value if isinstance(value, list) else ():
            if isinstance(one, dict):
                found[str(one.get("id")), str(one.get("epoch"))] = one
    return found


def _json(archive: Archive, name: str) -> Json:
    try:
        return archive.source(name).document if name in archive.names else None
    except UserError:
        return None


def in_archive(archive: Archive, name: str) -> Sample:
    """The sample of a member or folder. Raises ``UserError`` where the member holds no text."""
    if not name.endswith("/"):
        return in_document(archive.source(name), Place(0))
    value = _json(archive, f"{name}sample.json")
    facts = value if isinstance(value, dict) else {}
    texts: dict[str, Json] = {}
    for member in _chunks(archive, name, "attachments"):
        several = _json(archive, member)
        first = int(member.rsplit("/", 1)[1].removesuffix(".json"))
        texts |= {str(first + i): one for i, one in enumerate(several if isinstance(several, list) else ())}
    pool = Pool(archive, name)
    whole = Source(pool.document(), f"{name}messages", outer=pool, member=name)
    source = elements(whole) or whole
    messages = [(spot.place, value) for spot, value in spots(whole)]
    shown = [messages[i] for i in _range(facts.get("message_refs"), len(messages))]
    return Sample(source, Place(0, ("",)), facts, texts, list(_events(archive, name)), shown)


def _range(refs: Json, count: int) -> list[int]:
    """The numbers that ``[first, end)`` pairs name; all where there are none."""
    if not isinstance(refs, list):
        return list(range(count))
    pairs = [r for r in refs if isinstance(r, list) and len(r) == 2 and all(isinstance(n, int) for n in r)]
    return [i for first, end in pairs for i in range(max(0, first), min(end, count))]


def _events(archive: Archive, folder: str) -> Iterator[Json]:
    left = EVENT_BYTES
    for name in _chunks(archive, folder, "events"):
        left -= archive.size(name)
        if left < 0:
            return
        value = _json(archive, name)
        yield from value if isinstance(value, list) else ()


def in_document(source: Source, place: Place) -> Sample:
    """The sample at a place of a document."""
    value = at(source.held(place.record), place.path)
    facts: dict[str, Json] = value if isinstance(value, dict) else {}
    texts, events, messages = facts.get("attachments"), facts.get("events"), facts.get("messages")
    here = Place(place.record, (*place.path, "messages"))
    return Sample(
        source,
        here,
        facts,
        texts if isinstance(texts, dict) else {},
        events if isinstance(events, list) else [],
        [
            (Place(place.record, (*here.path, i)), one)
            for i, one in enumerate(messages if isinstance(messages, list) else ())
        ],
    )


def title_of(facts: dict[str, Any]) -> str:
    """The sample's id and epoch and the beginning of its input."""
    given = facts.get("input")
    if isinstance(given, list):
        given = next((m.get("content") for m in given if isinstance(m, dict) and m.get("role") == "user"), "")
    text = " ".join((given if isinstance(given, str) else json.dumps(given)).split())[:80]
    return f"{facts.get('id')} (epoch {facts.get('epoch', 1)}): {text}"

"""Keeps lines hanging on one another where some came or went: each names the one before as its parent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from tape.formats.arrays import documents
from tape.formats.lines import Item, Line, NewLine
from tape.json_text import Set
from tape.records import Source


def relinked(source: Source, items: Iterable[Item], own: str, parent: str) -> Iterator[Item]:
    """The items, with the parents of those that hung on what is gone, or on what something new stands behind,
    set right. ``own`` and ``parent`` are the keys of a line's id and of its parent's."""
    listed = list(items)
    kept = {item.record for item in listed if isinstance(item, Line)}
    links = {
        record: (value.get(own), value[parent])
        for record, value in documents(source)
        if isinstance(value, dict) and parent in value and isinstance(value[parent], str | None)
    }
    gone = {id: above for record, (id, above) in links.items() if record not in kept and isinstance(id, str)}
    behind: dict[str, str] = {}
    last: str | None = None
    highest = -1
    for item in listed:
        if isinstance(item, NewLine):
            id = item.value.get(own) if isinstance(item.value, dict) else None
            yield NewLine({**item.value, parent: last}) if isinstance(id, str) else item
        elif item.record not in links:
            yield item
            continue
        else:
            id, before = links[item.record]
            above = _followed(_followed(before, gone), behind) if item.record > highest else last
            yield item if above == before else replace(item, edits=(*item.edits, Set((parent,), above)))
            if item.record > highest:
                highest, last = item.record, id if isinstance(id, str) else last
                continue
        if isinstance(id, str):
            if last is not None and last != id:
                behind[last] = id
            last = id


def _followed(id: str | None, links: dict[str, str]) -> str | None:
    """Where a chain of replacements ends; a circle ends where it closes."""
    seen: set[str | None] = set()
    while id in links and id not in seen:
        seen.add(id)
        id = links[id]
    return id

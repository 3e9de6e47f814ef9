"""The array that a compaction of Codex left: the ``replacement_history`` of a ``compacted`` record.

What was said before stays in the array, in front of the cut; calls behind the cut sent the replacement and
what came after it. Codex keeps what the user said (the newest, up to 20,000 tokens) and puts a summary behind
them, in words or sealed (``core/src/compact.rs`` as of September 2026). Which items there are and how one is
read is in ``codex`` and ``codex_items``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias

from tape.formats.gathering import Draft, Gathering
from tape.formats.parts import Chunk, Parser, Part, other_part, text_part, word, words
from tape.json_text import Edit, Set
from tape.model import Block, Json, Place, Session, Text

SUMMARY: Final = "Another language model started to solve this problem"
SEALED: Final = ("compaction", "compaction_summary", "context_compaction")
HISTORY: Final = "replacement_history"
Take: TypeAlias = "Callable[[Place, dict[str, Any], dict[str, Any]], Draft | None]"


def compact(g: Gathering, i: int, payload: Mapping[str, Json], stamp: str | None, take: Take) -> bool:
    """Puts the replacement that record ``i`` holds behind the cut; false where it holds none.

    ``take`` reads one item at a place with facts about its message, and gives the message, if it is one.
    """
    items = payload.get(HISTORY)
    message = words(payload.get("message"))
    first, summed = True, False
    for n, item in enumerate(items if isinstance(items, list) else ()):
        place = Place(i, ("payload", HISTORY, n))
        if not isinstance(item, dict):
            continue
        facts: dict[str, Any] = {"timestamp": stamp}
        sums = _sums_up(item, message)
        facts |= {"compact_summary": True} if sums else {"carried": True}
        summed = summed or sums
        before = len(g.drafts)
        if word(item, "type") in SEALED:
            draft: Draft | None = g.say("user", place, sealed_parts, **facts)
        else:
            draft = take(place, item, facts)
        if draft is not None and len(g.drafts) > before:
            draft.meta["restarts"] = first
            first = False
    if first and message:
        place = Place(i, ("payload",))
        g.say("user", place, message_parts, timestamp=stamp, compact_summary=True)
        first, summed = False, True
    if message and not summed:
        g.aside(Place(i), "compaction message", message)
    return not first


def _sums_up(item: Mapping[str, Json], message: str) -> bool:
    """Whether an item is the summary and not carried over from before."""
    if word(item, "type") in SEALED:
        return True
    said = _said(item.get("content"))
    return item.get("role") == "user" and (
        said.startswith(SUMMARY) or (bool(message) and said.endswith(message))
    )


def _said(content: Json) -> str:
    if isinstance(content, list) and len(content) == 1 and isinstance(content[0], dict):
        content = content[0].get("text")
    return words(content)


def inside(parse: Parser) -> Parser:
    """Parts of an item that stands in a list with others: it goes when all of its parts are gone."""

    def parts(item: Json, place: Place) -> Sequence[Part]:
        return [replace(part, home=place.path) for part in parse(item, place)]

    return parts


def sealed_parts(item: Json, place: Place) -> Sequence[Part]:
    """A summary that only the provider can read."""
    return [replace(other_part(item, "compaction", place), home=place.path)]


def message_parts(payload: Json, place: Place) -> Sequence[Part]:
    """The summary of a record without a replacement."""
    where = Place(place.record, (*place.path, "message"))
    return [text_part(words(payload.get("message")), where, home=place, raw=payload)]


def in_step(session: Session, chunk: Chunk, old: Block, new: Block) -> Iterator[tuple[int, Edit]]:
    """The edit of the ``message`` of a record that says the edited summary a second time."""
    path, record = chunk.place.path, chunk.place.record
    if path[1:2] != (HISTORY,) or not isinstance(old, Text) or not isinstance(new, Text):
        return
    source = session.base.sources[0] if session.base else None
    message = words(source.held(record)["payload"].get("message")) if source else ""
    prefix = old.text.removesuffix(message) if message and old.text.endswith(message) else None
    if prefix is not None and new.text.startswith(prefix):
        yield record, Set(("payload", "message"), new.text[len(prefix) :])

"""An edited Anthropic session back into the file it came from, changing only what was edited."""

from __future__ import annotations

from tape.foreign import anthropic_body
from tape.formats.arrays import Entry, Spot, dump_array, field_edits, stands_in
from tape.formats.base import Dumped
from tape.formats.stream_dump import dump_stream
from tape.json_text import Edit, Remove, Set
from tape.model import Base, Json, Message, Session
from tape.notes import Note
from tape.wire import message_json, tool_json

WHOLE = "The file is broken where it was edited, so it was written anew as a request."
BESIDE = "This file holds an array and no request: the {what} has no place in it."


def dump(session: Session) -> Dumped:
    """The source with what changed written in place; what has no place in it is in the losses."""
    base = session.base
    if base is None:
        raise ValueError("the session has no source")
    spot: Spot = base.extra["spot"]
    if spot.array is None and spot.reply is None and not spot.lines:
        return dump_stream(session)
    before = {entry.uid: entry for entry in base.messages}
    edits, losses = beside(session, base, spot)
    try:
        done = dump_array(
            session,
            [entry_of(entry, before.get(entry.uid), spot) for entry in session.messages],
            edits,
            [Set(("content",), [])],
            [Remove(("content",))],
        )
    except (KeyError, ValueError):
        import json

        body, more = anthropic_body(session)
        text = json.dumps(body, ensure_ascii=False, indent=2)
        return Dumped(text.encode() + b"\n", (Note("", "written-anew", WHOLE), *more))
    return Dumped(done.data, (*losses, *done.losses))


def entry_of(entry: Message, before: Message | None, spot: Spot) -> Entry:
    """What becomes of a message: kept, changed in the fields that differ, or new."""
    if entry is before and entry.place and (spot.lines or stands_in(entry.place, spot.array)):
        return Entry(place=entry.place)
    if before is None or before.place is None:
        return Entry(message_json(entry))
    now = message_json(entry)
    return Entry(now, before.place, tuple(field_edits((), message_json(before), now)))


def beside(session: Session, base: Base, spot: Spot) -> tuple[list[Edit], list[Note]]:
    """The edits of the system prompt and the tools, and what has no place."""
    old: dict[str, Json] = {}
    new: dict[str, Json] = {}
    if session.system != base.system:
        old |= {"system": base.system} if base.system is not None else {}
        new |= {"system": session.system} if session.system is not None else {}
    if session.tools != base.tools:
        old |= {"tools": [tool_json(t) for t in base.tools]} if base.tools is not None else {}
        new |= {"tools": [tool_json(t) for t in session.tools]} if session.tools is not None else {}
    if spot.request is not None:
        return field_edits(spot.request, old, new), []
    return [], [Note("", "no-place", BESIDE.format(what=key)) for key in new]

"""An edited Chat Completions session back into the file it came from, changing only what was edited."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from tape.formats.arrays import Entry, Spot, dump_array, field_edits, places_of, stands_in
from tape.formats.base import Dumped
from tape.formats.openai_fields import entry_json, result_json
from tape.formats.openai_stream_dump import dump_stream
from tape.formats.openai_write import chat_body, declared
from tape.json_text import Edit, Remove, Set
from tape.model import Base, Block, Json, Message, Session, ToolResult
from tape.notes import Note

WHOLE = "The file is broken where it was edited, so it was written anew as a request."
BESIDE = "This file has no place for the {what}."
FLAG = "A tool message cannot say that its result is an error; the mark was left out."
EMPTIED: tuple[Edit, ...] = (Set(("content",), None), Set(("tool_calls",), []))


def dump(session: Session) -> Dumped:
    """The source with what changed written in place; what has no place in it is in the losses."""
    base = session.base
    if base is None:
        raise ValueError("the session has no source")
    spot: Spot = base.extra["spot"]
    if spot.array is None and spot.reply is None and not spot.lines:
        return dump_stream(session)
    losses: list[Note] = []
    try:
        edits = list(_beside(session, base, spot, losses))
        done = dump_array(session, list(entries(session, base, losses)), edits, EMPTIED, [Remove(())])
    except (KeyError, ValueError):
        body, more = chat_body(session)
        text = json.dumps(body, ensure_ascii=False, indent=2)
        return Dumped(text.encode() + b"\n", (Note("", "written-anew", WHOLE), *more))
    return Dumped(done.data, (*losses, *done.losses))


def entries(session: Session, base: Base, losses: list[Note]) -> Iterator[Entry]:
    """The entries of the session: one a message, and one a result."""
    before = {entry.uid: entry for entry in base.messages}
    spot: Spot = base.extra["spot"]
    kept = {id(entry) for entry in session.messages}
    joined = [entry for entry in base.messages if entry.place is None and id(entry) not in kept]
    was = {block.uid: block for entry in joined for block in entry.blocks}
    for i, entry in enumerate(session.messages):
        old = before.get(entry.uid)
        places = places_of(base, entry) if entry is old else ()
        if places and all(spot.lines or stands_in(place, spot.array) for place in places):
            yield from (Entry(place=place) for place in places)
            continue
        blocks = entry.blocks
        for j, block in enumerate(blocks):
            if isinstance(block, ToolResult):
                if block.is_error and block.raw is None:
                    losses.append(Note(f"messages[{i}].content[{j}]", "not-carried", FLAG))
                yield _result(block, was)
        if any(isinstance(block, ToolResult) for block in blocks) and all(
            isinstance(block, ToolResult) for block in blocks
        ):
            continue
        now = entry_json(entry, old)
        if old is None or old.place is None:
            yield Entry(now)
        elif old is entry:
            yield Entry(now, old.place)
        else:
            yield Entry(now, old.place, tuple(_edits(old, now)))


def _edits(old: Message, now: Mapping[str, Json]) -> list[Edit]:
    before = entry_json(old)
    if old.meta.get("doubled"):
        before.pop("content", None)
    return field_edits((), before, now)


def _result(block: ToolResult, was: Mapping[str, Block]) -> Entry:
    old = was.get(block.uid)
    if not isinstance(old, ToolResult) or block.place is None or old.place != block.place:
        return Entry(_fresh(block))
    if old == block:
        return Entry(result_json(block), block.place)
    role = old.raw.get("role", "tool") if isinstance(old.raw, Mapping) else "tool"
    now = result_json(block, role)
    before = {key: value for key, value in result_json(old).items() if key in (*now, "tool_call_id")}
    if "tool_call_id" in now and "tool_call_id" not in before and isinstance(old.raw, Mapping):
        id, several = now.pop("tool_call_id"), old.raw.get("tool_call_ids")
        if id != old.tool_use_id:
            before |= {"tool_call_ids": several} if several else {}
            now |= {"tool_call_ids": [id]} if several else {"tool_call_id": id}
    if old.content is None and block.content is None:
        before.pop("content", None)
        now.pop("content", None)
    return Entry(now, block.place, tuple(field_edits((), before, now)))


def _fresh(block: ToolResult) -> dict[str, Json]:
    return result_json(block)


def _beside(session: Session, base: Base, spot: Spot, losses: list[Note]) -> Iterator[Edit]:
    if session.system != base.system:
        losses.append(Note("", "no-place", "The system prompt of this form is its first message."))
    if session.tools == base.tools:
        return
    if spot.request is None or spot.inside is not None:
        losses.append(Note("", "no-place", BESIDE.format(what="tools")))
    elif session.tools is None:
        yield from field_edits(spot.request, {"tools": base.tools}, {})
    else:
        yield Set((*spot.request, "tools"), [declared(tool) for tool in session.tools])

"""An edited streamed response back into its events: the words of a block are told by its first delta."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from tape.containers import repack
from tape.formats.anthropic_stream import events, responses
from tape.formats.arrays import NO_PLACE
from tape.formats.base import Dumped
from tape.formats.lines import Line, relined
from tape.json_text import Edit, Set
from tape.model import Block, Json, Message, Session
from tape.notes import Note
from tape.wire import block_json

DELTAS = {"text": ("text_delta", "text"), "thinking": ("thinking_delta", "thinking")}
STAYS = "A {kind} block cannot be changed inside its stream; the file keeps it as it was."


def dump_stream(session: Session) -> Dumped:
    """The stream with the events of changed blocks told anew and those of deleted blocks left out."""
    base = session.base
    if base is None:
        raise ValueError("the session has no source")
    source = base.sources[0]
    told = {one.records[0]: one for one in responses(events(source)) if one.records}
    now = {entry.uid: entry for entry in session.messages}
    edits: dict[int, Sequence[Edit] | None] = {}
    losses: list[Note] = []
    for entry in base.messages:
        response = told.get(entry.place.record) if entry.place else None
        if response is None or now.get(entry.uid) is entry:
            continue
        kept = now.get(entry.uid)
        if kept is None:
            edits |= dict.fromkeys(response.records)
            continue
        blocks = {block.place.record: block for block in kept.blocks if block.place is not None}
        for block, records in zip(entry.blocks, response.by_block, strict=False):
            after = blocks.get(records[0]) if records else block
            if after is None:
                edits |= dict.fromkeys(records)
            elif after != block and (change := _retold(after, block, records, source.json)) is not None:
                edits |= change
            elif after != block:
                losses.append(Note(_where(session, kept), "block-kept", STAYS.format(kind=_kind(block))))
        new = sum(1 for block in kept.blocks if block.place is None)
        if new:
            losses.append(Note(_where(session, kept), "no-place", f"{new} new blocks are not in the stream."))
    added = sum(1 for entry in session.messages if entry.place is None)
    if added:
        losses.append(Note("", "no-place", NO_PLACE.format(count=added)))
    if session.system != base.system or session.tools != base.tools:
        losses.append(Note("", "no-place", "A stream has no place for a system prompt or tools."))
    lines = [Line(i, tuple(edits.get(i) or ())) for i in range(len(source)) if edits.get(i, ()) is not None]
    return Dumped(repack(source, source.restore(relined(source, lines))), tuple(losses))


def _where(session: Session, entry: Message) -> str:
    return f"messages[{[m.uid for m in session.messages].index(entry.uid)}]"


def _kind(block: Block) -> str:
    value = block_json(block)
    return str(value.get("type")) if isinstance(value, dict) else "broken"


def _retold(
    after: Block, before: Block, records: Sequence[int], json_of: Any
) -> dict[int, Sequence[Edit]] | None:
    """Edits that make the events of a block tell its new value; ``None`` where they cannot."""
    new, old = block_json(after), block_json(before)
    kind = old.get("type")
    if new.get("type") != kind:
        return None
    delta, target = DELTAS.get(kind, ("input_json_delta", "partial_json"))
    whole = target if kind in DELTAS else "input"
    told = list(_deltas(delta, records, json_of))
    changes: dict[int, list[Edit]] = {records[0]: []}
    for key, value in new.items():
        if key in old and old[key] == value:
            continue
        if key == whole and told:
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            changes |= {record: [Set(("delta", target), "")] for record in told}
            changes[told[0]] = [Set(("delta", target), text)]
        elif key == "signature":
            return None
        else:
            changes[records[0]].append(Set(("content_block", key), value))
    return {record: change for record, change in changes.items() if change}


def _deltas(kind: str, records: Sequence[int], json_of: Any) -> Iterator[int]:
    for record in records:
        value: Json = json_of(record)
        delta = value.get("delta") if isinstance(value, dict) else None
        if isinstance(delta, dict) and delta.get("type") == kind:
            yield record

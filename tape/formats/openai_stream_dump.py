"""An edited chunk stream back into its chunks: the words of a field are told by its first piece."""

from __future__ import annotations

from tape.containers import repack
from tape.formats.arrays import NO_PLACE, documents
from tape.formats.base import Dumped
from tape.formats.lines import Line, relined
from tape.formats.openai_fields import entry_json
from tape.formats.openai_stream import Response, responses
from tape.json_text import Edit, Set
from tape.model import Json, Message, Session
from tape.notes import Note
from tape.records import Source

STAYS = "What was changed cannot be told by the chunks of a stream; the file keeps it as it was."


def dump_stream(session: Session) -> Dumped:
    """The stream with the words and arguments that were edited, in the chunk that told them first."""
    base = session.base
    if base is None:
        raise ValueError("the session has no source")
    source = base.sources[0]
    told = {one.records[0]: one for one in responses(documents(source)) if one.records}
    now = {entry.uid: entry for entry in session.messages}
    edits: dict[int, tuple[Edit, ...]] = {}
    gone: set[int] = set()
    losses: list[Note] = []
    for entry in base.messages:
        response = told.get(entry.place.record) if entry.place else None
        after = now.get(entry.uid)
        if response is None or after is entry:
            continue
        if after is None:
            gone |= set(response.records)
        elif not _retold(source, response, entry, after, edits):
            losses.append(Note("", "block-kept", STAYS))
    added = sum(1 for entry in session.messages if entry.place is None)
    if added:
        losses.append(Note("", "no-place", NO_PLACE.format(count=added)))
    lines = [Line(i, edits.get(i, ())) for i in range(len(source)) if i not in gone]
    return Dumped(repack(source, source.restore(relined(source, lines))), tuple(losses))


def _retold(
    source: Source, told: Response, before: Message, after: Message, edits: dict[int, tuple[Edit, ...]]
) -> bool:
    """Adds the edits that make the chunks tell the message as it is now; says whether they can."""
    old, new = entry_json(before), entry_json(after, before)
    if old.keys() != new.keys():
        return False
    for key, value in new.items():
        if value == old[key]:
            continue
        if key == "tool_calls":
            if len(value) != len(old[key]):
                return False
            for i, (call, was) in enumerate(zip(value, old[key], strict=True)):
                text = call.get("function", {}).get("arguments")
                if call == was:
                    continue
                if {**call, "function": {**call["function"], "arguments": ""}} != {
                    **was,
                    "function": {**was["function"], "arguments": ""},
                }:
                    return False
                records = told.told_by.get(("tool_calls", i), [])
                paths = [_arguments(source.json(record), was.get("index")) for record in records]
                _tell(edits, [(r, p) for r, p in zip(records, paths, strict=True) if p], text)
        elif isinstance(value, str) and (key,) in told.told_by:
            path = ("choices", 0, "delta", key)
            _tell(edits, [(record, path) for record in told.told_by[(key,)]], value)
        else:
            return False
    return True


def _arguments(chunk: Json, index: Json) -> tuple[str | int, ...]:
    """Where a chunk holds a piece of the arguments of the call of that index."""
    pieces = chunk["choices"][0]["delta"]["tool_calls"]
    for i, piece in enumerate(pieces):
        function = piece.get("function") if isinstance(piece, dict) else None
        if isinstance(function, dict) and "arguments" in function and piece.get("index") == index:
            return ("choices", 0, "delta", "tool_calls", i, "function", "arguments")
    return ()


def _tell(
    edits: dict[int, tuple[Edit, ...]], places: list[tuple[int, tuple[str | int, ...]]], text: str
) -> None:
    for number, (record, path) in enumerate(places):
        edits[record] = (*edits.get(record, ()), Set(path, "" if number else text))

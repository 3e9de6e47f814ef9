"""Chat Completions arrays inside agents' documents: read and patched in that dialect, named otherwise."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tape.formats import openai_dump
from tape.formats.arrays import Path, Spot, at
from tape.formats.base import Dumped
from tape.formats.openai_load import call_of, load_array
from tape.formats.openai_spots import Found
from tape.model import Aside, Call, Json, Session
from tape.notes import Note
from tape.records import Source

Response = Callable[[Mapping[str, Any]], Json]


def load(
    source: Source,
    record: int,
    array: Path,
    format: str,
    *,
    system: Path | None = None,
    response: Response | None = None,
    roles: Sequence[str] = (),
) -> Session:
    """The session of the array at a path of a record. ``response`` gives the model's whole response where an
    entry holds it, ``roles`` are roles of this format that the dialect does not know, ``system`` is the path
    of a system prompt beside the array."""
    document = source.held(record)
    session = load_array(source, Found(Spot(record, array[:-1] if array else None, array)))
    prompt = at(document, system)
    prompt = prompt if isinstance(prompt, str) else None
    notes = tuple(
        n
        for n in session.notes
        if n.kind != "unknown-role" or not any(f"{role!r}" in n.text for role in roles)
    )
    remarks: list[Note] = []
    calls = tuple(_calls(session, document, response, remarks)) if response else session.calls
    base = session.base
    return replace(
        session,
        format=format,
        system=prompt,
        calls=calls,
        notes=(*notes, *remarks),
        base=base and replace(base, format=format, system=prompt),
    )


def _calls(session: Session, document: Json, response: Response, remarks: list[Note]) -> Iterator[Call]:
    for entry in session.messages:
        value = at(document, entry.place.path) if entry.place else None
        if entry.role != "assistant" or not isinstance(value, dict):
            continue
        said = response(value)
        yield call_of(entry.uid, said if isinstance(said, dict) else {}, remarks)


def with_aside(session: Session, kind: str, text: str) -> Session:
    """The session with something that the document says beside its array."""
    last = session.messages[-1].uid if session.messages else None
    record = session.messages[-1].records[0] if session.messages and session.messages[-1].records else 0
    return replace(session, asides=(*session.asides, Aside(last, record, kind, text)))


def dump(session: Session, copies: str = "") -> Dumped:
    """The document with what changed written in place; ``copies`` says what it holds a second time."""
    done = openai_dump.dump(session)
    base = session.base
    if copies and base is not None and session.messages is not base.messages:
        return Dumped(done.data, (*done.losses, Note("", "copies-left", copies)))
    return done

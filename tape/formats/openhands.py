"""OpenHands: the event streams of version 0 and of the software-agent SDK (version 1), as a list or as lines.

Events of one model response share its id and are one message; an observation answers the event behind it.
Version 1 was read from the SDK's source, version 0 from documents about it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, Final, Literal

from tape.formats.arrays import Path, at, documents
from tape.formats.base import Conversation, Guess, Sample
from tape.formats.gathering import Gathering
from tape.formats.log_format import LogFormat
from tape.formats.openai_load import tools_of
from tape.formats.openhands_events import V0, V1, Event, read_event, tools_and_system
from tape.formats.parts import word
from tape.formats.parts_dump import Form
from tape.model import Json, Message, Place, Session, Text
from tape.records import Source

NAME: Final = "openhands"
DOUBLES: Final = "What events hold a second time (arguments, messages) was left as it was."
PATHS: Final[tuple[Path, ...]] = ((), ("history",))


def _kind(events: Json) -> str | None:
    """Which version the events of a list are of; ``None`` where they are none."""
    if not isinstance(events, list):
        return None
    for event in events[:50]:
        if isinstance(event, dict) and "kind" in event and str(event["kind"]).endswith("Event"):
            return V1
        if isinstance(event, dict) and "source" in event and ("action" in event or "observation" in event):
            return V0
    return None


def load(source: Source, array: Place | None) -> Session:
    """The session of a list of events (``None``: the lines of the file). Never raises on data."""
    gathering = Gathering(source, NAME, array=array)
    state = Event()
    system: str | None = None
    tools: Json = None
    for place, event in _events(gathering, source, array):
        said, declared, path = tools_and_system(event)
        if said is not None and system is None:
            system, tools = said, declared
            gathering.extra["system_place"] = Place(place.record, (*place.path, *path))
            gathering.aside(place, "system", said[:300])
            continue
        read_event(gathering, place, event, state)
    return gathering.session(
        id=state.id,
        system=system,
        tools=tools_of(tools) if tools is not None else None,
        params={"model": state.model} if state.model else {},
    )


def _events(g: Gathering, source: Source, array: Place | None) -> Iterable[tuple[Place, dict[str, Any]]]:
    if array is None:
        yield from ((Place(i), value) for i, value in g.lines())
        return
    found = at(source.held(array.record), array.path)
    for i, event in enumerate(found if isinstance(found, list) else []):
        place = Place(array.record, (*array.path, i))
        if isinstance(event, dict):
            yield place, event
        else:
            g.aside(place, "no object", known=False)


def _read(source: Source, session: Session) -> Session | None:
    array: Place | None = session.base.extra["array"] if session.base else None
    return load(source, array)


def _make(entry: Message, like: Sequence[Json]) -> list[Json] | None:
    """The event of a message of words; calls and results are told only of what OpenHands ran."""
    texts = [block.text for block in entry.blocks if isinstance(block, Text)]
    if entry.role == "system" or len(texts) < len(entry.blocks):
        return None
    source = "agent" if entry.role == "assistant" else "user"
    stamp = word(like[-1], "timestamp") if like else None
    head = {"timestamp": stamp} if stamp else {}
    if any(isinstance(event, dict) and "kind" in event for event in like):
        content = [{"type": "text", "text": text} for text in texts]
        message = {"role": entry.role, "content": content}
        own = {"id": f"tapedeck-{entry.uid}", **head, "source": source, "llm_message": message}
        return [{**own, "kind": "MessageEvent"}]
    args = {"content": "\n".join(texts), "image_urls": None}
    return [{**head, "source": source, "action": "message", "args": args}]


FORM: Final = Form("A list of OpenHands events", _read, _make, doubles=DOUBLES)


class OpenHands(LogFormat):
    """The format; see ``tape.formats.base.Format``."""

    name = NAME
    label = "OpenHands events"
    written_by = "OpenHands and its software-agent SDK"
    evidence: Literal["files", "documentation"] = "documentation"
    form = FORM

    def sniff(self, sample: Sample) -> Guess | None:
        """Events whose ``kind`` ends in Event, or with ``source`` and an ``action`` or ``observation``."""
        for record in (
            (sample.document, list(sample.records)) if sample.container != "json" else (sample.document,)
        ):
            for path in PATHS:
                events = at(record, path)
                if isinstance(events, list) and (kind := _kind(events)):
                    return Guess(3, f"events of OpenHands, version {kind}")
        if any(_kind(at(record, ("history",))) for record in sample.records[:20]):
            return Guess(3, "rows with a history of OpenHands events")
        return None

    def read(self, sources: Sequence[Source], sample: Sample) -> Iterable[Conversation]:
        """One conversation a list of events; a file of lines is one list, unless each line holds one."""
        for source in sources:
            found = [
                (record, path)
                for record, value in documents(source)
                for path in PATHS
                if _kind(at(value, path))
            ]
            for record, path in found:
                title = word(source.held(record), "instance_id") or source.name
                yield Conversation(str(record), title, partial(load, source, Place(record, path)))
            if not found:
                yield Conversation("0", source.name, partial(load, source, None))

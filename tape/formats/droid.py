"""Factory Droid: session files with a line for the start and one a message in the Anthropic form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

from tape.formats.anthropic_parts import content_parts
from tape.formats.arrays import at
from tape.formats.base import Guess, Sample
from tape.formats.gathering import Gathering
from tape.formats.log_format import FileFormat
from tape.formats.parts import Part, below, word, words
from tape.formats.parts_dump import Form
from tape.model import Block, Json, Message, Place, Role, Session
from tape.records import Source
from tape.wire import block_json, message_json

NAME: Final = "factory-droid"
ROLES: Final[dict[str, Role]] = {"user": "user", "assistant": "assistant", "system": "system"}
BESIDE: Final = frozenset(("session_start", "todo_state", "compaction_state", "session_end"))


def load(source: Source) -> Session:
    """The session of a file. Never raises on data."""
    gathering = Gathering(source, NAME)
    id: str | None = None
    title: str | None = None
    for i, value in gathering.lines():
        kind, message = word(value, "type") or "untyped", value.get("message")
        if kind == "message" and isinstance(message, dict):
            written = word(message, "role") or ""
            facts: dict[str, Any] = {} if written in ROLES else {"unknown_role": written}
            facts["timestamp"] = word(value, "timestamp")
            gathering.say(ROLES.get(written, "user"), Place(i, ("message",)), message_parts, **facts)
            continue
        if kind == "session_start":
            id, title = word(value, "id"), word(value, "title")
        text = words(value.get("title") or value.get("summary") or value.get("summaryText"))
        gathering.aside(Place(i), kind, text, known=kind in BESIDE)
    return gathering.session(id=id, title=title)


def message_parts(message: Json, place: Place) -> Sequence[Part]:
    """The content of a message."""
    return content_parts(message.get("content"), below(place, "content"), _injected)


def _injected(text: str) -> bool:
    return text.lstrip().startswith("<system-reminder>")


def _make(entry: Message, like: Sequence[Json]) -> list[Json] | None:
    head = {"timestamp": at(like[-1], ("timestamp",))} if like else {}
    own = {"type": "message", "id": f"tapedeck-{entry.uid}", **head}
    chained = bool(like) and isinstance(like[-1], dict) and "parentId" in like[-1]
    return [{**own, "message": message_json(entry), **({"parentId": None} if chained else {})}]


def _element(block: Block) -> Json | None:
    made: Json = block_json(block)
    return made


FORM: Final = Form(
    "A Factory Droid session", lambda source, _: load(source), _make, _element, chain=("id", "parentId")
)


class FactoryDroid(FileFormat):
    """The format; see ``tape.formats.base.Format``."""

    name = NAME
    label = "Factory Droid session"
    written_by = "Factory Droid, in ~/.factory/sessions"
    evidence: Literal["files", "documentation"] = "documentation"
    form = FORM
    load = staticmethod(load)

    def sniff(self, sample: Sample) -> Guess | None:
        """A line of type session_start, and messages."""
        kinds = {word(record, "type") for record in sample.records}
        if sample.container == "jsonl" and "session_start" in kinds:
            return Guess(3, "a line of type session_start before messages")
        return None

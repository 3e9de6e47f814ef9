"""opencode: exports of a session as one document, or its list of messages alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

from tape.formats.arrays import Path, at
from tape.formats.base import Guess, Sample
from tape.formats.gathering import Gathering
from tape.formats.log_format import DocumentFormat, again
from tape.formats.opencode_parts import Step, finish, take
from tape.formats.parts import word
from tape.formats.parts_dump import Form
from tape.model import Block, Json, Message, Place, Role, Session, Text
from tape.records import Source

NAME: Final = "opencode"
ROLES: Final[dict[str, Role]] = {"user": "user", "assistant": "assistant"}
PATHS: Final[tuple[Path, ...]] = (("messages",), ())


def _array(value: Json) -> Path | None:
    """Where the list of messages stands; ``None`` where there is none."""
    for path in PATHS:
        found = at(value, path)
        if isinstance(found, list) and any(
            isinstance(m, dict) and isinstance(m.get("info"), dict) and isinstance(m.get("parts"), list)
            for m in found[:50]
        ):
            return path
    return None


def load(source: Source, array: Place) -> Session:
    """The session of an export. Never raises on data."""
    document = source.held(array.record)
    gathering = Gathering(source, NAME, array=array)
    model: str | None = None
    for i, value in enumerate(at(document, array.path) or []):
        place = Place(array.record, (*array.path, i))
        if isinstance(value, dict) and isinstance(value.get("info"), dict):
            model = _message(gathering, place, value) or model
        else:
            gathering.aside(place, "no message", known=False)
    info = at(document, ("info",))
    return gathering.session(
        id=word(info, "id"), title=word(info, "title"), params={"model": model} if model else {}
    )


def _message(g: Gathering, place: Place, value: dict[str, Any]) -> str | None:
    info = value["info"]
    written = word(info, "role") or ""
    role = ROLES.get(written, "user")
    step = Step(word(info, "id") or str(place.path[-1]))
    created = at(info, ("time", "created"))
    facts: dict[str, Any] = {} if written in ROLES else {"unknown_role": written}
    model = word(info, "modelID") or word(info.get("model"), "modelID")
    if role == "assistant":
        facts |= {"model": model, "response_id": word(info, "id")}
    if isinstance(created, int | float):
        facts["created"] = created
    before = g.reply
    for j, part in enumerate(value["parts"] if isinstance(value.get("parts"), list) else []):
        take(g, Place(place.record, (*place.path, "parts", j)), part, role, step, facts)
    if role == "assistant" and not step.finished and g.reply is not before:
        finish(g, info)
    return model if role == "assistant" else None


def _element(block: Block) -> Json | None:
    return {"type": "text", "text": block.text} if isinstance(block, Text) else None


def _make(entry: Message, like: Sequence[Json]) -> list[Json] | None:
    """A message of texts; tools run in opencode, and their parts are not made up."""
    parts = [_element(block) for block in entry.blocks]
    if entry.role not in ROLES or not parts or None in parts:
        return None
    return [{"info": {"role": entry.role}, "parts": parts}]


FORM: Final = Form("An opencode export", again(load), _make, _element)


def _find(value: Json) -> tuple[Path, str | None] | None:
    path = _array(value)
    return None if path is None else (path, word(at(value, ("info",)), "title"))


class Opencode(DocumentFormat):
    """The format; see ``tape.formats.base.Format``."""

    name = NAME
    label = "opencode export"
    written_by = "opencode export"
    evidence: Literal["files", "documentation"] = "documentation"
    form = FORM
    find = staticmethod(_find)
    load = staticmethod(load)

    def sniff(self, sample: Sample) -> Guess | None:
        """Messages of ``info`` and ``parts``, in a document with ``info`` or alone."""
        if any(_array(record) is not None for record in sample.records[:20]):
            return Guess(3, "messages made of info and parts")
        return None

"""Goose: messages whose calls and results are requests and responses with a status, in a document or lines.

A call that could not be read has the status ``error`` and no value. Read from the writer's source.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, Final, Literal

from tape.formats.arrays import Path, at
from tape.formats.base import Conversation, Guess, Sample
from tape.formats.gathering import Gathering
from tape.formats.log_format import DocumentFormat
from tape.formats.parts import (
    Field,
    Part,
    below,
    call_part,
    other_part,
    result_part,
    text_or_picture,
    text_part,
    thinking_part,
    word,
)
from tape.formats.parts_dump import Form
from tape.model import Block, Json, Message, Place, Role, Session, Text, ToolResult, ToolUse
from tape.records import Source

NAME: Final = "goose"
ROLES: Final[dict[str, Role]] = {"user": "user", "assistant": "assistant", "system": "system"}
PATHS: Final[tuple[Path, ...]] = (("conversation",), ("messages",), ())
CALLS: Final = ("toolRequest", "frontendToolRequest")
KNOWN: Final = ("toolConfirmationRequest", "actionRequired", "systemNotification", "redactedThinking")


def load(source: Source, array: Place | None) -> Session:
    """The session of a list of messages (``None``: the lines of the file). Never raises on data."""
    gathering = Gathering(source, NAME, array=array, blocks=KNOWN)
    title: str | None = None
    for place, value in _entries(gathering, source, array):
        content = value.get("content")
        if not isinstance(content, list):
            title = word(value, "description") or word(value, "name") or title
            known = "role" not in value
            gathering.aside(place, "session metadata" if known else "message without content", known=known)
            continue
        written = word(value, "role") or ""
        created = value.get("created")
        facts: dict[str, Any] = {} if written in ROLES else {"unknown_role": written}
        facts["created"] = created if isinstance(created, int) else None
        if at(value, ("metadata", "agentVisible")) is False:
            facts["hidden"] = True
        if content and all(word(item, "type") == "toolResponse" for item in content):
            gathering.answer(place, message_parts, **facts)
        else:
            gathering.say(ROLES.get(written, "user"), place, message_parts, **facts)
    envelope = source.held(array.record) if array is not None else None
    named = word(envelope, "description") or word(envelope, "name")
    return gathering.session(id=word(envelope, "id"), title=named or title)


def _entries(g: Gathering, source: Source, array: Place | None) -> Iterable[tuple[Place, dict[str, Any]]]:
    if array is None:
        yield from ((Place(i), value) for i, value in g.lines())
        return
    for i, value in enumerate(at(source.held(array.record), array.path) or []):
        place = Place(array.record, (*array.path, i))
        if isinstance(value, dict):
            yield place, value
        else:
            g.aside(place, "no message", known=False)


def message_parts(message: Json, place: Place) -> Sequence[Part]:
    """The content of a message."""
    return [_part(item, below(place, "content", i)) for i, item in enumerate(message["content"])]


def _part(item: Json, place: Place) -> Part:
    kind = word(item, "type")
    if kind == "text" and isinstance(item.get("text"), str):
        return text_part(item["text"], below(place, "text"), home=place, raw=item)
    if kind == "thinking" and isinstance(item.get("thinking"), str):
        sign = word(item, "signature")
        return thinking_part(item["thinking"], below(place, "thinking"), home=place, raw=item, signature=sign)
    if kind in CALLS:
        value: Path = ("toolCall", "value")
        return call_part(item, place, name=(*value, "name"), input=(*value, "arguments"), id=("id",))
    if kind == "toolResponse":
        return _answer(item, place)
    if kind == "image":
        return Part(text_or_picture(item, place))
    return other_part(item, kind or "content", place)


def _answer(item: Json, place: Place) -> Part:
    result = item.get("toolResult")
    value = at(result, ("value",))
    path: Path = ("toolResult", "value", "content") if isinstance(value, dict) else ("toolResult", "value")
    failed = word(result, "status") == "error"
    flags: tuple[Field, ...] = ()
    if failed:
        path = ("toolResult", "error")
    elif isinstance(at(value, ("isError",)), bool):
        failed = at(value, ("isError",)) is True
        flags = (Field((*place.path, "toolResult", "value", "isError"), lambda new: new.is_error is True),)
    return result_part(
        item, place, content=path, id=("id",), error=failed, flags=flags, inner=text_or_picture
    )


def _element(block: Block) -> Json | None:
    if word(block.raw, "type") in (*CALLS, "toolResponse") or word(block.raw, "mimeType"):
        return block.raw
    match block:
        case Text():
            return {"type": "text", "text": block.text}
        case ToolUse():
            value = {"name": block.name, "arguments": block.input}
            return {"type": "toolRequest", "id": block.id, "toolCall": {"status": "success", "value": value}}
        case ToolResult():
            value = {"content": [{"type": "text", "text": block.text}], "isError": block.is_error is True}
            return {
                "type": "toolResponse",
                "id": block.tool_use_id,
                "toolResult": {"status": "success", "value": value},
            }
    return None


def _make(entry: Message, like: Sequence[Json]) -> list[Json] | None:
    content = [_element(block) for block in entry.blocks]
    if None in content or entry.role == "system":
        return None
    created = at(like[-1], ("created",)) if like else None
    return [{"role": entry.role, **({"created": created} if created else {}), "content": content}]


def _find(value: Json) -> tuple[Path, str | None] | None:
    path = next((path for path in PATHS if _speaks(at(value, path))), None)
    if path is None:
        path = next((path for path in PATHS if _listed(at(value, path))), None)
    return None if path is None else (path, word(value, "description") or word(value, "name"))


def _listed(entries: Json) -> bool:
    return isinstance(entries, list) and any(
        isinstance(entry, dict) and isinstance(entry.get("content"), list) and "role" in entry
        for entry in entries[:100]
    )


def _speaks(entries: Json) -> bool:
    return isinstance(entries, list) and any(
        word(item, "type") in (*CALLS, "toolResponse")
        for entry in entries[:100]
        for item in (at(entry, ("content",)) if isinstance(at(entry, ("content",)), list) else ())
    )


def _read(source: Source, session: Session) -> Session | None:
    return load(source, session.base.extra["array"] if session.base else None)


FORM: Final = Form("A Goose session", _read, _make, _element)


class Goose(DocumentFormat):
    """The format; see ``tape.formats.base.Format``."""

    name = NAME
    label = "Goose session"
    written_by = "Goose, and goose session export"
    evidence: Literal["files", "documentation"] = "documentation"
    form = FORM
    find = staticmethod(_find)
    load = staticmethod(load)

    def sniff(self, sample: Sample) -> Guess | None:
        """Content of types toolRequest and toolResponse."""
        found = (_speaks(at(record, path)) for record in sample.records[:20] for path in PATHS)
        if any(found) or _speaks(list(sample.records)):
            return Guess(3, "content of types toolRequest and toolResponse")
        return None

    def read(self, sources: Sequence[Source], sample: Sample) -> Iterable[Conversation]:
        """One conversation a document; a file of lines is one where its lines are the messages."""
        for source in sources:
            found = list(super().read([source], sample))
            yield from found or [Conversation("0", source.name, partial(load, source, None))]

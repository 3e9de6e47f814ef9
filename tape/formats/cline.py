"""Cline and Roo Code: ``session.messages.json`` of the SDK, and the history arrays of the editor extensions.

Both are in the Anthropic form. In histories the result of a call may be a text that begins with
``[tool for 'x'] Result:`` or stands behind one; it is shown as the result it is, paired by order and name,
and written back as text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, Literal

from tape.formats.anthropic_parts import content_parts
from tape.formats.arrays import Path, at
from tape.formats.base import Guess, Sample
from tape.formats.gathering import Gathering
from tape.formats.log_format import DocumentFormat, again
from tape.formats.parts import ABSENT, Field, Part, counts, word
from tape.formats.parts_dump import Form
from tape.formats.titles import title_of
from tape.model import Block, Document, Json, Message, Other, Place, Role, Session, Text, ToolResult, Usage
from tape.records import Source
from tape.usage_forms import inclusive
from tape.wire import block_json, message_json

NAME: Final = "cline"
ROLES: Final[Mapping[str, Role]] = {"user": "user", "assistant": "assistant", "system": "system"}
WRAPPED: Final = ("<environment_details>", "[NOTE] Some previous conversation history", "# Todos")
RESULT: Final = re.compile(r"\[([\w.-]+)(?: for '[^\n]*')?\] Result:(\n|$)")
PATHS: Final[tuple[Path, ...]] = (("messages",), ())


def _marker(entries: list[Json]) -> str | None:
    for entry in entries[:100]:
        if not isinstance(entry, dict) or word(entry, "role") not in ROLES:
            continue
        if (
            isinstance(entry.get("modelInfo"), dict)
            or isinstance(entry.get("metrics"), dict)
            or "condenseId" in entry
        ):
            return "messages with modelInfo and metrics, as Cline keeps them"
        content = entry.get("content")
        for block in content if isinstance(content, list) else [content]:
            text = block if isinstance(block, str) else at(block, ("text",))
            if isinstance(text, str) and entry["role"] == "user":
                if RESULT.match(text):
                    return "results as texts that begin in Cline's words"
                if text.startswith("<environment_details>") and "# VSCode" in text:
                    return "environment details as Cline adds them"
    return None


def load(source: Source, array: Place) -> Session:
    """The session of a document or array. Never raises on data."""
    document = source.held(array.record)
    gathering = Gathering(source, NAME, array=array, blocks=("file",))
    for i, entry in enumerate(at(document, array.path) or []):
        place = Place(array.record, (*array.path, i))
        if not isinstance(entry, dict):
            gathering.aside(place, "no message", known=False)
            continue
        _entry(gathering, place, entry)
    envelope = document if isinstance(document, dict) else {}
    system = envelope.get("system_prompt")
    if isinstance(system, str):
        gathering.extra["system_place"] = Place(array.record, ("system_prompt",))
    return gathering.session(
        id=word(envelope, "sessionId"), system=system if isinstance(system, str) else None
    )


def _entry(g: Gathering, place: Place, entry: dict[str, Any]) -> None:
    written = entry.get("role")
    role = ROLES.get(written, "user") if isinstance(written, str) else "user"
    facts: dict[str, Any] = {} if role == written else {"unknown_role": written}
    if entry.get("isSummary") is True:
        facts["compact_summary"] = True
    if entry.get("condenseParent") or entry.get("truncationParent"):
        facts["hidden"] = True
    if role == "assistant":
        facts |= {"model": word(entry.get("modelInfo"), "id"), "response_id": word(entry, "id")}
    g.say(role, place, partial(entry_parts, role), **facts)
    if role == "assistant":
        g.spend(usage_of(entry.get("metrics")))


def entry_parts(role: str, entry: Json, place: Place) -> Sequence[Part]:
    """The content of a message; of a user's, textual results are results."""
    found = list(content_parts(entry.get("content"), Place(place.record, (*place.path, "content")), injected))
    found = [_file(part) for part in found]
    return _results(found) if role == "user" else found


def injected(text: str) -> bool:
    """Whether the program put this text into a user turn."""
    return text.lstrip().startswith(WRAPPED)


def _file(part: Part) -> Part:
    """A file that was mentioned, as a document with its words."""
    block = part.block
    if not isinstance(block, Other) or block.type != "file" or not isinstance(block.value, dict):
        return part
    value = block.value
    text = value.get("content")
    shown = Document(
        title=word(value, "path"),
        text=text if isinstance(text, str) else None,
        media_type="text/plain",
        place=block.place,
        raw=value,
    )
    path = (*(block.place.path if block.place else ()), "content")
    return replace(part, block=shown, fields=(Field(path, lambda new: new.text),))


def _results(parts: list[Part]) -> list[Part]:
    """Texts that are results become results; one that only announces one takes the text behind it along."""
    found: list[Part] = []
    announced: str | None = None
    for part in parts:
        block = part.block
        match = RESULT.match(block.text) if isinstance(block, Text) and not block.injected else None
        if isinstance(block, Text) and match and block.text[match.end() :].strip():
            found.append(_result(part, block, match.group(1), match.end()))
            announced = None
        elif match:
            announced = match.group(1)
            found.append(part)
        elif announced is not None and isinstance(block, Text) and not block.injected:
            found.append(_result(part, block, announced, 0))
            announced = None
        else:
            found.append(part)
            announced = None
    return found


def _result(part: Part, block: Text, tool: str, start: int) -> Part:
    head = block.text[:start]
    shown = ToolResult(
        tool_use_id="",
        content=block.text[start:],
        generated_id=True,
        place=block.place,
        raw=block.raw if block.raw is not None else block.text,
        extra={},
    )

    def written(new: ToolResult) -> Json:
        return ABSENT if new.content is None else head + new.text

    return Part(shown, (Field(part.fields[0].path, written),), part.gone, tool)


def usage_of(value: Json) -> Usage | None:
    """Cline's metrics (tokens): the input includes what was read from and written to the cache."""
    if not isinstance(value, dict):
        return None
    found = counts(value)
    return inclusive(
        found.get("inputTokens"),
        cache_read=found.get("cacheReadTokens"),
        cache_write=found.get("cacheWriteTokens"),
        output=found.get("outputTokens"),
    )


def _make(entry: Message, like: Sequence[Json]) -> list[Json] | None:
    return [message_json(entry)]


def _element(block: Block) -> Json | None:
    made: Json = block_json(block)
    return made


FORM: Final = Form("A Cline session", again(load), _make, _element)


def _find(value: Json) -> tuple[Path, str | None] | None:
    path = next((p for p in PATHS if isinstance(at(value, p), list)), None)
    return None if path is None else (path, title_of(at(value, path)))


class Cline(DocumentFormat):
    """The format; see ``tape.formats.base.Format``."""

    name = NAME
    label = "Cline session"
    written_by = "Cline (SDK and extension), Roo Code"
    evidence: Literal["files", "documentation"] = "files"
    form = FORM
    find = staticmethod(_find)
    load = staticmethod(load)

    def sniff(self, sample: Sample) -> Guess | None:
        """Messages with the metrics or model of Cline, or with results as texts that begin in its words."""
        for record in sample.records[:1]:
            for path in PATHS:
                found = at(record, path)
                if isinstance(found, list) and (why := _marker(found)):
                    return Guess(3, why)
        return None

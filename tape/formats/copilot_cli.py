"""GitHub Copilot CLI: ``events.jsonl`` of a session.

What the model saw of a prompt stands in ``transformedContent``, what was typed beside it. A result is told by
``tool.execution_complete``; of what a reply used only its output is known, sums come with the shutdown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Literal

from tape.formats.arrays import Path, at
from tape.formats.base import Guess, Sample
from tape.formats.gathering import Gathering
from tape.formats.log_format import FileFormat
from tape.formats.parts import (
    Field,
    Part,
    below,
    call_part,
    other_part,
    result_part,
    text_part,
    thinking_part,
    word,
    words,
)
from tape.formats.parts_dump import Form
from tape.model import Json, Message, Place, Session, Text, ToolUse, Usage
from tape.records import Source

NAME: Final = "copilot-cli"
FAMILIES: Final = (
    *("session", "user", "assistant", "tool", "hook", "system", "permission", "subagent", "skill", "abort"),
    *("command", "external_tool", "pending_messages", "elicitation", "exit_plan_mode", "model"),
)


def _is_line(record: Json) -> bool:
    kind = word(record, "type") or ""
    family, dot, _ = kind.partition(".")
    return bool(dot) and family in FAMILIES and isinstance(record.get("data"), dict) and "id" in record


def load(source: Source) -> Session:
    """The session of an event log. Never raises on data."""
    gathering = Gathering(source, NAME)
    id: str | None = None
    model: str | None = None
    system: str | None = None
    for i, value in gathering.lines():
        kind, data = word(value, "type") or "untyped", value.get("data")
        place = Place(i, ("data",))
        if not isinstance(data, dict):
            gathering.aside(Place(i), kind, known=False)
            continue
        id = id or word(data, "sessionId")
        model = word(data, "newModel") or word(data, "selectedModel") or model
        content = data.get("content")
        if kind == "system.message" and isinstance(content, str) and system is None and not gathering.drafts:
            system = content
            gathering.extra["system_place"] = below(place, "content")
            gathering.aside(Place(i), kind, content)
        elif not _message(gathering, place, kind, data, model, word(value, "timestamp")):
            known = kind.partition(".")[0] in FAMILIES
            gathering.aside(Place(i), kind, _about(data), known=known)
    return gathering.session(id=id, system=system, params={"model": model} if model else {})


def _message(
    g: Gathering, place: Place, kind: str, data: dict[str, Any], model: str | None, at_time: str | None
) -> bool:
    """Takes an event in that is (part of) a message; false where it is none."""
    if kind in ("user.message", "system.message"):
        g.say("user" if kind == "user.message" else "system", place, said_parts, timestamp=at_time)
    elif kind == "assistant.message":
        id = word(data, "messageId")
        facts: dict[str, Any] = {
            "response_id": id,
            "model": word(data, "model") or model,
            "timestamp": at_time,
        }
        known = g.reply
        g.say("assistant", place, reply_parts, key=id, **{k: v for k, v in facts.items() if v})
        output = data.get("outputTokens")
        if isinstance(output, int) and not isinstance(output, bool) and g.reply is not known:
            g.spend(Usage(output=output))
    elif kind == "tool.execution_complete":
        g.answer(place, answer_parts, timestamp=at_time)
    else:
        return False
    return True


def _about(data: Mapping[str, Json]) -> str:
    keys = ("message", "toolName", "content", "reason", "name", "infoType")
    return next((text for key in keys if (text := words(data.get(key)))), "")


def said_parts(data: Json, place: Place) -> Sequence[Part]:
    """A prompt as the model saw it."""
    key = "transformedContent" if isinstance(data.get("transformedContent"), str) else "content"
    if not isinstance(data.get(key), str):
        return [other_part(data.get(key), "content", below(place, key))] if key in data else []
    part = text_part(data[key], below(place, key))
    typed = data.get("content")
    if key == "content" or not isinstance(typed, str) or typed not in data[key]:
        return [part]
    before, _, behind = data[key].partition(typed)

    def own(new: Text) -> Json:
        fits = (
            len(new.text) >= len(before + behind)
            and new.text.startswith(before)
            and new.text.endswith(behind)
        )
        return new.text[len(before) : len(new.text) - len(behind)] if fits else new.text

    copy = Field((*place.path, "content"), own)
    return [replace(part, fields=(*part.fields, copy))]


def reply_parts(data: Json, place: Place) -> Sequence[Part]:
    """A reply: reasoning, words, calls."""
    found: list[Part] = []
    thought, said = data.get("reasoningText"), data.get("content")
    if isinstance(thought, str) and thought:
        found.append(thinking_part(thought, below(place, "reasoningText")))
    if isinstance(said, str) and said:
        found.append(text_part(said, below(place, "content")))
    calls = data.get("toolRequests")
    for i, call in enumerate(calls if isinstance(calls, list) else []):
        where = below(place, "toolRequests", i)
        if isinstance(call, dict):
            name, given, id = ("name",), ("arguments",), ("toolCallId",)
            found.append(call_part(call, where, name=name, input=given, id=id))
        else:
            found.append(other_part(call, "tool request", where))
    return found


def answer_parts(data: Json, place: Place) -> Sequence[Part]:
    """What a tool gave back, or why it failed."""
    path: Path = ("result", "content")
    if at(data, path) is None and at(data, ("error", "message")) is not None:
        path = ("error", "message")
    success = data.get("success")
    flags = (Field((*place.path, "success"), lambda new: new.is_error is not True),)
    error = None if not isinstance(success, bool) else not success
    return [
        result_part(
            data,
            place,
            content=path,
            id=("toolCallId",),
            error=error,
            flags=flags if error is not None else (),
            gone=(),
        )
    ]


def _make(entry: Message, like: Sequence[Json]) -> list[Json] | None:
    """The event of a message of words and calls; results are told only of calls that ran."""
    if entry.role == "system" or not all(isinstance(block, Text | ToolUse) for block in entry.blocks):
        return None
    text = "\n".join(block.text for block in entry.blocks if isinstance(block, Text))
    head = {k: v for k, v in like[-1].items() if k in ("timestamp", "parentId")} if like else {}
    data: dict[str, Any] = {"content": text}
    if entry.role == "assistant":
        calls = [
            {"toolCallId": block.id, "name": block.name, "arguments": block.input}
            for block in entry.blocks
            if isinstance(block, ToolUse)
        ]
        data = {"messageId": f"tapedeck-{entry.uid}", **data, "toolRequests": calls}
    return [{"type": f"{entry.role}.message", "data": data, "id": f"tapedeck-{entry.uid}", **head}]


DOUBLES: Final = "The arguments that tool.execution_start repeats were left as they were."
FORM: Final = Form(
    "A Copilot CLI log", lambda source, _: load(source), _make, doubles=DOUBLES, chain=("id", "parentId")
)


class CopilotCli(FileFormat):
    """The format; see ``tape.formats.base.Format``."""

    name = NAME
    label = "GitHub Copilot CLI events"
    written_by = "GitHub Copilot CLI, in ~/.copilot/session-state"
    evidence: Literal["files", "documentation"] = "documentation"
    form = FORM
    load = staticmethod(load)

    def sniff(self, sample: Sample) -> Guess | None:
        """Lines with ``type`` of two words, ``data`` and ``id``."""
        if sample.container == "jsonl" and any(_is_line(record) for record in sample.records):
            return Guess(3, "events of two words with data and id, as Copilot CLI writes them")
        return None

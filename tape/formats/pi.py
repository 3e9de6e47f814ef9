"""Pi and OpenClaw: session files whose entries form a tree by ``id`` and ``parentId``.

The last entry is where the session went on; what hangs elsewhere was left. Input counts leave cached
tokens out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal

from tape.formats.base import Guess, Sample
from tape.formats.gathering import Gathering
from tape.formats.log_format import FileFormat
from tape.formats.parts import (
    Field,
    Part,
    below,
    call_part,
    counts,
    other_part,
    result_part,
    text_or_picture,
    text_part,
    thinking_part,
    word,
    words,
)
from tape.formats.parts_dump import Form
from tape.model import Block, Json, Message, Place, Role, Session, Text, Thinking, ToolResult, ToolUse, Usage
from tape.records import Source

NAME: Final = "pi"
BESIDE: Final = frozenset(
    (
        *("session", "model_change", "thinking_level_change", "compaction", "branch_summary", "custom"),
        *("label", "session_info", "leaf"),
    )
)
ROLES: Final[Mapping[str, Role]] = {"user": "user", "assistant": "assistant", "system": "system"}
SIGNED: Final = "anthropic-messages"
SUMMARIES: Final = {"branchSummary": "summary", "compactionSummary": "summary"}


def load(source: Source) -> Session:
    """The session of a file. Never raises on data."""
    gathering = Gathering(source, NAME)
    behind: dict[str, int] = {}
    last: str | None = None
    id: str | None = None
    title: str | None = None
    for i, value in gathering.lines():
        kind, own, parent = word(value, "type") or "untyped", word(value, "id"), word(value, "parentId")
        if kind == "session":
            id = id or own
        elif parent != last and parent in behind:
            if behind[parent] < len(gathering.drafts):
                gathering.leave(behind[parent], "left for another branch")
        elif parent is not None and parent != last:
            gathering.remark(Place(i), "unknown-parent", "The entry this one hangs on is not in the file.")
        if not _message(gathering, i, kind, value):
            title = (word(value, "name") or title) if kind == "session_info" else title
            gathering.aside(Place(i), kind, _about(value), known=kind in BESIDE)
        if own and kind != "session":
            behind[own] = len(gathering.drafts)
            last = own
    return gathering.session(id=id, title=title)


def _about(value: Mapping[str, Json]) -> str:
    keys = ("summary", "modelId", "thinkingLevel", "customType", "name", "label", "cwd")
    return next((text for key in keys if (text := words(value.get(key)))), "")


def _message(g: Gathering, i: int, kind: str, value: dict[str, Any]) -> bool:
    """Takes an entry in that the model saw; false where it is none."""
    at_time = word(value, "timestamp")
    if kind == "custom_message":
        g.say("user", Place(i), custom_parts, timestamp=at_time)
        return True
    message = value.get("message")
    if kind != "message" or not isinstance(message, dict):
        return False
    place, written = Place(i, ("message",)), word(message, "role") or ""
    if written == "toolResult":
        g.answer(place, answer_parts, timestamp=at_time)
    elif written == "bashExecution":
        g.say("user", place, bash_parts, timestamp=at_time, role="bashExecution")
    elif written in SUMMARIES:
        g.say(
            "user",
            place,
            summary_parts,
            timestamp=at_time,
            compact_summary=written == "compactionSummary" or None,
        )
    elif written == "assistant":
        stop = word(message, "stopReason")
        facts: dict[str, Any] = {"model": word(message, "model"), "stop_reason": stop, "timestamp": at_time}
        if stop == "aborted":
            facts["interrupted"] = True
        g.say("assistant", place, said_parts, **facts)
        g.spend(usage_of(message.get("usage")))
    else:
        role = ROLES.get(written, "user")
        unknown: dict[str, Any] = {} if written in ROLES or written == "custom" else {"unknown_role": written}
        g.say(role, place, said_parts, timestamp=at_time, **unknown)
    return True


def said_parts(message: Json, place: Place) -> Sequence[Part]:
    """The content of a message, string or list."""
    content = message.get("content")
    if isinstance(content, str):
        return [text_part(content, below(place, "content"))]
    signed = word(message, "api") == SIGNED
    items = content if isinstance(content, list) else []
    return [_item(item, below(place, "content", i), signed) for i, item in enumerate(items)]


def custom_parts(entry: Json, place: Place) -> Sequence[Part]:
    """What an extension put into the conversation."""
    content = entry.get("content")
    if isinstance(content, str):
        return [text_part(content, below(place, "content"), injected=True)]
    items = content if isinstance(content, list) else []
    return [_item(item, below(place, "content", i), False) for i, item in enumerate(items)]


def _item(item: Json, place: Place, signed: bool) -> Part:
    kind = word(item, "type")
    if kind == "text" and isinstance(item.get("text"), str):
        return text_part(item["text"], below(place, "text"), home=place, raw=item)
    if kind == "thinking" and isinstance(item.get("thinking"), str):
        sign = word(item, "thinkingSignature") if signed else None
        return thinking_part(item["thinking"], below(place, "thinking"), home=place, raw=item, signature=sign)
    if kind == "toolCall":
        return call_part(item, place, name=("name",), input=("arguments",), id=("id",))
    if kind == "image":
        return Part(text_or_picture(item, place), (), ())
    return other_part(item, kind or "content", place)


def answer_parts(message: Json, place: Place) -> Sequence[Part]:
    """What a tool gave back."""
    said = message.get("isError")
    flags = (Field((*place.path, "isError"), lambda new: new.is_error is True),)
    return [
        result_part(
            message,
            place,
            content=("content",),
            id=("toolCallId",),
            error=said if isinstance(said, bool) else None,
            flags=flags if isinstance(said, bool) else (),
            tool=word(message, "toolName"),
            inner=text_or_picture,
            gone=(),
        )
    ]


def bash_parts(message: Json, place: Place) -> Sequence[Part]:
    """A command that the person ran, and what it printed."""
    return [
        text_part(message[key], below(place, key), injected=key == "output")
        for key in ("command", "output")
        if isinstance(message.get(key), str)
    ]


def summary_parts(message: Json, place: Place) -> Sequence[Part]:
    """The summary that stands for what was left or compacted."""
    summary = message.get("summary")
    return [text_part(summary, below(place, "summary"), injected=True)] if isinstance(summary, str) else []


def usage_of(value: Json) -> Usage | None:
    """Pi's counts (tokens): input leaves cached tokens out."""
    if not isinstance(value, dict):
        return None
    found = counts(value)
    return Usage(
        input=found.get("input"),
        cache_read=found.get("cacheRead"),
        cache_write=found.get("cacheWrite"),
        output=found.get("output"),
    )


def _make(entry: Message, like: Sequence[Json]) -> list[Json] | None:
    """The entries of a message: one for each result, else one."""
    if entry.role == "system":
        return None
    parent = word(like[-1], "id") if like else None
    stamp = like[-1].get("timestamp") if like else None
    found: list[Json] = []
    for number, message in enumerate(_messages(entry)):
        id = f"tapedeck-{entry.uid}-{number}"
        found.append(
            {"type": "message", "id": id, "parentId": parent, "timestamp": stamp, "message": message}
        )
        parent = id
    return found


def _messages(entry: Message) -> Iterable[dict[str, Any]]:
    rest = [block for block in entry.blocks if not isinstance(block, ToolResult)]
    for block in entry.blocks:
        if isinstance(block, ToolResult) and word(block.raw, "role") == "toolResult":
            yield block.raw
        elif isinstance(block, ToolResult):
            content = [{"type": "text", "text": block.text}]
            failed = block.is_error is True
            yield {
                "role": "toolResult",
                "toolCallId": block.tool_use_id,
                "content": content,
                "isError": failed,
            }
    if rest or not entry.blocks:
        signed = any(isinstance(block, Thinking) and block.signature for block in rest)
        yield {
            "role": entry.role,
            **({"api": SIGNED} if signed else {}),
            "content": [made for block in rest if (made := _element(block)) is not None],
        }


def _element(block: Block) -> Json | None:
    if word(block.raw, "type") == "toolCall" or word(block.raw, "mimeType"):
        return block.raw
    match block:
        case Text():
            return {"type": "text", "text": block.text}
        case Thinking(data=None):
            sign = {"thinkingSignature": block.signature} if block.signature else {}
            return {"type": "thinking", "thinking": block.text, **sign}
        case ToolUse():
            return {"type": "toolCall", "id": block.id, "name": block.name, "arguments": block.input}
    return None


FORM: Final = Form("A Pi session", lambda source, _: load(source), _make, _element, chain=("id", "parentId"))


class Pi(FileFormat):
    """The format; see ``tape.formats.base.Format``."""

    name = NAME
    label = "Pi session"
    written_by = "Pi and OpenClaw, in ~/.pi/agent/sessions"
    evidence: Literal["files", "documentation"] = "documentation"
    form = FORM
    load = staticmethod(load)

    def sniff(self, sample: Sample) -> Guess | None:
        """A first line of type session with an id, and entries of Pi's types."""
        if sample.container != "jsonl":
            return None
        kinds = {word(record, "type") for record in sample.records}
        first = sample.records[0] if sample.records else None
        if word(first, "type") == "session" and word(first, "id") and word(first, "cwd"):
            return Guess(3, "a first line of type session with its id and folder")
        if {"model_change", "thinking_level_change"} & kinds and "message" in kinds:
            return Guess(3, "entries of type message and model_change")
        return None

"""What the messages of AutoGen hold: words, pictures, calls with arguments as a string, results.

A message is either words or calls; what is said beside calls is its ``thought``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tape.formats.openai_fields import arguments_of
from tape.formats.parts import (
    Field,
    Part,
    below,
    call_part,
    other_part,
    picture,
    result_part,
    text_part,
    thinking_part,
    word,
)
from tape.model import Block, Json, Message, Place, Text, ToolResult, ToolUse

AGENTS = ("AssistantMessage", "UserMessage", "SystemMessage", "FunctionExecutionResultMessage")


def thought_parts(message: Json, place: Place) -> Sequence[Part]:
    """What was thought: beside the calls, or as an event of its own."""
    key = "content" if word(message, "type") == "ThoughtEvent" else "thought"
    value, here = message.get(key), below(place, key)
    return [thinking_part(value, here) if isinstance(value, str) else other_part(value, "thought", here)]


def content_parts(message: Json, place: Place) -> Sequence[Part]:
    """The content of a message: words, or a list of words and pictures or of calls."""
    content, here = message.get("content"), below(place, "content")
    if isinstance(content, str):
        return [text_part(content, here)]
    if not isinstance(content, list):
        return [other_part(content, "content", here)]
    return [_item(one, below(here, i)) for i, one in enumerate(content)]


def _item(one: Json, place: Place) -> Part:
    if isinstance(one, str):
        return text_part(one, place)
    if isinstance(one, dict) and "name" in one and "arguments" in one:
        return call_part(one, place, name=("name",), input=("arguments",), id=("id",))
    if isinstance(one, dict) and isinstance(one.get("data"), str):
        return Part(picture(one["data"], place, one, "image/png"))
    return other_part(one, "item", place)


def result_parts(one: Json, place: Place) -> Sequence[Part]:
    """What came back to one call."""
    if not isinstance(one, dict):
        return [other_part(one, "result", place)]
    flags: tuple[Field, ...] = ()
    failed = one.get("is_error")
    if isinstance(failed, bool):
        flags = (Field((*place.path, "is_error"), lambda new: new.is_error is True),)
    return [
        result_part(
            one,
            place,
            content=("content",),
            id=("call_id",),
            error=failed if isinstance(failed, bool) else None,
            flags=flags,
            tool=word(one, "name"),
        )
    ]


def failure_parts(message: Json, place: Place) -> Sequence[Part]:
    """A message for results that holds none."""
    return [other_part(message.get("content"), "results", below(place, "content"))]


def element(block: Block) -> Json | None:
    """A call as an item of a list; ``None`` for any other block."""
    if isinstance(block, ToolUse):
        return {"id": block.id, "arguments": arguments_of(block), "name": block.name}
    return None


def _result(block: Block, like: Sequence[Json]) -> Json | None:
    """A result with the name of the tool, as the call before it has it."""
    if not isinstance(block, ToolResult) or isinstance(block.content, tuple):
        return None
    held = [one.get("content") for one in like if isinstance(one, dict)]
    calls = [call for content in held if isinstance(content, list) for call in content]
    called = [word(call, "name") for call in calls if word(call, "id") == block.tool_use_id]
    if not called:
        return None
    value = {"content": block.text, "name": called[-1], "call_id": block.tool_use_id}
    return {**value, "is_error": block.is_error is True}


def make(entry: Message, like: Sequence[Json]) -> list[Json] | None:
    """A message of words, calls or results alone, in the form of those before it; ``None`` for others."""
    blocks = entry.blocks
    events = bool(like) and word(like[-1], "type") not in AGENTS
    content: Json
    if len(blocks) == 1 and isinstance(blocks[0], Text):
        content = blocks[0].text
        kind = "TextMessage" if events else f"{entry.role.capitalize()}Message"
    elif blocks and all(isinstance(b, ToolUse) for b in blocks) and entry.role == "assistant":
        content = [element(b) for b in blocks]
        kind = "ToolCallRequestEvent" if events else "AssistantMessage"
    elif blocks and all(isinstance(b, ToolResult) for b in blocks):
        content = [_result(b, like) for b in blocks]
        kind = "ToolCallExecutionEvent" if events else "FunctionExecutionResultMessage"
    else:
        return None
    if (isinstance(content, list) and None in content) or (events and entry.role == "system"):
        return None
    made: dict[str, Any] = {"type": kind, "content": content}
    if events or kind in ("AssistantMessage", "UserMessage"):
        made = {"source": _speaker(entry, like), **made}
    return [made]


def _speaker(entry: Message, like: Sequence[Json]) -> str:
    """Who says it: the user, or the last agent that spoke."""
    if entry.role == "user" and not any(isinstance(b, ToolResult) for b in entry.blocks):
        return "user"
    spoke = (word(one, "source") for one in reversed(like))
    return next((name for name in spoke if name and name != "user"), "assistant")

"""Parts of the Vercel AI SDK: those of a UI message and those of a model message.

A tool part of a UI message holds the call and what came back. Names of versions 4 to 6 are read: ``args`` and
``input``, ``result`` and ``output``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from tape.formats.parts import (
    Field,
    Part,
    below,
    call_part,
    file_part,
    other_part,
    result_part,
    text_part,
    thinking_part,
    word,
)
from tape.json_text import Remove, Set
from tape.model import Block, Json, Place, Text, ToolResult, ToolUse

DONE: Final = ("output-available", "output-error", "result")


def tool_of(part: Json) -> tuple[dict[str, Json], tuple[str, ...]] | None:
    """The object with the call of a UI part and its path in the part; ``None`` for other parts."""
    kind = word(part, "type") or ""
    if not isinstance(part, dict):
        return None
    inner = part.get("toolInvocation")
    if kind == "tool-invocation" and isinstance(inner, dict):
        return inner, ("toolInvocation",)
    return (part, ()) if kind == "dynamic-tool" or kind.startswith("tool-") else None


def answered(part: Json) -> bool:
    """Whether a tool part holds what came back."""
    found = tool_of(part)
    return found is not None and found[0].get("state") in DONE and not found[0].get("preliminary")


def ui_parts(part: Json, place: Place) -> Sequence[Part]:
    """A part of a UI message; of a tool part the call, with its result where the provider ran it."""
    kind = word(part, "type") or "part"
    if tool_of(part) is not None:
        call = ui_call(part, place)
        server = isinstance(call.block, ToolUse) and call.block.server
        return [call, _served(ui_result(part, place))] if server and answered(part) else [call]
    return [_said(part, kind, place)]


def _served(part: Part) -> Part:
    assert isinstance(part.block, ToolResult)
    return replace(part, block=replace(part.block, server=True, type="server_tool_result"))


def _said(part: Json, kind: str, place: Place) -> Part:
    """Words, thoughts and files, which both kinds of messages write alike."""
    if isinstance(part, dict) and kind in ("text", "reasoning"):
        key = "text" if "text" in part else "reasoning"
        if isinstance(part.get(key), str):
            make = text_part if kind == "text" else thinking_part
            return make(part[key], below(place, key), home=place, raw=part)
    if isinstance(part, dict) and kind in ("file", "image"):
        url = next((part[k] for k in ("url", "data", "image") if k in part), None)
        media = word(part, "mediaType") or word(part, "mimeType") or ("image/*" if kind == "image" else None)
        return file_part(word(part, "filename"), url, media, place, part)
    return other_part(part, kind, place)


def ui_call(part: Json, place: Place) -> Part:
    """The call of a tool part. A part of type ``tool-<name>`` has its name there."""
    found = tool_of(part)
    assert found is not None
    tool, path = found
    where = below(place, *path)
    named = "toolName" in tool
    key = "input" if "input" in tool or "args" not in tool else "args"
    server = tool.get("providerExecuted") is True
    name = ("toolName",) if named else ("type",)
    made = call_part(tool, where, name=name, input=(key,), id=("toolCallId",), server=server, gone=())
    if not named and isinstance(made.block, ToolUse):
        block = replace(made.block, name=made.block.name.removeprefix("tool-"))
        field = Field(made.fields[0].path, lambda new: f"tool-{new.name}")
        made = replace(made, block=block, fields=(field, *made.fields[1:]))
    return replace(made, home=place.path)


def ui_result(part: Json, place: Place) -> Part:
    """What came back to the call of a tool part."""
    found = tool_of(part)
    assert found is not None
    tool, path = found
    where = below(place, *path)
    failed = tool.get("state") == "output-error"
    key = "errorText" if failed else "result" if "result" in tool else "output"
    before = "call" if tool.get("state") == "result" else "input-available"
    gone = (Remove((*where.path, key)), Set((*where.path, "state"), before))
    made = result_part(
        tool, where, content=(key,), id=("toolCallId",), error=failed or None, inner=_inner, gone=gone
    )
    return replace(made, home=place.path)


def ui_result_parts(part: Json, place: Place) -> Sequence[Part]:
    """The result of a tool part, for the message behind its reply."""
    return [ui_result(part, place)]


def model_parts(message: Json, place: Place) -> Sequence[Part]:
    """The content of a model message."""
    content, here = message.get("content"), below(place, "content")
    if isinstance(content, str):
        return [text_part(content, here)]
    several = content if isinstance(content, list) else []
    found: list[Part] = []
    for i, part in enumerate(several):
        where, kind = below(here, i), word(part, "type") or "part"
        if kind == "tool-call" and isinstance(part, dict):
            key = "input" if "input" in part or "args" not in part else "args"
            server = part.get("providerExecuted") is True
            found.append(
                call_part(part, where, name=("toolName",), input=(key,), id=("toolCallId",), server=server)
            )
        elif kind == "tool-result" and isinstance(part, dict):
            made = model_result(part, where)
            found.append(_served(made) if message.get("role") == "assistant" else made)
        else:
            found.append(_said(part, kind, where))
    return found


def model_result(part: dict[str, Json], place: Place) -> Part:
    """A result: ``output`` with a type and a value, or the ``result`` of version 4."""
    output = part.get("output")
    kind = word(output, "type") or ""
    path: tuple[str, ...] = ("result",) if "output" not in part else ("output",)
    if isinstance(output, dict):
        path = (
            ("output", "value") if "value" in output else ("output", "reason") if "reason" in output else path
        )
    failed = part.get("isError") is True or kind.startswith("error") or kind == "execution-denied"
    return result_part(
        part,
        place,
        content=path,
        id=("toolCallId",),
        error=failed or None,
        tool=word(part, "toolName"),
        inner=_inner,
    )


def _inner(value: Json, place: Place) -> Block:
    if isinstance(value, dict) and isinstance(value.get("text"), str):
        return Text(text=value["text"], place=place, raw=value)
    kind = word(value, "type") or "item"
    if isinstance(value, dict) and kind in ("media", "image-data", "file-data"):
        return file_part(None, value.get("data"), word(value, "mediaType"), place, value).block
    return other_part(value, kind, place).block

"""Items of the Responses API as Codex writes them into its rollouts: parts of messages, and back.

Reasoning is shown by its summary; what is encrypted stays beside it, in the item. The exit code of a command
stands in the text of its output and is the only sign of failure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

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
    words,
)
from tape.model import Block, Image, Json, Message, Place, Text, Thinking, ToolResult, ToolUse, json_text
from tape.records import loads

CALLS: Final = ("function_call", "custom_tool_call", "local_shell_call")
ANSWERS: Final = ("function_call_output", "custom_tool_call_output", "tool_search_output")
SERVER: Final = ("web_search_call", "image_generation_call", "tool_search_call")
WRAPPED: Final = (
    *(
        "# AGENTS.md instructions",
        "<environment_context>",
        "<user_instructions>",
        "<skill>",
        "<turn_aborted>",
    ),
    *("<user_shell_command>", "<subagent_notification>", "<permissions instructions>"),
)
_EXIT: Final = re.compile(r"(?:Process exited with code|Exit code:) (-?\d+)")


def injected(text: str) -> bool:
    """Whether a program put this text into a user turn."""
    return text.lstrip().startswith(WRAPPED)


def message_parts(item: Json, place: Place) -> Sequence[Part]:
    """The content of a message item."""
    content = item.get("content")
    if isinstance(content, str):
        return [text_part(content, below(place, "content"), injected=_by_program(item, content))]
    parts = content if isinstance(content, list) else []
    return [_content(item, part, below(place, "content", i)) for i, part in enumerate(parts)]


def _by_program(item: Mapping[str, Json], text: str) -> bool:
    return item.get("role") == "user" and injected(text)


def _content(item: Mapping[str, Json], part: Json, place: Place) -> Part:
    kind, text = word(part, "type"), part.get("text") if isinstance(part, dict) else None
    if isinstance(text, str):
        where = below(place, "text")
        return text_part(text, where, home=place, raw=part, injected=_by_program(item, text))
    block = inner(part, place)
    return Part(block) if isinstance(block, Image) else other_part(part, kind or "content", place)


def inner(part: Json, place: Place) -> Block:
    """One item of the output of a call."""
    if isinstance(part, dict) and isinstance(part.get("text"), str):
        return Text(text=part["text"], place=place, raw=part)
    url = part.get("image_url") if isinstance(part, dict) else None
    if url is not None:
        return picture(url.get("url") if isinstance(url, dict) else url, place, part)
    return other_part(part, word(part, "type") or "output", place).block


def reasoning_parts(item: Json, place: Place) -> Sequence[Part]:
    """Thinking: the summary, else the content where a model without encryption wrote one."""
    for key in ("summary", "content"):
        found = item.get(key)
        texts = [
            (i, part["text"])
            for i, part in enumerate(found if isinstance(found, list) else [])
            if isinstance(part, dict) and isinstance(part.get("text"), str)
        ]
        if texts:
            return [
                thinking_part(t, below(place, key, i, "text"), home=below(place, key, i), raw=item)
                for i, t in texts
            ]
    return [Part(Thinking(place=place, raw=item))]


def call_parts(item: Json, place: Place) -> Sequence[Part]:
    """A call: of a function (arguments are a JSON string), of a custom tool (raw text) or of the shell."""
    if item.get("type") == "custom_tool_call":
        return [call_part(item, place, name=("name",), input=("input",), id=("call_id",), wrap="input")]
    if item.get("type") == "local_shell_call":
        part = call_part(item, place, name=("type",), input=("action",), id=("call_id",))
        return [part]
    return [call_part(item, place, name=("name",), input=("arguments",), id=("call_id",))]


def server_parts(item: Json, place: Place) -> Sequence[Part]:
    """A call that the provider answered itself, its result inside or nowhere: no client has to answer it."""
    return [other_part(item, word(item, "type") or "server call", place)]


def answer_parts(item: Json, place: Place) -> Sequence[Part]:
    """The output of a call. Old files hold JSON in a string, or an object with ``content``."""
    output = item.get("output")
    inside = isinstance(output, dict) and isinstance(output.get("content"), (str, list))
    path = ("output", "content") if inside else ("output",)
    held = output["content"] if inside else output
    flags: tuple[Field, ...] = ()
    if inside and isinstance(output.get("success"), bool):
        flags = (Field((*place.path, "output", "success"), lambda new: new.is_error is not True),)
    error = failed(held, output.get("success") if inside else None)
    if word(item, "type") == "tool_search_output":
        path = ("tools",) if "tools" in item else path
    return [result_part(item, place, content=path, id=("call_id",), error=error, flags=flags, inner=inner)]


def failed(output: Json, success: Json = None) -> bool | None:
    """Whether the text of an output says that the command failed; ``None`` where it says nothing."""
    if isinstance(success, bool):
        return not success
    if isinstance(output, list):
        output = next((words(p.get("text")) for p in output if isinstance(p, dict)), "")
    if not isinstance(output, str):
        return None
    head = output[:2000]
    if head.startswith('{"output"') or '"exit_code"' in output[-400:]:
        try:
            code = loads(output)["metadata"]["exit_code"]
        except (ValueError, KeyError, TypeError):
            return None
        return code != 0 if isinstance(code, int) else None
    before = head.partition("Output:")[0] if "Output:" in head else ""
    found = _EXIT.search(before)
    return int(found.group(1)) != 0 if found else None


def make_items(entry: Message) -> Iterator[dict[str, Any]]:
    """The items of a message, in the order of its blocks; those that still stand for an item are it."""
    said: list[dict[str, Any]] = []
    kind = "output_text" if entry.role == "assistant" else "input_text"
    role = "developer" if entry.role == "system" else entry.role
    for block in entry.blocks:
        item = _item(block)
        if item is None:
            said.append(_said(block, kind))
            continue
        if said:
            yield {"type": "message", "role": role, "content": said}
            said = []
        yield item
    if said:
        yield {"type": "message", "role": role, "content": said}


def _said(block: Block, kind: str) -> dict[str, Any]:
    if isinstance(block, Image):
        url = (
            block.ref if block.data is None else f"data:{block.media_type or 'image/png'};base64,{block.data}"
        )
        return {"type": "input_image", "image_url": url or ""}
    return {"type": kind, "text": block.text if isinstance(block, Text) else json_text(block.raw)}


def _item(block: Block) -> dict[str, Any] | None:
    raw = block.raw
    if isinstance(raw, dict) and raw.get("type") in (*CALLS, *ANSWERS, *SERVER, "reasoning"):
        return raw
    match block:
        case Thinking():
            summary = [{"type": "summary_text", "text": block.text}]
            return {"type": "reasoning", "summary": summary, "encrypted_content": None}
        case ToolUse():
            given = block.arguments if block.arguments is not None else json_text(block.input)
            return {"type": "function_call", "name": block.name, "arguments": given, "call_id": block.id}
        case ToolResult():
            return {"type": "function_call_output", "call_id": block.tool_use_id, "output": block.text}
    return None

"""Messages as entries of the Chat Completions dialect: the fields of each entry, and how many there are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from tape.formats.openai_blocks import REASONING, parsed_arguments
from tape.json_style import restyle
from tape.model import (
    Block,
    Document,
    Image,
    Json,
    Message,
    Other,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
    json_text,
)

LISTS: Final = ("thinking_blocks", "reasoning_details")


def entry_json(entry: Message, before: Message | None = None) -> dict[str, Json]:
    """The fields of the entry that a message without results is, those it was read from written as they were.

    ``before`` is the message as it was read, for how its arguments were spaced.
    """
    made: dict[str, Json] = {"role": role_of(entry)}
    blocks = [block for block in entry.blocks if not isinstance(block, ToolResult)]
    was = {block.uid: block for block in before.blocks} if before else {}
    content = [b for b in blocks if not isinstance(b, (ToolUse, Thinking)) and not _beside(b)]
    form = entry.meta.get("content_form", "string")
    written = content_json(content, form)
    if written is not None or form != "absent":
        made["content"] = written
    made |= _reasoning(block for block in blocks if _is_reasoning(block))
    for block in blocks:
        if isinstance(block, Other) and block.type == "refusal" and isinstance(block.value, str):
            made["refusal"] = block.value
    calls: list[Json] = []
    for block in blocks:
        if isinstance(block, ToolUse):
            call = call_json(block, was.get(block.uid))
            if block.place and block.place.path[-1:] == ("function_call",):
                made["function_call"] = call["function"]
            else:
                calls.append(call)
        elif isinstance(block, Other) and block.type == "tool_call":
            calls.append(block.value)
    if calls:
        made["tool_calls"] = calls
    if entry.meta.get("name"):
        made["name"] = entry.meta["name"]
    return made


def role_of(entry: Message) -> str:
    """The role as the file has it."""
    written = entry.meta.get("unknown_role", entry.meta.get("role"))
    if entry.role == "system":
        return str(written) if written else "system"
    return entry.role if written in (None, "tool", "function", "system", "developer") else str(written)


def _beside(block: Block) -> bool:
    """Whether a block has a field of its own beside the content."""
    return isinstance(block, Other) and (
        block.type in ("refusal", "tool_call") or bool(block.place and set(LISTS) & set(block.place.path))
    )


def _is_reasoning(block: Block) -> bool:
    return isinstance(block, Thinking) or bool(block.place and set(LISTS) & set(block.place.path))


def content_json(blocks: Sequence[Block], form: str) -> Json:
    """Content in the form it had, a string where it can be one."""
    plain = len(blocks) == 1 and isinstance(blocks[0], Text) and not blocks[0].extra
    if not blocks:
        return {"list": [], "string": "", "empty": "", "other": ""}.get(form)
    if plain and form != "list" and isinstance(blocks[0], Text):
        return blocks[0].text
    return [part_json(block) for block in blocks]


def part_json(block: Block) -> Json:
    """A content part: as it was read where it still says the same, else built."""
    if block.raw is not None:
        return block.raw
    match block:
        case Text():
            return {"type": "text", "text": block.text, **block.extra}
        case Image(source="base64"):
            url = f"data:{block.media_type or 'image/png'};base64,{block.data or ''}"
            return {"type": "image_url", "image_url": {"url": url}}
        case Image():
            return {"type": "image_url", "image_url": {"url": block.ref or ""}}
        case Document(data=str() as data):
            url = f"data:{block.media_type or 'application/pdf'};base64,{data}"
            return {"type": "file", "file": {"filename": block.title or "document.pdf", "file_data": url}}
        case Document(text=str() as text):
            return {"type": "text", "text": text}
        case Document():
            return {"type": "file", "file": {"file_id": block.ref or ""}}
        case Other():
            return block.value
    raise TypeError(f"no content part: {type(block).__name__}")


def call_json(block: ToolUse, before: Block | None = None) -> dict[str, Json]:
    """A call: as it was read where it still says the same, else with its arguments spaced as they were."""
    if isinstance(block.raw, dict) and ("function" in block.raw or "custom" in block.raw):
        return block.raw
    was = before.raw if isinstance(before, ToolUse) and isinstance(before.raw, dict) else {}
    made: dict[str, Json] = {k: v for k, v in was.items() if k not in ("function", "custom")}
    if not block.generated_id:
        made["id"] = block.id
    if "custom" in was and isinstance(block.input, Mapping) and block.input.keys() == {"input"}:
        return {**made, "custom": {**was["custom"], "name": block.name, "input": block.input["input"]}}
    old = was.get("function") if isinstance(was.get("function"), dict) else {}
    given = old.get("arguments") if isinstance(old, dict) else None
    function: dict[str, Any] = {**(old or {}), "name": block.name}
    if isinstance(given, dict):
        function["arguments"] = block.input
    elif isinstance(given, str) and parsed_arguments(given) == block.input:
        function["arguments"] = given
    else:
        function["arguments"] = arguments_of(block, given if isinstance(given, str) else "")
    if not was:
        made |= {"type": "function"}
    return {**made, "function": function}


def arguments_of(block: ToolUse, like: str = "") -> str:
    """The arguments as a string: verbatim where the source has one, else written as ``like`` is."""
    if block.arguments is not None:
        return block.arguments
    if isinstance(block.input, str):
        return block.input
    return restyle(like, block.input) if like else json_text(block.input)


def result_json(block: ToolResult, role: str = "tool") -> dict[str, Json]:
    """The fields of the entry that a result is."""
    raw = block.raw
    if isinstance(raw, Mapping) and raw.get("role") in ("tool", "function"):
        return dict(raw)
    made: dict[str, Json] = {"role": role}
    if not block.generated_id:
        made["tool_call_id"] = block.tool_use_id
    if isinstance(block.content, tuple):
        made["content"] = [part_json(part) for part in block.content]
    else:
        made["content"] = block.content if block.content is not None else ""
    return made


def _reasoning(blocks: Iterable[Block]) -> dict[str, Json]:
    made: dict[str, Json] = {}
    for block in blocks:
        path = block.place.path if block.place else ()
        listed = next((key for key in LISTS if key in path), None)
        if listed:
            made.setdefault(listed, []).append(_detail(block, listed))
        elif isinstance(block, Thinking):
            key = next((key for key in REASONING if path[-1:] == (key,)), "reasoning_content")
            made[key] = f"{made[key]}\n{block.text}" if key in made else block.text
    return made


def _detail(block: Block, listed: str) -> Json:
    if block.raw is not None or not isinstance(block, Thinking):
        return block.raw
    if listed == "thinking_blocks":
        signed = {"signature": block.signature} if block.signature is not None else {}
        return {"type": "thinking", "thinking": block.text, **signed}
    return {"type": "reasoning.text", "text": block.text}

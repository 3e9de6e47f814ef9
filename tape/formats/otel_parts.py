"""Messages of OpenTelemetry's GenAI conventions to the Anthropic form and back, part by part.

What the conventions have and the Anthropic form has not stays as a block of its own type. Facts:
formats.md 9.2 of the project's notes; the GenAI semantic conventions, opentelemetry.io, November 2026.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from tape.formats.parts import word, words
from tape.json_text import same
from tape.model import Json, json_text

ROLES: Final = {"system": "system", "developer": "system", "assistant": "assistant", "model": "assistant"}
STOPS: Final = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool_call": "tool_use",
    "tool_calls": "tool_use",
    "content_filter": "refusal",
}
REASONS: Final = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "tool_use": "tool_call",
    "refusal": "content_filter",
}


def is_message(value: Json) -> bool:
    """Whether a value is a message with parts whose types are those of the conventions."""
    return isinstance(value, dict) and isinstance(value.get("role"), str) and _typed(value.get("parts"))


def _typed(parts: Json) -> bool:
    return isinstance(parts, list) and all(isinstance(p, dict) and _is_part(p) for p in parts[:20])


def _is_part(part: Mapping[str, Json]) -> bool:
    """Vercel's parts have a text, these a content."""
    kind = part.get("type")
    if kind in ("text", "reasoning"):
        return "content" in part
    return kind in ("tool_call", "tool_call_response", "blob", "uri", "file", "compaction") or (
        isinstance(kind, str) and kind.startswith("server_tool_call")
    )


def message_of(value: Json) -> dict[str, Any] | None:
    """A message in the Anthropic form; ``None`` for what is none."""
    if not isinstance(value, dict) or not isinstance(value.get("role"), str):
        return None
    role = ROLES.get(value["role"], "user")
    parts = value.get("parts")
    if not isinstance(parts, list):
        content = value.get("content")
        return {"role": role, "content": content if isinstance(content, str | list) else ""}
    return {"role": role, "content": [block_of(part) for part in parts]}


def block_of(part: Json) -> dict[str, Any]:
    """A part as a block."""
    if not isinstance(part, dict):
        return {"type": "text", "text": part if isinstance(part, str) else json_text(part)}
    match part.get("type"):
        case "text":
            return {"type": "text", "text": words(part.get("content"))}
        case "reasoning":
            return {"type": "thinking", "thinking": words(part.get("content")), "signature": ""}
        case "tool_call":
            given = part.get("arguments")
            call = {"id": words(part.get("id")), "name": words(part.get("name"))}
            return {"type": "tool_use", **call, "input": {} if given is None else given}
        case "tool_call_response":
            said = part.get("response", part.get("result"))
            plain = isinstance(said, str) or said is None or _are_blocks(said)
            content = said if plain else json_text(said)
            return {"type": "tool_result", "tool_use_id": words(part.get("id")), "content": content}
        case "blob" if isinstance(part.get("content"), str):
            return _media(part, {"type": "base64", "data": part["content"]})
        case "uri" if isinstance(part.get("uri"), str):
            return _media(part, {"type": "url", "url": part["uri"]})
        case "compaction":
            return {"type": "compaction", "content": words(part.get("content"))}
    return dict(part)


def _are_blocks(value: Json) -> bool:
    """Whether what a tool answered is a list of blocks in the Anthropic form, as the writer here keeps it."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(one, dict) and one.get("type") in ("text", "image", "document") for one in value)
    )


def _media(part: Mapping[str, Json], source: dict[str, Any]) -> dict[str, Any]:
    media = word(part, "mime_type")
    image = part.get("modality") == "image" or (media or "").startswith("image/")
    if media and source["type"] == "base64":
        source = {"type": source["type"], "media_type": media, "data": source["data"]}
    return {"type": "image" if image else "document", "source": source}


def part_of(block: Json) -> dict[str, Any] | None:
    """A block as a part; ``None`` where the conventions have no form for it."""
    if isinstance(block, str):
        return {"type": "text", "content": block}
    if not isinstance(block, dict):
        return None
    source: Any = block.get("source")
    match block.get("type"):
        case "text":
            return {"type": "text", "content": words(block.get("text"))}
        case "thinking":
            return {"type": "reasoning", "content": words(block.get("thinking"))}
        case "tool_use":
            call = {"id": block.get("id"), "name": block.get("name")}
            return {"type": "tool_call", **call, "arguments": block.get("input")}
        case "tool_result":
            said = _plain(block.get("content"))
            return {"type": "tool_call_response", "id": block.get("tool_use_id"), "response": said}
        case "image" | "document" if isinstance(source, dict) and source.get("type") in ("base64", "url"):
            kind = {"modality": "image" if block["type"] == "image" else "document"}
            media = {"mime_type": source["media_type"]} if source.get("media_type") else {}
            if source["type"] == "url":
                return {"type": "uri", **kind, **media, "uri": source.get("url")}
            return {"type": "blob", **kind, **media, "content": source.get("data")}
        case "compaction":
            return {"type": "compaction", "content": block.get("content")}
        case "tool_call_response" | "server_tool_call" | "server_tool_call_response" | "file":
            return dict(block)
    return None


def _plain(content: Json) -> Json:
    """What a tool answered: its words where they are all it is."""
    if not isinstance(content, list):
        return content
    texts = [one.get("text") for one in content if isinstance(one, dict) and one.get("type") == "text"]
    said = [text for text in texts if isinstance(text, str)]
    return "\n".join(said) if len(said) == len(content) else content


def message_from(message: Mapping[str, Any], like: Json = None) -> dict[str, Any]:
    """A message of the conventions from one in the Anthropic form; results make it one of role ``tool``.

    What the message ``like`` of the file has beside role and parts is kept, and so are its parts that say the
    same.
    """
    content = message.get("content")
    blocks = content if isinstance(content, list) else [content] if isinstance(content, str) else []
    old: Any = like.get("parts") if isinstance(like, dict) else None
    known = [(block_of(part), part) for part in old] if isinstance(old, list) else []
    parts: list[dict[str, Any]] = []
    for block in blocks:
        place = next((i for i, (said, _) in enumerate(known) if same(said, block)), None)
        made = part_of(block) if place is None else known.pop(place)[1]
        if made is not None:
            parts.append(made)
    answers = bool(parts) and all(part.get("type") == "tool_call_response" for part in parts)
    role = "tool" if answers and message.get("role") == "user" else message.get("role")
    kept = (
        {k: v for k, v in like.items() if k not in ("role", "parts", "content")}
        if isinstance(like, dict)
        else {}
    )
    if isinstance(like, dict) and ROLES.get(str(like.get("role")), "user") == message.get("role"):
        role = like["role"] if answers == (like["role"] == "tool") else role
    return {"role": role, "parts": parts, **kept}


def tool_of(value: Json) -> Json:
    """A tool's definition in the Anthropic form; one that is none of ours stays as it is."""
    if not isinstance(value, dict) or value.get("type") not in (None, "function") or not word(value, "name"):
        return value
    rest = {k: v for k, v in value.items() if k not in ("type", "parameters", "name")}
    return {"name": value["name"], **rest, "input_schema": value.get("parameters") or {"type": "object"}}


def tool_from(tool: Json) -> Json:
    """The definition of a tool from the Anthropic form."""
    if not isinstance(tool, dict) or "input_schema" not in tool:
        return tool
    rest = {k: v for k, v in tool.items() if k not in ("input_schema", "type", "name")}
    return {"type": "function", "name": tool.get("name"), **rest, "parameters": tool["input_schema"]}


def messages_of(value: Json) -> Iterator[tuple[Json, dict[str, Any]]]:
    """Each message of a list with its Anthropic form."""
    for one in value if isinstance(value, list) else ():
        made = message_of(one)
        if made is not None:
            yield one, made

"""Content of Bedrock's Converse as parts: each block is an object whose one key says what it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tape.formats.arrays import at
from tape.formats.parts import (
    Field,
    Part,
    below,
    call_part,
    dropped,
    other_part,
    picture,
    result_part,
    text_part,
    thinking_part,
    word,
)
from tape.model import Block, Document, Json, Place, Text, Thinking, ToolResult, ToolUse, json_text

KEYS: Final = frozenset(
    (
        *("text", "image", "document", "video", "audio", "toolUse", "toolResult", "guardContent"),
        *("cachePoint", "reasoningContent", "citationsContent", "searchResult"),
    )
)
QUIET: Final = ("cachePoint", "guardContent", "citationsContent", "searchResult", "video", "audio", "json")
DOCUMENTS: Final = {"pdf": "application/pdf", "txt": "text/plain", "md": "text/markdown", "csv": "text/csv"}


def is_block(value: Json) -> bool:
    """Whether this is a block of this form."""
    return isinstance(value, dict) and "type" not in value and bool(KEYS & value.keys())


def content_parts(message: Json, place: Place) -> Sequence[Part]:
    """What a message says."""
    content = message.get("content") if isinstance(message, dict) else None
    where = below(place, "content")
    if isinstance(content, str):
        return [text_part(content, where)]
    if not isinstance(content, list):
        return [] if content is None else [other_part(content, "content", where)]
    return [block_part(one, below(where, i)) for i, one in enumerate(content)]


def block_part(value: Json, place: Place) -> Part:
    """One block."""
    if not isinstance(value, dict) or "type" in value:
        return other_part(value, word(value, "type") or "untyped", place)
    if isinstance(value.get("text"), str):
        return text_part(value["text"], below(place, "text"), home=place, raw=value)
    if isinstance(value.get("toolUse"), dict):
        key = "toolUse"
        return call_part(value, place, name=(key, "name"), input=(key, "input"), id=(key, "toolUseId"))
    if isinstance(value.get("toolResult"), dict):
        return _result(value, value["toolResult"], place)
    if isinstance(value.get("reasoningContent"), dict):
        return _reasoning(value, value["reasoningContent"], place)
    block = inner(value, place)
    return Part(
        block, (Field(place.path, lambda new: new.value),) if block.raw is None else (), dropped(place)
    )


def _result(value: Json, result: Mapping[str, Json], place: Place) -> Part:
    key, status = "toolResult", result.get("status")
    flag = Field((*place.path, key, "status"), lambda new: "error" if new.is_error else "success")
    return result_part(
        value,
        place,
        content=(key, "content"),
        id=(key, "toolUseId"),
        error=None if status is None else status == "error",
        flags=() if status is None else (flag,),
        inner=inner,
    )


def _reasoning(value: Json, reasoning: Mapping[str, Json], place: Place) -> Part:
    said = reasoning.get("reasoningText")
    if isinstance(said, dict):
        where = below(place, "reasoningContent", "reasoningText", "text")
        sign, text = word(said, "signature"), word(said, "text") or ""
        return thinking_part(text, where, home=place, raw=value, signature=sign)
    data = reasoning.get("redactedContent")
    block = Thinking(data=data if isinstance(data, str) else json_text(data), raw=value, place=place)
    return Part(block, (), dropped(place))


def inner(value: Json, place: Place) -> Block:
    """A block that can stand in a result too. What is JSON there stays JSON."""
    if isinstance(value, dict) and isinstance(value.get("text"), str):
        return Text(text=value["text"], raw=value, place=place)
    image, document = at(value, ("image",)), at(value, ("document",))
    if isinstance(image, dict):
        return picture(_source(image), place, value, f"image/{word(image, 'format') or 'png'}")
    if isinstance(document, dict):
        kind = word(document, "format") or ""
        return Document(
            media_type=DOCUMENTS.get(kind, kind or None),
            title=word(document, "name"),
            data=word(document.get("source"), "bytes"),
            text=word(document.get("source"), "text"),
            ref=word(at(document, ("source", "s3Location")), "uri"),
            raw=value,
            place=place,
        )
    kind = next(iter(value), "empty") if isinstance(value, dict) else "untyped"
    return other_part(value, kind, place).block


def _source(image: Mapping[str, Json]) -> Json:
    """The base64 of a picture, or its address; bytes that a program printed are neither."""
    source = image.get("source")
    return word(source, "bytes") or word(at(source, ("s3Location",)), "uri")


def element(block: Block) -> dict[str, Any] | None:
    """A block as this form writes it, ``None`` for one that is not made."""
    if isinstance(block, Text):
        return {"text": block.text}
    if isinstance(block, ToolUse) and not block.server:
        return {"toolUse": {"toolUseId": block.id, "name": block.name, "input": block.input}}
    if isinstance(block, ToolResult) and not block.server:
        status = {} if block.is_error is None else {"status": "error" if block.is_error else "success"}
        return {"toolResult": {"toolUseId": block.tool_use_id, "content": [{"text": block.text}], **status}}
    return None

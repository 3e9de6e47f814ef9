"""Nodes of a ChatGPT conversation as parts of messages: words, code, thoughts, pictures, calls and results.

A call is a message to a recipient; its result the next message of a tool. Neither has an id. Citations are
private-use characters in the words and stay there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from tape.formats.openai_blocks import parsed_arguments
from tape.formats.parts import (
    Field,
    Part,
    below,
    call_part,
    other_part,
    result_part,
    text_of,
    text_part,
    thinking_part,
    word,
)
from tape.json_text import Set
from tape.model import Block, Document, Image, Json, Place, Text, ToolResult

WORDS: Final = {
    "code": ("text",),
    "execution_output": ("text",),
    "system_error": ("text",),
    "tether_quote": ("text",),
    "sonic_webpage": ("text",),
    "tether_browsing_display": ("result",),
    "reasoning_recap": ("content",),
    "user_editable_context": ("user_instructions",),
}
"""Where the words of a content type stand, for those that are not lists of parts."""


def is_call(message: Json) -> bool:
    """Whether an assistant's message is a call: it is to a tool, or code where no recipient is written."""
    content = message.get("content")
    to = message.get("recipient")
    if isinstance(to, str):
        return to != "all"
    return isinstance(content, dict) and content.get("content_type") == "code"


def node_parts(message: Json, place: Place) -> Sequence[Part]:
    """What a message says. Taken out whole, its node stays in the tree without a message."""
    content = message.get("content")
    said = alone(message)
    if said is not None:
        here = below(place, "content", "parts", 0)
        block = Text(text=said, place=here)
        return [Part(block, (Field(here.path, text_of),), _without(place))] if said else []
    kind = word(content, "content_type") or "content"
    here = below(place, "content")
    parts: list[Part]
    if not isinstance(content, dict):
        parts = [] if content is None else [other_part(content, "content", here)]
    elif isinstance(content.get("parts"), list):
        parts = list(_listed(content["parts"], below(here, "parts")))
    elif isinstance(content.get("thoughts"), list):
        parts = list(_thoughts(content["thoughts"], below(here, "thoughts")))
    else:
        path = WORDS.get(kind, ("text",))
        text = content.get(path[0])
        if kind == "reasoning_recap" and isinstance(text, str):
            parts = [thinking_part(text, below(here, *path))]
        elif isinstance(text, str):
            parts = [text_part(text, below(here, *path))] if text else []
        else:
            parts = [other_part(content, kind, here)]
    parts += _attachments(message, place)
    if len(parts) != 1:
        return parts
    (part,) = parts
    return [Part(part.block, part.fields, _without(place), part.tool, part.home)]


def alone(message: Json) -> str | None:
    """The words of a message that holds one string and no attachments, as most do; ``None`` for another."""
    content = message.get("content")
    parts = content.get("parts") if isinstance(content, dict) else None
    if not isinstance(parts, list) or len(parts) != 1 or not isinstance(parts[0], str):
        return None
    metadata = message.get("metadata")
    return None if isinstance(metadata, dict) and metadata.get("attachments") else parts[0]


def _without(place: Place) -> tuple[Set, ...]:
    return (Set(place.path, None),)


def _listed(parts: list[Json], place: Place) -> Iterator[Part]:
    for i, part in enumerate(parts):
        where = below(place, i)
        if isinstance(part, str):
            if part:
                yield text_part(part, where)
        elif isinstance(part, dict) and isinstance(part.get("text"), str):
            yield text_part(part["text"], below(where, "text"), home=where, raw=part)
        elif part is not None:
            block = inner(part, where)
            yield (
                other_part(part, word(part, "content_type") or "part", where)
                if not isinstance(block, Image)
                else Part(block, (), other_part(part, "", where).gone)
            )


def inner(part: Json, place: Place) -> Block:
    """One part of a list: words, a pointer to a picture, or what is shown as JSON."""
    if isinstance(part, str):
        return Text(text=part, place=place, raw=part)
    if isinstance(part, dict) and isinstance(part.get("text"), str):
        return Text(text=part["text"], place=place, raw=part)
    pointer = word(part, "asset_pointer")
    if pointer is not None and word(part, "content_type") == "image_asset_pointer":
        return Image(source="file", ref=pointer, place=place, raw=part)
    return other_part(part, word(part, "content_type") or "part", place).block


def _thoughts(thoughts: list[Json], place: Place) -> Iterator[Part]:
    for i, thought in enumerate(thoughts):
        key = next((k for k in ("content", "summary") if word(thought, k)), None)
        if key is not None:
            yield thinking_part(thought[key], below(place, i, key), home=below(place, i), raw=thought)


def _attachments(message: Json, place: Place) -> Iterator[Part]:
    """Files that were attached: what was in them is elsewhere. Pictures stand among the parts already."""
    metadata = message.get("metadata")
    found = metadata.get("attachments") if isinstance(metadata, dict) else None
    for i, one in enumerate(found if isinstance(found, list) else ()):
        media = word(one, "mimeType") or word(one, "mime_type")
        if isinstance(one, dict) and not (media or "").startswith("image/"):
            where = below(place, "metadata", "attachments", i)
            block = Document(
                media_type=media, title=word(one, "name"), ref=word(one, "id"), place=where, raw=one
            )
            yield Part(block)


def called_parts(message: Json, place: Place) -> Sequence[Part]:
    """A call; its input is an object where its words are JSON, else one argument ``input``."""
    content: dict[str, Any] = message.get("content") if isinstance(message.get("content"), dict) else {}
    parts = content.get("parts")
    in_list = isinstance(parts, list) and bool(parts) and isinstance(parts[0], str)
    path = ("content", "parts", 0) if in_list else ("content", "text")
    text = parts[0] if isinstance(parts, list) and in_list else content.get("text")
    plain = not isinstance(text, str) or not isinstance(parsed_arguments(text), dict) or not text.strip()
    name = ("recipient",) if isinstance(message.get("recipient"), str) else ("content", "content_type")
    return [
        call_part(
            message, place, name=name, input=path, wrap="input" if plain else None, gone=_without(place)
        )
    ]


def answered_parts(named: str | None, message: Json, place: Place) -> Sequence[Part]:
    """The result of the call before it, of the tool ``named``."""
    content = message.get("content")
    kind = word(content, "content_type") or ""
    path: tuple[str, ...] = ("content",)
    if isinstance(content, dict) and isinstance(content.get("parts"), list):
        path = ("content", "parts")
    elif isinstance(content, dict) and isinstance(content.get(WORDS.get(kind, ("text",))[0]), str):
        path = ("content", *WORDS.get(kind, ("text",)))
    elif isinstance(content, dict) and isinstance(content.get("summary"), str):
        path = ("content", "summary")
    gone = _without(place)
    error = True if kind == "system_error" else None
    return [result_part(message, place, content=path, error=error, tool=named, inner=inner, gone=gone)]


def more_parts(message: Json, place: Place) -> Sequence[Part]:
    """What a tool said once more for the same call: words in the message of its result."""
    (part,) = answered_parts(None, message, place)
    assert isinstance(part.block, ToolResult)
    if isinstance(part.block.content, tuple) or not part.block.content:
        return node_parts(message, place)
    text = Text(text=part.block.content, place=part.block.place, raw=message, injected=True)
    return [Part(text, (replace(part.fields[0], value=lambda new: new.text),), part.gone)]

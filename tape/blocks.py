"""Content blocks, the light heads that stand for them in an index, and where they stand in a source.

Messages and sessions, which are made of these, are in ``tape.model``; their JSON form is in ``tape.wire``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

Json: TypeAlias = Any
Kind: TypeAlias = Literal["text", "thinking", "tool_use", "tool_result", "image", "document", "other"]
EMPTY: Mapping[str, Any] = MappingProxyType({})
_encode = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(", ", ": ")).encode


def empty() -> Mapping[str, Any]:
    """The empty mapping, as a default of frozen values."""
    return EMPTY


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value stands in its source: record number (0-based) and JSON path inside that record."""

    record: int
    path: tuple[str | int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """What all content blocks share. ``raw`` is the value as parsed from the source, unknown keys and all;
    it is ``None`` for a block that we made or changed. ``place`` survives an edit, so that a writer can
    patch the very value that was touched."""

    uid: str = ""
    place: Place | None = None
    raw: Json = field(default=None, compare=False)
    extra: Mapping[str, Any] = field(default_factory=empty)


@dataclass(frozen=True, slots=True, kw_only=True)
class Text(Block):
    """Prose. ``injected`` is set where a program, not a person, put it into a user turn."""

    text: str
    injected: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Thinking(Block):
    """A thinking block; ``redacted`` ones hold only ``data``. The signature binds the text to its prefix."""

    text: str = ""
    signature: str | None = None
    data: str | None = None

    @property
    def redacted(self) -> bool:
        """True where the text was withheld by the provider."""
        return self.data is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse(Block):
    """A call. ``input`` is as the source has it (an object when it is well formed). ``arguments`` is the
    exact JSON string where the format writes one. ``server`` calls are answered inside the same message;
    ``type`` is then the block's own type. ``generated_id`` marks an id of ours that is never written back."""

    id: str
    name: str
    input: Json
    server: bool = False
    type: str = "tool_use"
    arguments: str | None = None
    generated_id: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult(Block):
    """An answer. ``content`` is a string, blocks, or ``None`` where the source has none (absent or null)."""

    tool_use_id: str
    content: str | tuple[Block, ...] | None
    is_error: bool | None = None
    server: bool = False
    type: str = "tool_result"
    generated_id: bool = False

    @property
    def text(self) -> str:
        """The words of the result: its text blocks joined by newlines, images and others left out."""
        if isinstance(self.content, tuple):
            return "\n".join(b.text for b in self.content if isinstance(b, Text))
        return self.content or ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Image(Block):
    """A picture: ``source`` is ``base64`` (``data``), ``url`` or ``file`` (``ref``)."""

    source: Literal["base64", "url", "file", "missing"]
    media_type: str | None = None
    data: str | None = None
    ref: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Document(Block):
    """A document block; ``text`` where its words are in the file."""

    media_type: str | None = None
    title: str | None = None
    text: str | None = None
    data: str | None = None
    ref: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Other(Block):
    """A block type we do not know, or that has no place of its own: its type and its JSON in ``value``."""

    type: str
    value: Json


@dataclass(frozen=True, slots=True)
class Head:
    """What is known of a block without parsing it.

    ``id`` is the tool_use id for calls and results, ``name`` the tool's name, or the block's type for
    ``other``. ``chars`` counts characters of what the model reads (text, input as JSON, result text; for
    images the characters of base64), ``lines`` its newlines plus one. ``flags`` holds any of ``error``,
    ``server``, ``injected``, ``blank``, ``empty``, ``signed``, ``redacted``, ``generated-id``, ``cached``,
    ``bad-input``, ``image``, ``extra`` (it has more fields than its type needs, cache marks aside),
    ``interrupted`` (a result that says the call was refused or stopped).
    """

    kind: Kind
    uid: str
    id: str | None = None
    name: str | None = None
    chars: int = 0
    lines: int = 1
    flags: tuple[str, ...] = ()


Blocks: TypeAlias = "tuple[Block, ...]"


def head_of(block: Block, uid: str | None = None, id: str | None = None) -> Head:
    """The light description of a block: what pairing, counting and drawing an index need.

    ``uid`` stands for that of the block, and ``id`` is one of ours for a call or result without one.
    """
    flags: list[str] = []
    uid = block.uid if uid is None else uid
    if block.extra:
        if block.extra.get("cache_control") is not None:
            flags.append("cached")
        if block.extra.keys() - {"cache_control"}:
            flags.append("extra")
    match block:
        case Text(text=text):
            if block.injected:
                flags.append("injected")
            return _head("text", uid, text, flags)
        case Thinking():
            if block.data is not None:
                flags.append("redacted")
            if block.signature:
                flags.append("signed")
            return _head("thinking", uid, block.text, flags)
        case ToolUse():
            flags += _kept(block)
            if not isinstance(block.input, dict):
                flags.append("bad-input")
            return _head("tool_use", uid, json_text(block.input), flags, id or block.id, block.name)
        case ToolResult():
            flags += _kept(block)
            if block.is_error:
                flags.append("error")
            if isinstance(block.content, tuple) and any(isinstance(b, Image) for b in block.content):
                flags.append("image")
            name = block.type if block.server else None
            return _head("tool_result", uid, block.text, flags, id or block.tool_use_id, name)
        case Image():
            return Head("image", uid, None, block.media_type, len(block.data or ""), 1, tuple(flags))
        case Document():
            return _head("document", uid, block.text or "", flags, None, block.title)
        case Other():
            return _head("other", uid, json_text(block.value), flags, None, block.type)
    raise TypeError(f"not a content block: {type(block).__name__}")


def _kept(block: ToolUse | ToolResult) -> tuple[str, ...]:
    """The flags of a call or a result, of which most have none."""
    if not block.server:
        return ("generated-id",) if block.generated_id else ()
    return ("server", "generated-id") if block.generated_id else ("server",)


def _head(
    kind: Kind, uid: str, text: str, flags: list[str], id: str | None = None, name: str | None = None
) -> Head:
    if not text:
        flags.append("empty")
    elif text.isspace():
        flags.append("blank")
    return Head(kind, uid, id, name, len(text), text.count("\n") + 1, tuple(flags))


def json_text(value: Json) -> str:
    """A JSON value as compact text, characters kept as they are. Never raises on parsed JSON."""
    return _encode(value)

"""The session and its parts: frozen values that everything else is a function of.

Owns the shape of a session, its messages and blocks. Reading files, pairing calls with results, prices,
rules and edits live elsewhere and only use what is here.

A session read from a large file does not hold its bodies: a message knows its role and one light
``Head`` per block, and parses ``blocks`` from the source each time it is asked. Positions are for people
(``messages[3].content[1]``), uids are for code: an edit keeps the uid of whatever it did not touch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from tape.notes import ImportReport, Note

if TYPE_CHECKING:
    from tape.records import Source

Json: TypeAlias = Any
Role: TypeAlias = Literal["system", "user", "assistant"]
Kind: TypeAlias = Literal["text", "thinking", "tool_use", "tool_result", "image", "document", "other"]
Origin: TypeAlias = Literal["recorded", "edited", "inserted", "scripted", "live", "replayed", "by hand"]
EMPTY: Mapping[str, Any] = MappingProxyType({})


def _empty() -> Mapping[str, Any]:
    return EMPTY


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value stands in its source: record number (0-based) and JSON path inside that record."""

    record: int
    path: tuple[str | int, ...] = ()


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a message comes from; ``note`` is for people, ``at`` an ISO time, ``model`` for answers."""

    origin: Origin = "recorded"
    note: str = ""
    model: str | None = None
    at: str | None = None


RECORDED = Provenance()


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """What all content blocks share. ``raw`` is the value as parsed from the source, unknown keys and all;
    it is ``None`` for a block that we made or changed. ``place`` survives an edit, so that a writer can
    patch the very value that was touched."""

    uid: str = ""
    place: Place | None = None
    raw: Json = field(default=None, compare=False)
    extra: Mapping[str, Any] = field(default_factory=_empty)


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
    ``bad-input``, ``image``, ``interrupted`` (a result that says the call was refused or stopped).
    """

    kind: Kind
    uid: str
    id: str | None = None
    name: str | None = None
    chars: int = 0
    lines: int = 1
    flags: tuple[str, ...] = ()


Blocks: TypeAlias = "tuple[Block, ...]"


@dataclass(frozen=True, slots=True, eq=False)
class Message:
    """One entry of the array.

    ``body`` is the blocks themselves or a function that parses them from the source. ``records`` are the
    source records (0-based) that the message was read from. ``meta`` may hold ``timestamp``, ``model``,
    ``response_id``, ``stop_reason``, ``role`` (the role as written, where it differs: ``tool``, ``developer`` …),
    ``unknown_role`` (a role that no format knows), ``extra`` (other keys of the message object), ``name``,
    ``compact_summary``, ``content_form`` (``string`` where the source wrote a bare string), ``synthetic``
    and ``interrupted``.
    """

    uid: str
    role: Role
    heads: tuple[Head, ...]
    body: Blocks | Callable[[], Blocks]
    records: tuple[int, ...] = ()
    place: Place | None = None
    provenance: Provenance = RECORDED
    meta: Mapping[str, Any] = field(default_factory=_empty)

    @property
    def blocks(self) -> Blocks:
        """The content blocks, parsed now if they are not held."""
        return self.body if isinstance(self.body, tuple) else self.body()

    @property
    def text(self) -> str:
        """The text blocks joined by newlines."""
        return "\n".join(b.text for b in self.blocks if isinstance(b, Text))

    def with_blocks(self, blocks: Blocks, provenance: Provenance | None = None) -> Message:
        """The same message (same uid, place and meta) with other blocks, held in memory."""
        return replace(
            self,
            body=blocks,
            heads=tuple(head_of(b) for b in blocks),
            provenance=provenance or self.provenance,
        )


def message(
    uid: str,
    role: Role,
    blocks: Blocks,
    *,
    provenance: Provenance = RECORDED,
    meta: Mapping[str, Any] = EMPTY,
    records: tuple[int, ...] = (),
    place: Place | None = None,
) -> Message:
    """A message that holds its blocks; heads are derived from them."""
    return Message(uid, role, tuple(head_of(b) for b in blocks), blocks, records, place, provenance, meta)


def head_of(block: Block) -> Head:
    """The light description of a block: what pairing, counting and drawing an index need."""
    flags: list[str] = []
    if block.extra.get("cache_control") is not None:
        flags.append("cached")
    match block:
        case Text(text=text):
            if block.injected:
                flags.append("injected")
            return _head("text", block, text, flags)
        case Thinking():
            flags += [f for f, on in (("redacted", block.redacted), ("signed", bool(block.signature))) if on]
            return _head("thinking", block, block.text, flags)
        case ToolUse():
            flags += [f for f, on in (("server", block.server), ("generated-id", block.generated_id)) if on]
            if not isinstance(block.input, dict):
                flags.append("bad-input")
            return _head("tool_use", block, json_text(block.input), flags, block.id, block.name)
        case ToolResult():
            flags += [f for f, on in (("server", block.server), ("generated-id", block.generated_id)) if on]
            if block.is_error:
                flags.append("error")
            if isinstance(block.content, tuple) and any(isinstance(b, Image) for b in block.content):
                flags.append("image")
            name = block.type if block.server else None
            return _head("tool_result", block, block.text, flags, block.tool_use_id, name)
        case Image():
            return Head("image", block.uid, None, block.media_type, len(block.data or ""), 1, tuple(flags))
        case Document():
            return _head("document", block, block.text or "", flags, None, block.title)
        case Other():
            return _head("other", block, json_text(block.value), flags, None, block.type)
    raise TypeError(f"not a content block: {type(block).__name__}")


def _head(
    kind: Kind, block: Block, text: str, flags: list[str], id: str | None = None, name: str | None = None
) -> Head:
    if not text:
        flags.append("empty")
    elif text.isspace():
        flags.append("blank")
    return Head(kind, block.uid, id, name, len(text), text.count("\n") + 1, tuple(flags))


def json_text(value: Json) -> str:
    """A JSON value as compact text, characters kept as they are. Never raises on parsed JSON."""
    import json

    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one response; ``None`` is unknown and is not zero.

    ``input`` is fresh input only (never cached tokens), whatever the format's own convention.
    """

    input: int | None = None
    cache_write_5m: int | None = None
    cache_write_1h: int | None = None
    cache_write: int | None = None
    cache_read: int | None = None
    output: int | None = None
    thinking: int | None = None
    service_tier: str | None = None
    source: Literal["recorded", "counted", "estimated"] = "recorded"

    @property
    def prompt(self) -> int | None:
        """Tokens the call sent: fresh plus cache write plus cache read; ``None`` when all are unknown."""
        parts = [n for n in (self.input, self.cache_write, self.cache_read) if n is not None]
        return sum(parts) if parts else None


@dataclass(frozen=True, slots=True)
class Call:
    """One model response: its id, what it cost, why it stopped, and the message (uid) that holds its answer."""

    message_uid: str
    id: str | None = None
    model: str | None = None
    usage: Usage | None = None
    stop_reason: str | None = None
    at: str | None = None


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A declared tool; ``raw`` keeps the declaration as it was written."""

    name: str
    description: str = ""
    input_schema: Json = None
    raw: Json = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Aside:
    """A record that is in the file and is no message: bookkeeping, progress, hooks, titles.

    ``after`` is the uid of the message it stands behind (``None``: before the first). ``injected`` marks
    context that the model did see although it is no message of the array.
    """

    after: str | None
    record: int
    kind: str
    text: str = ""
    injected: bool = False


@dataclass(frozen=True, slots=True)
class Branch:
    """A continuation that the session did not take, or left: ``at`` is the uid of the last shared message."""

    name: str
    at: str | None
    messages: tuple[Message, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Lane:
    """A sub-agent: a session of its own, linked to the tool_use block (uid) that started it."""

    session: Session
    spawned_by: str | None = None
    agent: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Base:
    """The session as it was read: what ``dump`` compares with. Shared by every edited version."""

    format: str
    sources: tuple[Source, ...]
    messages: tuple[Message, ...]
    system: Json = None
    tools: tuple[ToolSpec, ...] | None = None
    title: str = ""
    extra: Mapping[str, Any] = field(default_factory=_empty)


@dataclass(frozen=True, slots=True, eq=False)
class Session:
    """A system prompt, a tool list and one messages array, with what the file knows beside them.

    ``system`` is ``None`` (not in this file), a string or a list of text blocks in the Anthropic form; a
    system message that stands inside the array stays there as a ``Message`` of role ``system``.
    ``tools`` is ``None`` where the file holds none, which is not the same as an empty list. ``params`` are
    the other request fields (model, max_tokens, tool_choice …). ``serial`` numbers what edits insert, so
    that applying the same operation to the same session gives the same uids.
    """

    messages: tuple[Message, ...]
    system: Json = None
    tools: tuple[ToolSpec, ...] | None = None
    params: Mapping[str, Any] = field(default_factory=_empty)
    id: str = ""
    title: str = ""
    format: str = "anthropic-messages"
    calls: tuple[Call, ...] = ()
    lanes: tuple[Lane, ...] = ()
    branches: tuple[Branch, ...] = ()
    asides: tuple[Aside, ...] = ()
    notes: tuple[Note, ...] = ()
    report: ImportReport | None = None
    base: Base | None = None
    serial: int = 0

    @property
    def model(self) -> str | None:
        """The model of the request, else of the last response that names one."""
        named = self.params.get("model")
        if isinstance(named, str) and named:
            return named
        return next((c.model for c in reversed(self.calls) if c.model and c.model != "<synthetic>"), None)

    @property
    def untouched(self) -> bool:
        """True while nothing that a file holds was changed since it was read."""
        return (
            self.base is not None
            and self.messages is self.base.messages
            and self.system == self.base.system
            and self.tools == self.base.tools
        )


def position(session: Session, uid: str) -> str:
    """The place of a message or block as people read it: ``messages[3]`` or ``messages[3].content[1]``.

    Raises ``KeyError`` when no message or block has that uid.
    """
    for i, entry in enumerate(session.messages):
        if entry.uid == uid:
            return f"messages[{i}]"
        for j, head in enumerate(entry.heads):
            if head.uid == uid:
                return f"messages[{i}].content[{j}]"
    raise KeyError(uid)

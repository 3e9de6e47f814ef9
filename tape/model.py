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
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from tape.blocks import (
    EMPTY,
    Block,
    Blocks,
    Document,
    Head,
    Image,
    Json,
    Kind,
    Other,
    Place,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
    empty,
    head_of,
    json_text,
)
from tape.notes import ImportReport, Note

if TYPE_CHECKING:
    from tape.records import Source

__all__ = [
    "EMPTY",
    "RECORDED",
    "Aside",
    "Base",
    "Block",
    "Blocks",
    "Branch",
    "Call",
    "Document",
    "Head",
    "Image",
    "Json",
    "Kind",
    "Lane",
    "Message",
    "Origin",
    "Other",
    "Place",
    "Provenance",
    "Role",
    "Session",
    "Text",
    "Thinking",
    "ToolResult",
    "ToolSpec",
    "ToolUse",
    "Usage",
    "empty",
    "head_of",
    "json_text",
    "message",
    "position",
]

Role: TypeAlias = Literal["system", "user", "assistant"]
Origin: TypeAlias = Literal[
    "recorded", "edited", "inserted", "scripted", "live", "replayed", "workspace", "by hand", "loop"
]
"""``live`` is a model's answer, ``workspace`` a tool's result, ``loop`` what the loop itself had to say."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a message comes from; ``note`` is for people, ``at`` an ISO time, ``model`` for answers."""

    origin: Origin = "recorded"
    note: str = ""
    model: str | None = None
    at: str | None = None


RECORDED = Provenance()


@dataclass(frozen=True, slots=True, eq=False)
class Message:
    """One entry of the array.

    ``body`` is the blocks themselves or a function that parses them from the source. ``records`` are the
    source records (0-based) that the message was read from. ``meta`` may hold ``timestamp``, ``model``,
    ``response_id``, ``stop_reason``, ``role`` (the role as written, where it differs: ``tool``,
    ``developer`` …), ``unknown_role`` (a role that no format knows), ``extra`` (other keys of the message
    object), ``name``, ``compact_summary`` (it stands for what a compaction took away), ``restarts`` (where
    that is not where the array begins anew), ``carried`` (said before, and in the array again because a
    compaction kept it), ``content_form`` (``string`` where the
    source wrote a bare string), ``synthetic``, ``interrupted`` and ``prefix`` (see ``tape.prefix``).
    """

    uid: str
    role: Role
    heads: tuple[Head, ...]
    body: Blocks | Callable[[], Blocks]
    records: tuple[int, ...] = ()
    place: Place | None = None
    provenance: Provenance = RECORDED
    meta: Mapping[str, Any] = field(default_factory=empty)

    @property
    def restarts(self) -> bool:
        """Whether the array begins anew here after a compaction: calls after it send nothing from before."""
        return bool(self.meta.get("restarts", self.meta.get("compact_summary")))

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

    def parsed_by(self, body: Callable[[], Blocks]) -> Message:
        """The same message without its blocks: ``body`` parses them from the source when asked for."""
        return Message(
            self.uid, self.role, self.heads, body, self.records, self.place, self.provenance, self.meta
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
    return Message(uid, role, tuple(map(head_of, blocks)), blocks, records, place, provenance, meta)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one response; ``None`` is unknown and is not zero.

    ``input`` is fresh input only (never cached tokens), whatever the format's own convention. ``thinking`` is
    part of ``output``. ``service_tier``, ``speed`` and ``region`` are the words of the response that decide
    what its tokens cost.
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
    speed: str | None = None
    region: str | None = None

    @property
    def prompt(self) -> int | None:
        """Tokens the call sent: fresh plus cache write plus cache read; ``None`` when all are unknown."""
        parts = [n for n in (self.input, self.cache_write, self.cache_read) if n is not None]
        return sum(parts) if parts else None


@dataclass(frozen=True, slots=True)
class Call:
    """One model response: its id, what it cost, why it stopped, the uid of the message with its answer."""

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
    extra: Mapping[str, Any] = field(default_factory=empty)


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class Session:
    """A system prompt, a tool list and one messages array, with what the file knows beside them.

    ``system`` is ``None`` (not in this file), a string or a list of text blocks in the Anthropic form; a
    system message that stands inside the array stays there as a ``Message`` of role ``system``.
    ``tools`` is ``None`` where the file holds none, which is not the same as an empty list. ``params`` are
    the other request fields (model, max_tokens, tool_choice …). ``serial`` numbers what edits insert, so
    that applying the same operation to the same session gives the same uids. ``line`` is the name of what the
    array goes on with, where there are branches (see ``tape.branches``). ``derived`` keeps what follows
    from all this, once it was computed (``tape.derived``).
    """

    messages: tuple[Message, ...]
    system: Json = None
    tools: tuple[ToolSpec, ...] | None = None
    params: Mapping[str, Any] = field(default_factory=empty)
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
    line: str = ""
    derived: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)

    @property
    def model(self) -> str | None:
        """The model of the request, else of the last response of the array that names one."""
        named = self.params.get("model")
        if isinstance(named, str) and named:
            return named
        left = {entry.uid for branch in self.branches for entry in branch.messages}
        if left:
            left -= {entry.uid for entry in self.messages}
        here = (call.model for call in reversed(self.calls) if call.message_uid not in left)
        return next((name for name in here if name and name != "<synthetic>"), None)

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

"""The lines of a session that Claude Code or its SDK wrote, and the content blocks in one of them.

A session is mostly a JSONL file; the web keeps the same lines in the array of one document. ``Lines`` makes
both look alike. Which lines make one message is the business of ``tape.formats.claude_assembly``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from tape.formats.anthropic_stream import responses
from tape.formats.claude_wrappers import given_up, injected, interruption
from tape.model import Block, Blocks, Head, Image, Json, Place, Role, Text, Usage, head_of
from tape.records import Source
from tape.wire import parse_block

Path = tuple[str | int, ...]


class Lines:
    """The records of a session by number: lines of a JSONL file, or the items of an array in a document.

    ``root`` is the JSON path of that array; ``None`` for a JSONL file, one of a single line included.
    """

    __slots__ = ("root", "source")

    def __init__(self, source: Source, root: Path | None = None) -> None:
        self.source, self.root = source, root

    def __len__(self) -> int:
        return len(self.source) if self.root is None else len(self._items())

    def value(self, i: int) -> Json:
        """Record ``i`` parsed. Raises ``Broken`` where it is no JSON."""
        return self.source.json(i) if self.root is None else self._items()[i]

    def where(self, i: int) -> str:
        """The place of record ``i`` for people: ``line 41`` or ``loglines[40]``."""
        if self.root is None:
            return self.source.where(i)
        return f"{'.'.join(map(str, self.root))}[{i}]"

    def number(self, i: int) -> int:
        """The line of record ``i``, counted from 1; of an item in a document its number, counted from 1."""
        return self.source.line(i) if self.root is None else i + 1

    def place(self, i: int, path: Path = ()) -> Place:
        """The place of a value of record ``i`` in the source."""
        return Place(i, path) if self.root is None else Place(0, (*self.root, i, *path))

    def _items(self) -> list[Json]:
        value = self.source.document
        for key in self.root or ():
            value = value[key]
        return value if isinstance(value, list) else []


@dataclass(slots=True)
class Line:
    """What is kept of a line that is (part of) a message until the messages are made.

    ``typed`` is set where a person wrote at least one of its blocks; ``lane`` names the sub-agent it belongs
    to. ``marks`` holds any of ``queued``, ``meta``, ``summary``, ``synthetic``, ``interrupted``.
    """

    record: int
    role: Role
    heads: tuple[Head, ...]
    form: str
    typed: bool
    marks: tuple[str, ...] = ()
    uuid: str | None = None
    parent: str | None = None
    lane: str | None = None
    response: str | None = None
    request: str | None = None
    model: str | None = None
    stop: str | None = None
    usage: Usage | None = None
    at: str | None = None
    inherited: str | None = None

    @property
    def answers(self) -> list[str]:
        """The ids of the calls that the results in this line quote."""
        return [h.id or "" for h in self.heads if h.kind == "tool_result" and "server" not in h.flags]


@dataclass(slots=True)
class Side:
    """What is kept of a line that is no message."""

    record: int
    kind: str
    text: str
    injected: bool = False
    uuid: str | None = None
    parent: str | None = None
    lane: str | None = None


@dataclass(slots=True)
class Told(Line):
    """A reply that no line holds, only the events that streamed it: their records are ``told``."""

    told: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Streamed:
    """Puts a reply together from the events that streamed it each time it is called."""

    lines: Lines
    uid: str
    records: tuple[int, ...]

    def __call__(self) -> Blocks:
        content = self.message().get("content")
        items = content if isinstance(content, list) else []
        return tuple(parse_block(item, f"{self.uid}.{i}") for i, item in enumerate(items))

    def message(self) -> dict[str, Any]:
        """The message as it would have come at once, as far as it was streamed."""
        found = responses((record, self.lines.value(record)["event"]) for record in self.records)
        return found[0].message if found else {}


@dataclass(frozen=True, slots=True)
class Body:
    """Parses the blocks of a message from its lines each time it is called."""

    lines: Lines
    uid: str
    records: tuple[int, ...]

    def __call__(self) -> Blocks:
        found: list[Block] = []
        for record in self.records:
            value = self.lines.value(record)
            found += blocks_of(value, self.uid, len(found), (self.lines, record))[0]
        return tuple(found)


def content_of(record: Mapping[str, Any]) -> tuple[Path, Json, bool]:
    """Where the content of a message line stands, the content, and whether a program wrote all of it."""
    if record.get("type") == "attachment":
        attachment = record["attachment"]
        return (
            ("attachment", "prompt"),
            attachment.get("prompt"),
            attachment.get("commandMode") == "task-notification",
        )
    message = record["message"]
    written = (
        record.get("isMeta") is True
        or record.get("isCompactSummary") is True
        or record.get("isSynthetic") is True
    )
    return ("message", "content"), message.get("content"), written


def blocks_of(
    record: Mapping[str, Any], uid: str, first: int = 0, place: tuple[Lines, int] | None = None
) -> tuple[list[Block], str]:
    """The content blocks of a message line, numbered from ``first``, and the form of its content: ``string``,
    ``list``, ``null``, ``absent`` or ``other``. ``place`` is the line's place in its session."""
    path, content, written = content_of(record)
    here = place[0].place(place[1], path) if place else None
    if isinstance(content, str):
        blocks: list[Block] = [Text(uid=f"{uid}.{first}", place=here, text=content)]
        form = "string"
    elif isinstance(content, list):
        blocks = [
            parse_block(item, f"{uid}.{i}", Place(here.record, (*here.path, i - first)) if here else None)
            for i, item in enumerate(content, first)
        ]
        form = "list"
    elif content is None:
        container = record.get(str(path[0]))
        absent = not isinstance(container, dict) or path[1] not in container
        return [], "absent" if absent else "null"
    else:
        blocks, form = [parse_block(content, f"{uid}.{first}", here)], "other"
    if record["type"] != "assistant":
        for i, block in enumerate(blocks):
            if isinstance(block, Text) and (written or injected(block.text)):
                blocks[i] = replace(block, injected=True)
    return blocks, form


def heads_of(record: Mapping[str, Any]) -> tuple[tuple[Head, ...], str, bool, bool]:
    """The heads of a message line (their uids still empty), the form of its content, whether a person wrote
    some of it, and whether it says that they interrupted the model."""
    blocks, form = blocks_of(record, "")
    stopped = _stopped(record)
    typed = interrupted = False
    heads = []
    for block in blocks:
        head = head_of(block)
        heads.append(_marked(head) if stopped or given_up(block) else head)
        if isinstance(block, Text):
            typed = typed or not block.injected
            interrupted = interrupted or interruption(block)
        elif isinstance(block, Image):
            typed = True
    return tuple(heads), form, typed, interrupted


def _stopped(record: Mapping[str, Any]) -> bool:
    """True where the program notes that a person stopped the tool while it ran."""
    result = record.get("toolUseResult", record.get("tool_use_result"))
    return isinstance(result, dict) and result.get("interrupted") is True


def _marked(head: Head) -> Head:
    return replace(head, flags=(*head.flags, "interrupted")) if head.kind == "tool_result" else head

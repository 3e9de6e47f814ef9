"""Gathers the messages of one array from records in file order: what is said, answered, and beside it.

Formats tell it what each record is; it gives uids, joins the parts of one reply and the results that answer
it, makes ids where the file has none, counts what became of every record, and makes the session.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tape.formats.arrays import at
from tape.formats.claude_code_session import unknown_blocks
from tape.formats.openai_blocks import Ids
from tape.formats.parts import Body, Chunk, Parser, Part
from tape.formats.titles import title_of_messages
from tape.model import (
    Aside,
    Base,
    Branch,
    Call,
    Head,
    Json,
    Lane,
    Message,
    Place,
    Role,
    Session,
    ToolResult,
    ToolSpec,
    ToolUse,
    Usage,
    head_of,
)
from tape.notes import ImportReport, Note
from tape.records import Broken, Source

LISTED = 100
LINKED = (ToolUse, ToolResult)
NO_ANSWER = frozenset(("synthetic", "carried"))


@dataclass(slots=True, eq=False)
class Draft:
    """A message in the making."""

    uid: str
    role: Role
    key: str | None = None
    answers: bool = False
    chunks: list[Chunk] = field(default_factory=list)
    heads: list[Head] = field(default_factory=list)
    ids: dict[int, str] = field(default_factory=dict)
    meta: dict[str, Any] = field(default_factory=dict)
    spent: list[tuple[Usage | None, str | None]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Left:
    """Messages that the session went back behind: the uid before them, and why."""

    at: str | None
    drafts: list[Draft]
    reason: str


class Gathering:
    """The array of one conversation in the making. ``array`` is the place of the list whose elements are the
    units that an edit may move (``None``: whole lines); ``first`` the number of the first uid; ``blocks`` the
    types of blocks that are known although they are kept as JSON."""

    def __init__(
        self,
        source: Source,
        name: str,
        *,
        array: Place | None = None,
        first: int = 0,
        blocks: Collection[str] = (),
    ) -> None:
        self.source, self.name, self.array, self._next = source, name, array, first
        self._known = blocks
        self.drafts: list[Draft] = []
        self.left: list[Left] = []
        self.asides: list[Aside] = []
        self.notes: list[Note] = []
        self.extra: dict[str, Any] = {}
        self._ids = Ids()
        self._counts: Counter[tuple[str, bool]] = Counter()
        self._lines: dict[tuple[str, bool], list[int]] = {}
        self._broken: list[int] = []
        self._now: tuple[int, Json] = (-1, None)

    @property
    def last(self) -> Draft | None:
        """The message that is being made."""
        return self.drafts[-1] if self.drafts else None

    @property
    def waiting(self) -> bool:
        """Whether a call of the last reply has no answer yet."""
        return bool(self._ids.open)

    @property
    def reply(self) -> Draft | None:
        """The last assistant message."""
        return next((draft for draft in reversed(self.drafts) if draft.role == "assistant"), None)

    def lines(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """The records that are objects, with their numbers; the others are set aside."""
        for i in range(len(self.source)):
            try:
                value = self.source.json(i)
            except Broken:
                self._broken.append(self.source.line(i))
                self.asides.append(Aside(self._uid(), i, "broken", self.source.text(i)[:300]))
                continue
            if isinstance(value, dict):
                self._now = (i, value)
                yield i, value
            else:
                self.aside(Place(i), "no object", known=False)

    def say(
        self,
        role: Role,
        place: Place,
        parse: Parser,
        /,
        *,
        key: str | None = None,
        joins: bool = False,
        parts: Sequence[Part] | None = None,
        **meta: Any,
    ) -> Draft:
        """What the value at ``place`` says. It joins the message before where that has the same ``key``, a
        reply also where only its results stand between, or with ``joins`` where the one before is a reply.
        ``parts`` are what ``parse`` gives there, where that is known."""
        draft = self._continued(role, key, joins)
        if draft is None:
            draft = self._open(role, key)
            if role == "assistant":
                self._ids.open = []
        self._take(draft, Chunk(place, parse), meta, parts)
        return draft

    def answer(
        self, place: Place, parse: Parser, /, *, parts: Sequence[Part] | None = None, **meta: Any
    ) -> Draft:
        """Results, which join those that stand before them; ``parts`` as in ``say``."""
        draft = self.last
        if draft is None or not draft.answers:
            draft = self._open("user", None)
            draft.answers = True
        self._take(draft, Chunk(place, parse), meta, parts)
        return draft

    def _continued(self, role: Role, key: str | None, joins: bool) -> Draft | None:
        last = self.last
        if role != "assistant" or last is None:
            return last if last and last.role == role and key is not None and last.key == key else None
        if last.role == "assistant" and (joins or (key is not None and last.key == key)):
            return last
        before = self.drafts[-2] if last.answers and len(self.drafts) > 1 else None
        same = before is not None and key is not None and before.key == key
        return before if same and before is not None and before.role == "assistant" else None

    def _open(self, role: Role, key: str | None) -> Draft:
        draft = Draft(f"m{self._next}", role, key)
        self._next += 1
        self.drafts.append(draft)
        return draft

    def _take(
        self, draft: Draft, chunk: Chunk, meta: Mapping[str, Any], parts: Sequence[Part] | None
    ) -> None:
        if parts is None:
            record = chunk.place.record
            document = self._now[1] if self._now[0] == record else self.source.held(record)
            parts = chunk.parse(at(document, chunk.place.path), chunk.place)
        for number, part in enumerate(parts, len(draft.heads)):
            block, id = part.block, None
            if block.__class__ in LINKED and (id := self._id(part)) is not None:
                draft.ids[number] = id
            draft.heads.append(head_of(block, f"{draft.uid}.{number}", id))
        draft.chunks.append(chunk)
        if not meta:
            return
        draft.meta.update({k: v for k, v in meta.items() if v is not None and k not in draft.meta})
        if "unknown_role" in meta:
            text = f"The role {meta['unknown_role']!r} is unknown; it is shown as {draft.role}."
            self.remark(chunk.place, "unknown-role", text)
        if meta.get("stop_reason"):
            draft.meta["stop_reason"] = meta["stop_reason"]

    def _id(self, part: Part) -> str | None:
        """The id made for a block that has none."""
        block = part.block
        if isinstance(block, ToolUse) and not block.server:
            id, ours = self._ids.call(block.id, block.name)
            return id if ours else None
        if isinstance(block, ToolResult) and not block.server:
            id, ours = self._ids.answer(block.tool_use_id, part.tool)
            return id if ours else None
        return None

    def spend(self, usage: Usage | None, at: str | None = None) -> None:
        """What a response used (tokens); it belongs to the last reply. Without one it is nobody's."""
        if (reply := self.reply) is not None and usage is not None:
            reply.spent.append((usage, at))

    def aside(
        self, place: Place, kind: str, text: str = "", *, known: bool = True, injected: bool = False
    ) -> None:
        """A value that is no message."""
        key = (kind, known)
        self._counts[key] += 1
        numbers = self._lines.setdefault(key, [])
        if len(numbers) < LISTED:
            numbers.append(self._number(place))
        line = " ".join(text[:600].split())
        self.asides.append(Aside(self._uid(), place.record, kind, line[:300], injected))

    def leave(self, index: int, reason: str) -> None:
        """Takes the messages from ``index`` on out of the array: the session went back before them."""
        at = self.drafts[index - 1].uid if index else None
        self.left.append(Left(at, self.drafts[index:], reason))
        del self.drafts[index:]

    def branches(self) -> Iterator[Branch]:
        """What was left, in the order of the file."""
        for one in self.left:
            entries = tuple(map(self._message, one.drafts))
            yield Branch(title_of_messages(entries) or one.reason, one.at, entries, one.reason)

    def _all(self) -> list[Draft]:
        return [*(draft for one in self.left for draft in one.drafts), *self.drafts]

    def _uid(self) -> str | None:
        return self.drafts[-1].uid if self.drafts else None

    def _number(self, place: Place) -> int:
        steps = [step for step in place.path if isinstance(step, int)]
        return self.source.line(place.record) if not steps else steps[0] + 1

    def remark(self, place: Place, kind: str, text: str) -> None:
        """A note with the place it is about."""
        self.notes.append(Note(self.source.where(place.record), kind, text))

    def messages(self) -> tuple[Message, ...]:
        """The messages as they are now."""
        return tuple(map(self._message, self.drafts))

    def _message(self, draft: Draft) -> Message:
        chunks = tuple(draft.chunks)
        if len(chunks) == 1:
            records: tuple[int, ...] = (chunks[0].place.record,)
        else:
            records = tuple(dict.fromkeys([chunk.place.record for chunk in chunks]))
        return Message(
            draft.uid,
            draft.role,
            tuple(draft.heads),
            Body(self.source, draft.uid, chunks, draft.ids),
            records,
            chunks[0].place if chunks else None,
            meta={"content_form": "list", **draft.meta},
        )

    def calls(self) -> Iterator[Call]:
        """One call a response, with what it used."""
        for draft in self._all():
            if draft.role == "assistant" and not (draft.meta.keys() & NO_ANSWER):
                facts = [draft.meta.get(k) for k in ("response_id", "model", "timestamp")]
                for usage, when in draft.spent or [(None, None)]:
                    stop = draft.meta.get("stop_reason")
                    yield Call(draft.uid, facts[0], facts[1], usage, stop, when or facts[2])

    def report(self) -> ImportReport:
        """What became of every record."""
        used = {chunk.place.record for draft in self._all() for chunk in draft.chunks}
        opened = {draft.chunks[0].place.record for draft in self._all() if draft.chunks}

        def listed(known: bool) -> dict[str, tuple[int, ...]]:
            return {kind: tuple(n) for (kind, sure), n in self._lines.items() if sure is known}

        def counted(known: bool) -> dict[str, int]:
            return {kind: n for (kind, sure), n in self._counts.items() if sure is known}

        return ImportReport(
            len(self.source),
            len(used),
            len(used - opened),
            listed(True),
            counted(True),
            listed(False),
            counted(False),
            tuple(self._broken),
        )

    def session(
        self,
        *,
        id: str | None = None,
        title: str | None = None,
        system: Json = None,
        tools: Sequence[ToolSpec] | None = None,
        params: Mapping[str, Any] | None = None,
        lanes: Sequence[Lane] = (),
        messages: Sequence[Message] | None = None,
        branches: Sequence[Branch] | None = None,
    ) -> Session:
        """The session, with what a writer needs to know; ``branches`` where they are not what was left."""
        array = self.messages() if messages is None else tuple(messages)
        given = None if tools is None else tuple(tools)
        base = Base(
            self.name,
            (self.source,),
            array,
            system,
            given,
            title or "",
            {**self.extra, "array": self.array},
        )
        left = tuple(self.branches() if branches is None else branches)
        odd = (n for n in unknown_blocks(array) if not any(f"{kind!r}" in n.text for kind in self._known))
        return Session(
            messages=array,
            system=system,
            tools=given,
            params=params or {},
            id=id or "",
            title=title or title_of_messages(array[:20]),
            format=self.name,
            calls=tuple(self.calls()),
            lanes=tuple(lanes),
            branches=left,
            asides=tuple(self.asides),
            notes=(*self.source.notes(), *self._unknown(), *self.notes, *odd),
            report=self.report(),
            base=base,
        )

    def _unknown(self) -> Iterator[Note]:
        for (kind, known), numbers in sorted(self._lines.items()):
            if known:
                continue
            count = self._counts[kind, known]
            unit = "line" if self.array is None else "item"
            shown = ", ".join(map(str, numbers[:5])) + (" …" if count > 5 else "")
            records = "record" if count == 1 else "records"
            text = f"{count} {records} of unknown type {kind!r} ({unit} {shown}) kept, not shown."
            yield Note(f"{unit} {numbers[0]}", "unknown-record", text)


def no_prompt(session: Session) -> Session:
    """The session with a note where it begins with an answer: what was asked is not in the file."""
    if session.messages and session.messages[0].role == "assistant":
        text = "The prompt is not in this file: it begins with what the model answered."
        return replace(session, notes=(*session.notes, Note("messages[0]", "no-prompt", text)))
    return session

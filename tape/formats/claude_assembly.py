"""Makes messages of lines: one response is one message, and the results of a reply stand right behind it.

Claude Code writes one line a content block, with the results of parallel calls between the lines of the
reply that made them, so that neither the order of lines nor the tree of ``parentUuid`` is the array. The rule
was run over 733 files: lines of a response join where its first line stands, a result joins the results of
the reply that made its call, everything else keeps its place. Sub-agents and forks are taken apart before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tape.formats.claude_lines import Body, Line, Lines, Side, Streamed, Told
from tape.model import Aside, Call, Head, Message, Role, Usage
from tape.usage_forms import largest

SYNTHETIC = "<synthetic>"
MARKS = (
    ("synthetic", "synthetic"),
    ("summary", "compact_summary"),
    ("queued", "queued"),
    ("meta", "is_meta"),
)
"""The marks of lines, and what they are called in a message."""


@dataclass(slots=True, eq=False)
class Draft:
    """A message in the making: its lines, and for a reply the message that answers its calls."""

    role: Role
    lines: list[Line] = field(default_factory=list)
    answered_by: Draft | None = None
    prompts_before: int = 0
    uid: str = ""


class Assembly:
    """Takes the lines of one array in file order; ``drafts`` then gives its messages in theirs."""

    def __init__(self) -> None:
        self._top: list[Draft] = []
        self._replies: dict[str, Draft] = {}
        self._waiting: dict[str, list[Draft]] = {}
        self._prompts = 0
        self._last: Draft | None = None
        self._sides: list[tuple[Draft | None, Side]] = []

    def take(self, items: Iterable[Line | Side]) -> Assembly:
        """Adds lines; gives itself back."""
        for item in items:
            if isinstance(item, Side):
                self._sides.append((self._last, item))
            elif item.role == "assistant":
                self._reply(item)
            elif item.answers:
                self._results(item)
            else:
                self._open(item)
                self._prompts += item.typed and "queued" not in item.marks
        return self

    def drafts(self) -> Iterator[Draft]:
        """The messages in the order of the array."""
        for draft in self._top:
            yield draft
            if draft.answered_by is not None:
                yield draft.answered_by

    def asides(self) -> Iterator[Aside]:
        """The lines that are no messages, each behind the message whose line stands before it. Only once the
        drafts have their uids."""
        for draft, side in self._sides:
            after = draft.uid if draft else None
            yield Aside(after, side.record, side.kind, side.text, side.injected)

    def _open(self, line: Line) -> Draft:
        draft = Draft(line.role, [line], prompts_before=self._prompts)
        self._top.append(draft)
        self._last = draft
        return draft

    def _reply(self, line: Line) -> None:
        draft = self._replies.get(line.response) if line.response else None
        if draft is None or self._is_another(draft, line):
            draft = self._open(line)
            if line.response:
                self._replies[line.response] = draft
        else:
            draft.lines.append(line)
            self._last = draft
        for head in line.heads:
            if head.kind == "tool_use" and "server" not in head.flags:
                self._waiting.setdefault(head.id or "", []).append(draft)

    def _is_another(self, draft: Draft, line: Line) -> bool:
        """Whether a line with a known response id belongs to another reply all the same: its request differs,
        or somebody has asked something else since. Ids that were blotted out collide."""
        known = draft.lines[0].request
        if known and line.request and known != line.request:
            return True
        return draft.prompts_before != self._prompts

    def _results(self, line: Line) -> None:
        home: Draft | None = None
        for id in line.answers:
            if calls := self._waiting.get(id):
                reply = calls.pop()
                home = home or reply
        if home is None and self._top and self._top[-1].role == "assistant":
            home = self._top[-1]
        if home is not None:
            if home.answered_by is None:
                home.answered_by = Draft("user")
            home.answered_by.lines.append(line)
            self._last = home.answered_by
        elif self._top and all(one.answers for one in self._top[-1].lines):
            self._top[-1].lines.append(line)
            self._last = self._top[-1]
        else:
            self._open(line)


def messages(drafts: Iterable[Draft], lines: Lines, first: int = 0) -> tuple[Message, ...]:
    """The messages of drafts, their uids counted from ``first``; the drafts are told theirs."""
    found = []
    for number, draft in enumerate(drafts, first):
        draft.uid = f"m{number}"
        found.append(_message(draft, lines))
    return tuple(found)


def _message(draft: Draft, lines: Lines) -> Message:
    uid, parts = draft.uid, draft.lines
    heads = [head for line in parts for head in line.heads]
    records = tuple([line.record for line in parts])
    body: Body | Streamed = Body(lines, uid, records)
    if isinstance(parts[0], Told):
        records = parts[0].told
        body = Streamed(lines, uid, records)
    return Message(
        uid,
        draft.role,
        tuple(
            [Head(h.kind, f"{uid}.{j}", h.id, h.name, h.chars, h.lines, h.flags) for j, h in enumerate(heads)]
        ),
        body,
        records if lines.root is None else (0,),
        lines.place(records[0], ("message",)),
        meta=_meta(parts),
    )


def _meta(parts: list[Line]) -> dict[str, Any]:
    first = parts[0]
    meta: dict[str, Any] = {"content_form": first.form if len(parts) == 1 else "list"}
    if first.at:
        meta["timestamp"] = first.at
    if first.role == "assistant":
        if first.model:
            meta["model"] = first.model
        if first.response:
            meta["response_id"] = first.response
        if stop := stop_reason(parts):
            meta["stop_reason"] = stop
    if marks := {mark for line in parts for mark in line.marks}:
        if "interrupted" in marks and not any(h.kind == "tool_result" for line in parts for h in line.heads):
            meta["interrupted"] = True
        meta |= {key: True for mark, key in MARKS if mark in marks}
    if first.inherited:
        meta["inherited"] = first.inherited
    return meta


def _spent(parts: list[Line]) -> Usage | None:
    """The largest usage of a response (tokens); zeros all over stand for a figure that never came."""
    usage = largest(line.usage for line in parts)
    return usage if usage and (usage.prompt or usage.output) else None


def stop_reason(parts: list[Line]) -> str | None:
    """Why a response stopped: the last line that says so."""
    return next((line.stop for line in reversed(parts) if line.stop), None)


def calls(drafts: Iterable[Draft]) -> Iterator[Call]:
    """One call a response, with its largest usage; texts that the program made up are none."""
    for draft in drafts:
        parts = draft.lines
        if draft.role != "assistant" or "synthetic" in parts[0].marks:
            continue
        yield Call(
            draft.uid,
            parts[0].response,
            parts[0].model,
            _spent(parts),
            stop_reason(parts),
            parts[0].at,
        )

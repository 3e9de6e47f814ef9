"""One pass over the lines of a Claude Code session: what each is, and what ties them together.

Gives ``Line`` and ``Side`` values in file order, with repeated lines dropped and the lines of sub-agents
named; making messages of them is the business of ``tape.formats.claude_assembly``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from sys import intern
from typing import Any, NamedTuple

from tape.formats.claude_assembly import SYNTHETIC
from tape.formats.claude_code_asides import Remark, remark
from tape.formats.claude_lines import Line, Lines, Side, blocks_of, content_of, heads_of
from tape.model import Json, Text
from tape.notes import ImportReport, Note
from tape.records import Broken
from tape.usage_forms import anthropic

LISTED = 100


class Spawn(NamedTuple):
    """A tool call that starts a sub-agent: its id, the prompt it gave, what it is for and for whom."""

    call: str
    prompt: str | None
    description: str
    agent: str | None


@dataclass
class Scan:
    """Everything that the pass found.

    ``started`` maps the id of a sub-agent to the call that began it, ``groups`` a type of line to the lines
    (counted from 1) it stands on, ``titles`` the type of a line to the title it gives. ``extra`` is what the
    base of the session is to keep.
    """

    items: list[Line | Side] = field(default_factory=list)
    spawns: list[Spawn] = field(default_factory=list)
    started: dict[str, str] = field(default_factory=dict)
    lane_prompts: dict[str, str] = field(default_factory=dict)
    lane_agents: dict[str, str] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    sessions: Counter[str] = field(default_factory=Counter)
    last_session: str | None = None
    first_prompt: str | None = None
    spilled: list[tuple[int, str]] = field(default_factory=list)
    groups: dict[str, list[int]] = field(default_factory=dict)
    group_counts: Counter[str] = field(default_factory=Counter)
    unknown: set[str] = field(default_factory=set)
    broken: list[int] = field(default_factory=list)
    repeats: list[int] = field(default_factory=list)
    collisions: int = 0
    extra: dict[str, Any] = field(default_factory=dict)
    records: int = 0

    def report(self, in_messages: int, merged: int) -> ImportReport:
        """What became of every line."""
        known = {g: tuple(n) for g, n in self.groups.items() if g not in self.unknown}
        odd = {g: tuple(n) for g, n in self.groups.items() if g in self.unknown}
        return ImportReport(
            records=self.records,
            in_messages=in_messages,
            merged=merged,
            aside=known,
            aside_counts={g: self.group_counts[g] for g in known},
            unknown=odd,
            unknown_counts={g: self.group_counts[g] for g in odd},
            broken=tuple(self.broken),
        )


def scan(lines: Lines) -> Scan:
    """Reads every line once. Never raises on data."""
    found = Scan(records=len(lines))
    lanes: dict[str, str] = {}
    seen: dict[str, int] = {}
    for i in range(len(lines)):
        try:
            value = lines.value(i)
        except Broken:
            found.broken.append(lines.number(i))
            found.items.append(Side(i, "broken", lines.source.text(i)[:300]))
            continue
        item = _item(found, lines, i, value)
        if isinstance(value, dict):
            _place(found, item, value, lanes)
            if item.uuid is not None:
                _repeat(found, item, lines, value, seen)
        found.items.append(item)
    if found.repeats:
        dropped = set(found.repeats)
        found.items = [item for item in found.items if item.record not in dropped]
    return found


def is_message(record: Mapping[str, Any]) -> bool:
    """True for a line that holds (part of) a message."""
    kind = record.get("type")
    if kind in ("user", "assistant"):
        return isinstance(record.get("message"), dict)
    attachment = record.get("attachment")
    if kind == "attachment" and isinstance(attachment, dict):
        return attachment.get("type") == "queued_command" and isinstance(
            attachment.get("prompt"), (str, list)
        )
    return False


def _item(found: Scan, lines: Lines, i: int, value: Json) -> Line | Side:
    if not isinstance(value, dict):
        return note_aside(found, lines, i, Remark("no object", "(no object)", "", known=False))
    if session := word(value, "sessionId"):
        found.sessions[session] += 1
        found.last_session = session
    if is_message(value):
        return _line(found, i, value)
    _tie(found, value)
    said = remark(value)
    if said.kind in ("user", "assistant"):
        said = Remark(said.kind, f"{said.kind} (no message)", said.text, known=False)
    if said.kind in ("custom-title", "ai-title", "summary") and said.text:
        found.titles[said.kind] = said.text
    return note_aside(found, lines, i, said)


def note_aside(found: Scan, lines: Lines, i: int, said: Remark) -> Side:
    """A line that is no message, counted under its type."""
    found.group_counts[said.group] += 1
    numbers = found.groups.setdefault(said.group, [])
    if len(numbers) < LISTED:
        numbers.append(lines.number(i))
    if not said.known:
        found.unknown.add(said.group)
    return Side(i, intern(said.kind), intern(said.text), said.injected)


def _line(found: Scan, i: int, value: Mapping[str, Any]) -> Line:
    heads, form, typed, interrupted = heads_of(value)
    marks = ["interrupted"] if interrupted else []
    if value.get("isMeta") is True:
        marks.append("meta")
    if value.get("isCompactSummary") is True:
        marks.append("summary")
    fork = value.get("forkedFrom")
    line = Line(i, "user", heads, form, typed, at=word(value, "timestamp"))
    if isinstance(fork, dict):
        line.inherited = word(fork, "sessionId")
    if value["type"] == "attachment":
        marks.append("queued")
    elif value["type"] == "assistant":
        fill_response(line, value["message"], word(value, "requestId"))
        if line.model == SYNTHETIC or value.get("isApiErrorMessage") is True:
            marks.append("synthetic")
        note_spawns(found, value["message"].get("content"))
    else:
        _result(found, i, line, value)
    line.marks = tuple(marks)
    return line


def fill_response(line: Line, message: Mapping[str, Any], request: str | None = None) -> None:
    """Adds to a line what its message says of the response it is part of."""
    line.role = "assistant"
    line.response, line.request = word(message, "id"), request
    model = word(message, "model")
    line.model = intern(model) if model else None
    line.stop = word(message, "stop_reason")
    line.usage = anthropic(message.get("usage"))


def note_spawns(found: Scan, content: Json) -> None:
    """Remembers the calls in a content that start a sub-agent."""
    for block in content if isinstance(content, list) else ():
        if not isinstance(block, dict) or block.get("type") != "tool_use":
            continue
        given, id = block.get("input"), block.get("id")
        if isinstance(given, dict) and isinstance(id, str):
            agent = word(given, "subagent_type")
            if agent or block.get("name") in ("Task", "Agent"):
                found.spawns.append(Spawn(id, word(given, "prompt"), word(given, "description") or "", agent))


def _result(found: Scan, i: int, line: Line, value: Mapping[str, Any]) -> None:
    answers = line.answers
    beside = value.get("toolUseResult")
    if isinstance(beside, dict) and answers:
        agent = beside.get("agentId")
        if isinstance(agent, str):
            found.started.setdefault(agent, answers[0])
        if path := word(beside, "persistedOutputPath"):
            found.spilled.append((i, path))
    if not answers and line.typed and found.first_prompt is None and value.get("isSidechain") is not True:
        found.first_prompt = first_text(value)


def _tie(found: Scan, value: Mapping[str, Any]) -> None:
    """Progress of a sub-agent names the call that began it."""
    data, call = value.get("data"), value.get("parentToolUseID")
    if isinstance(data, dict) and data.get("type") == "agent_progress" and isinstance(call, str):
        agent = data.get("agentId")
        if isinstance(agent, str):
            found.started.setdefault(agent, call)


def _place(found: Scan, item: Line | Side, value: Mapping[str, Any], lanes: dict[str, str]) -> None:
    """Where a line hangs in the tree, and which sub-agent it belongs to."""
    item.uuid = word(value, "uuid")
    item.parent = word(value, "parentUuid") or word(value, "logicalParentUuid")
    if value.get("isSidechain") is not True:
        return
    agent = word(value, "agentId")
    lane = agent or lanes.get(item.parent or "") or f"sidechain {item.uuid or item.record}"
    item.lane = lane
    if item.uuid:
        lanes[item.uuid] = lane
    if agent:
        found.lane_agents[lane] = agent
    if isinstance(item, Line) and item.role == "user" and lane not in found.lane_prompts:
        found.lane_prompts[lane] = first_text(value) or ""


def _repeat(
    found: Scan, item: Line | Side, lines: Lines, value: Mapping[str, Any], seen: dict[str, int]
) -> None:
    """A line that comes again with its uuid replaces the earlier one; another line under it does not."""
    uuid = item.uuid or ""
    at = seen.get(uuid)
    if at is not None:
        earlier = found.items[at]
        if _same(lines.value(earlier.record), value):
            found.repeats.append(earlier.record)
        else:
            found.collisions += 1
    seen[uuid] = len(found.items)


def _same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two lines are one that was written twice; its usage may have grown in between."""
    if one.get("type") != other.get("type") or is_message(one) != is_message(other):
        return False
    if is_message(one):
        return content_of(one)[1] == content_of(other)[1]
    return remark(one) == remark(other)


def first_text(value: Mapping[str, Any]) -> str | None:
    """The first text of a user line that a person may have written, else its first text."""
    texts = [b for b in blocks_of(value, "")[0] if isinstance(b, Text) and b.text.strip()]
    return next((b.text for b in texts if not b.injected), texts[0].text if texts else None)


def notes(found: Scan, lines: Lines) -> list[Note]:
    """What a person should know about the lines: unknown types, repeats, outputs kept elsewhere."""
    said = []
    for group in sorted(found.unknown):
        count, numbers = found.group_counts[group], found.groups[group]
        shown = ", ".join(map(str, numbers[:5])) + (" …" if count > 5 else "")
        records = "record" if count == 1 else "records"
        unit = "line" if lines.root is None else "item"
        where = f"{unit} {numbers[0]}"
        text = f"{count} {records} of unknown type {group!r} ({unit} {shown}) kept, not shown."
        said.append(Note(where, "unknown-record", text))
    if found.repeats:
        where = lines.where(found.repeats[0])
        text = f"{len(found.repeats)} lines come again later with the same uuid; the later ones are shown."
        said.append(Note(where, "repeated-record", text))
    if found.collisions:
        said.append(
            Note(
                "",
                "colliding-uuid",
                f"{found.collisions} lines share a uuid with another line; all are shown.",
            )
        )
    for record, path in found.spilled:
        name = path.replace("\\", "/").rpartition("/")[2]
        text = f"The whole output was saved beside the session as tool-results/{name}; here is a preview."
        said.append(Note(lines.where(record), "output-elsewhere", text))
    return said


def word(value: Mapping[str, Any], key: str) -> str | None:
    """The text under a key, ``None`` where there is none or it is empty."""
    found = value.get(key)
    return found if found.__class__ is str and found else None

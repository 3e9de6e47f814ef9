"""One pass over the stream of Claude Code's SDK: what each line is, as ``claude_code_scan`` says of files.

The lines have no tree: ``parent_tool_use_id`` names the call of the sub-agent they belong to. With partial
messages on, a reply is streamed as events first; they are used only where the reply itself never came.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from sys import intern
from typing import Any, Final

from tape.formats.claude_assembly import SYNTHETIC
from tape.formats.claude_code_asides import Remark, one_line
from tape.formats.claude_code_scan import (
    Scan,
    fill_response,
    first_text,
    note_aside,
    note_spawns,
    word,
)
from tape.formats.claude_lines import Line, Lines, Side, Streamed, Told, heads_of
from tape.model import Json, head_of
from tape.records import Broken
from tape.usage_forms import anthropic

SUBTYPES: Final = frozenset(
    {
        "api_retry",
        "compact_boundary",
        "hook_response",
        "hook_started",
        "init",
        "notification",
        "status",
        "task_notification",
        "task_progress",
        "task_started",
        "task_updated",
    }
)
OTHERS: Final = frozenset({"result", "control_request", "control_response", "stream_event"})


@dataclass
class _Streams:
    """Replies that were streamed: the place of their first event among the items, and their records."""

    now: dict[str | None, str] = field(default_factory=dict)
    places: dict[str, int] = field(default_factory=dict)
    records: dict[str, list[int]] = field(default_factory=dict)


def scan(lines: Lines) -> Scan:
    """Reads every line once. Never raises on data."""
    found = Scan(records=len(lines))
    streams = _Streams()
    whole: set[str] = set()
    for i in range(len(lines)):
        try:
            value = lines.value(i)
        except Broken:
            found.broken.append(lines.number(i))
            found.items.append(Side(i, "broken", lines.source.text(i)[:300]))
            continue
        item = _item(found, lines, i, value, streams)
        if isinstance(item, Line) and item.response:
            whole.add(item.response)
        found.items.append(item)
    for id, place in streams.places.items():
        if id not in whole:
            line = _told(lines, tuple(streams.records[id]))
            line.lane = found.items[place].lane
            found.items[place] = line
    return found


def is_message(record: Mapping[str, Any]) -> bool:
    """True for a line that holds (part of) a message."""
    return record.get("type") in ("user", "assistant") and isinstance(record.get("message"), dict)


def _item(found: Scan, lines: Lines, i: int, value: Json, streams: _Streams) -> Line | Side:
    if not isinstance(value, dict):
        return note_aside(found, lines, i, Remark("no object", "(no object)", "", known=False))
    if session := word(value, "session_id"):
        found.sessions[session] += 1
        found.last_session = session
    lane = word(value, "parent_tool_use_id")
    if is_message(value):
        item: Line | Side = _line(found, i, value)
    else:
        item = note_aside(found, lines, i, remark(value))
        if value.get("type") == "result":
            _totals(found, value)
        elif value.get("type") == "stream_event":
            _follow(streams, len(found.items), i, value, lane)
    item.uuid = word(value, "uuid")
    if lane:
        item.lane = found.lane_agents[lane] = found.started[lane] = lane
        if isinstance(item, Line) and item.role == "user":
            found.lane_prompts.setdefault(lane, first_text(value) or "")
    return item


def _line(found: Scan, i: int, value: Mapping[str, Any]) -> Line:
    heads, form, typed, interrupted = heads_of(value)
    marks = ["interrupted"] if interrupted else []
    line = Line(i, "user", heads, form, typed, at=word(value, "timestamp"))
    if value["type"] == "assistant":
        fill_response(line, value["message"])
        note_spawns(found, value["message"].get("content"))
        marks += ["synthetic"] if line.model == SYNTHETIC else []
    elif value.get("isSynthetic") is True:
        marks.append("meta")
    elif typed and not line.answers and found.first_prompt is None and not value.get("parent_tool_use_id"):
        found.first_prompt = first_text(value)
    line.marks = tuple(marks)
    return line


def _follow(streams: _Streams, place: int, record: int, value: Mapping[str, Any], lane: str | None) -> None:
    event = value.get("event")
    if not isinstance(event, dict):
        return
    if event.get("type") == "message_start" and isinstance(event.get("message"), dict):
        id = word(event["message"], "id") or f"record {record}"
        streams.now[lane] = id
        streams.places.setdefault(id, place)
    if (now := streams.now.get(lane)) is not None:
        streams.records.setdefault(now, []).append(record)


def _told(lines: Lines, records: tuple[int, ...]) -> Told:
    body = Streamed(lines, "", records)
    message = body.message()
    heads = tuple(head_of(block) for block in body())
    line = Told(records[0], "assistant", heads, "list", True, told=records)
    fill_response(line, message)
    return line


def _totals(found: Scan, value: Mapping[str, Any]) -> None:
    """What the run says it used in all (tokens, USD); a reply's own counts are those of its first event."""
    cost = value.get("total_cost_usd")
    found.extra["total_usage"] = anthropic(value.get("usage"))
    found.extra["total_cost_usd"] = float(cost) if isinstance(cost, (int, float)) else None


def remark(record: Mapping[str, Any]) -> Remark:
    """Describes one line that is no message. Never raises on data."""
    kind = record.get("type")
    if not isinstance(kind, str):
        return Remark("untyped", "(no type)", "", known=False)
    if kind in ("user", "assistant"):
        return Remark(kind, f"{kind} (no message)", "", known=False)
    if kind == "system":
        subtype = record.get("subtype")
        name = subtype if isinstance(subtype, str) else "system"
        return Remark(intern(name), f"system/{name}", _system_text(record), known=name in SUBTYPES)
    if kind == "result":
        facts = [str(record.get("subtype") or "")]
        facts += [f"{record[k]} turns" for k in ("num_turns",) if isinstance(record.get(k), int)]
        facts += [f"{record[k]:.4f} USD" for k in ("total_cost_usd",) if isinstance(record.get(k), float)]
        return Remark(kind, kind, ", ".join(filter(None, facts)))
    return Remark(kind, kind, "", known=kind in OTHERS)


def _system_text(record: Mapping[str, Any]) -> str:
    tools, model = record.get("tools"), one_line(record.get("model"))
    if isinstance(tools, list):
        names = ", ".join(name for name in tools if isinstance(name, str))
        return one_line(f"{model} with {len(tools)} tools: {names}")
    data = record.get("compact_metadata")
    if isinstance(data, dict):
        return ", ".join(f"{key} {value}" for key, value in data.items() if isinstance(value, (str, int)))
    keys = ("text", "summary", "description", "hook_name", "error", "status")
    return next((line for key in keys if (line := one_line(record.get(key)))), "")

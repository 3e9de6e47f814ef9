"""Codex: the rollout files under ``~/.codex/sessions``, in the form of today and in that up to autumn 2025.

The conversation is in the items; the events beside them mirror it for the screen and are asides. Token
counters run on over the whole thread, so that each response used what they grew by; a fork starts at its
parent's total. Shape and counts as measured over 42 files of versions 0.2 to July 2026.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from tape.formats.arrays import documents
from tape.formats.base import Guess, Sample
from tape.formats.codex_compaction import compact, in_step, inside
from tape.formats.codex_items import (
    ANSWERS,
    CALLS,
    SERVER,
    answer_parts,
    call_parts,
    make_items,
    message_parts,
    reasoning_parts,
    server_parts,
)
from tape.formats.gathering import Draft, Gathering
from tape.formats.log_format import FileFormat
from tape.formats.openai_load import tools_of
from tape.formats.parts import Chunk, Parser, Part, below, counts, text_part, thinking_part, word, words
from tape.formats.parts_dump import Form
from tape.json_text import Edit, Set
from tape.model import Block, Json, Message, Place, Role, Session, Text, Thinking, ToolSpec, Usage
from tape.records import Broken, Source
from tape.usage_forms import inclusive, since

NAME: Final = "codex-rollout"
TYPES: Final = ("session_meta", "response_item", "event_msg", "turn_context", "compacted")
BESIDE: Final = frozenset(("world_state", "inter_agent_communication_metadata", "turn_context", "state"))
ITEMS: Final = frozenset(("ghost_snapshot", "agent_message", "other", "compaction"))
EVENTS: Final = frozenset(
    (
        *("user_message", "agent_message", "agent_reasoning", "agent_reasoning_raw_content", "token_count"),
        *("task_started", "task_complete", "turn_aborted", "context_compacted", "patch_apply_begin"),
        *("patch_apply_end", "exec_command_begin", "exec_command_end", "mcp_tool_call_begin"),
        *("mcp_tool_call_end", "web_search_begin", "web_search_end", "item_completed", "item_started"),
        *("thread_rolled_back", "thread_name_updated", "guardian_assessment", "entered_review_mode"),
        *("exited_review_mode", "undo_completed", "undo_started", "error", "warning", "stream_error"),
        *("agent_reasoning_section_break", "plan_update", "turn_diff", "view_image_tool_call"),
    )
)
ROLES: Final[Mapping[str, Role]] = {
    "user": "user",
    "assistant": "assistant",
    "developer": "system",
    "system": "system",
}
PARSERS: Final[Mapping[str, Parser]] = {
    "reasoning": reasoning_parts,
    **dict.fromkeys(CALLS, call_parts),
    **dict.fromkeys(SERVER, server_parts),
}
MIRRORS: Final = {"user_message": "message", "agent_message": "message", "agent_reasoning": "text"}
NEAR: Final = 8


def _is_line(record: Json) -> bool:
    return (
        isinstance(record, dict) and record.get("type") in TYPES and isinstance(record.get("payload"), dict)
    )


def _is_head(record: Json) -> bool:
    return (
        isinstance(record, dict)
        and {"id", "timestamp", "instructions"} <= record.keys()
        and "type" not in record
    )


@dataclass(slots=True)
class _State:
    """What is known of the thread while its lines are read."""

    model: str | None = None
    title: str | None = None
    meta: dict[str, Any] | None = None
    meta_record: int = 0
    total: Usage | None = None
    counted: bool = False


def load(source: Source) -> Session:
    """The session of a rollout. Never raises on data."""
    gathering, state = Gathering(source, NAME, blocks=(*SERVER, "compaction")), _State()
    mirrored = not _has_items(source)
    for i, value in gathering.lines():
        _line(gathering, state, i, value, mirrored)
    if mirrored and gathering.drafts:
        gathering.remark(Place(0), "events-only", "The file holds no items; what its events say is shown.")
    meta = state.meta or {}
    system, path = _instructions(meta)
    if path is not None:
        prefix = ("payload",) if "payload" in source.held(state.meta_record) else ()
        gathering.extra["system_place"] = Place(state.meta_record, (*prefix, *path))
    return gathering.session(
        id=word(meta, "id") or word(meta, "session_id"),
        title=state.title,
        system=system,
        tools=_tools(meta),
        params={"model": state.model} if state.model else {},
    )


def _tools(meta: Mapping[str, Json]) -> tuple[ToolSpec, ...] | None:
    found = meta.get("dynamic_tools")
    return tools_of(found) if found else None


def _instructions(meta: Mapping[str, Json]) -> tuple[str | None, tuple[str, ...] | None]:
    given = meta.get("base_instructions")
    if isinstance(given, dict) and isinstance(given.get("text"), str):
        return given["text"], ("base_instructions", "text")
    for key in ("base_instructions", "instructions"):
        if isinstance(meta.get(key), str):
            return meta[key], (key,)
    return None, None


def _has_items(source: Source) -> bool:
    """Whether any record is an item of the conversation."""
    for _, value in documents(source):
        if isinstance(value, dict):
            item = value.get("payload") if value.get("type") == "response_item" else value
            if isinstance(item, dict) and item.get("type") in ("message", *CALLS, *ANSWERS):
                return True
    return False


def _line(g: Gathering, state: _State, i: int, value: dict[str, Any], mirrored: bool) -> None:
    kind, payload, place = word(value, "type"), value.get("payload"), Place(i, ("payload",))
    if isinstance(payload, dict) and kind is not None:
        if kind == "session_meta":
            _meta(state, i, payload)
            g.aside(Place(i), kind, words(payload.get("cwd")))
        elif kind == "response_item":
            _item(g, place, payload, {"model": state.model, "timestamp": word(value, "timestamp")})
        elif kind == "event_msg":
            _event(g, state, place, payload, mirrored, word(value, "timestamp"))
        elif kind == "turn_context":
            state.model = word(payload, "model") or state.model
            g.aside(Place(i), kind, state.model or "")
        elif kind == "compacted":
            _compacted(g, i, payload, word(value, "timestamp"))
        else:
            g.aside(Place(i), kind, known=kind in BESIDE)
    elif "record_type" in value:
        g.aside(Place(i), words(value["record_type"]) or "record")
    elif _is_head(value):
        _meta(state, i, value)
        g.aside(Place(i), "session_meta")
    else:
        _item(g, Place(i), value, {"model": state.model, "timestamp": word(value, "timestamp")})


def _meta(state: _State, i: int, payload: dict[str, Any]) -> None:
    """The first one counts: later ones come with a resume, or from the parent of a fork."""
    if state.meta is None:
        state.meta, state.meta_record = payload, i


def _compacted(g: Gathering, i: int, payload: dict[str, Any], at: str | None) -> None:
    """The cut of a compaction, and behind it what the model saw instead of all before."""
    before = len(g.drafts)
    if compact(g, i, payload, at, lambda place, item, facts: _item(g, place, item, facts, carried=True)):
        kept = sum(1 for draft in g.drafts[before:] if draft.meta.get("carried"))
        text = f"The history was compacted: from here on the model saw what stands in this record, {kept} "
        text += "of its messages kept from before."
    else:
        g.aside(Place(i), "compacted", words(payload.get("message")) or "the history was compacted")
        text = "The history was compacted, and the record does not say what was put in its place."
    g.remark(Place(i), "compacted", text)


def _item(
    g: Gathering, place: Place, item: dict[str, Any], facts: Mapping[str, Any], carried: bool = False
) -> Draft | None:
    """Takes an item in, and gives the message that it is now part of. A ``carried`` one was said before and
    is in the array again: it stands in a list with others, and what is said next does not go on in it."""
    kind, wrap = word(item, "type"), inside if carried else _as_it_is
    joins = bool(g.last and g.last.meta.get("carried")) is carried
    if kind == "message" or (carried and kind is None and "role" in item):
        written = word(item, "role") or ""
        role = ROLES.get(written, "user")
        told = dict(facts) if role == "assistant" else {**facts, "model": None}
        if written != role:
            told["role"] = written
        if written not in ROLES:
            told["unknown_role"] = written
        return g.say(role, place, wrap(message_parts), joins=joins and role == "assistant", **told)
    parse = PARSERS.get(kind or "")
    if parse is not None:
        return g.say("assistant", place, wrap(parse), joins=joins, **facts)
    if kind in ANSWERS:
        return g.answer(place, wrap(answer_parts), **{**facts, "model": None})
    g.aside(Place(place.record), kind or "untyped", words(item.get("content")), known=kind in ITEMS)
    return None


def _as_it_is(parse: Parser) -> Parser:
    return parse


def _event(
    g: Gathering, state: _State, place: Place, event: dict[str, Any], mirrored: bool, at: str | None
) -> None:
    kind = word(event, "type") or "untyped"
    key = MIRRORS.get(kind)
    if mirrored and key and isinstance(event.get(key), str):
        role: Role = "user" if kind == "user_message" else "assistant"
        g.say(role, place, event_parts, joins=role == "assistant", timestamp=at)
        return
    if kind == "token_count":
        _count(g, state, event.get("info"), at)
    elif kind == "thread_rolled_back":
        _roll_back(g, event.get("num_turns"))
    elif kind == "thread_name_updated":
        state.title = word(event, "thread_name") or word(event, "name") or state.title
    known = kind in EVENTS or kind.startswith("collab_agent_")
    g.aside(Place(place.record), kind, words(event.get(key or "message")), known=known)


def event_parts(event: Json, place: Place) -> Sequence[Part]:
    """What an event mirrors, for a file without items."""
    kind = word(event, "type") or ""
    where = below(place, MIRRORS[kind])
    make = thinking_part if kind == "agent_reasoning" else text_part
    return [make(event[MIRRORS[kind]], where, raw=event)]


def _count(g: Gathering, state: _State, info: Json, at: str | None) -> None:
    """A counter: what it grew by is the usage of the response before it (tokens)."""
    total = usage_of(info.get("total_token_usage")) if isinstance(info, dict) else None
    if total is None:
        return
    if not state.counted and (state.meta or {}).get("forked_from_id"):
        state.total = total
    state.counted = True
    g.spend(since(total, state.total), at)
    state.total = total


def usage_of(value: Json) -> Usage | None:
    """Codex's counts (tokens): input includes cached tokens, output reasoning."""
    if not isinstance(value, dict):
        return None
    found = counts(value)
    return inclusive(
        found.get("input_tokens"),
        cache_read=found.get("cached_input_tokens"),
        output=found.get("output_tokens"),
        thinking=found.get("reasoning_output_tokens"),
    )


def _roll_back(g: Gathering, turns: Json) -> None:
    """Takes the last user turns out of the array; their lines stay in the file."""
    starts = [
        i
        for i, draft in enumerate(g.drafts)
        if draft.role == "user" and not draft.answers and any("injected" not in h.flags for h in draft.heads)
    ]
    if isinstance(turns, int) and not isinstance(turns, bool) and turns > 0 and starts:
        g.leave(starts[max(0, len(starts) - turns)], "rolled back")


def _copies(session: Session, chunk: Chunk, old: Block, new: Block) -> Iterator[tuple[int, Edit]]:
    """The edit of what says a text or a reasoning summary again: an event, or a compaction's message."""
    if chunk.place.path[1:]:
        yield from in_step(session, chunk, old, new)
        return
    if not isinstance(old, (Text, Thinking)) or not isinstance(new, type(old)) or session.base is None:
        return
    source, record = session.base.sources[0], chunk.place.record
    for distance in range(1, NEAR):
        for other in (record + distance, record - distance):
            event = _event_at(source, other)
            key = MIRRORS.get(words(event.get("type")))
            if key and event.get(key) == old.text:
                yield other, Set(("payload", key), new.text)
                return


def _event_at(source: Source, record: int) -> Mapping[str, Json]:
    if not 0 <= record < len(source):
        return {}
    try:
        value = source.held(record)
    except Broken:
        return {}
    event = value.get("payload") if isinstance(value, dict) and value.get("type") == "event_msg" else None
    return event if isinstance(event, dict) else {}


def _make(entry: Message, like: Sequence[Json]) -> list[Json]:
    """The lines of a message in the form of the lines before it."""
    bare = bool(like) and isinstance(like[-1], dict) and "payload" not in like[-1]
    stamp = entry.meta.get("timestamp") or (like[-1].get("timestamp") if like else None)
    return [
        item if bare else {"timestamp": stamp, "type": "response_item", "payload": item}
        for item in make_items(entry)
    ]


FORM: Final = Form("A Codex rollout", lambda source, _: load(source), _make, copies=_copies)


class CodexRollout(FileFormat):
    """The format; see ``tape.formats.base.Format``."""

    name = NAME
    label = "Codex rollout"
    written_by = "Codex CLI, in ~/.codex/sessions"
    evidence: Literal["files", "documentation"] = "files"
    form = FORM
    load = staticmethod(load)

    def sniff(self, sample: Sample) -> Guess | None:
        """Lines with ``timestamp``, ``type`` and ``payload``; in the old form a head line and bare items."""
        if any(_is_line(record) for record in sample.records):
            return Guess(3, "lines with timestamp, type and payload, as Codex writes rollouts")
        if sample.container != "jsonl" or not sample.records:
            return None
        if any(isinstance(r, dict) and "record_type" in r for r in sample.records):
            return Guess(3, "lines with record_type, as Codex wrote rollouts until 2025")
        if _is_head(sample.records[0]):
            return Guess(3, "a first line with id, timestamp and instructions, as Codex wrote until 2025")
        return None

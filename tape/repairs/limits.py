"""Mends what goes over a limit: cache marks, settings that are not taken, pictures."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from tape.capabilities import model_named
from tape.model import EMPTY, Block, Image, Json, Session, Text, ToolResult
from tape.repairs.blocks import change_blocks
from tape.repairs.ways import Uids, Way
from tape.rules.caching import MOST
from tape.rules.size import SAMPLING
from tape.wire import tool_json

BESIDE = re.compile(r"(tools|system)\[(\d+)\]")
FEW = 20
GONE = "(A picture stood here.)"
Change = Callable[[Mapping[str, Any]], Mapping[str, Any]]


def _unmarked(holder: Mapping[str, Any]) -> Mapping[str, Any]:
    return {k: v for k, v in holder.items() if k != "cache_control"} or EMPTY


def _shortened(holder: Mapping[str, Any]) -> Mapping[str, Any]:
    """The holder with a mark of five minutes."""
    return {**holder, "cache_control": {"type": "ephemeral"}}


def _with_marks(session: Session, where: Uids, change: Change) -> Session:
    """The session with the cache marks at these blocks, tools and parts of the system prompt changed."""

    def marked(block: Block) -> Block:
        if "cache_control" not in block.extra:
            return block
        extra = change(block.extra)
        return block if extra == block.extra else replace(block, extra=extra, raw=None)

    for place in where:
        beside = BESIDE.match(place)
        if beside:
            session = _beside(session, beside[1], int(beside[2]), change)
    return change_blocks(session, where, marked)


def _beside(session: Session, field: str, n: int, change: Change) -> Session:
    if field == "system":
        system: Json = session.system
        if not isinstance(system, list) or n >= len(system) or "cache_control" not in system[n]:
            return session
        part = dict(change(system[n]))
        return (
            session if part == system[n] else replace(session, system=[*system[:n], part, *system[n + 1 :]])
        )
    tools = session.tools or ()
    if n >= len(tools):
        return session
    value = tool_json(tools[n])
    changed = dict(change(value)) if "cache_control" in value else value
    if changed == value:
        return session
    return replace(session, tools=(*tools[:n], replace(tools[n], raw=changed), *tools[n + 1 :]))


def _marks(session: Session) -> list[str]:
    """Where cache marks stand, in the order in which the API meets them."""
    tools = [f"tools[{n}]" for n, t in enumerate(session.tools or ()) if "cache_control" in tool_json(t)]
    system = session.system if isinstance(session.system, list) else []
    parts = [f"system[{n}]" for n, p in enumerate(system) if isinstance(p, dict) and p.get("cache_control")]
    blocks = [h.uid for entry in session.messages for h in entry.heads if "cached" in h.flags]
    return [*tools, *parts, *blocks]


def _drop_oldest_marks(session: Session, uids: Uids) -> Session:
    """Keeps the last marks: those behind hold the longest prefixes."""
    marks = _marks(session)
    room = MOST - (session.params.get("cache_control") is not None)
    return _with_marks(session, tuple(marks[: max(len(marks) - room, 0)]), _unmarked)


def _same_ttl(session: Session, uids: Uids) -> Session:
    return _with_marks(session, uids, _shortened)


def _drop_mark(session: Session, uids: Uids) -> Session:
    return _with_marks(session, uids, _unmarked)


def _drop_sampling(session: Session, uids: Uids) -> Session:
    gone = [name for name in SAMPLING if name in uids and name in session.params]
    if not gone:
        return session
    return replace(session, params={k: v for k, v in session.params.items() if k not in gone})


def _cap(session: Session) -> int | None:
    known = model_named(session.model)
    return known.max_output if known else None


def _clamp(session: Session, uids: Uids) -> Session:
    cap, asked = _cap(session), session.params.get("max_tokens")
    if cap is None or not isinstance(asked, int) or asked <= cap:
        return session
    return replace(session, params={**session.params, "max_tokens": cap})


def _cap_known(session: Session, uids: Uids) -> bool:
    return _clamp(session, uids) is not session


def _drop_pictures(session: Session, uids: Uids) -> Session:
    """Puts a line of text in place of pictures, in results too."""

    def change(block: Block) -> Block:
        if isinstance(block, Image):
            return Text(uid=block.uid, place=block.place, text=GONE)
        if isinstance(block, ToolResult) and isinstance(block.content, tuple):
            inner = tuple(Text(uid=b.uid, text=GONE) if isinstance(b, Image) else b for b in block.content)
            return block if inner == block.content else replace(block, content=inner, raw=None)
        return block

    return change_blocks(session, uids, change)


def _keep_newest_pictures(session: Session, uids: Uids) -> Session:
    """Takes pictures out but for the newest, as many as every endpoint takes."""
    gone: list[str] = []
    kept = 0
    for entry in reversed(session.messages):
        if any(head.uid in uids for head in entry.heads):
            for block in reversed(entry.blocks):
                count = _pictures(block)
                kept += count
                if count and kept > FEW and block.uid in uids:
                    gone.append(block.uid)
    return _drop_pictures(session, tuple(gone))


def _pictures(block: Block) -> int:
    if isinstance(block, ToolResult) and isinstance(block.content, tuple):
        return sum(isinstance(b, Image) for b in block.content)
    return int(isinstance(block, Image))


WAYS: dict[str, tuple[Way, ...]] = {
    "too-many-cache-marks": (
        Way("oldest", "Remove the oldest marks", "Removed the oldest cache marks", _drop_oldest_marks),
    ),
    "cache-ttl-order": (
        Way("same", "Shorten it to five minutes", "Shortened the cache mark at {place}", _same_ttl),
    ),
    "cache-mark-placement": (
        Way("drop", "Remove the mark", "Removed the cache mark at {place}", _drop_mark),
    ),
    "sampling-params": (Way("drop", "Remove the setting", "Removed {place}", _drop_sampling),),
    "max-tokens-over-cap": (
        Way("clamp", "Lower it to the cap", "Lowered max_tokens to the model's cap", _clamp, fits=_cap_known),
    ),
    "image-too-large": (
        Way("drop", "Take the picture out", "Took the picture at {place} out", _drop_pictures, "the picture"),
    ),
    "too-many-images": (
        Way(
            "oldest",
            f"Keep the newest {FEW}",
            f"Took all pictures but the newest {FEW} out",
            _keep_newest_pictures,
            "the older pictures",
        ),
    ),
}

"""The parts of opencode's messages, in its exports and in what ``opencode run`` prints.

A tool part holds the call and what came back. One record may hold several replies of the model, each between
``step-start`` and ``step-finish``. Token counts leave cached tokens out, and output leaves reasoning out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tape.formats.arrays import Path, at
from tape.formats.gathering import Gathering
from tape.formats.parts import (
    Field,
    Part,
    below,
    call_part,
    file_part,
    result_part,
    text_part,
    thinking_part,
    word,
    words,
)
from tape.json_text import Edit, Remove, Set
from tape.model import Json, Place, Role, Usage
from tape.usage_forms import added

BESIDE: Final = frozenset(
    ("step-start", "step-finish", "patch", "snapshot", "agent", "subtask", "compaction", "retry", "error")
)
ENDED: Final = ("completed", "error")


@dataclass(slots=True)
class Step:
    """Where in a record of several replies a part stands."""

    message: str = ""
    number: int = 0
    finished: bool = False

    @property
    def key(self) -> str:
        """What the parts of one reply have in common."""
        return f"{self.message}/{self.number}"


def take(g: Gathering, place: Place, part: Json, role: Role, step: Step, facts: Mapping[str, Any]) -> None:
    """Takes a part in. Never raises on data."""
    kind = word(part, "type") or "untyped"
    if kind == "step-start":
        step.number += 1
    if kind in ("text", "reasoning") and isinstance(part.get("text"), str):
        g.say(role, place, said_parts, key=step.key, **facts)
    elif kind == "file":
        g.say(role, place, file_parts, key=step.key, **facts)
    elif kind == "tool":
        g.say("assistant", place, call_parts, key=step.key, **facts)
        if at(part, ("state", "status")) in ENDED:
            g.answer(place, answer_parts)
    else:
        if kind == "step-finish":
            finish(g, part)
            step.finished = True
        g.aside(
            place, kind, words(part.get("reason") if isinstance(part, dict) else ""), known=kind in BESIDE
        )


def finish(g: Gathering, part: Mapping[str, Json]) -> None:
    """What ends a reply: why it stopped, and what it used."""
    reason = word(part, "reason") or word(part, "finish")
    if (reply := g.reply) is not None and not reply.spent:
        if reason:
            reply.meta["stop_reason"] = reason
        g.spend(usage_of(part.get("tokens")))


def said_parts(part: Json, place: Place) -> Sequence[Part]:
    """Text or reasoning."""
    where = below(place, "text")
    if part.get("type") == "reasoning":
        return [thinking_part(part["text"], where, home=place, raw=part)]
    injected = part.get("synthetic") is True
    return [text_part(part["text"], where, home=place, raw=part, injected=injected)]


def file_parts(part: Json, place: Place) -> Sequence[Part]:
    """A file that was attached: its address, ``data:`` or ``file:``."""
    return [file_part(word(part, "filename"), part.get("url"), word(part, "mime"), place, part)]


def call_parts(part: Json, place: Place) -> Sequence[Part]:
    """The call that a tool part holds."""
    made = call_part(part, place, name=("tool",), input=("state", "input"), id=("callID",), gone=())
    return [Part(made.block, made.fields, (), home=place.path)]


def answer_parts(part: Json, place: Place) -> Sequence[Part]:
    """What came back; taken out alone it leaves a call that still runs."""
    state = part["state"]
    failed = state.get("status") == "error"
    path: Path = ("state", "error") if failed and "error" in state else ("state", "output")
    status = (*place.path, "state", "status")
    flag = Field(status, lambda new: "error" if new.is_error else "completed")
    gone: tuple[Edit, ...] = (Set(status, "running"),)
    if path[1] in state:
        gone += (Remove((*place.path, *path)),)
    made = result_part(part, place, content=path, id=("callID",), error=failed, flags=(flag,), gone=gone)
    return [Part(made.block, made.fields, gone, home=place.path)]


def usage_of(value: Json) -> Usage | None:
    """The counts of a reply (tokens)."""
    if not isinstance(value, dict):
        return None
    reasoning = _count(value.get("reasoning"))
    return Usage(
        input=_count(value.get("input")),
        cache_read=_count(at(value, ("cache", "read"))),
        cache_write=_count(at(value, ("cache", "write"))),
        output=added(_count(value.get("output")), reasoning),
        thinking=reasoning,
    )


def _count(value: Json) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None

"""Rules about cache marks: how many, in which order of lifetimes, and on what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from tape.model import Json
from tape.rules.base import Finding, Rule, Seen, at, place, quoting
from tape.rules.view import View
from tape.wire import tool_json

MOST = 4


class Mark(NamedTuple):
    """A cache mark in the order in which the API meets them: tools, system, messages."""

    where: str
    path: str
    ttl: str
    i: int = -1
    j: int = -1


def _marks(view: View) -> Iterator[Mark]:
    """Every mark of the request but the automatic one at its top."""
    for n, tool in enumerate(view.session.tools or ()):
        if isinstance(tool.raw, dict) and (ttl := _ttl(tool_json(tool))):
            yield Mark(f"tools[{n}]", f"tools.{n}", ttl)
    system = view.session.system
    for n, part in enumerate(system if isinstance(system, list) else []):
        if ttl := _ttl(part):
            yield Mark(f"system[{n}]", f"system.{n}", ttl)
    for (i, j, _), block in view.bodies(view.flagged("cached")):
        ttl = _ttl(block.extra)
        if ttl:
            yield Mark(place(i, j), f"messages.{i}.content.{j}", ttl, i, j)


def _ttl(holder: Json) -> str | None:
    """The lifetime that a mark asks for, five minutes where it does not say; ``None`` without a mark."""
    mark = holder.get("cache_control") if isinstance(holder, Mapping) else None
    if not isinstance(mark, dict):
        return None
    ttl = mark.get("ttl")
    return ttl if isinstance(ttl, str) else "5m"


class TooManyCacheMarks(Rule):
    """More than four cache marks in tools, system prompt and messages, the automatic one counted too."""

    code = "too-many-cache-marks"
    title = "There are more than four cache marks"
    why = "Each mark is a place where the prefix is stored; four are what a request may have."
    repair = "Remove the oldest."
    stage = 5
    on = at(refused="anthropic")
    seen = quoting(
        anthropic=Seen(
            "A maximum of 4 blocks with cache_control may be provided. Found {count}.",
            "2026-08",
            "V",
            "platform.claude.com, prompt caching (the rule); several issues (the text)",
        )
    )
    example = """{"messages": [{"role": "user", "content": [
  {"type": "text", "text": "1", "cache_control": {"type": "ephemeral"}},
  {"type": "text", "text": "2", "cache_control": {"type": "ephemeral"}},
  {"type": "text", "text": "3", "cache_control": {"type": "ephemeral"}},
  {"type": "text", "text": "4", "cache_control": {"type": "ephemeral"}},
  {"type": "text", "text": "5", "cache_control": {"type": "ephemeral"}}]}]}"""

    def check(self, view: View) -> Iterator[Finding]:
        marks = list(_marks(view))
        count = len(marks) + (_ttl(view.session.params) is not None)
        if count > MOST:
            last = marks[-1]
            uids = tuple(view.uid(mark.i, mark.j) for mark in marks if mark.i >= 0)
            text = f"There are {count} cache marks; four are allowed."
            yield self.find(view, (last.i, last.j), text, uids=uids, where=last.where, count=count)


class CacheTtlOrder(Rule):
    """A mark that lives an hour behind one that lives five minutes."""

    code = "cache-ttl-order"
    title = "A longer cache mark stands behind a shorter one"
    why = "What is behind a mark depends on what is before it and cannot outlive it."
    repair = "Give all marks the same lifetime."
    stage = 5
    on = at(refused="anthropic")
    seen = quoting(
        anthropic=Seen(
            "{path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' "
            "cache_control block. Note that blocks are processed in the following order: `tools`, `system`, "
            "`messages`.",
            "2026-08",
            "V",
            "platform.claude.com, prompt caching; several issues",
        )
    )
    example = """{"system": [{"type": "text", "text": "be terse", "cache_control": {"type": "ephemeral"}}],
  "messages": [{"role": "user", "content": [
    {"type": "text", "text": "hi", "cache_control": {"type": "ephemeral", "ttl": "1h"}}]}]}"""

    def check(self, view: View) -> Iterator[Finding]:
        short_before = False
        for mark in _marks(view):
            if mark.ttl == "1h" and short_before:
                uids = (view.uid(mark.i, mark.j),) if mark.i >= 0 else ()
                text = "A cache mark of one hour stands behind one of five minutes."
                yield self.find(view, (mark.i, mark.j), text, uids=uids, where=mark.where, path=mark.path)
            short_before = short_before or mark.ttl == "5m"


class CacheMarkPlacement(Rule):
    """A cache mark on an empty text, on thinking, or on a tool whose loading is deferred."""

    code = "cache-mark-placement"
    title = "A cache mark stands where none may"
    why = "A mark closes a prefix; these blocks cannot close one."
    repair = "Move the mark to the block before."
    stage = 5
    on = at(refused="anthropic")
    seen = quoting(
        anthropic=Seen(
            "messages.{i}.content.{j}.text: cache_control cannot be set for empty text blocks",
            "2026-11",
            "W",
            "several issues",
        )
    )
    example = """{"messages": [{"role": "user", "content": [{"type": "text", "text": "hi"},
  {"type": "text", "text": "", "cache_control": {"type": "ephemeral"}}]}]}"""

    def check(self, view: View) -> Iterator[Finding]:
        for i, j, head in view.flagged("cached"):
            if head.kind == "text" and "empty" in head.flags:
                yield self.find(view, (i, j), "A cache mark stands on an empty text.")
            elif head.kind == "thinking":
                yield self.find(view, (i, j), "A cache mark stands on a thinking block.", seen="none")
        for n, tool in enumerate(view.session.tools or ()):
            if isinstance(tool.raw, dict) and tool.raw.get("defer_loading") and _ttl(tool.raw):
                text = "A cache mark stands on a tool whose loading is deferred."
                yield self.find(view, -1, text, uids=(), where=f"tools[{n}]", seen="none")

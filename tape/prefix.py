"""What a signed thinking block is bound to: the conversation as it was before it.

Newer models refuse a thinking block when anything before it changed: the system prompt, the tools or an
earlier message. Thinking that was taken out, cache marks and what stands behind the block do not matter.
``first_change`` compares a session with the file it was read from; ``fingerprints`` let an answer remember
what it was given, for sessions that were never a file.

Source: platform.claude.com, preserved thinking (2026-11); probed 2026-09-26 (tdavison784/context-runtime).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import NamedTuple

from tape.model import Base, Block, Json, Message, Session, Thinking
from tape.wire import block_json, tool_json


class Change(NamedTuple):
    """The first place where a conversation differs from what it was: a message and block index, the block -1
    where the whole message does, both -1 for system prompt and tools; ``path`` as the API writes it."""

    i: int
    j: int
    path: str


def first_change(session: Session) -> Change | None:
    """Where a session first differs from its file, for what comes after; ``None`` where it does not."""
    base = session.base
    if base is None:
        return None
    if session.tools != base.tools:
        return Change(-1, -1, "tools")
    if session.system != base.system:
        return Change(-1, -1, "system")
    if session.messages is base.messages:
        return None
    return _first_changed_message(session, base)


def _first_changed_message(session: Session, base: Base) -> Change | None:
    for i, entry in enumerate(session.messages):
        old = base.messages[i] if i < len(base.messages) else None
        if entry is old:
            continue
        if old is None or old.uid != entry.uid or old.role != entry.role:
            return Change(i, -1, f"messages.{i}.content.0")
        j = _difference(old, entry)
        if j is not None:
            return Change(i, j, f"messages.{i}.content.{j}")
    end = len(session.messages)
    return Change(end, 0, f"messages.{end}.content.0") if end < len(base.messages) else None


def _difference(old: Message, new: Message) -> int | None:
    """The index of the first block that says something else than it did; ``None`` when all say the same."""
    was = [spoken(b) for b in old.blocks if not isinstance(b, Thinking)]
    now = [(j, spoken(b)) for j, b in enumerate(new.blocks) if not isinstance(b, Thinking)]
    for n, (j, said) in enumerate(now):
        if n >= len(was) or said != was[n]:
            return j
    return None if len(was) == len(now) else len(new.heads)


def spoken(block: Block) -> Json:
    """The JSON of a block as far as a model reads it: without its cache mark."""
    value = block_json(block)
    if isinstance(value, dict) and "cache_control" in value:
        return {k: v for k, v in value.items() if k != "cache_control"}
    return value


def fingerprints(session: Session) -> Iterator[str]:
    """For each message a short name for everything before it, and one more for the whole array."""
    running = hashlib.blake2b(digest_size=12)
    tools = [tool_json(tool) for tool in session.tools or ()]
    running.update(_bytes([session.system, tools]))
    yield running.hexdigest()
    for entry in session.messages:
        blocks = [spoken(block) for block in entry.blocks if not isinstance(block, Thinking)]
        running.update(_bytes([entry.role, blocks]))
        yield running.hexdigest()


def fingerprint(session: Session) -> str:
    """A short name for the conversation so far; an answer keeps it in ``meta["prefix"]``."""
    *_, last = fingerprints(session)
    return last


def _bytes(value: Json) -> bytes:
    return json.dumps(value, sort_keys=True).encode("ascii")

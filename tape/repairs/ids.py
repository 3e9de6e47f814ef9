"""Mends the ids that tie results to calls: at both ends, or not at all."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from tape.model import Block, Session, ToolResult, ToolUse
from tape.repairs.blocks import change_blocks, head_at
from tape.repairs.ways import Uids, Way
from tape.threads import Threads, threads

REFUSED_SIGN = re.compile(r"[^a-zA-Z0-9_-]")
LONGEST = 40


def _renew(session: Session, uids: Uids) -> Session:
    """Gives a call whose id an earlier one has a new one, and its results with it."""
    found = threads(session)
    call = next(
        (u for u in uids if u in found.positions and head_at(session, found, u).kind == "tool_use"), None
    )
    return session if call is None else with_own_id(session, call)


def with_own_id(session: Session, call: str) -> Session:
    """The session with another id for this call and its results, where another call has the same."""
    found = threads(session)
    old = head_at(session, found, call).id or ""
    if sum(head.id == old and head.kind == "tool_use" for m in session.messages for head in m.heads) < 2:
        return session
    return renamed(session, (call, *found.partners(call)), free_id(session, old))


def _clean(session: Session, uids: Uids) -> Session:
    """Takes the signs out of an id that endpoints refuse, at the call and its results."""
    for uid in uids:
        found = threads(session)
        if uid not in found.positions:
            continue
        old = head_at(session, found, uid).id or ""
        clean = REFUSED_SIGN.sub("_", old)[:LONGEST] or "call"
        if clean != old:
            taken = clean in {head.id for entry in session.messages for head in entry.heads}
            new = free_id(session, clean) if taken else clean
            session = renamed(session, _both_ends(found, uid), new)
    return session


def _both_ends(found: Threads, uid: str) -> set[str]:
    """A call with all its results, whichever of them is named."""
    partners = found.partners(uid)
    return {uid, *partners, *(other for partner in partners for other in found.partners(partner))}


def free_id(session: Session, like: str) -> str:
    """An id that nothing in the array has; one of nine letters and digits stays so, as Mistral wants them."""
    taken = {head.id for entry in session.messages for head in entry.heads}
    nine = len(like) == 9 and like.isascii() and like.isalnum()
    number = 2
    while True:
        tail = str(number)
        free = f"{like[: 9 - len(tail)]}{tail}" if nine else f"{like[: LONGEST - 1 - len(tail)]}_{tail}"
        if free not in taken:
            return free
        number += 1


def renamed(session: Session, uids: Iterable[str], new: str) -> Session:
    """The session with this id on these calls and results."""

    def change(block: Block) -> Block:
        if isinstance(block, ToolUse):
            return replace(block, id=new, raw=None)
        if isinstance(block, ToolResult):
            return replace(block, tool_use_id=new, raw=None)
        return block

    return change_blocks(session, uids, change)


WAYS: dict[str, tuple[Way, ...]] = {
    "duplicate-tool-use-id": (
        Way("rename", "Give it a new id", "Gave the call at {place} an id of its own", _renew),
    ),
    "bad-tool-use-id": (Way("clean", "Clean the id", "Cleaned the id of the call at {place}", _clean),),
}

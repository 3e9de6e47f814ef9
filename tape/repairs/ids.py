"""Mends the ids that tie results to calls: at both ends, or not at all."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from tape.model import Block, Session, ToolResult, ToolUse
from tape.repairs.blocks import change_blocks, head_at
from tape.repairs.ways import Uids, Way
from tape.threads import Threads, threads

REFUSED_SIGN = re.compile(r"[^a-zA-Z0-9_-]")
LONGEST = 40


def _renew(session: Session, uids: Uids) -> Session:
    """Gives calls whose id an earlier one has a new one, and their results with them."""
    found = threads(session)
    known = [uid for uid in uids if uid in found.positions]
    return with_own_ids(session, [uid for uid in known if head_at(session, found, uid).kind == "tool_use"])


def with_own_ids(session: Session, calls: Iterable[str]) -> Session:
    """The session with another id for each of these calls whose id another has, and for its results."""
    heads = [head for entry in session.messages for head in entry.heads if head.kind == "tool_use"]
    ids = {head.uid: head.id or "" for head in heads}
    counts = Counter(ids.values())
    found: Threads | None = None
    taken = _ids(session)
    new: dict[str, str] = {}
    for call in calls:
        old = ids[call]
        if counts[old] > 1:
            found = found or threads(session)
            ids[call] = _free(taken, old)
            taken.add(ids[call])
            counts[old] -= 1
            new.update(dict.fromkeys((call, *found.partners(call)), ids[call]))
    return _renamed(session, new)


def _clean(session: Session, uids: Uids) -> Session:
    """Takes the signs out of an id that endpoints refuse, at the call and its results."""
    found, taken = threads(session), _ids(session)
    new: dict[str, str] = {}
    for uid in uids:
        if uid in new or uid not in found.positions:
            continue
        old = head_at(session, found, uid).id or ""
        clean = REFUSED_SIGN.sub("_", old)[:LONGEST] or "call"
        if clean != old:
            fresh = _free(taken, clean) if clean in taken else clean
            taken.add(fresh)
            new.update(dict.fromkeys(_both_ends(found, uid), fresh))
    return _renamed(session, new)


def _both_ends(found: Threads, uid: str) -> set[str]:
    """A call with all its results, whichever of them is named."""
    partners = found.partners(uid)
    return {uid, *partners, *(other for partner in partners for other in found.partners(partner))}


def _ids(session: Session) -> set[str | None]:
    """Every id in the array."""
    return {head.id for entry in session.messages for head in entry.heads}


def _free(taken: set[str | None], like: str) -> str:
    """An id that nothing has; one of nine letters and digits stays so, as Mistral wants them."""
    nine = len(like) == 9 and like.isascii() and like.isalnum()
    number = 2
    while True:
        tail = str(number)
        free = f"{like[: 9 - len(tail)]}{tail}" if nine else f"{like[: LONGEST - 1 - len(tail)]}_{tail}"
        if free not in taken:
            return free
        number += 1


def _renamed(session: Session, new: Mapping[str, str]) -> Session:
    """The session with another id on each of these calls and results."""

    def change(block: Block) -> Block:
        if isinstance(block, ToolUse):
            return replace(block, id=new[block.uid], raw=None)
        if isinstance(block, ToolResult):
            return replace(block, tool_use_id=new[block.uid], raw=None)
        return block

    return change_blocks(session, new, change) if new else session


WAYS: dict[str, tuple[Way, ...]] = {
    "duplicate-tool-use-id": (
        Way("rename", "Give it a new id", "Gave the call at {place} an id of its own", _renew),
    ),
    "bad-tool-use-id": (Way("clean", "Clean the id", "Cleaned the id of the call at {place}", _clean),),
}

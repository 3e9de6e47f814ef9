"""What an operation would do, said before it is done: what goes along, where things end up, what to mind."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import takewhile

from tape.edits import delete
from tape.edits.carry_out import apply, sentence
from tape.edits.delete import Along
from tape.edits.operations import Delete, Operation
from tape.edits.targets import plural
from tape.model import Message, Session
from tape.rules import lint

ACTS = {
    "Added": "Add",
    "Answered": "Answer",
    "Appended": "Append",
    "Asked": "Ask",
    "Brought": "Bring",
    "Changed": "Change",
    "Cleaned": "Clean",
    "Cleared": "Clear",
    "Compacted": "Compact",
    "Declared": "Declare",
    "Deleted": "Delete",
    "Dropped": "Drop",
    "Edited": "Edit",
    "Folded": "Fold",
    "Forked": "Fork",
    "Gave": "Give",
    "Inserted": "Insert",
    "Joined": "Join",
    "Left": "Leave",
    "Lowered": "Lower",
    "Made": "Make",
    "Merged": "Merge",
    "Moved": "Move",
    "Put": "Put",
    "Removed": "Remove",
    "Renamed": "Rename",
    "Restored": "Restore",
    "Set": "Set",
    "Shortened": "Shorten",
    "Spawned": "Spawn",
    "Switched": "Switch",
    "Took": "Take",
    "Turned": "Turn",
    "Wrote": "Write",
}


@dataclass(frozen=True, slots=True)
class Offer:
    """The same operation with more to it: what a button says, why, and the operation."""

    label: str
    why: str
    operation: Operation


@dataclass(frozen=True, slots=True)
class Preview:
    """An operation that was not carried out yet.

    ``sentence`` says what it will do, ``takes_along`` which blocks go without having been named. ``before``
    and ``after`` are the places of what is touched, in the array as it stands and as it will.
    ``warnings`` are sentences; an ``offer`` is the same with more to it.
    """

    sentence: str
    takes_along: tuple[Along, ...] = ()
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    offers: tuple[Offer, ...] = ()


def preview(
    session: Session, operation: Operation, endpoint: str = "anthropic", model: str | None = None
) -> Preview:
    """What the operation would do. Raises ``UserError`` where ``apply`` would.

    ``endpoint`` and ``model`` are those whose refusals it warns of.
    """
    along: tuple[Along, ...] = ()
    offers: tuple[Offer, ...] = ()
    if isinstance(operation, Delete):
        planned = delete.plan(session, operation)
        after, said = delete.cut(session, planned), delete.said(session, planned)
        along, why = planned.along, delete.offer(planned)
        if why is not None:
            more = replace(operation, thinking=True)
            offers = (Offer("Delete its thinking too", why, more),)
    else:
        after, said = apply(session, operation), sentence(session, operation)
    before, now = _touched(session, after)
    return Preview(
        sentence=imperative(said),
        takes_along=along,
        before=tuple(f"messages[{i}]" for i in before),
        after=tuple(f"messages[{i}]" for i in now),
        warnings=(*_new_refusals(session, after, endpoint, model), *_behind(session, after)),
        offers=offers,
    )


def imperative(said: str) -> str:
    """``Deleted message 4`` as what a button does: ``Delete message 4``."""
    first, _, rest = said.partition(" ")
    return f"{ACTS.get(first, first)} {rest}"


def _touched(session: Session, after: Session) -> tuple[list[int], list[int]]:
    """The messages that go, come or differ, before and after; of a move, where it stood and stands."""
    before, now = session.messages, after.messages
    was, still = {id(entry) for entry in before}, {id(entry) for entry in now}
    gone = [i for i, entry in enumerate(before) if id(entry) not in still]
    made = [i for i, entry in enumerate(now) if id(entry) not in was]
    head = _shared(before, now)
    if gone or made or head == len(before):
        return gone, made
    tail = len(before) - 1 - _shared(before[::-1], now[::-1])
    return ([head], [tail]) if before[head] is now[tail] else ([tail], [head])


def _shared(before: tuple[Message, ...], after: tuple[Message, ...]) -> int:
    """How many messages at the start are the very same."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1], zip(before, after, strict=False)))


def _new_refusals(session: Session, after: Session, endpoint: str, model: str | None) -> tuple[str, ...]:
    known = {(f.code, uid) for f in lint(session, endpoint, model) for uid in (f.uids or ("",))}
    return tuple(
        f"The next call will be refused: {f.text}"
        for f in lint(after, endpoint, model)
        if f.severity == "refused" and not any((f.code, uid) in known for uid in (f.uids or ("",)))
    )


def _behind(session: Session, after: Session) -> tuple[str, ...]:
    """What an edit means for what stands behind it: signed thinking, and the prompt cache."""
    head = _shared(session.messages, after.messages)
    if (session.system, session.tools) != (after.system, after.tools):
        head = -1
    elif head == len(session.messages):
        return ()
    kept = {entry.uid for entry in after.messages}
    changed = head >= 0 and all(entry is not session.messages[head] for entry in after.messages)
    start = head + 1 if changed else max(head, 0)
    later = [entry for entry in session.messages[start:] if entry.uid in kept]
    flags = [head.flags for entry in later for head in entry.heads if head.kind == "thinking"]
    signed = sum("signed" in each or "redacted" in each for each in flags)
    uids = {entry.uid for entry in later}
    cached = any(c.usage and c.usage.cache_read for c in session.calls if c.message_uid in uids)
    warnings = []
    if signed:
        warnings.append(
            f"{plural(signed, 'signed thinking block')} behind this place {'was' if signed == 1 else 'were'} "
            "made for the array as it is; models that check what stands before their thinking refuse it."
        )
    if cached:
        warnings.append("The prompt cache holds the array as it is: from here on it is written anew.")
    return tuple(warnings)

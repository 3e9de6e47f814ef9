"""Gives a session another messages array and keeps everything that points into it consistent.

Every operation ends here. A response (``Call``) whose message is gone goes too, unless the message lives on
in a branch; an aside or branch that stood behind a message that is gone stands behind the one before it; a
sub-agent whose call is gone stays, without a call.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from operator import attrgetter, is_
from typing import Any

from tape.derived import change
from tape.model import Lane, Message, Session

NOTHING: Mapping[str, str] = {}
_stands_behind = attrgetter("after")


def settle(
    session: Session, messages: tuple[Message, ...], joined: Mapping[str, str] = NOTHING, **changes: Any
) -> Session:
    """The session with this array and other changed fields (``serial``, ``branches`` …).

    ``joined`` maps the uid of a message that became part of another to the uid of that one. Works in time of
    the number of messages, never of what they say.
    """
    after = replace(session, messages=messages, **changes)
    start, old_stop, new_stop = change(session.messages, messages)
    before, now = session.messages[start:old_stop], messages[start:new_stop]
    kept = {entry.uid for entry in now}
    gone = {entry.uid for entry in before if entry.uid not in kept}
    if gone:
        anchors = _anchors(before, session.messages[start - 1].uid if start else None, kept, joined)
        aside = {entry.uid for branch in after.branches for entry in branch.messages}
        after = replace(
            after,
            calls=tuple(
                replace(call, message_uid=joined[call.message_uid]) if call.message_uid in joined else call
                for call in after.calls
                if call.message_uid not in gone or call.message_uid in joined or call.message_uid in aside
            ),
            asides=after.asides
            if gone.isdisjoint(map(_stands_behind, after.asides))
            else tuple(replace(a, after=anchors[a.after]) if a.after in gone else a for a in after.asides),
            branches=tuple(
                replace(b, at=anchors[b.at]) if b.at in gone and b.at not in aside else b
                for b in after.branches
            ),
        )
    return replace(after, lanes=_lanes(after, before, now)) if after.lanes else after


def _lanes(after: Session, before: tuple[Message, ...], now: tuple[Message, ...]) -> tuple[Lane, ...]:
    """The sub-agents; those whose call is neither in the array any more nor in a branch are without one."""
    lost = {head.uid for entry in before for head in entry.heads}
    lost -= {head.uid for entry in now for head in entry.heads}
    if lost.isdisjoint(lane.spawned_by for lane in after.lanes):
        return after.lanes
    aside = (entry for branch in after.branches for entry in branch.messages)
    lost -= {head.uid for entry in aside for head in entry.heads}
    return tuple(replace(lane, spawned_by=None) if lane.spawned_by in lost else lane for lane in after.lanes)


def with_messages(session: Session, messages: Iterable[Message], serial: int | None = None) -> Session:
    """The session with this array; the very same session when it holds the same messages."""
    after = tuple(messages)
    if len(after) == len(session.messages) and all(map(is_, after, session.messages)):
        return session
    return settle(session, after, serial=session.serial if serial is None else serial)


def _anchors(
    messages: tuple[Message, ...], last: str | None, kept: set[str], joined: Mapping[str, str]
) -> dict[str | None, str | None]:
    """For each message that is gone: the uid of the last one before it that is still there; ``last`` is the
    one that stands before all of them."""
    anchors: dict[str | None, str | None] = {}
    for entry in messages:
        if entry.uid in kept:
            last = entry.uid
        else:
            anchors[entry.uid] = joined.get(entry.uid, last)
    return anchors

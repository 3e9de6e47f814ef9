"""Gives a session another messages array and keeps everything that points into it consistent.

Every operation ends here. A response (``Call``) whose message is gone goes too, unless the message lives on
in a branch; an aside or branch that stood behind a message that is gone stands behind the one before it; a
sub-agent whose call is gone stays, without a call.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from operator import is_
from typing import Any

from tape.model import Message, Session

NOTHING: Mapping[str, str] = {}


def settle(
    session: Session, messages: tuple[Message, ...], joined: Mapping[str, str] = NOTHING, **changes: Any
) -> Session:
    """The session with this array and other changed fields (``serial``, ``branches`` …).

    ``joined`` maps the uid of a message that became part of another to the uid of that one. Works in time of
    the number of messages, never of what they say.
    """
    after = replace(session, messages=messages, **changes)
    kept = {entry.uid for entry in messages}
    gone = {entry.uid for entry in session.messages if entry.uid not in kept}
    anchors = _anchors(session.messages, kept, joined) if gone else {}
    if gone:
        aside = {entry.uid for branch in after.branches for entry in branch.messages}
        calls = tuple(
            replace(call, message_uid=joined[call.message_uid]) if call.message_uid in joined else call
            for call in after.calls
            if call.message_uid not in gone or call.message_uid in joined or call.message_uid in aside
        )
        after = replace(
            after,
            calls=calls,
            asides=tuple(replace(a, after=anchors[a.after]) if a.after in gone else a for a in after.asides),
            branches=tuple(
                replace(b, at=anchors[b.at]) if b.at in gone and b.at not in aside else b
                for b in after.branches
            ),
        )
    if after.lanes:
        living = (messages, *(branch.messages for branch in after.branches))
        blocks = {head.uid for entries in living for entry in entries for head in entry.heads}
        before = {head.uid for entry in session.messages for head in entry.heads}
        after = replace(
            after,
            lanes=tuple(
                replace(lane, spawned_by=None)
                if lane.spawned_by in before and lane.spawned_by not in blocks
                else lane
                for lane in after.lanes
            ),
        )
    return after


def with_messages(session: Session, messages: Iterable[Message], serial: int | None = None) -> Session:
    """The session with this array; the very same session when it holds the same messages."""
    after = tuple(messages)
    if len(after) == len(session.messages) and all(map(is_, after, session.messages)):
        return session
    return settle(session, after, serial=session.serial if serial is None else serial)


def _anchors(
    messages: tuple[Message, ...], kept: set[str], joined: Mapping[str, str]
) -> dict[str | None, str | None]:
    """For each message that is gone: the uid of the last one before it that is still there."""
    anchors: dict[str | None, str | None] = {}
    last: str | None = None
    for entry in messages:
        if entry.uid in kept:
            last = entry.uid
        else:
            anchors[entry.uid] = joined.get(entry.uid, last)
    return anchors

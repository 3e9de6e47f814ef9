"""Results taken from a recording: what the same call, with the same input, returned the first time."""

from __future__ import annotations

import json
from collections import deque

from tape.model import Json, Session, ToolResult, ToolUse
from tape.tools.base import Outcome

ORIGINAL = "recorded in the original session"
BEFORE_EDIT = "recorded before your edit"


class RecordedTools:
    """Recorded results of one session, used once each and in order for calls of equal name and input.

    With ``start``, the array that a run begins with, results that it holds already are not given again, and
    those that stand past the first change to it say that they were recorded before that edit.
    """

    def __init__(self, session: Session, start: Session | None = None) -> None:
        self._messages = {message.uid: message for message in session.messages}
        self._left = _index(session, _held(start))
        self._before_edit = _past_the_edit(session, start)

    def take(self, call: ToolUse) -> Outcome | None:
        """The next unused result for such a call, or ``None`` when the recording has none (left)."""
        results = self._left.get(_key(call))
        if not results:
            return None
        message_uid, block_uid = results.popleft()
        for block in self._messages[message_uid].blocks:
            if isinstance(block, ToolResult) and block.uid == block_uid:
                content = "" if block.content is None else block.content
                note = BEFORE_EDIT if message_uid in self._before_edit else ORIGINAL
                return Outcome(content, bool(block.is_error), "replayed", note)
        return None


def _held(start: Session | None) -> set[str]:
    """The uids of the results that an array holds."""
    messages = start.messages if start is not None else ()
    return {head.uid for message in messages for head in message.heads if head.kind == "tool_result"}


def _past_the_edit(session: Session, start: Session | None) -> set[str]:
    """The uids of the recorded messages that came after the first place where ``start`` is another array."""
    if start is None:
        return set()
    same = start.system == session.system and start.tools == session.tools
    pairs = zip(session.messages, start.messages, strict=False)
    edited = 0 if not same else next((i for i, (old, new) in enumerate(pairs) if old is not new), None)
    return set() if edited is None else {message.uid for message in session.messages[edited:]}


def _index(session: Session, held: set[str]) -> dict[tuple[str, str], deque[tuple[str, str]]]:
    """Where the results of each kind of call that are not held stand, as (message uid, block uid)."""
    found: dict[tuple[str, str], deque[tuple[str, str]]] = {}
    waiting: dict[str, tuple[str, str]] = {}
    for message in session.messages:
        kinds = {head.kind for head in message.heads}
        if "tool_use" in kinds:
            for block in message.blocks:
                if isinstance(block, ToolUse) and not block.server:
                    waiting[block.id] = _key(block)
        for head in message.heads:
            if head.kind == "tool_result" and head.id in waiting:
                key = waiting.pop(head.id)
                if head.uid not in held:
                    found.setdefault(key, deque()).append((message.uid, head.uid))
    return found


def _key(call: ToolUse) -> tuple[str, str]:
    return call.name, _canonical(call.input)


def _canonical(value: Json) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=True)

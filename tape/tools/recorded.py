"""Results taken from a recording: what the same call, with the same input, returned the first time."""

from __future__ import annotations

import json
from collections import deque

from tape.model import Json, Session, ToolResult, ToolUse
from tape.tools.base import Outcome


class RecordedTools:
    """Recorded results of one session, used once each and in order for calls of equal name and input."""

    def __init__(self, session: Session, note: str = "recorded in the original session") -> None:
        self._note = note
        self._messages = {message.uid: message for message in session.messages}
        self._left = _index(session)

    def take(self, call: ToolUse) -> Outcome | None:
        """The next unused result for such a call, or ``None`` when the recording has none (left)."""
        results = self._left.get(_key(call))
        if not results:
            return None
        message_uid, block_uid = results.popleft()
        for block in self._messages[message_uid].blocks:
            if isinstance(block, ToolResult) and block.uid == block_uid:
                content = "" if block.content is None else block.content
                return Outcome(content, bool(block.is_error), "replayed", self._note)
        return None


def _index(session: Session) -> dict[tuple[str, str], deque[tuple[str, str]]]:
    """Where the results of each kind of call stand, as (message uid, block uid)."""
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
                found.setdefault(waiting.pop(head.id), deque()).append((message.uid, head.uid))
    return found


def _key(call: ToolUse) -> tuple[str, str]:
    return call.name, _canonical(call.input)


def _canonical(value: Json) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=True)

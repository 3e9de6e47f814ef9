"""Makes new lines in the way Claude Code writes them: for what an edit inserts, and for whole sessions.

A reply becomes one line a content block, anything else one line. Ids are derived from what they stand for, so
that the same edit of the same file gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from tape.model import Call, Json, Message
from tape.wire import block_json, message_json

ENVELOPE = (
    "parentUuid",
    "isSidechain",
    "userType",
    "entrypoint",
    "cwd",
    "sessionId",
    "version",
    "gitBranch",
    "agentId",
    "slug",
    "teamName",
    "agentName",
    "message",
    "type",
    "uuid",
    "timestamp",
    "parent_tool_use_id",
    "session_id",
)


@dataclass
class Maker:
    """Makes lines for one session file. ``taken`` holds the uuids that stand in it already and grows."""

    session_id: str
    model: str | None = None
    taken: set[str] = field(default_factory=set)

    def lines(
        self,
        entry: Message,
        template: Mapping[str, Any],
        parent: str | None,
        at: str | None,
        call: Call | None = None,
    ) -> Iterator[dict[str, Any]]:
        """The lines of a message, each child of the one before, the first of ``parent``.

        ``template`` is a line of the same file, for everything that is not the message's own; ``at`` the time
        (ISO) where the message has none; ``call`` what is known of the response.
        """
        at = entry.meta.get("timestamp") or entry.provenance.at or at
        for number, message in enumerate(self._messages(entry, call)):
            uuid = self.uuid(entry.uid, number)
            yield self._line(template, message, parent, uuid, at)
            parent = uuid

    def block_line(
        self, block: Json, like: Mapping[str, Any], uid: str, parent: str | None
    ) -> dict[str, Any]:
        """One more line of the response of which ``like`` is a line, for a block that it did not have."""
        message = {**like["message"], "content": [block]}
        own = {"message": message, "uuid": self.uuid(uid, 0), "parentUuid": parent}
        return {k: own.get(k, v) for k, v in like.items() if k in ENVELOPE or k == "requestId"}

    def uuid(self, uid: str, number: int) -> str:
        """An id that the file does not have yet, the same for the same place in the same file."""
        attempt = 0
        while True:
            made = str(uuid5(NAMESPACE_URL, f"tapedeck/{self.session_id}/{uid}/{number}/{attempt}"))
            if made not in self.taken:
                self.taken.add(made)
                return made
            attempt += 1

    def _line(
        self,
        template: Mapping[str, Any],
        message: Json,
        parent: str | None,
        uuid: str,
        at: str | None,
    ) -> dict[str, Any]:
        own = {
            "parentUuid": parent,
            "type": message["role"],
            "message": message,
            "uuid": uuid,
            "timestamp": at,
        }
        line = {key: own.get(key, value) for key, value in template.items() if key in ENVELOPE}
        if not template:
            line = own
        elif "message" not in line:
            line.update(message=message, type=message["role"])
        return {key: value for key, value in line.items() if key != "timestamp" or value is not None}

    def _messages(self, entry: Message, call: Call | None) -> Iterator[dict[str, Any]]:
        if entry.role != "assistant":
            written = message_json(entry)
            yield {"role": "user", "content": written.get("content", [])}
            return
        blocks = [block_json(block) for block in entry.blocks]
        response = entry.meta.get("response_id") or (call.id if call else None)
        if not response:
            response = f"msg_{uuid5(NAMESPACE_URL, f'tapedeck/{self.session_id}/{entry.uid}').hex[:24]}"
        model = (
            entry.meta.get("model") or (call.model if call else None) or entry.provenance.model or self.model
        )
        stop = entry.meta.get("stop_reason") or (call.stop_reason if call else None)
        if not stop:
            stop = "tool_use" if any(head.kind == "tool_use" for head in entry.heads) else "end_turn"
        usage = usage_json(call)
        parts: list[list[Json]] = [[block] for block in blocks] or [[]]
        for number, part in enumerate(parts, 1):
            message: dict[str, Any] = {
                "model": model or "unknown",
                "id": response,
                "type": "message",
                "role": "assistant",
                "content": part,
                "stop_reason": stop if number == len(parts) else None,
                "stop_sequence": None,
            }
            if usage:
                message["usage"] = usage
            yield message


def usage_json(call: Call | None) -> dict[str, Any]:
    """The ``usage`` object of a response (tokens), with what is known of it; empty where nothing is."""
    usage = call.usage if call else None
    if usage is None or usage.source != "recorded":
        return {}
    counts = {
        "input_tokens": usage.input,
        "cache_creation_input_tokens": usage.cache_write,
        "cache_read_input_tokens": usage.cache_read,
        "output_tokens": usage.output,
        "service_tier": usage.service_tier,
    }
    return {key: value for key, value in counts.items() if value is not None}

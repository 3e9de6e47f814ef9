"""Builds session files in Claude Code's form for tests; names, ids and texts are invented."""

from __future__ import annotations

import json
from typing import Any

import tape
from tape.model import Session

Line = dict[str, Any]
SESSION = "0b5e5510-0000-4000-8000-000000000001"


class Chain:
    """Makes lines that hang on one another: each on the one before unless told otherwise."""

    def __init__(self, session: str = SESSION, **common: Any) -> None:
        self.session, self.common = session, common
        self.lines: list[Line] = []
        self.last: str | None = None
        self.count = 0

    def add(self, kind: str, /, **fields: Any) -> str:
        """Adds a line and gives its uuid; ``parent`` overrides the line before."""
        self.count += 1
        parent = fields.pop("parent", self.last)
        uuid = fields.pop("uuid", f"{self.session[:8]}-{self.count:04}")
        stamp = fields.pop("timestamp", f"2026-03-01T10:00:{self.count % 60:02}.000Z")
        head = {"parentUuid": parent, "isSidechain": False, "sessionId": self.session, **self.common}
        self.lines.append({**head, "type": kind, **fields, "uuid": uuid, "timestamp": stamp})
        self.last = uuid
        return uuid

    def user(self, content: Any, **fields: Any) -> str:
        """A user line."""
        return self.add("user", message={"role": "user", "content": content}, **fields)

    def result(self, id: str, content: Any = "ok", *, is_error: bool | None = None, **fields: Any) -> str:
        """A user line that answers a call."""
        block = {"tool_use_id": id, "type": "tool_result", "content": content}
        if is_error is not None:
            block["is_error"] = is_error
        return self.user([block], **fields)

    def reply(self, id: str, *blocks: Line, usage: Line | None = None, **fields: Any) -> str:
        """A line of a response, mostly with one block."""
        message: Line = {
            "model": fields.pop("model", "claude-test-1"),
            "id": id,
            "type": "message",
            "role": "assistant",
            "content": list(blocks),
            "stop_reason": fields.pop("stop", None),
        }
        if usage is not None:
            message["usage"] = usage
        return self.add("assistant", message=message, **fields)

    def plain(self, **fields: Any) -> None:
        """A line outside the tree."""
        self.lines.append(fields)

    def bytes(self) -> bytes:
        """The file."""
        return jsonl(*self.lines)

    def load(self) -> Session:
        """The session read from the file."""
        return load(self.bytes())


def text(words: str) -> Line:
    """A text block."""
    return {"type": "text", "text": words}


def use(id: str, name: str = "Read", **input: Any) -> Line:
    """A tool_use block."""
    return {"type": "tool_use", "id": id, "name": name, "input": input}


def jsonl(*lines: Line) -> bytes:
    """The lines as Claude Code writes them: compact, characters as they are."""
    return "".join(json.dumps(v, ensure_ascii=False, separators=(",", ":")) + "\n" for v in lines).encode()


def load(data: bytes) -> Session:
    """The session of a file that must be recognized as Claude Code's."""
    reading = tape.read(data, name="session.jsonl")
    assert reading.format == "claude-code", reading.why
    return reading.conversations[0].load()


def shape(session: Session) -> list[tuple[str, list[str]]]:
    """Roles and what stands in each message: its text, ``use:id``, ``res:id`` or the kind of block."""
    return [(m.role, [_word(b) for b in m.blocks]) for m in session.messages]


def _word(block: Any) -> str:
    if isinstance(block, tape.model.Text):
        return block.text
    if isinstance(block, tape.model.ToolUse):
        return f"use:{block.id}"
    if isinstance(block, tape.model.ToolResult):
        return f"res:{block.tool_use_id}"
    return type(block).__name__.lower()

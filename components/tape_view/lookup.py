"""Finding a message or block of a session by its uid, and its words."""

from __future__ import annotations

import json
from collections.abc import Sequence

from tape.model import (
    Block,
    Document,
    Message,
    Other,
    Session,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
    json_text,
)
from tape.visible import json_escaped


def find_message(session: Session, uid: str) -> Message | None:
    """The message of that uid."""
    return next((entry for entry in session.messages if entry.uid == uid), None)


def find_block(session: Session, uid: str) -> Block | None:
    """The block of that uid, also inside a tool result. A message that bears the block's name is tried
    first."""
    named = uid.partition(".")[0]
    for entry in session.messages:
        if entry.uid == named and (found := _inside(entry.blocks, uid)):
            return found
    for entry in session.messages:
        if entry.uid != named and any(
            uid == head.uid or uid.startswith(f"{head.uid}.") for head in entry.heads
        ):
            return _inside(entry.blocks, uid)
    return None


def _inside(blocks: Sequence[Block], uid: str) -> Block | None:
    for block in blocks:
        if block.uid == uid:
            return block
        inner = block.content if isinstance(block, ToolResult) else None
        if isinstance(inner, tuple) and (found := _inside(inner, uid)) is not None:
            return found
    return None


def words(block: Block) -> str:
    """Everything in a block that a person may search for, one piece a line."""
    match block:
        case Text(text=text) | Thinking(text=text):
            return text
        case ToolUse():
            arguments = block.input if isinstance(block.input, dict) else {"": block.input}
            values = [v if isinstance(v, str) else json_text(v) for v in arguments.values()]
            return "\n".join((block.name, block.id, *values))
        case ToolResult():
            rest = block.content if isinstance(block.content, tuple) else ()
            return "\n".join(
                (block.text, *(words(b) for b in rest if not isinstance(b, Text)), block.tool_use_id)
            )
        case Document():
            return "\n".join(filter(None, (block.title, block.text, block.ref)))
        case Other():
            return json_text(block.value)
    return ""


def editable(block: Block) -> str | None:
    """The text that a person edits in a block: its words, a call's input as JSON, ``None`` where it has
    only JSON."""
    match block:
        case Text(text=text):
            return text
        case ToolUse():
            return json_escaped(json.dumps(block.input, ensure_ascii=False, indent=2))
        case ToolResult(content=str() | None):
            return block.text
        case ToolResult(content=(Text(text=text),)):
            return text
    return None

"""Finding a message or block of a session by its uid, and its words."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from tape.model import (
    Block,
    Document,
    Image,
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


def markdown(entry: Message) -> str:
    """A message as Markdown: its role as a heading, text as it is, calls and results as fenced code."""
    return "\n\n".join((f"## {entry.role}", *filter(None, map(_marked, entry.blocks)))) + "\n"


def _marked(block: Block) -> str:
    match block:
        case Text(text=text):
            return text.strip("\n")
        case Thinking(text=text):
            quoted = "\n".join(f"> {line}" for line in text.splitlines())
            return f"> *thinking*\n>\n{quoted}" if quoted else ""
        case ToolUse():
            given = json.dumps(block.input, ensure_ascii=False, indent=2)
            return f"**call** {_code(block.name)} {_code(block.id)}\n\n{_fenced(given, 'json')}"
        case ToolResult():
            rest = block.content if isinstance(block.content, tuple) else ()
            inner = [_marked(one) for one in rest if not isinstance(one, Text)]
            told = "error for" if block.is_error else "result for"
            return "\n\n".join((f"**{told}** {_code(block.tool_use_id)}", _fenced(block.text), *inner))
        case Image():
            return f"*picture, {block.media_type or 'of unknown type'}*"
        case Document():
            return "\n\n".join(
                filter(None, (f"*document* {block.title or ''}".strip(), _fenced(block.text or "")))
            )
        case Other():
            return _fenced(json.dumps(block.value, ensure_ascii=False, indent=2), "json")
    return ""


def _code(text: str) -> str:
    """As code in a line, whatever backticks it has."""
    text = " ".join(text.split())
    longest = max(map(len, re.findall("`+", text)), default=0)
    marks = "`" * (longest + 1)
    return f"{marks} {text} {marks}" if longest else f"`{text}`"


def _fenced(text: str, language: str = "") -> str:
    """Between fences that are longer than any in it."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}{language}\n{text}\n{fence}" if text else ""

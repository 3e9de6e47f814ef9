"""Gives a message or block another value. Thinking is read-only: its signature binds the words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace as with_fields
from typing import Any, get_args

from tape.edits.build import Fresh, check_content, new_block, ours, rewrite
from tape.edits.operations import Replace
from tape.edits.settle import settle
from tape.edits.targets import Spot, find, plural, words_for
from tape.errors import UserError
from tape.model import (
    Block,
    Blocks,
    Document,
    Json,
    Message,
    Role,
    Session,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
)
from tape.wire import block_json, parse_content

READ_ONLY = (
    "Thinking cannot be edited: its signature binds the words, and the API refuses it once they differ."
)
READ_ONLY_ADVICE = "Delete it instead, or all thinking from here on."


def replace(session: Session, operation: Replace) -> Session:
    """The session with the new value. Raises ``UserError`` for a value that fits nothing and for thinking."""
    spot = find(session, operation.target)
    entry = session.messages[spot.message]
    fresh = Fresh(session.serial)
    if spot.block is None:
        changed = _message(entry, operation, fresh, spot)
    else:
        blocks = entry.blocks
        new = _block(blocks[spot.block], operation, spot)
        changed = rewrite(entry, (*blocks[: spot.block], new, *blocks[spot.block + 1 :]))
    messages = (*session.messages[: spot.message], changed, *session.messages[spot.message + 1 :])
    return settle(session, messages, serial=fresh.serial)


def _block(old: Block, operation: Replace, spot: Spot) -> Block:
    value = operation.value
    if isinstance(value, str):
        new = with_text(old, value, spot)
    else:
        new = new_block(value, old.uid, "value", old.place)
        if isinstance(new, ToolUse | ToolResult) and isinstance(old, type(new)):
            same_id = _id(new) == _id(old)
            new = with_fields(new, generated_id=same_id and old.generated_id)
    if isinstance(old, Thinking) and not operation.force and block_json(old) != block_json(new):
        raise UserError(READ_ONLY, where=spot.where, do=READ_ONLY_ADVICE)
    return new


def _id(block: ToolUse | ToolResult) -> str:
    return block.id if isinstance(block, ToolUse) else block.tool_use_id


def with_text(old: Block, text: str, spot: Spot) -> Block:
    """The block with other words: a text, a result's text, a call's input as JSON, a document's text.

    Raises ``UserError`` for a block that has no text of its own.
    """
    match old:
        case Text():
            return with_fields(old, text=text, raw=None)
        case Thinking(data=None):
            return with_fields(old, text=text, raw=None)
        case ToolResult(content=tuple() as inner):
            return with_fields(old, content=_one_text(inner, text, old.uid), raw=None)
        case ToolResult():
            return with_fields(old, content=text, raw=None)
        case ToolUse():
            try:
                value = json.loads(text)
            except ValueError as problem:
                raise UserError(f"The input of a call must be JSON: {problem}.", where=spot.where) from None
            return with_fields(old, input=value, arguments=None if old.arguments is None else text, raw=None)
        case Document(text=str()):
            return with_fields(old, text=text, raw=None)
    raise UserError(
        "This block has no text that could be changed.", where=spot.where, do="Give its whole JSON."
    )


def _one_text(inner: Blocks, text: str, uid: str) -> Blocks:
    """A result's blocks with the words in its first text block; its pictures stay, other texts go."""
    at = next((i for i, b in enumerate(inner) if isinstance(b, Text)), None)
    if at is None:
        return (*inner, Text(uid=f"{uid}.{len(inner)}", text=text))
    first = with_text(inner[at], text, Spot(0))
    return tuple(first if i == at else b for i, b in enumerate(inner) if i == at or not isinstance(b, Text))


def _message(entry: Message, operation: Replace, fresh: Fresh, spot: Spot) -> Message:
    value = operation.value
    if isinstance(value, str):
        return _said(entry, value, fresh, spot)
    if not isinstance(value, dict) or not value.keys() & {"role", "content"}:
        raise UserError("A message must be an object with role and content, or a string.", where="value")
    meta: dict[str, Any] = {}
    role, drop = entry.role, ()  # type: Role, tuple[str, ...]
    if "role" in value:
        role = _role(value["role"])
        if role == value["role"]:
            drop = () if role == entry.role and "unknown_role" not in entry.meta else ("role", "unknown_role")
        else:
            meta["role"] = meta["unknown_role"] = value["role"]
    blocks = entry.blocks
    if "content" in value:
        check_content(value["content"], "value.content")
        blocks, meta["content_form"] = with_content(entry, value["content"], fresh)
        _refuse_new_thinking(entry.blocks, blocks, operation, spot)
    rest = {k: v for k, v in value.items() if k not in ("role", "content")}
    if rest:
        meta["extra"] = {**entry.meta.get("extra", {}), **rest}
    return rewrite(entry, blocks, role=role, drop=drop, meta=meta)


def _role(written: Json) -> Role:
    if not isinstance(written, str):
        raise UserError('A role is a string: "user", "assistant" or "system".', where="value.role")
    return next((role for role in get_args(Role) if role == written), "user")


def _said(entry: Message, text: str, fresh: Fresh, spot: Spot) -> Message:
    """The message with other words in its only text, or with a text where it had no block at all."""
    blocks = entry.blocks
    texts = [i for i, b in enumerate(blocks) if isinstance(b, Text)]
    if len(texts) == 1:
        at = texts[0]
        return rewrite(entry, (*blocks[:at], with_text(blocks[at], text, spot), *blocks[at + 1 :]))
    if not blocks:
        return rewrite(entry, (Text(uid=fresh.block(), text=text),), meta={"content_form": "string"})
    problem = f"has {plural(len(texts), 'text')}" if texts else "has no text of its own"
    raise UserError(f"Message {spot.message} {problem}.", where=spot.where, do="Name the block to change.")


def with_content(entry: Message, content: Json, fresh: Fresh) -> tuple[Blocks, str]:
    """The blocks of new content: those that say the same are kept as they are, the others keep the uid and
    place of the block of their kind that stood there."""
    parsed, form = parse_content(content, "")
    free = [(block, block_json(block)) for block in entry.blocks]
    blocks: list[Block | None] = []
    for block in parsed:
        value = block_json(block)
        twin = next((i for i, (b, said) in enumerate(free) if type(b) is type(block) and said == value), None)
        blocks.append(None if twin is None else free.pop(twin)[0])
    for i, block in enumerate(parsed):
        if blocks[i] is None:
            heir = next((n for n, (b, _) in enumerate(free) if type(b) is type(block)), None)
            old = None if heir is None else free.pop(heir)[0]
            blocks[i] = ours(block, old.uid, old.place) if old else ours(block, fresh.block())
    return tuple(b for b in blocks if b is not None), form


def _refuse_new_thinking(before: Blocks, after: Blocks, operation: Replace, spot: Spot) -> None:
    kept = [id(b) for b in before]
    if not operation.force and any(isinstance(b, Thinking) and id(b) not in kept for b in after):
        raise UserError(READ_ONLY, where=spot.where, do=READ_ONLY_ADVICE)


def sentence(session: Session, operation: Replace) -> str:
    """``Edited the text in message 3``."""
    spot = find(session, operation.target)
    value = operation.value
    if spot.block is None and isinstance(value, Mapping) and value.keys() == {"role"}:
        return f"Changed the role of message {spot.message} to {value['role']}"
    return f"Edited {words_for(session, spot)}"

"""Makes messages and blocks from the JSON of an operation, and marks what an edit changed.

New messages are named ``n<serial>`` and their blocks ``n<serial>.<index>``, so that the same operation on the
same session gives the same uids.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from tape.errors import UserError
from tape.model import (
    EMPTY,
    Block,
    Blocks,
    Document,
    Image,
    Json,
    Message,
    Other,
    Place,
    Provenance,
    Role,
    ToolResult,
)
from tape.wire import block_json, parse_block, parse_message

INSERTED = Provenance("inserted")


class Fresh:
    """Hands out uids; ``serial`` is what the session must carry on with."""

    def __init__(self, serial: int) -> None:
        self.serial = serial

    def message(self) -> str:
        """The uid of a new message."""
        self.serial += 1
        return f"n{self.serial - 1}"

    def block(self) -> str:
        """The uid of a new block in a message that was there before."""
        return f"{self.message()}.0"


def check_message(value: Json, where: str) -> None:
    """Raises ``UserError`` unless the value is ``{"role": …, "content": …}`` in the Anthropic form."""
    if not isinstance(value, dict):
        raise UserError("A message must be an object with role and content.", where=where)
    if not isinstance(value.get("role"), str):
        raise UserError('A message needs a role: "user", "assistant" or "system".', where=f"{where}.role")
    foreign = value.keys() & {"tool_calls", "tool_call_id"}
    if foreign:
        raise UserError(
            "Operations take messages in the Anthropic form.",
            where=f"{where}.{min(foreign)}",
            do="Write a call as a tool_use block and its answer as a tool_result block of a user message.",
        )
    if "content" not in value:
        raise UserError("A message needs content: a string or a list of blocks.", where=f"{where}.content")
    check_content(value["content"], f"{where}.content")


def check_content(content: Json, where: str) -> None:
    """Raises ``UserError`` unless the value is a string, a list of blocks or null."""
    if content is None or isinstance(content, str):
        return
    if not isinstance(content, list):
        raise UserError("Content must be a string or a list of blocks.", where=where)
    for i, block in enumerate(content):
        check_block(block, f"{where}[{i}]")


def check_block(value: Json, where: str) -> None:
    """Raises ``UserError`` unless the value is an object with a type."""
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        raise UserError(
            'A block must be an object with a type, such as {"type": "text", "text": "…"}.', where=where
        )


def new_message(value: Json, uid: str, where: str) -> Message:
    """A message of ours from its JSON. Raises ``UserError`` naming what is wrong in it."""
    check_message(value, where)
    parsed = parse_message(value, uid, provenance=INSERTED)
    return parsed.with_blocks(tuple(ours(block, block.uid) for block in parsed.blocks))


def new_block(value: Json, uid: str, where: str = "block", place: Place | None = None) -> Block:
    """A block of ours from its JSON; ``place`` is kept where it stands in for one that was read."""
    check_block(value, where)
    return ours(parse_block(value, uid), uid, place)


def ours(block: Block, uid: str, place: Place | None = None) -> Block:
    """The block as one that no file holds: without a raw value, but with all that its JSON says."""
    raw = block.raw
    made = replace(block, uid=uid, place=place, raw=None)
    if isinstance(made, Image | Document) and raw is not None and block_json(made) != raw:
        return Other(uid=uid, place=place, type=raw["type"], value=raw)
    return made


def rewrite(
    entry: Message,
    blocks: Blocks,
    *,
    role: Role | None = None,
    drop: Collection[str] = (),
    meta: Mapping[str, Any] = EMPTY,
) -> Message:
    """The message with other blocks, said to be edited; uid, place and what else is known of it are kept.

    ``meta`` are meta fields to set, ``drop`` names those to forget.
    """
    kept: dict[str, Any] = {k: v for k, v in {**entry.meta, **meta}.items() if k not in drop}
    if kept.get("role") == "tool" and (
        role not in (None, "user") or not all(isinstance(b, ToolResult) for b in blocks)
    ):
        del kept["role"]
    changed = entry.with_blocks(blocks, provenance_after(entry.provenance))
    return replace(changed, role=role or entry.role, meta=_as_before(entry.meta, kept))


def _as_before(before: Mapping[str, Any], after: dict[str, Any]) -> Mapping[str, Any]:
    return before if dict(before) == after else after


def provenance_after(before: Provenance) -> Provenance:
    """Where a message comes from once it was changed; what a person inserted stays inserted."""
    match before.origin:
        case "inserted" | "edited" | "by hand":
            return before
        case "recorded":
            return replace(before, origin="edited")
        case origin:
            return replace(before, origin="edited", note=before.note or f"was {origin}")

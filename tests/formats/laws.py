"""What must hold for every format whose file holds an array: helpers for its tests."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

import tape
from tape.edits import from_json
from tape.errors import UserError
from tape.json_spans import find, members
from tape.model import Block, Session, ToolResult, ToolUse
from tape.wire import message_json

Array = list[dict[str, Any]]

RANK = {"thinking": 0, "redacted_thinking": 0, "tool_result": 0, "tool_use": 2}
STYLES: dict[str, dict[str, Any]] = {
    "compact": {"separators": (",", ":")},
    "spaced": {},
    "indented": {"indent": 2},
    "tabs": {"indent": "\t", "ensure_ascii": False},
}


def flat(session: Session) -> list[Any]:
    """The array as one list of roles and blocks, whatever messages they stand in. Blocks of one message stand
    in the order that every format can write: thinking or results, words, calls. Ids of ours are left out."""
    found: list[Any] = []
    for entry in session.messages:
        value = message_json(entry.with_blocks(tuple(map(_without_our_id, entry.blocks))))
        content = value.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        blocks = sorted(blocks or [], key=lambda block: RANK.get(block.get("type"), 1))
        role = "user" if value["role"] in ("tool", "function") else value["role"]
        found += [(role, json.dumps(block, sort_keys=True)) for block in blocks or ["nothing"]]
    return found


def _without_our_id(block: Block) -> Block:
    if isinstance(block, ToolUse) and block.generated_id:
        return replace(block, id="", raw=None)
    if isinstance(block, ToolResult) and block.generated_id:
        return replace(block, tool_use_id="", raw=None)
    return block


@st.composite
def edited(draw: Callable[[Any], Any], session: Session) -> Session:
    """The session after one or two operations."""
    for _ in range(draw(st.integers(1, 2))):
        try:
            session = tape.apply(session, from_json(draw(_operation(session))))
        except UserError:
            continue
    return session


@st.composite
def _operation(draw: Callable[[Any], Any], session: Session) -> dict[str, Any]:
    count = len(session.messages)
    new = {
        "role": draw(st.sampled_from(["user", "assistant"])),
        "content": draw(st.sampled_from(["new", "ü <n>"])),
    }
    places = [f"messages[{i}]" for i in range(count)]
    inside = [
        f"{p}.content[{j}]"
        for p, m in zip(places, session.messages, strict=True)
        for j in range(len(m.heads))
    ]
    kinds = ["append", "insert", "system"] + (["delete", "replace", "move", "cut"] if count else [])
    match draw(st.sampled_from(kinds + (["block", "words"] if inside else []))):
        case "append":
            return {"op": "append", "messages": [new]}
        case "insert":
            return {"op": "insert", "at": draw(st.integers(0, count)), "message": new}
        case "system":
            return {"op": "set_system", "system": draw(st.sampled_from([None, "be brief"]))}
        case "delete":
            return {
                "op": "delete",
                "targets": [draw(st.sampled_from(places))],
                "partners": draw(st.booleans()),
            }
        case "cut":
            return {"op": "delete", "targets": [draw(st.sampled_from(inside or places))], "partners": False}
        case "replace":
            return {"op": "replace", "target": draw(st.sampled_from(places)), "value": new}
        case "move":
            return {
                "op": "move",
                "target": draw(st.sampled_from(places)),
                "to": draw(st.integers(0, count - 1)),
            }
        case "block":
            value = {"type": "text", "text": draw(st.sampled_from(["block", "é"]))}
            return {"op": "replace", "target": draw(st.sampled_from(inside)), "value": value}
        case _:
            return {
                "op": "replace",
                "target": draw(st.sampled_from(inside)),
                "value": draw(st.sampled_from(["w", "ß"])),
            }


def elements(text: str, path: tuple[str | int, ...]) -> list[str]:
    """The raw text of each element of the array at a path."""
    start, _ = find(text, path)
    return [text[member.value : member.end] for member in members(text, start)]


def untouched_elements(session: Session, path: tuple[str | int, ...]) -> list[int]:
    """Which elements of the file belong to messages that no operation touched."""
    assert session.base is not None
    before = {id(entry) for entry in session.base.messages}
    kept: list[int] = []
    for entry in session.messages:
        if id(entry) in before:
            places = [entry.place] if entry.place else [block.place for block in entry.blocks]
            kept += [p.path[-1] for p in places if p and p.path[:-1] == path and isinstance(p.path[-1], int)]
    return kept

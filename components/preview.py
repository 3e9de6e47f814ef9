"""What a change would do, as lines a person can read: the messages that go, come or differ, in short.

Sessions share what an operation did not touch, so that only what differs is ever looked at.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator

import streamlit as st

from tape.model import Json, Message, Session, json_text
from tape.visible import one_line
from tape.wire import message_json, tool_json

WIDTH = 160
MOST = 60


def draw_preview(before: Session, after: Session) -> None:
    """Draws the difference as a diff; says so where there is none."""
    lines = list(differences(before, after))
    if not lines:
        st.caption("Nothing would change.")
        return
    shown = lines[:MOST]
    if len(lines) > MOST:
        shown.append(f"… and {len(lines) - MOST:,} lines more")
    st.code("\n".join(shown), language="diff", wrap_lines=True)


def differences(before: Session, after: Session) -> Iterator[str]:
    """Lines that start with ``-`` or ``+``, one a role or block, under a line that names the message.

    What stays in such a message stands between them, indented, so that the place of a change can be seen.
    """
    kept = set(before.messages) & set(after.messages)
    was = {entry.uid: (i, entry) for i, entry in enumerate(before.messages) if entry not in kept}
    now = {entry.uid: (i, entry) for i, entry in enumerate(after.messages) if entry not in kept}
    if before.system != after.system:
        yield from _lines("system", [json_text(before.system)], [json_text(after.system)])
    if before.tools != after.tools:
        told = [[json_text(tool_json(t)) for t in tools or ()] for tools in (before.tools, after.tools)]
        yield from _lines("tools", *told)
    if before.params != after.params:
        settings = [[f"{key}: {json_text(v)}" for key, v in s.params.items()] for s in (before, after)]
        yield from _lines("settings", *settings)
    for uid in [*was, *(uid for uid in now if uid not in was)]:
        left, right = was.get(uid), now.get(uid)
        place = left[0] if left is not None else now[uid][0]
        yield from _lines(
            f"messages[{place}]",
            *_told(left[1] if left is not None else None, right[1] if right is not None else None),
        )
    left_over, right_over = ([e for e in s.messages if e in kept] for s in (before, after))
    for i, (entry, other) in enumerate(zip(left_over, right_over, strict=True)):
        if entry is not other:
            yield "@@ order"
            yield f"+ messages[{before.messages.index(other)}] now stands in front of messages[{i}]"
            return


def _lines(name: str, old: list[str], new: list[str]) -> Iterator[str]:
    compared = [line for line in difflib.ndiff(old, new) if line[0] != "?"]
    if any(line[0] in "+-" for line in compared):
        yield f"@@ {name}"
        for line in compared:
            told = one_line(line[2:])
            yield f"{line[0]} {told if len(told) <= WIDTH else f'{told[: WIDTH - 1]}…'}"


def _told(old: Message | None, new: Message | None) -> tuple[list[str], list[str]]:
    """Both sides as a line a block, in short where that tells them apart, else as JSON."""
    sides = [[] if entry is None else _blocks(entry) for entry in (old, new)]
    meant: dict[str, set[str]] = {}
    for block in (block for side in sides for block in side):
        meant.setdefault(_short(block), set()).add(json_text(block))
    roles = [[] if entry is None else [f"role: {message_json(entry)['role']}"] for entry in (old, new)]
    first, second = (
        [*role, *(_short(b) if len(meant[_short(b)]) == 1 else json_text(b) for b in side)]
        for role, side in zip(roles, sides, strict=True)
    )
    return first, second


def _blocks(entry: Message) -> list[Json]:
    content = message_json(entry).get("content")
    return content if isinstance(content, list) else [content]


def _short(block: Json) -> str:
    """A block as a line: what it says, and whom it answers."""
    if not isinstance(block, dict):
        return block if isinstance(block, str) else json_text(block)
    kind, said = block.get("type"), block.get("content")
    if kind == "text" and isinstance(block.get("text"), str):
        return str(block["text"])
    if kind == "tool_use":
        return f"call {block.get('name')} {json_text(block.get('input'))}, id {block.get('id')}"
    if kind == "tool_result" and (isinstance(said, str) or said is None):
        error = ", an error" if block.get("is_error") else ""
        return f"result for {block.get('tool_use_id')}{error}: {said or 'nothing'}"
    return json_text(block)

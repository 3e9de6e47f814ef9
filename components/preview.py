"""What a change would do, as lines a person can read: the messages that go, come or differ.

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
    """Lines that start with ``-`` or ``+``, one a role or block, under a line that names the message."""
    kept = set(before.messages) & set(after.messages)
    was = {entry.uid: (i, entry) for i, entry in enumerate(before.messages) if entry not in kept}
    now = {entry.uid: (i, entry) for i, entry in enumerate(after.messages) if entry not in kept}
    if before.system != after.system:
        yield from _lines("system", [json_text(before.system)], [json_text(after.system)])
    if before.tools != after.tools:
        told = [[json_text(tool_json(t)) for t in tools or ()] for tools in (before.tools, after.tools)]
        yield from _lines("tools", *told)
    for uid in [*was, *(uid for uid in now if uid not in was)]:
        left, right = was.get(uid), now.get(uid)
        place = left[0] if left is not None else now[uid][0]
        yield from _lines(
            f"messages[{place}]",
            _told(left[1]) if left is not None else [],
            _told(right[1]) if right is not None else [],
        )
    left_over, right_over = ([e for e in s.messages if e in kept] for s in (before, after))
    for i, (entry, other) in enumerate(zip(left_over, right_over, strict=True)):
        if entry is not other:
            yield "@@ order"
            yield f"+ messages[{before.messages.index(other)}] now stands in front of messages[{i}]"
            return


def _lines(name: str, old: list[str], new: list[str]) -> Iterator[str]:
    changed = [
        f"{line[0]} {one_line(line[2:])[:WIDTH]}" for line in difflib.ndiff(old, new) if line[0] in "+-"
    ]
    if changed:
        yield f"@@ {name}"
        yield from changed


def _told(entry: Message) -> list[str]:
    value = message_json(entry)
    content = value.get("content")
    blocks = content if isinstance(content, list) else [content]
    return [f"role: {value['role']}", *map(_words, blocks)]


def _words(block: Json) -> str:
    """A block as a line: its own words where it is nothing but text."""
    if isinstance(block, dict) and block.keys() == {"type", "text"} and isinstance(block["text"], str):
        return block["text"]
    return block if isinstance(block, str) else json_text(block)

"""The copy of a tool's output that Claude Code keeps beside the message, in ``toolUseResult``.

The model never sees the copy, Claude Code's own screen shows it. When the result of a message is edited, the
copy is changed in step where it holds the same words; where it holds them in another shape that is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tape.formats.claude_lines import Path
from tape.json_text import Edit, Set
from tape.model import Json
from tape.notes import Note

KEYS = ("toolUseResult", "tool_use_result")


def beside_changes(
    record: Mapping[str, Any], old: Json, new: Json, where: str
) -> tuple[list[Edit], Note | None]:
    """The edits that carry a changed ``tool_result`` over to the copy in its line, and a note where none fit.

    ``old`` and ``new`` are the block's JSON before and after.
    """
    key = next((key for key in KEYS if record.get(key) is not None), None)
    if key is None or not isinstance(old, dict) or old.get("type") != "tool_result":
        return [], None
    pairs = dict(_changed(old.get("content"), new.get("content") if isinstance(new, dict) else None))
    if not pairs:
        return [], None
    edits: list[Edit] = []
    for path, text in _strings(record[key], (key,)):
        for before, after in pairs.items():
            if text == before or (text.strip() and text.strip() == before.strip()):
                edits.append(Set(path, after))
            elif text == f"Error: {before}":
                edits.append(Set(path, f"Error: {after}"))
    if edits or not any(len(text) > 1 for _, text in _strings(record[key], (key,))):
        return edits, None
    text = f"{key} beside this result holds its output in another shape and was left as it was."
    return [], Note(where, "copy-left", text)


def _changed(old: Json, new: Json) -> Iterator[tuple[str, str]]:
    """The texts of a result's content that became others."""
    before, after = list(_texts(old)), list(_texts(new))
    if len(before) == len(after):
        yield from ((a, b) for a, b in zip(before, after, strict=True) if a != b)


def _texts(content: Json) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for item in content:
            if isinstance(item, dict) and isinstance(item.get("text"), str):
                yield item["text"]


def _strings(value: Json, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _strings(inner, (*path, key))
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from _strings(inner, (*path, i))

"""Which files a session's tool calls name: by the arguments that hold a path, or inside of a patch.

What a call did to a file is not judged; a call that names it touches it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tape.derived import once
from tape.model import Json, Session, ToolUse

PATHS = (
    *("file_path", "path", "notebook_path", "filename", "file", "filePath", "target_file", "absolute_path"),
    *("relative_path", "relative_workspace_path"),
)
"""Keys under which tools take a path in Claude Code, Codex, Cursor, Gemini CLI and opencode."""
PATCHES = ("patch", "input", "patch_text", "patchText", "command", "diff")
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.{1,400})$|^\+\+\+ b/(.{1,400})$", re.MULTILINE)
SECONDS = 4.0


@dataclass(frozen=True, slots=True)
class Touched:
    """Files by their paths, the most often named first: each with the calls that name it, as uid of the
    message and index of the block. ``seen`` of ``messages`` messages with calls were looked at in time."""

    files: Mapping[str, tuple[tuple[str, int], ...]]
    seen: int
    messages: int


@once
def touched(session: Session, seconds: float = SECONDS) -> Touched:
    """The files that the calls of the array name, looked for within a time (seconds)."""
    makes = [m for m in session.messages if any(head.kind == "tool_use" for head in m.heads)]
    found: dict[str, list[tuple[str, int]]] = {}
    deadline = time.monotonic() + seconds
    seen = 0
    for entry in makes:
        seen += 1
        for place, block in enumerate(entry.blocks):
            if isinstance(block, ToolUse):
                for path in dict.fromkeys(paths_of(block.input)):
                    found.setdefault(path, []).append((entry.uid, place))
        if time.monotonic() > deadline:
            break
    ranked = sorted(found, key=lambda path: (-len(found[path]), path))
    return Touched({path: tuple(found[path]) for path in ranked}, seen, len(makes))


def path_of(given: Json) -> str:
    """The first path that the input of a call names; empty where it names none."""
    return next(paths_of(given), "")


def paths_of(given: Json) -> Iterator[str]:
    """Every path that the input of a call names, in order."""
    if isinstance(given, str):
        yield from _patched(given)
        return
    if not isinstance(given, Mapping):
        return
    for key in PATHS:
        value = given.get(key)
        if isinstance(value, str) and value.strip():
            yield value
    for key in PATCHES:
        value = given.get(key)
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str):
                yield from _patched(text)


def _patched(text: str) -> Iterator[str]:
    if "*** " in text or "+++ b/" in text:
        for match in _PATCHED.finditer(text):
            yield (match[1] or match[2]).strip()

"""The inputs of calls that change a file, as lines that went and came: an edit, several edits, a patch.

A patch is the text of ``apply_patch`` (Codex) or a unified diff. Everything is plain data for the view.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from components.tape_view.terminal import plain
from tape.edits.compare import Line
from tape.edits.compare import lines as compared_lines
from tape.model import Json

PATCHES = ("input", "patch", "patch_text", "patchText", "diff")
EDITS = 50
HEADS = ("*** ", "@@", "diff --git", "index ", "--- ", "+++ ")


def changes(given: Mapping[str, Json], most: int) -> tuple[list[list[Any]], frozenset[str]] | None:
    """The lines that an input changes, as ``difference`` gives them, and the names of the arguments that they
    stand in for; ``None`` where it changes none, or they have more than ``most`` characters together."""
    old, new = given.get("old_string"), given.get("new_string")
    if isinstance(old, str) and isinstance(new, str):
        if len(old) + len(new) > most:
            return None
        return difference(compared_lines(old, new)), frozenset(("old_string", "new_string"))
    edits = given.get("edits")
    if isinstance(edits, list) and (pairs := _pairs(edits)):
        if sum(len(one) + len(other) for one, other in pairs) > most:
            return None
        drawn: list[list[Any]] = []
        for n, (one, other) in enumerate(pairs, 1):
            drawn += [["…", f"edit {n} of {len(pairs)}"], *difference(compared_lines(one, other))]
        return drawn, frozenset(("edits",))
    for key in PATCHES:
        text = given.get(key)
        if isinstance(text, str) and len(text) <= most and is_patch(text):
            return patched(text), frozenset((key,))
    return None


def is_patch(text: str) -> bool:
    """Whether a text is a patch: it begins as one, and has lines that go or come."""
    return text.lstrip().startswith(("*** Begin Patch", "diff --git ", "--- ")) and any(
        line[:1] in "+-" for line in text.splitlines()[1:] if line
    )


def patched(text: str) -> list[list[Any]]:
    """The lines of a patch as ``[sign, text]``; what only says where, has the sign ``…``."""
    found: list[list[Any]] = []
    for line in text.strip("\n").split("\n"):
        if line.startswith(HEADS):
            found.append(["…", plain(line)])
        elif line[:1] in ("+", "-", " "):
            found.append([line[0], plain(line[1:])])
        else:
            found.append([" ", plain(line)])
    return found


def _pairs(edits: Sequence[Json]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for one in edits[: EDITS + 1]:
        if not isinstance(one, Mapping):
            return []
        old, new = (one.get(name) for name in ("old_string", "new_string"))
        if not isinstance(old, str) or not isinstance(new, str):
            return []
        found.append((old, new))
    return found if len(found) <= EDITS else []


def difference(lines: Sequence[Line]) -> list[list[Any]]:
    """Compared lines as ``[sign, text]``, or ``[sign, [[changed, piece]…]]`` where only words of a line
    differ.

    Runs of more than seven shared lines are shortened to three at each end around ``["…", "n lines
    alike"]``.
    """
    found: list[list[Any]] = []
    for sign, group in groupby(lines, key=lambda one: one.sign):
        drawn = [
            [sign, [[new, plain(piece)] for new, piece in one.words] or plain(one.text)] for one in group
        ]
        if sign == " " and len(drawn) > 7:
            drawn[3:-3] = [["…", f"{len(drawn) - 6} lines alike"]]
        found += drawn
    return found

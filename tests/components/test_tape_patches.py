"""Inputs that change a file, as lines that went and came."""

from __future__ import annotations

from typing import Any

import pytest

from components.tape_view.patches import EDITS, changes, is_patch
from components.tape_view.payload import strip
from tape.model import ToolUse

PATCH = "*** Begin Patch\n*** Update File: a.py\n@@ def f():\n x = 1\n-y = 2\n+y = 3\n*** End Patch\n"
DRAWN = [
    ["…", "*** Begin Patch"],
    ["…", "*** Update File: a.py"],
    ["…", "@@ def f():"],
    [" ", "x = 1"],
    ["-", "y = 2"],
    ["+", "y = 3"],
    ["…", "*** End Patch"],
]


def edit(old: str, new: str) -> dict[str, str]:
    return {"old_string": old, "new_string": new}


@pytest.mark.parametrize(
    ("given", "signs", "used"),
    [
        (edit("a\nb", "a\nc"), " -+", {"old_string", "new_string"}),
        ({"file_path": "x", "edits": [edit("a", "b"), edit("c", "d")]}, "…-+…-+", {"edits"}),
        ({"input": PATCH}, "…………"[:3] + " -+…", {"input"}),
        ({"patch": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b"}, "………-+", {"patch"}),
    ],
)
def test_what_is_drawn(given: dict[str, Any], signs: str, used: set[str]) -> None:
    found = changes(given, 4_000)
    assert found is not None
    assert ("".join(sign for sign, _ in found[0]), set(found[1])) == (signs, used)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"input": "no patch"},
        {"input": "*** Begin Patch\nnothing goes\n*** End Patch"},
        {"patch": 7},
        edit("a" * 5_000, "b"),
        {"old_string": 1, "new_string": "b"},
        {"edits": []},
        {"edits": [edit("a", "b"), 3]},
        {"edits": [edit("a", "b")] * (EDITS + 1)},
        {"input": PATCH + "+" * 5_000},
    ],
)
def test_what_stays_as_it_is(given: dict[str, Any]) -> None:
    assert changes(given, 4_000) is None


def test_a_patch_stands_on_the_strip_of_its_call_in_place_of_the_argument() -> None:
    shown = strip(ToolUse(uid="m1.0", id="a", name="apply_patch", input={"input": PATCH, "why": "x"}))
    assert shown["diff"] == DRAWN
    assert [name for name, *_ in shown["fields"]] == ["why"]
    assert is_patch(PATCH)


def test_what_acts_in_a_patch_is_made_visible() -> None:
    shown = strip(
        ToolUse(uid="m1.0", id="a", name="p", input={"input": "*** Begin Patch\n+a\u202eb\x1b[31m"})
    )
    drawn = "".join(line for _, line in shown["diff"])
    assert "\u202e" not in drawn
    assert "\x1b" not in drawn

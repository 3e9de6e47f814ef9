"""Exit code and time of a command, from the words that agents put around its output."""

from __future__ import annotations

import pytest

from components.tape_view.command_end import command_end
from components.tape_view.payload import strip
from tape.model import ToolResult

CODEX = "Exit code: 0\nWall time: 0.1 seconds\nOutput:\nall fine\n"


@pytest.mark.parametrize(
    ("text", "end"),
    [
        (CODEX, (0, 0.1)),
        ("Chunk ID: 1\nWall time: 12 seconds\nProcess exited with code 127\nOutput:\nx", (127, 12.0)),
        ("Exit code 1\nTraceback", (1, None)),
        ("Exit code 1", (1, None)),
        ('{"output":"x","metadata":{"exit_code":2,"duration_seconds":3.5}}', (2, 3.5)),
        ("fine", (None, None)),
        ("It said\nExit code 1", (None, None)),
        ("Output:\nExit code: 7\nWall time: 1 seconds", (None, None)),
        ("Exit code 99999999999999", (None, None)),
        ("", (None, None)),
    ],
)
def test_how_a_command_ended(text: str, end: tuple[int | None, float | None]) -> None:
    assert command_end(text) == end


def test_it_stands_on_the_strip_of_the_result() -> None:
    shown = strip(ToolResult(uid="m1.0", tool_use_id="a", content=CODEX))
    assert (shown["exit"], shown["took"]) == (0, 0.1)
    assert "exit" not in strip(ToolResult(uid="m1.0", tool_use_id="a", content="fine"))

"""Terminal output: colors kept as names, every other control sequence gone, acting characters visible."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from components.tape_view.terminal import plain, runs


def joined(pieces: list[list[str]]) -> list[list[str]]:
    """Neighboring runs of one style as one."""
    found: list[list[str]] = []
    for text, *style in pieces:
        if found and found[-1][1:] == style:
            found[-1][0] += text
        else:
            found.append([text, *style])
    return found


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("\x1b[31mFAIL\x1b[0m ok", [["FAIL", "red"], [" ok"]]),
        ("\x1b[1;32mok\x1b[39m still", [["ok", "bold green"], [" still", "bold"]]),
        ("\x1b[91mbright\x1b[m", [["bright", "red"]]),
        ("\x1b[38;5;196mx\x1b[48;2;1;31;3my", [["xy"]]),
        ("\x1b[3;4mboth\x1b[23;24mnone", [["both", "italic underline"], ["none"]]),
        ("a\x1b[2K\rb", [["a\nb"]]),
        ("50%\r100%\r\n", [["50%\n100%\n"]]),
        ("\x1b]0;title\x07text", [["text"]]),
        ("\x1b]8;;https://x.example\x1b\\link\x1b]8;;\x1b\\", [["link"]]),
        ("b\x08bo\x08ok", [["bok"]]),
        ("\x1b[" + "1" * 5000 + "mx", [["x"]]),
        ("make clean \u202e# tset", [["make clean <U+202E># tset"]]),
        ("سلام", [["سلام"]]),
        ("", []),
    ],
)
def test_what_a_terminal_showed(written: str, shown: list[list[str]]) -> None:
    assert joined(runs(written)) == shown


@settings(deadline=None)
@given(st.text(alphabet=st.sampled_from("ab \n\r\t\x08\x1b[]0123456789;:mK\x07\\\u202e\x9b"), max_size=60))
def test_no_control_character_is_left_and_both_ways_agree(written: str) -> None:
    shown = "".join(run[0] for run in runs(written))
    assert shown == plain(written)
    assert not any(ord(sign) < 32 and sign not in "\n\t" for sign in shown)
    assert "\u202e" not in shown

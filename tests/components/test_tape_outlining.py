"""The outline of turns: what was asked, the first words, the time from what was sent to what came back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from components.tape_view.outlining import MOST, outline
from tape.model import Session
from tests.strategies import answer, assistant, call, session, text, user

CHAT = session(
    user("Which files are there?"),
    assistant(text("Let me look."), call("1", "list")),
    user(answer("1", "a, b")),
    assistant("Two."),
    user("Thanks."),
    assistant("Gladly."),
)


def timed(*times: str | None) -> Session:
    messages = (
        entry if time is None else replace(entry, meta={**entry.meta, "timestamp": time})
        for entry, time in zip(CHAT.messages, times, strict=True)
    )
    return replace(CHAT, messages=tuple(messages))


def test_turns_stand_under_what_was_asked() -> None:
    assert outline(CHAT, 0, 100) == {
        "of": 3,
        "from": 0,
        "turns": [
            ["m1", "Let me look.", ["m0", "Which files are there?"], None],
            ["m3", "Two.", None, None],
            ["m5", "Gladly.", ["m4", "Thanks."], None],
        ],
    }


def test_a_part_of_it() -> None:
    assert [row[0] for row in outline(CHAT, 1, 1)["turns"]] == ["m3"]
    assert outline(CHAT, 7, 100)["turns"] == []
    long = session(*(user("go") if n % 2 == 0 else assistant("a") for n in range(2 * MOST + 20)))
    assert len(outline(long, 0, 10_000)["turns"]) == MOST


@pytest.mark.parametrize(
    ("times", "seconds"),
    [
        (("2026-05-01T10:00:00Z", "2026-05-01T10:00:02Z", "2026-05-01T10:00:04.25Z"), 4.2),
        (("2026-05-01T10:00:00Z", None, None), None),
        (("2026-05-01T10:00:09Z", None, "2026-05-01T10:00:00Z"), None),
        (("2026-05-01T10:00:00", None, "2026-05-01T10:00:04Z"), None),
        (("soon", None, "later"), None),
    ],
)
def test_the_time_of_a_round_trip(times: tuple[str | None, ...], seconds: float | None) -> None:
    assert outline(timed(*times, None, None, None), 0, 1)["turns"][0][3] == seconds

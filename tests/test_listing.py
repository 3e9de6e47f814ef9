"""The list of the conversations of a file: what matches, what order, and that unknown stands last."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tape.cli import main
from tape.errors import UserError
from tape.formats.base import Conversation
from tape.listing import ORDERS, UNTITLED, counted, matching, moment_of, ordered, size_of, title_of
from tape.model import Session
from tests.strategies import assistant, session, user


def one(title: str, date: str | None = None, size: int | None = None, id: str = "") -> Conversation:
    return Conversation(id or title, title, lambda: Session(()), date, size)


BOATS = one("Paper boats", "2026-05-01T10:00:00Z", 41_800, "a1")
KITES = one("Kites and boats", None, 12)
STARS = one("stars", "2025-01-01T00:00:00Z", None)
ALL = (BOATS, KITES, STARS)


@pytest.mark.parametrize(
    ("words", "found"),
    [("", [0, 1, 2]), ("BOATS", [0, 1]), ("boats paper", [0]), ("a1", [0]), ("moon", []), (" ", [0, 1, 2])],
)
def test_words_are_found_in_any_order_and_case(words: str, found: list[int]) -> None:
    assert matching(ALL, words) == found


@pytest.mark.parametrize(
    ("order", "found"),
    [
        ("as in the file", [0, 1, 2]),
        ("newest first", [0, 2, 1]),
        ("oldest first", [2, 0, 1]),
        ("largest first", [0, 1, 2]),
        ("by title", [1, 0, 2]),
    ],
)
def test_what_is_unknown_stands_last(order: str, found: list[int]) -> None:
    assert ordered(ALL, range(3), order) == found
    assert order in ORDERS


def test_what_a_row_says() -> None:
    assert [size_of(each) for each in ALL] == ["41.8 kB", "12 B", ""]
    assert size_of(one("x", size=2_500_000)) == "2.5 MB"
    assert [moment_of(each) for each in ALL] == ["2026-05-01 10:00", "", "2025-01-01 00:00"]
    assert title_of(one("")) == UNTITLED
    assert title_of(one("a\u202eb\nc")).isprintable()


def test_counts_are_those_of_the_tape_and_unknown_where_it_cannot_be_loaded() -> None:
    def broken() -> Session:
        raise UserError("torn")

    array = session(user("go"), assistant("a"), user("and"), assistant("b"))
    found = counted(Conversation("x", "x", lambda: array))
    assert found is not None
    assert (found.messages, found.turns) == (4, 2)
    assert counted(Conversation("x", "x", broken)) is None


def test_the_command_lists_and_its_number_selects(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        {"conversations": [{"from": "human", "value": f"{word}?"}, {"from": "gpt", "value": "Yes."}]}
        for word in ("boats", "kites", "stars")
    ]
    file = tmp_path / "rows.json"
    file.write_text(json.dumps(rows))
    assert main(["list", str(file)]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["#", "0", "1", "2"]
    assert main(["list", str(file), "--search", "kites", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["number"], row["title"], row["messages"], row["turns"]) == (1, "kites?", 2, 1)
    assert main(["report", str(file), "--select", str(row["number"])]) == 0
    assert "kites?" in capsys.readouterr().out
    assert main(["list", str(file), "--search", "moon"]) == 0
    assert "No title of 3" in capsys.readouterr().err
    assert main(["report", str(file)]) == 0
    assert "first of 3 conversations" in capsys.readouterr().err

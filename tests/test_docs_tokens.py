"""docs/tokens.md holds what the corpus gives today; without ``ctok``, as much of it as needs none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from docs.tokens import BEGIN, END, FILE, HEAD, filled, measured
from tape.claude_counting import installed

CHARACTERS_ALONE = 5


def cells(table: str, columns: int) -> list[list[str]]:
    """The first columns of a Markdown table."""
    return [[cell.strip() for cell in line.split("|")[1 : columns + 1]] for line in table.splitlines()]


def test_the_table_is_what_the_corpus_gives_today(corpus: Callable[[str], Path]) -> None:
    text = FILE.read_text("utf-8")
    made = measured(corpus("."))
    columns = len(HEAD) if installed() else CHARACTERS_ALONE
    written = text.partition(BEGIN)[2].partition(END)[0].strip()
    assert cells(written, columns) == cells(made, columns), "run python -m docs.tokens on Python 3.12"
    if installed():
        assert filled(text, made) == text


def test_every_row_says_how_far_off_it_was() -> None:
    written = FILE.read_text("utf-8").partition(BEGIN)[2].partition(END)[0].strip()
    rows = cells(written, len(HEAD))[2:]
    assert len(rows) > 5
    assert all(row[3].endswith("%") and row[4][0] in "+-" for row in rows)
    assert any(row[5].endswith("%") for row in rows if row[0].startswith("Claude"))

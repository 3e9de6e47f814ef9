"""The command ``usage``: as a table, as CSV and as JSON, with what is estimated said to be so."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

import tape
from tape.call_table import COLUMNS
from tape.cli import main
from tape.samples import sample
from tape.usage import usage

Captured = pytest.CaptureFixture[str]
RECORDED = next(f for f in sample("claude-code").files if f.suffix == ".jsonl" and "agent" not in f.name)
ESTIMATED = sample("two-tickets").files[0]


def run(capsys: Captured, *args: str) -> str:
    assert main(["usage", *args]) == 0
    out: str = capsys.readouterr().out
    return out


def test_a_table_and_the_sums_under_it(capsys: Captured) -> None:
    used = usage(tape.load(RECORDED))
    lines = run(capsys, str(RECORDED)).splitlines()
    assert lines[0].split()[:3] == ["turn", "cache", "read"]
    assert len(lines[1 : lines.index("")]) == len(used.turns)
    assert f"processed: {used.total.spent:,} tokens, all calls together" in lines
    assert any(line.startswith(f"cost: {used.total.cost} (genai-prices ") for line in lines)


def test_what_is_estimated_is_marked_and_says_by_what(capsys: Captured) -> None:
    out = run(capsys, str(ESTIMATED))
    assert "≈" in out.splitlines()[1]
    assert "processed: not recorded, all calls together" in out
    assert "≈ estimated: " in out
    assert "the window of this model is not known" in out or "context now: ≈" in out


def test_csv_has_a_row_a_call_and_nothing_for_what_is_not_known(capsys: Captured) -> None:
    rows = list(csv.DictReader(io.StringIO(run(capsys, str(RECORDED), "--csv"))))
    used = usage(tape.load(RECORDED))
    assert tuple(rows[0]) == COLUMNS[:-1]
    assert [int(row["sent"]) for row in rows] == [one.usage.prompt for one in used.turns]
    assert sum(float(row["usd"]) for row in rows) == pytest.approx(float(used.by_lane["main"].cost.usd or 0))
    assert rows[0]["cache_write"] == (
        "" if used.turns[0].usage.cache_write is None else rows[0]["cache_write"]
    )


def test_json_holds_the_same_and_the_sums(capsys: Captured, tmp_path: Path) -> None:
    found: dict[str, Any] = json.loads(run(capsys, str(RECORDED), "--json"))
    used = usage(tape.load(RECORDED))
    assert (found["processed"], found["context_now"]) == (used.total.spent, used.context_now)
    assert len(found["turns"]) == len(used.turns)
    assert set(found["lanes"]) == set(used.by_lane)
    out = tmp_path / "usage.json"
    assert run(capsys, str(RECORDED), "--json", "-o", str(out)) == ""
    assert json.loads(out.read_text("utf-8")) == found


def test_a_session_without_calls_is_a_table_without_rows(capsys: Captured, tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    path.write_text('{"messages": [{"role": "user", "content": "hi"}]}', "utf-8")
    assert run(capsys, str(path), "--csv").splitlines() == [",".join(COLUMNS[:-1])]
    assert "cost: –" in run(capsys, str(path))

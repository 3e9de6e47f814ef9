"""The command ``lint``: one file, many files, folders, by whose rules, and what comes out as JSON."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

import tape
from tape.cli import main
from tape.formats import FORMATS
from tape.rules import ENDPOINTS, lint
from tape.rules.own import OWN
from tape.samples import sample

Captured = pytest.CaptureFixture[str]
GOOD, BAD, OPENAI = (
    sample(name).files[0] for name in ("two-tickets", "three-calls-two-results", "openai-form")
)
LINE = re.compile(r"^(?P<file>[^:]+):(?P<where>[^:]+): (?P<code>[a-z-]+): (?P<text>.+)$")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a good and a bad transcript, one below, a text, a hidden file and an empty one."""
    (tmp_path / "deep").mkdir()
    shutil.copy(GOOD, tmp_path / "good.json")
    shutil.copy(BAD, tmp_path / "deep" / "bad.json")
    shutil.copy(BAD, tmp_path / ".hidden.json")
    (tmp_path / "notes.txt").write_text("Nothing to see here.\n", "utf-8")
    (tmp_path / "empty.json").write_text("", "utf-8")
    return tmp_path


def test_a_folder_gives_one_line_a_finding_and_a_summary(folder: Path, capsys: Captured) -> None:
    assert main(["lint", str(folder)]) == 1
    *lines, summary = capsys.readouterr().out.splitlines()
    parts = [match.groupdict() for line in lines if (match := LINE.match(line))]
    assert len(parts) == len(lines) == 2
    bad, good = sorted(parts, key=lambda part: part["file"])
    assert bad["file"] == str(folder / "deep" / "bad.json")
    assert (bad["where"], bad["code"]) == ("messages[1].content[2]", "unanswered-tool-use")
    assert bad["text"].startswith("refused: ")
    assert (good["file"], good["code"]) == (str(folder / "good.json"), "prefill-unsupported")
    assert summary == (
        "2 findings for Claude API: 1 refused, 0 risky, 1 hints; 2 transcripts, 1 refused; "
        "2 files there of another kind"
    )


def test_several_files_pass_when_none_is_refused(capsys: Captured) -> None:
    assert main(["lint", str(GOOD), str(sample("times-three").files[0])]) == 0
    assert capsys.readouterr().out.splitlines()[-1].endswith("2 transcripts, 0 refused")


def test_a_named_file_that_cannot_be_read_does_not_hide_the_others(folder: Path, capsys: Captured) -> None:
    assert main(["lint", str(folder / "empty.json"), str(folder / "deep")]) == 2
    told = capsys.readouterr()
    assert "unanswered-tool-use" in told.out
    assert told.err.startswith(str(folder / "empty.json"))


def test_json_of_several_files_names_each(folder: Path, capsys: Captured) -> None:
    assert main(["lint", str(folder), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert {Path(one["file"]).name for one in found} == {"bad.json", "good.json"}
    (bad,) = [one for one in found if one["severity"] == "refused"]
    assert bad["vendor_text"].startswith("messages.1: `tool_use` ids were found without")
    assert bad["repairs"][0]["safe"] is True
    assert re.fullmatch(r"\d{4}-\d\d", bad["last_seen"])


def test_fix_is_for_one_file(folder: Path, tmp_path: Path, capsys: Captured) -> None:
    out = tmp_path / "out.json"
    assert main(["lint", str(folder), "--fix", str(out)]) == 2
    assert not out.exists()
    assert "--fix" in capsys.readouterr().err


def test_fix_writes_what_the_endpoint_takes(tmp_path: Path, capsys: Captured) -> None:
    out = tmp_path / "out.json"
    assert main(["lint", str(BAD), "--endpoint", "strict", "--fix", str(out)]) == 0
    assert "Answered the call at messages[1].content[2]" in capsys.readouterr().err
    assert not [f for f in lint(tape.load(out), "strict") if f.severity == "refused"]


def test_the_model_that_is_assumed_decides(capsys: Captured, tmp_path: Path) -> None:
    file = tmp_path / "prefill.json"
    body = {"max_tokens": 9, "messages": [{"role": r, "content": "{"} for r in ("user", "assistant")]}
    file.write_text(json.dumps(body), "utf-8")
    assert main(["lint", str(file), "--model", "claude-opus-4-6"]) == 1
    assert main(["lint", str(file), "--model", "claude-sonnet-4-5"]) == 0


def test_every_conversation_of_a_file_is_looked_at(tmp_path: Path, capsys: Captured) -> None:
    file = tmp_path / "log.jsonl"
    bodies = [json.loads(path.read_text("utf-8")) for path in (OPENAI, OPENAI)]
    orphan = {"role": "tool", "tool_call_id": "c1", "content": "nobody asked"}
    bodies[1]["messages"] = [bodies[1]["messages"][0], orphan]
    file.write_text("".join(f"{json.dumps(body)}\n" for body in bodies), "utf-8")
    assert len(tape.read(file).conversations) == 2
    assert main(["lint", str(file), "--endpoint", "own"]) == 1
    refused = [line for line in capsys.readouterr().out.splitlines() if "refused: orphan" in line]
    assert len(refused) == 1
    assert refused[0].startswith("#1 messages[1]")
    assert main(["lint", str(file), "--endpoint", "own", "--select", "0"]) == 0


def test_it_says_whose_rules_were_used_and_whose_the_file_lived_by(capsys: Captured) -> None:
    assert main(["lint", str(OPENAI)]) == 0
    told = capsys.readouterr()
    assert "for Claude API" in told.out
    assert "recorded on OpenAI Chat Completions" in told.err
    assert main(["lint", str(OPENAI), "--endpoint", "own"]) == 0
    told = capsys.readouterr()
    assert "for OpenAI Chat Completions" in told.out
    assert told.err == ""


def test_formats_and_endpoints_of_their_own_exist() -> None:
    assert OWN.keys() <= {one.name for one in FORMATS}
    assert set(OWN.values()) <= set(ENDPOINTS)

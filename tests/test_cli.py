"""The command line: its output, its exit codes, and what it does where terminal or file are awkward."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tape.cli import main
from tape.samples import sample
from tests.corpus import REPOSITORY

TICKETS = str(sample("two-tickets").files[0])
DANGLING = str(sample("dangling-call").files[0])
Captured = pytest.CaptureFixture[str]


def tape_command(*args: str, **options: object) -> subprocess.CompletedProcess[bytes]:
    """Runs ``python -m tape`` as a shell would."""
    command = [sys.executable, "-m", "tape", *args]
    return subprocess.run(command, cwd=REPOSITORY, capture_output=True, **options)  # type: ignore[call-overload,no-any-return]


def test_report_is_one_json_object(capsys: Captured) -> None:
    assert main(["report", TICKETS]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["format"], told["conversations"], told["conversation"]) == ("anthropic-messages", 1, 0)
    assert told["counts"]["messages"] == 4
    assert [link["state"] for link in told["links"]] == ["ok", "ok"]


def test_a_file_may_be_standard_input() -> None:
    given = tape_command("report", "-", input=Path(TICKETS).read_bytes())
    named = tape_command("report", TICKETS)
    assert json.loads(given.stdout) == json.loads(named.stdout)


@pytest.mark.parametrize(("file", "code"), [(TICKETS, 0), (DANGLING, 1)])
def test_lint_fails_where_the_call_would(file: str, code: int) -> None:
    assert main(["lint", file]) == code


def test_lint_names_place_and_code(capsys: Captured) -> None:
    main(["lint", DANGLING])
    assert "messages[1].content[1]: refused: unanswered-tool-use: " in capsys.readouterr().out


def test_lint_as_json_is_a_list_of_findings(capsys: Captured) -> None:
    main(["lint", DANGLING, "--json"])
    found = json.loads(capsys.readouterr().out)
    assert [(one["code"], one["severity"]) for one in found] == [("unanswered-tool-use", "refused")]


def test_lint_mends_what_is_safe_to_mend(tmp_path: Path, capsys: Captured) -> None:
    mended = tmp_path / "mended.json"
    assert main(["lint", DANGLING, "--fix", str(mended)]) == 0
    assert main(["lint", str(mended)]) == 0


def test_what_came_from_a_file_goes_back_as_it_came(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    assert main(["convert", TICKETS, "--to", "source", "-o", str(out)]) == 0
    assert out.read_bytes() == Path(TICKETS).read_bytes()


def test_what_a_format_cannot_carry_is_said(tmp_path: Path, capsys: Captured) -> None:
    session = str(sample("claude-code").files[0])
    assert main(["convert", session, "--to", "openai-chat", "-o", str(tmp_path / "out.json")]) == 1
    assert capsys.readouterr().err.startswith("messages[5].content[0]: Thinking was left out")


def test_edits_are_applied_in_order_and_said(tmp_path: Path, capsys: Captured) -> None:
    out = tmp_path / "out.json"
    ops = [
        '{"op": "delete", "targets": [3]}',
        '{"op": "append", "messages": [{"role": "user", "content": "Hm."}]}',
    ]
    assert main(["edit", TICKETS, "--op", ops[0], "--op", ops[1], "-o", str(out)]) == 0
    assert [m["role"] for m in json.loads(out.read_text("utf-8"))["messages"]] == [
        "user",
        "assistant",
        "user",
        "user",
    ]
    assert len(capsys.readouterr().err.splitlines()) == 2


def test_a_file_may_be_replaced_by_its_own_edit(tmp_path: Path) -> None:
    file = tmp_path / "session.json"
    file.write_bytes(Path(TICKETS).read_bytes())
    file.chmod(0o640)
    assert main(["edit", str(file), "--op", '{"op": "delete", "targets": [3]}', "-o", str(file)]) == 0
    assert len(json.loads(file.read_text("utf-8"))["messages"]) == 3
    assert file.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in tmp_path.iterdir()] == ["session.json"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["report", "no-such-file.json"], "no-such-file.json"),
        (["report", TICKETS, "--select", "7"], "no conversation '7'"),
        (["report", TICKETS, "--format", "wax"], "no format named 'wax'"),
        (["convert", TICKETS, "--to", "wax"], "no format named 'wax'"),
        (["edit", TICKETS, "--op", "{"], "This is not JSON"),
        (["edit", TICKETS, "--op", '{"op": "sing"}'], '"sing" is not known'),
        (["edit", TICKETS, "--op", '{"op": "delete", "targets": [40]}'], "40"),
        (["convert", TICKETS, "--to", "source", "-o", "no/such/folder/out.json"], "Cannot write"),
    ],
)
def test_what_a_user_can_mend_is_one_line_and_exit_code_2(
    args: list[str], said: str, capsys: Captured
) -> None:
    assert main(args) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1


def test_a_wrong_use_is_exit_code_2() -> None:
    with pytest.raises(SystemExit) as ended:
        main(["report"])
    assert ended.value.code == 2


@pytest.mark.parametrize("data", [b"", b"  \n", bytes(range(256)) * 40])
def test_input_with_nothing_to_show_is_one_line_without_a_traceback(data: bytes) -> None:
    done = tape_command("report", "-", input=data)
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert b"Traceback" not in done.stderr


def test_output_is_utf_8_whatever_the_locale_says(tmp_path: Path) -> None:
    file = tmp_path / "session.json"
    file.write_text('[{"role": "user", "content": "naïve 日本"}]', "utf-8")
    plain = {**os.environ, "LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    edit = '{"op": "append", "messages": [{"role": "assistant", "content": "日"}]}'
    done = tape_command("edit", str(file), "--op", edit, env=plain)
    assert done.returncode == 0, done.stderr
    assert "naïve 日本" in done.stdout.decode("utf-8")


def test_a_reader_that_stops_early_is_no_error(tmp_path: Path) -> None:
    file = tmp_path / "session.json"
    file.write_text(json.dumps([{"role": "user", "content": "x" * 500_000}]), "utf-8")
    command = [sys.executable, "-m", "tape", "convert", str(file), "--to", "source"]
    with subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


def test_words_of_a_transcript_do_not_act_on_the_terminal(tmp_path: Path) -> None:
    file = tmp_path / "session.json"
    bad = {"type": "tool_use", "id": "a\x1b[2J\u202e", "name": "\x9b31m", "input": {}}
    file.write_text(
        json.dumps(
            [
                {"role": "user", "content": "x"},
                {"role": "assistant", "content": [bad]},
                {"role": "user", "content": "y"},
            ]
        ),
        "utf-8",
    )
    for command in ("lint", "report"):
        told = tape_command(command, str(file)).stdout.decode("utf-8")
        assert not set(told) & {"\x1b", "\u202e", "\x9b"}
    assert json.loads(told)["unlinked"][0]["id"] == bad["id"]


def test_formats_are_listed_once_each(capsys: Captured) -> None:
    assert main(["formats"]) == 0
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert {"anthropic-messages", "claude-code", "openai-chat"} <= set(names)
    assert len(names) == len(set(names))

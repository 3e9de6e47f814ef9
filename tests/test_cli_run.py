"""``python -m tape run`` and ``python -m tape endpoint``, as programs."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import anthropic
import pytest

from tape.checkpoints import listed
from tape.cli import main
from tape.endpoint.app import create_app
from tests.corpus import REPOSITORY
from tests.endpoint.asking import READING, body
from tests.loopback import serving
from tests.strategies import assistant, call, user

QUESTION = "Is the add function in calc.py correct?"
NEW = ["run", "--new", QUESTION, "--tools", "calculator"]


def saved(folder: Path, *messages: object) -> str:
    """A file with these messages; gives its path."""
    path = folder / "session.json"
    path.write_text(json.dumps(body(*messages)), "utf-8")  # type: ignore[arg-type]
    return str(path)


def test_the_tape_is_printed_as_it_grows(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(NEW) == 0
    lines = capsys.readouterr().out.splitlines()
    assert next(line for line in lines if line.startswith("turn")).startswith("turn 1: sends 1 messages, ")
    assert [line.split(":")[0].strip() for line in lines if re.match(r"  \[", line)] == [
        "[1] assistant", "[2] user", "[3] assistant", "[4] user", "[5] assistant"
    ]  # fmt: skip
    assert "No: add in calc.py is not correct." in lines[-3]
    assert re.fullmatch(r" +[\d,]+ tokens in, \d+ out \(end_turn, scripted\)", lines[-2])
    assert lines[-1] == "ended: end_turn"


def test_the_session_is_written_and_can_be_run_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.json"
    assert main([*NEW, "--max-calls", "1", "-o", str(out)]) == 0
    assert len(json.loads(out.read_text("utf-8"))["messages"]) == 3
    assert main(["run", str(out), "--tools", "calculator", "-o", str(out)]) == 0
    assert len(json.loads(out.read_text("utf-8"))["messages"]) == 6
    assert capsys.readouterr().out.count("turn 1") == 2


def test_a_message_can_be_said_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = saved(tmp_path, user("2+2?"), assistant("2 + 2 = 4."))
    assert main(["run", path]) == 1
    capsys.readouterr()
    assert main(["run", path, "--say", "times 3?", "-o", "-"]) == 0
    messages = json.loads(capsys.readouterr().out)["messages"]
    assert [message["content"] for message in messages[2:]] == [
        "times 3?",
        [{"type": "text", "text": "4 × 3 = 12."}],
    ]


def test_with_dash_the_session_has_standard_output_for_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--new", "2+2?", "-o", "-"]) == 0
    output = capsys.readouterr()
    assert [m["role"] for m in json.loads(output.out)["messages"]] == ["user", "assistant"]
    assert "turn 1" in output.err


def test_events_are_json_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*NEW, "--once", "--json"]) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    kinds = list(dict.fromkeys(event["event"] for event in events))
    assert kinds == ["request_sent", "opened", "text", "input", "message_complete", "ended"]
    complete = events[-2]
    assert complete["message"]["content"][-1]["name"] == "read_file"
    assert complete["usage"]["output"] > 0
    assert events[-1]["reason"] == "once"


def test_a_broken_array_is_refused_with_exit_code_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = saved(tmp_path, user("go"), assistant(call("toolu_1")), user("and?"))
    assert main(["run", path]) == 1
    assert "refused: The endpoint refuses this request (400). It says: messages.1:" in capsys.readouterr().out


def test_the_calls_at_the_end_can_be_carried_out_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = saved(tmp_path, user(QUESTION), assistant(call("t", "read_file", {"path": "calc.py"})))
    assert main(["run", path, "--tools", "calculator", "--resume"]) == 0
    assert capsys.readouterr().out.splitlines()[0].startswith("  [2] user: ← ")


def test_a_run_from_an_earlier_message_replays_recorded_results(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, again = tmp_path / "whole.json", tmp_path / "again.json"
    assert main([*NEW, "-o", str(out)]) == 0
    assert main(["run", str(out), "--from", "0", "--mode", "replay", "-o", str(again)]) == 0
    assert json.loads(again.read_text("utf-8")) == json.loads(out.read_text("utf-8"))
    capsys.readouterr()
    assert main(["run", str(out), "--from", "0", "--mode", "replay", "--json"]) == 0
    finished = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    told = [(e["origin"], e["note"]) for e in finished if e["event"] == "tool_finished"]
    assert told == [("replayed", "recorded in the original session")] * 2


def test_a_replay_without_a_fitting_result_ends_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = saved(tmp_path, user(QUESTION), assistant(call("t", "read_file", {"path": "calc.py"})))
    assert main(["run", path, "--resume", "--mode", "replay"]) == 1
    assert capsys.readouterr().out.splitlines()[-3:-1] == [
        "      read_file needs a result",
        "ended: needs_result",
    ]


@pytest.mark.parametrize("packed", [False, True])
def test_a_workspace_may_be_a_folder_or_a_zip(
    packed: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "calc.py").write_text("def add(a, b):\n    return a + b\n", "utf-8")
    named = folder
    if packed:
        named = tmp_path / "project.zip"
        with zipfile.ZipFile(named, "w") as archive:
            archive.write(folder / "calc.py", "project/calc.py")
    assert main(["run", "--new", QUESTION, "--tools", str(named)]) == 0
    assert "Yes: add in calc.py is correct" in capsys.readouterr().out


def test_their_tool_can_be_carried_out_by_ours(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = saved(tmp_path, user(QUESTION), assistant(call("t", "Read", {"file_path": "/home/me/calc.py"})))
    mapped = ["run", path, "--resume", "--max-calls", "1", "--tools", "calculator", "--map", "Read=read_file"]
    assert main([*mapped, "--json"]) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    done = next(event for event in events if event["event"] == "tool_finished")
    assert (done["origin"], done["note"]) == ("workspace", "workspace calculator, by read_file")
    assert main(["run", path, "--resume", "--once", "--tools", "calculator"]) == 0
    assert "There is no tool named 'Read' here." in capsys.readouterr().out


def test_a_checkpoint_is_kept_after_each_turn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TAPEDECK_DATA", str(tmp_path))
    assert main([*NEW, "--checkpoint", "--json"]) == 0
    events = [json.loads(line)["event"] for line in capsys.readouterr().out.splitlines()]
    assert events.count("saved") == 5
    assert [one.about.messages for one in listed()] == [6]


def test_a_live_run_says_what_it_would_cost_and_ends_at_its_cap(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = saved(tmp_path, user("long " * 100_000))
    capped = [
        "run",
        path,
        "--endpoint",
        "http://127.0.0.1:9",
        "--model",
        "claude-opus-5-5",
        "--max-usd",
        "0.01",
    ]
    assert main(capped) == 0
    assert capsys.readouterr().out.splitlines()[0] == "ended: usd"
    unpriced = ["run", path, "--endpoint", "http://127.0.0.1:9", "--model", "some-local-model"]
    assert main(unpriced) == 1
    said = capsys.readouterr().out
    assert "what they cost is unknown, for the price of some-local-model is not known (estimated)." in said
    assert "failed: Nothing answers at http://127.0.0.1:9" in said


@pytest.mark.parametrize(
    "wrong",
    [
        ["run"],
        ["run", "x.json", "--new", "hi"],
        ["run", "--new", "hi", "--say", "hi"],
        ["run", "x.json", "--system", "Be brief."],
        ["run", "--new", "hi", "--endpoint", "localhost"],
        ["run", "--new", "hi", "--endpoint", "http://127.0.0.1:9", "--key-from", "NO_SUCH_VARIABLE"],
        ["run", "--new", "hi", "--tools", "/no/such/folder"],
        ["run", "--new", "hi", "--map", "Bash"],
        ["run", "--new", "hi", "--map", "Bash=rm"],
        ["run", "--new", "hi", "--from", "3"],
        ["run", "/no/such/file.json"],
        ["endpoint", "--port", "99999"],
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    wrong: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(wrong) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert len(output.err.splitlines()) == 1


def test_acting_characters_of_a_transcript_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--new", "\x1b[31mred\u202e"]) == 0
    output = capsys.readouterr().out
    assert "\x1b" not in output
    assert "<U+001B>[31mred<U+202E>" in output
    assert main(["run", "--new", "\x1b[31mred\u202e", "--json"]) == 0
    output = capsys.readouterr().out
    assert "\x1b" not in output
    assert "\u202e" not in output


def test_a_file_that_cannot_be_read_on_is_refused_by_the_strict_profile(tmp_path: Path) -> None:
    path = saved(tmp_path, user("2+2?"), user("times 3?"))
    assert main(["run", path]) == 0
    assert main(["run", path, "--profile", "strict"]) == 1


def test_the_endpoint_can_be_used_by_any_client() -> None:
    command = [sys.executable, "-m", "tape", "endpoint", "--port", "0", "--pace", "0"]
    with subprocess.Popen(command, cwd=REPOSITORY, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        said = server.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+", said)
        assert found, said
        with anthropic.Anthropic(api_key="any", base_url=found[0]) as sdk:
            answer = sdk.messages.create(
                model="any", max_tokens=100, messages=[{"role": "user", "content": "2+2?"}]
            )
            with pytest.raises(anthropic.BadRequestError):
                sdk.messages.create(model="any", max_tokens=100, messages=[])
        taken = subprocess.run(
            [*command[:4], "--port", found[0].rsplit(":", 1)[1]],
            cwd=REPOSITORY,
            capture_output=True,
            text=True,
        )
        server.send_signal(signal.SIGINT)
        server.wait(10)
    assert answer.content[0].to_dict() == {"type": "text", "text": "2 + 2 = 4."}
    assert taken.returncode == 2
    assert "cannot be had" in taken.stderr


def test_the_lines_of_the_readme_do_what_they_say() -> None:
    program = re.findall(
        r"```python\n(import anthropic.*?)```", (REPOSITORY / "README.md").read_text("utf-8"), re.S
    )
    assert len(program) == 1
    assert len(program[0].strip().splitlines()) <= 11
    with serving(create_app(pace=0)) as url:
        here = program[0].replace("http://127.0.0.1:8080", url)
        done = subprocess.run([sys.executable, "-c", here], capture_output=True, text=True)
    assert done.stdout == "4 × 3 = 12.\n"
    assert done.returncode == 1
    assert "BadRequestError: Error code: 400" in done.stderr


def test_a_person_at_the_terminal_is_the_harness(tmp_path: Path) -> None:
    path = tmp_path / "session.json"
    path.write_text(json.dumps(body(user(QUESTION), tools=READING)), "utf-8")
    typed = ["def add(a, b):", "    return a + b", ".", "error: No such file.", "."]
    ours, theirs = pty.openpty()
    try:
        os.write(ours, "".join(f"{one}\n" for one in typed).encode())
        done = subprocess.run(
            [sys.executable, "-m", "tape", "run", str(path), "--mode", "replay", "--json"],
            cwd=REPOSITORY,
            stdin=theirs,
            capture_output=True,
            text=True,
        )
    finally:
        os.close(ours)
        os.close(theirs)
    assert done.returncode == 0, done.stderr
    assert "What does it return?" in done.stderr
    events = [json.loads(line) for line in done.stdout.splitlines()]
    given = [e["message"]["content"][0] for e in events if e["event"] == "results_appended"]
    assert [(one["content"], one.get("is_error")) for one in given] == [
        ("def add(a, b):\n    return a + b", None),
        ("No such file.", True),
    ]
    assert {e["origin"] for e in events if e["event"] == "tool_finished"} == {"by hand"}

"""Checkpoints: what is kept comes back whole, one file a session, private, bounded, and safe from a kill."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import tape
from tape import checkpoints
from tape.agent import Ended, Saved, open_calls, run
from tape.checkpoints import MOST, Checkpoint, Keeper, describe, folder, forget, listed
from tape.client import Client, embedded
from tape.edits import Append, Delete, Fork, Replace, apply
from tape.edits.rewind import rewind
from tape.errors import UserError
from tape.kept_session import pack, unpack
from tape.model import Session
from tape.samples import samples
from tape.threads import threads
from tests.corpus import REPOSITORY
from tests.strategies import answer, assistant, call, session, text, user

SESSION = session(user("go"), assistant(text("I look."), call("a", "ls")), user(answer("a", "files")))


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of the test's own."""
    monkeypatch.setenv("TAPEDECK_DATA", str(tmp_path))
    return tmp_path


def again(before: Session) -> Session:
    """The session after it was packed and unpacked."""
    return unpack(pack(before, describe(before, "id", before.title)))


def alike(one: Session, other: Session) -> None:
    """Fails unless two sessions hold the same, down to what dumping them gives."""
    assert tape.request(one) == tape.request(other)
    assert [m.uid for m in one.messages] == [m.uid for m in other.messages]
    assert [m.heads for m in one.messages] == [m.heads for m in other.messages]
    assert [m.provenance for m in one.messages] == [m.provenance for m in other.messages]
    assert (one.calls, one.title, one.format, one.serial) == (
        other.calls,
        other.title,
        other.format,
        other.serial,
    )
    assert [(b.name, b.at, b.reason, len(b.messages)) for b in one.branches] == [
        (b.name, b.at, b.reason, len(b.messages)) for b in other.branches
    ]
    assert (len(one.lanes), len(one.asides), one.untouched) == (
        len(other.lanes),
        len(other.asides),
        other.untouched,
    )
    assert tape.dump(one) == tape.dump(other)


@pytest.mark.parametrize("name", [one.name for one in samples()])
def test_a_sample_comes_back_byte_for_byte(name: str) -> None:
    before = next(one for one in samples() if one.name == name).load()
    alike(before, again(before))


@pytest.mark.parametrize("name", [one.name for one in samples()])
def test_edits_branches_and_the_original_come_back(name: str) -> None:
    before = next(one for one in samples() if one.name == name).load()
    edited = apply(before, Append(({"role": "user", "content": "And now? ünïcode \U0001f600"},)))
    edited = apply(edited, Replace("m0", {"role": "user", "content": "changed"}, force=True))
    edited = rewind(apply(edited, Fork("m0", "fork")), "m0", "before the re-run")
    after = again(edited)
    alike(edited, after)
    assert after.base is not None
    original = after.base.sources[0].data
    assert bytes(original) == next(one for one in samples() if one.name == name).files[0].read_bytes()


def test_a_session_without_a_file_comes_back() -> None:
    alike(SESSION, again(SESSION))
    whole = again(apply(SESSION, Delete((0,))))
    assert len(whole.messages) == 2


def test_a_log_of_claude_code_comes_back(corpus: Callable[[str], Path]) -> None:
    path = corpus("claude-code")
    for file in sorted(path.glob("*.jsonl")):
        before = tape.load(file)
        alike(before, again(before))
        alike(
            apply(before, Append(({"role": "user", "content": "x"},))),
            again(apply(before, Append(({"role": "user", "content": "x"},)))),
        )


@pytest.mark.parametrize("wrong", [b"", b"PK\x03\x04", b"{}", b"\x00" * 100])
def test_what_is_no_kept_session_is_said_so(wrong: bytes) -> None:
    with pytest.raises(UserError, match="no session that Tapedeck kept"):
        unpack(wrong)


def test_damage_at_any_byte_is_a_user_error_or_harmless() -> None:
    whole = pack(SESSION, describe(SESSION, "id", "t"))
    for place in range(0, len(whole), 7):
        damaged = whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :]
        try:
            assert isinstance(unpack(damaged), Session)
        except UserError:
            continue


def test_another_version_and_a_bomb_are_refused(tmp_path: Path) -> None:
    def made(value: object, extra: bytes = b"") -> bytes:
        path = tmp_path / "x.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("session.json", json.dumps(value))
            if extra:
                archive.writestr("source/0-x", extra)
        return path.read_bytes()

    with pytest.raises(UserError, match="another version"):
        unpack(made({"tapedeck": 99}))
    with pytest.raises(UserError, match="too large"):
        unpack(made({"tapedeck": 1}, bytes(70_000_000)))


def test_it_is_private_small_and_alone() -> None:
    keeper = Keeper("one", "A title")
    for number in range(5):
        grown = apply(SESSION, Append(({"role": "user", "content": f"{number}"},)))
        assert keeper.keep(grown) == ""
    assert [path.name for path in folder().iterdir()] == ["one.tapedeck"]
    mode = keeper.path.stat().st_mode
    assert stat.S_IMODE(mode) == 0o600
    assert stat.S_IMODE(folder().stat().st_mode) == 0o700
    assert keeper.path.stat().st_size < 3_000
    found = listed()
    assert [(one.about.id, one.about.title, one.about.messages) for one in found] == [("one", "A title", 4)]
    alike(found[0].load(), grown)


@pytest.mark.parametrize("odd", ["../../evil", "/etc/passwd", "a/b", "", "\x00", "." * 300, "ünï"])
def test_an_id_never_leads_out_of_the_folder(odd: str) -> None:
    keeper = Keeper(odd, odd)
    assert keeper.keep(SESSION) == ""
    assert keeper.path.parent == folder()
    assert len(listed()) == 1


def test_only_the_newest_stay_and_named_ones_are_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Keeper("named", "t", name="before the exam").keep(SESSION) == ""
    for number in range(MOST + 3):
        assert Keeper(f"run-{number}", "t").keep(SESSION) == ""
    names = [one.about.name for one in listed()]
    assert (names.count(""), names.count("before the exam")) == (MOST, 1)
    monkeypatch.setattr(checkpoints, "BYTES", 1)
    assert Keeper("last", "t").keep(SESSION) == ""
    assert len(listed()) == 1
    forget(listed()[0])
    assert listed() == ()


def test_files_of_others_are_passed_over_and_left() -> None:
    folder().mkdir(parents=True)
    (folder() / "note.txt").write_text("mine", "utf-8")
    (folder() / "broken.tapedeck").write_bytes(b"no zip")
    assert Keeper("one", "t").keep(SESSION) == ""
    assert len(listed()) == 1
    assert (folder() / "note.txt").exists()
    broken = Checkpoint(folder() / "gone.tapedeck", 1, listed()[0].about)
    with pytest.raises(UserError, match="cannot be read"):
        broken.load()


def test_a_disk_that_refuses_is_a_sentence_and_the_run_goes_on(data: Path) -> None:
    (data / "checkpoints").write_text("a file where the folder should be", "utf-8")
    with Client(embedded(pace=0)) as client:
        events = list(run(session(user("2+2?")), client, keeper=Keeper("x", "t")))
    saved = [event for event in events if isinstance(event, Saved)]
    assert saved
    assert saved[0].fault.startswith("The checkpoint could not be written: ")
    assert isinstance(events[-1], Ended)
    assert events[-1].reason == "end_turn"


def test_what_is_too_large_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tape.kept_session.LARGEST", 100)
    assert "larger than" in Keeper("x", "t").keep(SESSION)


def test_what_is_nested_too_deeply_is_a_sentence() -> None:
    deep: object = 1
    for _ in range(100_000):
        deep = [deep]
    whole = replace(SESSION, params={"metadata": deep})
    assert Keeper("x", "t").keep(whole) == "The session is nested too deeply to be kept. Download it."


def test_no_key_is_in_a_checkpoint() -> None:
    key = "sk-ant-very-secret-key"
    with Client(embedded(pace=0)) as client:
        object.__setattr__(client.target, "key", key)
        list(run(session(user("2+2?")), client, keeper=Keeper("x", "t")))
    with zipfile.ZipFile(Keeper("x", "t").path) as archive:
        assert key.encode() not in b"".join(archive.read(name) for name in archive.namelist())


KILLED = """
import sys, time
from dataclasses import replace
from tape.agent import run, Saved
from tape.checkpoints import Keeper
from tape.client import Client, embedded
from tape.samples import sample
from tape.edits.rewind import rewind
from tape.tools.base import Outcome
start = rewind(sample("fix-the-test").load(), "m0", "recorded")

class Tools:
    calls = 0
    def take(self, call):
        Tools.calls += 1
        def work():
            if Tools.calls == 2:
                print("in the second tool", flush=True)
                time.sleep(60)
            return Outcome("calc.py\\ntest_calc.py", False, "workspace", "test")
        return work

with Client(embedded(pace=0)) as client:
    for event in run(start, client, [Tools()], keeper=Keeper("killed", "Fix the failing test")):
        pass
"""


def test_a_killed_run_is_offered_as_it_was_and_can_be_mended() -> None:
    program = [sys.executable, "-c", KILLED]
    with subprocess.Popen(program, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "in the second tool\n"
        os.kill(running.pid, signal.SIGKILL)
        assert running.wait(20) == -signal.SIGKILL
    offered = listed()
    assert [(one.about.title, one.about.waiting) for one in offered] == [("Fix the failing test", 1)]
    found = offered[0].load()
    assert [entry.role for entry in found.messages] == ["user", "assistant", "user", "assistant"]
    assert [branch.name for branch in found.branches] == ["recorded"]
    assert [c.name for c in open_calls(found)] == ["run_bash"]
    assert list(threads(found).states.values()).count("pending") == 1
    said = apply(found, Append(({"role": "user", "content": "Are you there?"},)))
    finding = next(f for f in tape.lint(said) if f.code == "unanswered-tool-use")
    assert finding.repairs
    with Client(embedded(pace=0)) as client:
        *_, end = run(found, client, resume=True)
    assert isinstance(end, Ended)
    assert end.reason == "end_turn"


def test_a_kill_while_writing_leaves_the_old_file_or_the_new(data: Path) -> None:
    assert Keeper("x", "old").keep(SESSION) == ""
    program = """
import os, signal, sys
from tape import checkpoints
from tape.checkpoints import Keeper
from tape.kept_session import unpack
import tape.checkpoints as c
where = sys.argv[1]
real = {"fsync": os.fsync, "replace": c.Path.replace}
def die(*args): os.kill(os.getpid(), signal.SIGKILL)
if where == "fsync": os.fsync = die
else: c.Path.replace = die
(old,) = c.listed()
Keeper("x", "new").keep(old.load())
"""
    for where in ("fsync", "replace"):
        done = subprocess.run([sys.executable, "-c", program, where], cwd=REPOSITORY)
        assert done.returncode == -signal.SIGKILL
        assert [one.about.title for one in listed()] == ["old"]
        alike(listed()[0].load(), SESSION)
    assert Keeper("x", "new").keep(SESSION) == ""
    assert [one.about.title for one in listed()] == ["new"]


@pytest.mark.parametrize("name", ["claude-code", "fix-the-test"])
def test_a_kept_state_opens_like_any_transcript(name: str, tmp_path: Path) -> None:
    before = next(one for one in samples() if one.name == name).load()
    grown = rewind(apply(before, Append(({"role": "user", "content": "And now?"},))), "m0", "before")
    data = pack(grown, describe(grown, "id", grown.title, "before the exam"))
    path = tmp_path / "state.tapedeck"
    path.write_bytes(data)
    for source in (path, data):
        reading = tape.read(source)
        assert (reading.format, len(reading.conversations)) == (before.format, 1)
        alike(reading.conversations[0].load(), grown)
    damaged = data.replace(b'"', b"'")
    with pytest.raises(UserError):
        tape.read(damaged)

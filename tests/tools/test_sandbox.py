"""``run_bash``: what a hostile command gets, and what everybody gets where there is no sandbox.

Where user namespaces are not permitted the jail cannot be tested; the end of the test run says so in capitals
(``tests/conftest.py``), and the tests of the switched-off path are what is left.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tape.tools import sandbox
from tape.tools.bash import BashTool
from tape.tools.folder import FolderWorkspace, Snapshot, sample_snapshot
from tape.tools.results import workspace_tools
from tape.tools.sandbox import GET_ONE, UNCONFINED, Bounds, Ran, Sandbox, run_command
from tests.corpus import REPOSITORY
from tests.sandboxed import HERE, WALLED

OFF = Sandbox("off", f"Commands are switched off, for there is no sandbox. {GET_ONE}")
TIGHT = Bounds(seconds=60, processes=32, memory=600_000_000, disk=20_000_000, files=500, output=2_000)

if WALLED:

    @pytest.fixture
    def workspace() -> Iterator[FolderWorkspace]:
        """The calculator with its failing test."""
        with FolderWorkspace(sample_snapshot("calculator"), HERE.user) as opened:
            yield opened

    def ran(workspace: FolderWorkspace, command: str, bounds: Bounds = TIGHT) -> Ran:
        """What a command gave."""
        return run_command(workspace, command, HERE, bounds)

    def test_an_honest_command_works(workspace: FolderWorkspace) -> None:
        done = ran(workspace, "pwd; cat calc.py | head -1; echo out > made.txt; cat made.txt")
        assert done == Ran('/workspace\n"""Arithmetic on two numbers."""\nout\n', 0)
        assert workspace.read("made.txt") == "out\n"

    def test_tests_really_run(workspace: FolderWorkspace) -> None:
        done = ran(workspace, "python -m pytest -q")
        assert done.code == 1
        assert "1 failed, 1 passed" in done.output
        workspace.write("calc.py", workspace.read("calc.py").replace("a - b", "a + b"))
        assert "2 passed" in ran(workspace, "python -m pytest -q").output
        assert workspace.paths() == ["README.md", "calc.py", "test_calc.py"]

    def test_the_home_of_the_host_is_not_there(workspace: FolderWorkspace) -> None:
        secret = Path.home() / f".tapedeck-secret-{os.getpid()}"
        secret.write_text("the host's secret", "utf-8")
        try:
            reading = f"cat {secret} ~/{secret.name} /proc/1/root{secret}"
            done = ran(workspace, f"{reading}; cat /etc/shadow; ls -A /home {REPOSITORY}")
        finally:
            secret.unlink()
        assert "the host's secret" not in done.output
        assert "CONTRIBUTING.md" not in done.output
        assert done.code != 0

    @pytest.mark.parametrize("path", ["/etc/x", "/usr/x", "/x", "/dev/x", "/proc/x", "/opt/x"])
    def test_the_system_is_read_only(workspace: FolderWorkspace, path: str) -> None:
        done = ran(workspace, f"touch {path} && echo written")
        assert "written" not in done.output
        assert not Path(path).exists()

    def test_the_environment_is_clean(workspace: FolderWorkspace, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-very-secret")
        done = ran(workspace, "env; cat /proc/*/environ | tr '\\0' '\\n'; cat /proc/*/cmdline")
        assert "sk-very-secret" not in done.output
        assert "HOME=/tmp" in done.output

    def test_no_socket_reaches_the_host(workspace: FolderWorkspace) -> None:
        with socket.socket() as listening:
            listening.bind(("127.0.0.1", 0))
            listening.listen()
            listening.settimeout(0.2)
            port = listening.getsockname()[1]
            program = f"import socket; socket.create_connection(('127.0.0.1', {port}), 2).send(b'x')"
            done = ran(workspace, f'python3 -c "{program}"; cat < /dev/tcp/1.1.1.1/53')
            with pytest.raises(TimeoutError):
                listening.accept()
        assert done.code != 0
        assert "refused" in done.output or "unreachable" in done.output

    def test_a_fork_bomb_goes_out(workspace: FolderWorkspace) -> None:
        second = f"7{os.getpid()}"
        bombs = f":(){{ :|:& }};:; for i in $(seq 100); do sleep {second} & done; wait"
        done = ran(workspace, bombs, Bounds(2, processes=32))
        assert done.ended == "time: it ran longer than 2 seconds"
        assert "Resource temporarily unavailable" in done.output
        assert ran(workspace, "echo alive").output == "alive\n"
        assert f"sleep\x00{second}" not in _processes()

    def test_the_disk_cannot_be_filled(workspace: FolderWorkspace) -> None:
        one = ran(workspace, "head -c 1000000000 /dev/zero > big")
        assert "File size limit exceeded" in one.output
        assert workspace.used()[0] <= TIGHT.disk
        many = ran(workspace, "while true; do i=$((i + 1)); head -c 1000000 /dev/zero > f$i; done")
        assert many.ended.startswith("disk: a workspace may hold 20 MB")
        assert workspace.used()[0] <= TIGHT.disk
        files = ran(workspace, "while true; do i=$((i + 1)); : > n$i; done")
        assert files.ended.startswith("disk")
        assert workspace.used()[1] <= TIGHT.files
        endless = "while true; do i=$((i + 1)); head -c 10000000 /dev/zero > {}/f$i || break; done"
        scratch = ran(workspace, "; ".join(endless.format(place) for place in ("/tmp", "/dev/shm")))
        assert scratch.output.count("No space left") == 2
        assert scratch.ended == ""
        assert "calc.py" in workspace.paths()

    def test_memory_is_bounded(workspace: FolderWorkspace) -> None:
        assert "MemoryError" in ran(workspace, "python3 -c \"x = 'x' * 2_000_000_000\"").output

    def test_the_parent_cannot_be_killed(workspace: FolderWorkspace) -> None:
        done = ran(
            workspace, "kill -9 $PPID; kill -9 1; kill -9 -1; kill -9 " + str(os.getpid()) + "; echo end"
        )
        assert isinstance(done, Ran)
        assert ran(workspace, "echo alive").output == "alive\n"

    def test_what_is_left_running_ends_with_the_command(workspace: FolderWorkspace) -> None:
        own, other = f"8{os.getpid()}", f"9{os.getpid()}"
        done = ran(workspace, f"(setsid sleep {own} >/dev/null 2>&1 &); sleep {other} & echo started")
        assert done == Ran("started\n", 0)
        # The kernel ends what was in the sandbox once its first process is gone, which takes it a moment.
        left, until = re.compile(f"sleep\x00({own}|{other})"), time.monotonic() + 5
        while left.search(_processes()) and time.monotonic() < until:
            time.sleep(0.05)
        assert not left.search(_processes())

    def test_time_and_output_are_bounded(workspace: FolderWorkspace) -> None:
        slow = ran(workspace, "echo first; sleep 60", Bounds(seconds=0.5))
        assert (slow.output, slow.ended) == ("first\n", "time: it ran longer than 0.5 seconds")
        much = ran(workspace, "echo begin; yes | head -c 5000000; echo end")
        assert much.output.startswith("begin\n")
        assert much.output.endswith("end\n")
        assert "bytes left out" in much.output
        assert len(much.output) < TIGHT.output + 100
        silent = ran(workspace, "exec >/dev/null 2>&1; sleep 0.5; touch done")
        assert (silent.code, "done" in workspace.paths()) == (0, True)

    def test_a_command_is_ended_at_once_when_the_run_is_stopped(workspace: FolderWorkspace) -> None:
        tool = BashTool(workspace, HERE)
        threading.Timer(0.3, tool.cancel).start()
        begun = time.monotonic()
        output = tool.run({"command": "sleep 60"})
        assert time.monotonic() - begun < 20
        assert output.is_error
        assert output.text == "[the command was ended: stopped]"
        assert tool.run({"command": "echo later"}).text == "later\n"

    def test_no_privilege_can_be_had(workspace: FolderWorkspace) -> None:
        status = "cat /proc/self/status"
        done = ran(workspace, f"{status}; cp /usr/bin/id own; chmod u+s own; ./own; mount -t tmpfs x /tmp")
        assert "CapEff:\t0000000000000000" in done.output
        assert "NoNewPrivs:\t1" in done.output
        assert "euid=0" not in done.output

    def test_links_made_inside_lead_nowhere_outside(workspace: FolderWorkspace) -> None:
        ran(workspace, "ln -s /etc/passwd link; ln -s / root; mkfifo pipe")
        assert "root:" not in str(workspace.paths())
        read = next(tool for tool in workspace_tools(workspace, HERE) if tool.name == "read_file")
        for path in ("link", "root/etc/passwd", "pipe"):
            assert read.run({"path": path}).is_error

    @pytest.mark.parametrize("command", ["", "  ", None, 3, ["ls"], "a\0b", "x" * 200_000])
    def test_what_is_no_command_is_an_error_result(workspace: FolderWorkspace, command: object) -> None:
        assert BashTool(workspace, HERE).run({"command": command}).is_error

    def test_a_lone_surrogate_and_odd_bytes_do_no_harm(workspace: FolderWorkspace) -> None:
        assert BashTool(workspace, HERE).run({"command": "echo '\ud83d' # caf\udce9"}).text == "?\n"
        assert "\ufffd" in BashTool(workspace, HERE).run({"command": "printf '\\xff\\xfe'"}).text

    def test_exit_codes_and_silence_are_told(workspace: FolderWorkspace) -> None:
        tool = BashTool(workspace, HERE)
        assert tool.run({"command": "true"}).text == "(it printed nothing)"
        failed = tool.run({"command": "echo no; exit 3"})
        assert (failed.text, failed.is_error) == ("no\n[exit code 3]", True)

    def _processes() -> str:
        """The command lines of every process of this computer."""
        found = []
        for entry in Path("/proc").iterdir():
            try:
                found.append((entry / "cmdline").read_text("utf-8", "replace"))
            except OSError:
                continue
        return "\n".join(found)


def test_without_a_sandbox_nothing_runs_and_the_sentence_says_how_to_get_one() -> None:
    with FolderWorkspace(Snapshot("empty", {})) as workspace:
        output = BashTool(workspace, OFF).run({"command": "touch ran"})
        assert output.is_error
        assert "apt-get install bubblewrap" in output.text
        with pytest.raises(PermissionError):
            run_command(workspace, "touch ran", OFF)
        assert workspace.paths() == []


WITHOUT_BWRAP = """
import sys
from tape.tools.folder import FolderWorkspace, Snapshot
from tape.tools.sandbox import available, run_command
found = available(single_user=sys.argv[1] == "alone")
print(found.kind, found.sentence)
if found.kind != "off":
    with FolderWorkspace(Snapshot("empty", {})) as workspace:
        print(run_command(workspace, "echo ran; echo $SECRET", found))
"""


@pytest.mark.parametrize(
    ("allowed", "served", "said"),
    [
        ("", "alone", "off Commands are switched off"),
        ("0", "alone", "off "),
        ("1", "alone", "unconfined Commands run without a"),
        ("1", "others", "off "),
    ],
)
def test_a_host_without_bwrap_says_so_unless_its_owner_allows_commands(
    allowed: str, served: str, said: str
) -> None:
    environment = {"PATH": "/nonexistent:/usr/sbin-none", UNCONFINED: allowed, "SECRET": "x"}
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_BWRAP, served],
        cwd=REPOSITORY,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(said)
    assert ("output='ran\\n\\n', code=0" in done.stdout) is (said.startswith("unconfined"))


def test_the_danger_is_written_down() -> None:
    source = Path(sandbox.__file__).read_text("utf-8")
    assert "Danger:" in source
    assert UNCONFINED in (REPOSITORY / "README.md").read_text("utf-8")

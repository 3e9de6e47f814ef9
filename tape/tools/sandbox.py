"""Runs a shell command in a workspace, walled off by ``bwrap``: no network, nothing else is writable.

Owns what stands between a command and this computer, and its limits. The wall is that of Linux namespaces
(bubblewrap, Debian package ``bubblewrap``): the system is read-only, the home folders are not there, the
environment is clean, and what is left running ends with the command. Where there is no wall, nothing runs,
unless whoever owns the computer says so in ``TAPEDECK_UNCONFINED_COMMANDS`` (see ``UNCONFINED``).
"""

from __future__ import annotations

import errno
import os
import selectors
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, Literal

from tape.tools.folder import FolderWorkspace, Snapshot, measured

UNCONFINED: Final = "TAPEDECK_UNCONFINED_COMMANDS"
"""Set to ``1``, this environment variable lets commands run without a sandbox where none can be had.

Danger: a model's command then has every right that Tapedeck has, may read, change and send away all that this
user can. For one person on a computer that holds nothing of value, such as a container; never for a server.
"""
NOBODY: Final = 65_534
GET_ONE: Final = (
    "Install bubblewrap (Debian, Ubuntu: apt-get install bubblewrap; Fedora: dnf install bubblewrap) "
    "and allow user namespaces, then start Tapedeck again."
)
SHELL: Final = (
    '{ [ "$1" = any ] || ulimit -u "$1"; } && ulimit -v "$2" -f "$3" -c 0 && exec /bin/bash -c "$4"'
)
OWN_PYTHON: Final = Path("/opt/python")
"""Where this Python's packages are inside the wall: a path that says nothing about this computer."""
SCRATCH_BYTES: Final = 64_000_000
POLL_SECONDS: Final = 0.1


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one command may use: ``seconds`` of time, ``memory`` bytes a process, ``processes`` at once,
    ``output`` characters that are kept, ``disk`` bytes and ``files`` in the workspace."""

    seconds: float = 60.0
    memory: int = 1_500_000_000
    processes: int = 64
    output: int = 30_000
    disk: int = 100_000_000
    files: int = 10_000


BOUNDS: Final = Bounds()


@dataclass(frozen=True, slots=True)
class Sandbox:
    """How commands run here. ``sentence`` says it, or how to get a sandbox where there is none.

    ``user`` is whom commands run as where it is not Tapedeck's own user; they become so ``inside`` the wall,
    or before it is built. It has to own the workspace.
    """

    kind: Literal["bwrap", "unconfined", "off"]
    sentence: str
    user: int | None = None
    inside: bool = False


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command printed (both streams, in order), its exit code, and why it was ended early, if so."""

    output: str
    code: int
    ended: str = ""


@cache
def available(*, single_user: bool = True) -> Sandbox:
    """How commands can run on this computer; found out once, by running one.

    Where others than the owner of this computer are served, not ``single_user``, no command ever runs without
    a sandbox, whatever the environment says.
    """
    fault = "Sandboxes need Linux." if sys.platform != "linux" else "bwrap is not installed."
    for sandbox in _ways():
        fault = _fault(sandbox)
        if not fault:
            return sandbox
    if single_user and os.environ.get(UNCONFINED) == "1":
        return Sandbox("unconfined", f"Commands run without a sandbox, as {UNCONFINED} allows.")
    return Sandbox("off", f"Commands are switched off, for there is no sandbox. {fault} {GET_ONE}")


def _ways() -> tuple[Sandbox, ...]:
    """The sandboxes that may work here. No limit bounds the processes of root, so root becomes nobody: before
    the wall is built, or behind it where nobody may not look into the folder that Python is in."""
    if sys.platform != "linux" or shutil.which("bwrap") is None:
        return ()
    said = "Commands run in a sandbox without network."
    if os.geteuid() != 0:
        return (Sandbox("bwrap", said),)
    return Sandbox("bwrap", said, NOBODY), Sandbox("bwrap", said, NOBODY, inside=True)


def _fault(sandbox: Sandbox) -> str:
    """Why a sandbox does not work here; empty where it does."""
    with FolderWorkspace(Snapshot("probe", {}), sandbox.user) as workspace:
        try:
            ran = run_command(workspace, "python3 --version > /dev/null && (echo ready)", sandbox)
        except OSError as error:
            return f"bwrap cannot be started: {error.strerror}."
    said = " ".join(ran.output.split())
    return "" if said == "ready" else f"bwrap does not work here: {said[:200] or ran.ended}."


def run_command(
    workspace: FolderWorkspace,
    command: str,
    sandbox: Sandbox,
    bounds: Bounds = BOUNDS,
    stop: Callable[[], bool] = lambda: False,
) -> Ran:
    """Runs a command with ``bash`` in the workspace and waits for it.

    It is ended when ``stop`` says so and when it goes over its bounds. Raises ``OSError`` where it cannot be
    started, and where commands are switched off.
    """
    if sandbox.kind == "off":
        raise PermissionError(errno.EPERM, sandbox.sentence)
    walled = sandbox.kind == "bwrap"
    before = None if sandbox.inside else sandbox.user
    # Outside of a namespace of its own, the number of processes would count all of the user's.
    limits = (bounds.processes if walled else "any", bounds.memory // 1024, bounds.disk // 1024)
    shell = ["/bin/bash", "-c", SHELL, "tapedeck", *map(str, limits), command]
    with subprocess.Popen(
        [*_wall(workspace.root, sandbox), *shell] if walled else shell,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=_environment(walled),
        cwd=workspace.root,
        user=before,
        group=before,
        extra_groups=None if before is None else [],
        start_new_session=True,
    ) as process:
        watch = _Watch(process, workspace.root, bounds, stop)
        output = watch.output()
    if watch.ended.startswith("disk"):
        _trim(workspace.root, bounds)
    return Ran(output, process.returncode, watch.ended)


class _Watch:
    """Reads what a process prints, and ends it when it has to."""

    def __init__(
        self, process: subprocess.Popen[bytes], root: Path, bounds: Bounds, stop: Callable[[], bool]
    ) -> None:
        self.ended = ""
        self._process, self._root, self._bounds, self._stop = process, root, bounds, stop
        self._begun = self._looked = time.monotonic()

    def output(self) -> str:
        """The first and the last of what it printed, once it has ended."""
        stream = self._process.stdout
        assert stream is not None
        kept = _Kept(self._bounds.output)
        with selectors.DefaultSelector() as ready:
            ready.register(stream, selectors.EVENT_READ)
            while not self._is_over():
                if ready.select(POLL_SECONDS):
                    part = os.read(stream.fileno(), 65_536)
                    if not part:
                        break
                    kept.add(part)
        while not self._is_over():  # it closed its output and goes on
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(POLL_SECONDS)
                break
        self.ended = self.ended or self._too_much()
        # The group is the command's own; what is inside the wall ends with its first process.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        return kept.text()

    def _is_over(self) -> bool:
        now = time.monotonic()
        if not self.ended and now - self._looked >= POLL_SECONDS:
            self._looked = now
            self.ended = self._reason(now - self._begun)
        return bool(self.ended)

    def _reason(self, seconds: float) -> str:
        bounds = self._bounds
        if self._stop():
            return "stopped"
        if seconds > bounds.seconds:
            return f"time: it ran longer than {bounds.seconds:g} seconds"
        return self._too_much()

    def _too_much(self) -> str:
        bounds = self._bounds
        size, count = measured(self._root, bounds.disk, bounds.files)
        if size > bounds.disk or count > bounds.files:
            return f"disk: a workspace may hold {bounds.disk // 1_000_000} MB and {bounds.files:,} files"
        return ""


def _trim(root: Path, bounds: Bounds) -> None:
    """Removes the newest files until the workspace is within its bounds, and stays there: what was killed may
    write for a moment longer."""
    kept = 0
    for _ in range(40):
        found = [path for path in root.rglob("*") if path.is_symlink() or path.is_file()]
        for path in sorted(found, key=_changed, reverse=True):
            if _fits(root, bounds):
                break
            path.unlink(missing_ok=True)
        kept = kept + 1 if _fits(root, bounds) else 0
        if kept == 2:
            return
        time.sleep(0.05)


def _fits(root: Path, bounds: Bounds) -> bool:
    size, count = measured(root, bounds.disk, bounds.files)
    return size <= bounds.disk and count <= bounds.files


def _changed(path: Path) -> float:
    try:
        return path.lstat().st_mtime
    except OSError:
        return 0.0


class _Kept:
    """The beginning and the end of a long output."""

    def __init__(self, most: int) -> None:
        self._half = max(1, most // 2)
        self._head, self._tail, self._size = b"", b"", 0

    def add(self, part: bytes) -> None:
        self._size += len(part)
        room = max(0, self._half - len(self._head))
        self._head += part[:room]
        self._tail = (self._tail + part[room:])[-self._half :]

    def text(self) -> str:
        cut = self._size - len(self._head) - len(self._tail)
        between = f"\n[{cut:,} bytes left out]\n".encode() if cut else b""
        return (self._head + between + self._tail).decode("utf-8", "replace")


def _wall(root: Path, sandbox: Sandbox) -> list[str]:
    """The command line of ``bwrap`` for a workspace: what a command can see, and nothing else."""
    line = ["bwrap", "--die-with-parent", "--new-session", "--hostname", "tapedeck", "--cap-drop", "ALL"]
    line += ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
    if sandbox.inside:
        line += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:
        line += ["--unshare-user", "--disable-userns"]
    for folder in ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64"):
        path = Path(folder)
        if path.is_symlink():
            line += ["--symlink", str(path.readlink()), folder]
        elif path.is_dir():
            line += ["--ro-bind", folder, folder]
    line += ["--perms", "0755", "--dir", "/etc"]
    for file in ("/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d"):
        line += ["--ro-bind-try", file, file]
    line += ["--proc", "/proc", "--dev", "/dev"]
    for scratch in ("/tmp", "/dev/shm"):
        line += ["--perms", "1777", "--size", str(SCRATCH_BYTES), "--tmpfs", scratch]
    line += [*_python(), "--bind", str(root), "/workspace", "--chdir", "/workspace"]
    line += ["--remount-ro", "/dev", "--remount-ro", "/"]
    if sandbox.inside:
        user = str(sandbox.user)
        line += ["setpriv", "--reuid", user, "--regid", user, "--clear-groups", "--no-new-privs"]
        line += ["--bounding-set=-all", "--inh-caps=-all"]
    return line


def _python() -> list[str]:
    """This Python with its packages, so that ``python -m pytest`` is there."""
    base, own = Path(sys.base_prefix), Path(sys.prefix)
    bound = [] if base.is_relative_to("/usr") else [(base, base)]
    bound += [] if own == base else [(own, OWN_PYTHON)]
    line: list[str] = []
    for there, here in bound:
        for parent in reversed(here.parents[:-1]):
            line += ["--perms", "0755", "--dir", str(parent)]
        line += ["--ro-bind", str(there), str(here)]
    return line


def _environment(walled: bool) -> dict[str, str]:
    """All that a command finds in its environment."""
    own = OWN_PYTHON if walled and sys.prefix != sys.base_prefix else Path(sys.prefix)
    system = "/usr/bin:/bin" if walled else os.environ.get("PATH", "/usr/bin:/bin")
    return {
        "PATH": f"{own / 'bin'}:{system}",
        "HOME": "/tmp",
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTEST_ADDOPTS": "-p no:cacheprovider",
    }

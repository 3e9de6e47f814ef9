"""Starts the application as ``make run`` does, on a free port, and waits until it answers."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.corpus import REPOSITORY

STARTING = 60.0


@contextmanager
def serving(log: Path, data: Path | None = None) -> Iterator[str]:
    """The address of the running application, whose output goes to ``log`` and its checkpoints to ``data``.

    Raises ``RuntimeError`` with that output when it does not come up within a minute.
    """
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    options = [f"--server.port={port}", "--server.headless=true"]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", *options]
    own = os.environ | {"TAPEDECK_DATA": str(data or log.parent / "data")}
    with (
        log.open("wb") as out,
        subprocess.Popen(command, cwd=REPOSITORY, env=own, stdout=out, stderr=out) as server,
    ):
        try:
            _wait(port, server, log)
            yield f"http://localhost:{port}"
        finally:
            server.terminate()
            server.wait(timeout=20)


def _wait(port: int, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + STARTING
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urllib.request.urlopen(f"http://localhost:{port}/_stcore/health", timeout=2):
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.1)
    raise RuntimeError(f"the server did not come up:\n{log.read_text('utf-8', 'replace')}")

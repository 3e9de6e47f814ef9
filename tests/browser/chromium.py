"""Finding a Chromium for the browser tests; run as a program it installs one where it can.

Looked for in this order: the environment variable ``TAPEDECK_CHROMIUM``, the usual names on ``PATH``, the
browser that Playwright downloaded for itself. Nothing is skipped when there is none: the run fails and says
the one command that mends it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # No name but that of the application can be looked up, so nothing reaches another server.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE localhost",
]
HOW_TO_MEND = "no Chromium was found for the browser tests; get one with: " + (
    "apt-get install -y chromium"
    if shutil.which("apt-get")
    else f"{sys.executable} -m playwright install chromium"
)


def on_path() -> str | None:
    """The browser that the machine has, or ``None``."""
    named = os.environ.get("TAPEDECK_CHROMIUM")
    return named or next((found for name in NAMES if (found := shutil.which(name))), None)


def find() -> str | None:
    """Any Chromium there is: the machine's own, else the one Playwright downloaded, else ``None``."""
    if found := on_path():
        return found
    with sync_playwright() as playwright:
        bundled = playwright.chromium.executable_path
    return bundled if Path(bundled).exists() else None


def install() -> None:
    """Installs Debian's Chromium where this process may; elsewhere does nothing."""
    if shutil.which("apt-get") and hasattr(os, "geteuid") and os.geteuid() == 0:
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for command in (["apt-get", "update", "-q"], ["apt-get", "install", "-y", "-q", "chromium"]):
            subprocess.run(command, env=quiet, check=False, stdout=sys.stderr)


def main() -> int:
    """Prints the path of a Chromium, installing one first where there is none and that is possible."""
    found = find()
    if found is None:
        install()
        found = find()
    print(found or HOW_TO_MEND, file=sys.stdout if found else sys.stderr)
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main())

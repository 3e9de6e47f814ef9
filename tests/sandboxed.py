"""Whether commands can be walled off here; run as a program it installs bubblewrap where it can.

Where they cannot, the tests of the jail do not run; the end of a test run says so in capitals, and that
commands are then refused is tested instead.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from tape.tools.sandbox import Sandbox, available

HERE: Sandbox = available()
WALLED = HERE.kind == "bwrap"


def install() -> None:
    """Installs Debian's bubblewrap where this process may; elsewhere does nothing."""
    if sys.platform == "linux" and shutil.which("apt-get") and os.geteuid() == 0:
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for command in (["apt-get", "update", "-q"], ["apt-get", "install", "-y", "-q", "bubblewrap"]):
            subprocess.run(command, env=quiet, check=False, stdout=sys.stderr)


def main() -> None:
    """Says on standard error how commands run here, after installing what they need if that is possible."""
    found = HERE
    if not WALLED and shutil.which("bwrap") is None:
        install()
        available.cache_clear()
        found = available()
    loud = "" if found.kind == "bwrap" else "THE SANDBOX CANNOT BE TESTED HERE. "
    sys.stderr.write(f"{loud}{found.sentence}\n")


if __name__ == "__main__":
    main()

"""Prints how fast every writable format is read, beside ``json.loads`` of the same bytes: ``make bench``.

One generated session is converted to every format, so that all hold the same words. The column to look at is
the ratio. Memory is what a fresh process grew by at its highest while it read the file, in MB.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import tape
from benchmarks.reading import seconds, session
from tape.formats import writable

TURNS = 2_000
GROWTH = """
import re, sys
from pathlib import Path
import tape
def highest():
    return int(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1])
tape.load(b'[{"role": "user", "content": "hi"}]')
before = highest()
tape.load(Path(sys.argv[1]), format=sys.argv[2])
print(highest() - before)
"""
"""Linux only: the peak that ``resource`` knows is inherited from the parent."""


def parse(data: bytes) -> object:
    """The yardstick: the same bytes through ``json.loads``, line by line where they are lines."""
    try:
        return json.loads(data)
    except ValueError:
        return [json.loads(line) for line in data.splitlines()]


def growth(data: bytes, format: str) -> float:
    """By how many MB a process grows at most while it reads the bytes from a file."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        command = [sys.executable, "-c", GROWTH, str(Path(file.name)), format]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return int(said) * 1024 / 1e6


def main() -> None:
    """One table row a format."""
    loaded = tape.load(session(TURNS))
    print(f"{'format':<20} {'MB':>6} {'MB/s':>7} {'x json.loads':>13} {'peak MB':>8} {'x file':>7}")
    for format in writable():
        name, data = format.name, tape.convert(loaded, format.name).data
        size = len(data) / 1e6
        took = seconds(partial(tape.load, data, format=name))
        least = seconds(partial(parse, data))
        most = growth(data, name)
        row = f"{size:>6.1f} {size / took:>7.0f} {took / least:>13.2f} {most:>8.1f} {most / size:>7.1f}"
        print(f"{name:<20} {row}")


if __name__ == "__main__":
    main()

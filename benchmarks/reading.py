"""Measures how fast every format is read, and writes ``docs/reading.md``.

``python -m benchmarks.reading [FORMAT ...] [--megabytes 8] [--out docs/reading.md]``; named formats are only
printed. The files come from ``benchmarks.make_files``. Read means: recognised, and every conversation in the
file loaded, as a page would that shows one after the other. The yardstick is ``json.loads`` of the same bytes
in the same run, of every line where they are lines.

Times are processor seconds, the best of five, so that other work on the machine counts for little. Memory is
what a process of its own grew by at its highest while it read the file from its path; Linux only, because the
peak comes from ``/proc``.
"""

from __future__ import annotations

import argparse
import gc
import json
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

import tape
from benchmarks import make_export, make_session
from benchmarks.make_files import BYTES_PER_MESSAGE, files
from docs.tables import table
from tape.formats.base import Reading

REPOSITORY: Final = Path(__file__).resolve().parents[1]
MOST: Final = 4.0
"""How many times as long as the yardstick a format may take."""
EXPORT: Final = 100_000_000
SHARDS: Final = 8
SESSIONS: Final = (2, 20, 100)
"""Sizes of a Claude Code session, in MB."""
CHILD: Final = """
import re, sys
from pathlib import Path
from benchmarks.reading import WORK
work, path, status = WORK[sys.argv[1]], Path(sys.argv[2]), Path("/proc/self/status")
def kilobytes(name):
    return int(re.search(name + r":\\s*(\\d+)", status.read_text())[1])
WORK["read"](b'[{"role": "user", "content": "hi"}]')
Path("/proc/self/clear_refs").write_text("5")
before = kilobytes("VmRSS")
kept = work(path)
print(kilobytes("VmHWM") - before)
"""


def parse(source: bytes | Path) -> object:
    """The yardstick."""
    data = source.read_bytes() if isinstance(source, Path) else source
    try:
        return json.loads(data)
    except ValueError:
        return [json.loads(line) for line in data.splitlines() if line.strip()]


def read(source: bytes | Path) -> Reading:
    """A source with all its conversations loaded, one after the other."""
    found = tape.read(source)
    for one in found.conversations:
        one.load()
    return found


WORK: Final[dict[str, Callable[[bytes | Path], object]]] = {"parse": parse, "read": read, "list": tape.read}


def seconds(work: Callable[[], object], times: int = 5) -> float:
    """Processor seconds of the best run; what was there before is nothing to the garbage collector."""
    found = []
    for _ in range(times):
        gc.collect()
        gc.freeze()
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)


def peak(work: str, path: Path) -> float:
    """By how many MB a fresh process grows at most while it does one of ``WORK`` with a file."""
    command = [sys.executable, "-c", CHILD, work, str(path)]
    said = subprocess.run(command, capture_output=True, text=True, check=True, cwd=REPOSITORY).stdout
    return int(said) * 1024 / 1e6


@dataclass(frozen=True, slots=True)
class Measured:
    """One file: what it is, its conversations, MB, processor seconds and peak MB beside the yardstick's;
    ``opened`` are the seconds until the first conversation is there."""

    name: str
    made_of: str
    conversations: int
    size: float
    took: float
    opened: float
    least: float
    highest: float
    highest_least: float

    @property
    def ratio(self) -> float:
        """How many times as long as the yardstick."""
        return self.took / self.least

    def cells(self) -> list[str]:
        """As the tables show it."""
        return [
            *(self.name, self.made_of, f"{self.conversations:,}", f"{self.size:,.1f}"),
            *(f"{self.size / self.took:,.0f}", f"{self.size / self.least:,.0f}", f"{self.ratio:.2f}"),
            f"{self.opened / self.least:.2f}",
            *(f"{self.highest:,.0f}", f"{self.highest_least:,.0f}"),
        ]


HEAD: Final = (
    *("format", "made of", "conversations", "MB", "MB/s", "json.loads MB/s", "x json.loads"),
    *("x to open", "peak MB", "json.loads peak MB"),
)


def recognised(data: bytes) -> tuple[str, int]:
    """The format that a file is read as, and how many conversations it holds; nothing of it is kept."""
    found = tape.read(data)
    return found.format, len(found.conversations)


def measured(name: str, made_of: str, data: bytes, work: str = "read") -> Measured:
    """A file measured; says so where it is not read in the format that it is made for."""
    known, count = recognised(data)
    if known != name:
        made_of = f"{made_of}, read as {known}"
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        highest, highest_least = peak(work, Path(file.name)), peak("parse", Path(file.name))
    times = 5 if len(data) < EXPORT / 2 else 2
    took, least = seconds(partial(WORK[work], data), times), seconds(partial(parse, data), times)
    opened = seconds(partial(tape.load, data), times) if count > 1 else took
    return Measured(name, made_of, count, len(data) / 1e6, took, opened, least, highest, highest_least)


def formats(size: int, wanted: Sequence[str]) -> Iterator[Measured]:
    """Every format, or those that are wanted."""
    for name, made_of, data in files(size):
        if not wanted or name in wanted:
            yield measured(name, made_of, data)


def sessions() -> Iterator[Measured]:
    """A Claude Code session in several sizes."""
    for size in SESSIONS:
        data = make_session.session(size * 1_000_000 // BYTES_PER_MESSAGE)
        yield measured("claude-code", "session", data)


def export() -> Measured:
    """A ChatGPT export, until the list of its conversations is there."""
    with tempfile.TemporaryFile() as file:
        make_export.write(file, EXPORT)
        file.seek(0)
        return measured("chatgpt-export", "array on one line", file.read(), "list")


def shards() -> tuple[int, float, float]:
    """The same as a zip of shards: how many conversations, seconds until they are listed, peak MB."""
    with tempfile.NamedTemporaryFile(suffix=".zip") as file:
        path = Path(file.name)
        count = make_export.write_shards(path, EXPORT, SHARDS)
        return count, seconds(lambda: tape.read(path), 2), peak("list", path)


def shown(found: Iterator[Measured]) -> list[Measured]:
    """What was measured, printed as it comes."""
    kept = []
    for one in found:
        print("  ".join(f"{c:<21}" if i < 2 else f"{c:>9}" for i, c in enumerate(one.cells())), flush=True)
        kept.append(one)
    return kept


def page(every: list[Measured], sized: list[Measured], listed: Measured) -> str:
    """The document."""
    count, took, highest = shards()
    slow = [f"`{one.name}` ({one.made_of})" for one in every if one.ratio > MOST]
    late = [one for one in every if one.opened > MOST * one.least]
    said = f"These do: {', '.join(slow)}." if slow else "None does."
    said += f" Until the first conversation is there, {f'{len(late)} do' if late else 'none does'}."
    return f"""# How fast files are read

Measured by `python -m benchmarks.reading` on {datetime.now(UTC):%Y-%m-%d} (one processor,
{platform.machine()}, Python {platform.python_version()}). Each file is recognised, and every conversation in
it is loaded; "x to open" counts only until the first of them is there, which is what a person waits for.
Beside it stands `json.loads` of the same bytes in the same run, of each line where they are lines. Times are
processor time, the best of five (of two for files of 50 MB and more). Peak MB is what a process of its own
grew by at its highest while it read the file from its path, of which the file itself is a part.

A file is one long session written in the format, an export, or a small file of the tests grown
(`benchmarks/make_files.py`). No format may take more than {MOST:.0f} times as long as `json.loads`.
{said}

{table(HEAD, [one.cells() for one in sorted(every, key=lambda one: -one.ratio)])}

## One session, larger and larger

The ratio must not grow with the size.

{table(HEAD, [one.cells() for one in sized])}

## Until the list of a large export is there

{table(HEAD, [listed.cells()])}

{listed.took:.1f} s of processor time. The same size as a zip of {SHARDS} shards, with {count:,}
conversations: {took:.1f} s, {highest:,.0f} MB at the highest.
"""


def main() -> None:
    """Measures, prints every row, writes the document."""
    parser = argparse.ArgumentParser(description="Measures how fast every format is read.")
    parser.add_argument("formats", nargs="*", metavar="FORMAT", help="only these, and no document")
    parser.add_argument("--megabytes", type=int, default=8, help="of each file")
    parser.add_argument("--out", type=Path, default=REPOSITORY / "docs" / "reading.md")
    asked = parser.parse_args()
    every = shown(formats(asked.megabytes * 1_000_000, asked.formats))
    if not asked.formats:
        sized, listed = shown(sessions()), shown(iter((export(),)))
        asked.out.write_text(page(every, sized, listed[0]), "utf-8")


if __name__ == "__main__":
    main()

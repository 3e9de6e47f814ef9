"""Prints how long accounting takes: ``python -m benchmarks.usage``, at 5,000, 10,000 and 35,000 messages.

Every response has recorded usage. Times are processor seconds, the best of three, on sessions that nothing
was worked out for yet; *growth* divides the growth in time by the growth in messages against the smallest
size: 1.0 is linear. The target is a second for the usage of 35,000 messages.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import tape
from benchmarks.linting import fresh, seconds
from benchmarks.make_session import write
from components.token_chart import figure
from components.token_rows import binned, rows
from tape.model import Session
from tape.sizes import sizes
from tape.usage import usage
from tape.what_if import suppose
from tape.window import window_parts

SIZES = (5_000, 10_000, 35_000)
TARGET = 1.0


def steps(loaded: Session) -> dict[str, Callable[[], object]]:
    """What is measured; each begins with a session that remembers nothing."""
    cut, used, weights = tape.turns(loaded), usage(loaded), sizes(loaded)
    frame = rows(loaded, cut, used)
    return {
        "usage": lambda: usage(fresh(loaded)),
        "rows of the chart": lambda: rows(loaded, cut, used),
        "figure": lambda: figure(binned(frame)[0]),
        "weights of messages": lambda: sizes(fresh(loaded)),
        "what if: compact": lambda: suppose("compact", loaded, cut, used.turns, weights, 50_000),
        "what fills the window": lambda: window_parts(fresh(loaded)),
    }


def main() -> None:
    """One table row a size and step."""
    print(f"{'messages':>9}  {'step':<22} {'seconds':>8} {'growth':>7}")
    least: dict[str, float] = {}
    with TemporaryDirectory() as folder:
        for size in SIZES:
            path = Path(folder) / f"{size}.jsonl"
            with path.open("wb") as file:
                write(file, size)
            loaded = tape.load(path)
            gc.collect()
            gc.freeze()
            count = len(loaded.messages)
            for name, work in steps(loaded).items():
                took = seconds(work)
                first = least.setdefault(name, took / count)
                late = "  over the target" if name == "usage" and took > TARGET else ""
                print(f"{count:>9}  {name:<22} {took:>8.3f} {took / count / first:>7.2f}{late}")


if __name__ == "__main__":
    main()

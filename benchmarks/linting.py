"""Prints how long pairing, turns, usage and linting take at 5,000, 10,000 and 35,000 messages.

``python -m benchmarks.linting``. Times are processor seconds, the best of three; the last column divides the
growth in time by the growth in messages against the smallest size: 1.0 is linear.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

import tape
from benchmarks.reading import session
from tape.model import Session
from tape.rules import ENDPOINTS
from tape.usage import usage

SIZES = (5_000, 10_000, 35_000)


def seconds(work: Callable[[], object]) -> float:
    """Processor seconds, the best of three runs."""
    times = []
    for _ in range(3):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def steps(loaded: Session) -> dict[str, Callable[[], object]]:
    """What is measured."""
    found: dict[str, Callable[[], object]] = {
        "threads": lambda: tape.threads(loaded),
        "turns": lambda: tape.turns(loaded),
        "usage": lambda: usage(loaded),
    }
    for endpoint in ENDPOINTS:
        found[f"lint {endpoint}"] = lambda endpoint=endpoint: tape.lint(loaded, endpoint)  # type: ignore[misc]
    return found


def main() -> None:
    """One table row a size and step."""
    print(f"{'messages':>9}  {'step':<22} {'seconds':>8} {'growth':>7}")
    least: dict[str, float] = {}
    for size in SIZES:
        loaded = tape.load(session(size // 2))
        gc.collect()
        gc.freeze()
        count = len(loaded.messages)
        for name, work in steps(loaded).items():
            each = seconds(work) / count
            first = least.setdefault(name, each)
            print(f"{count:>9}  {name:<22} {each * count:>8.3f} {each / first:>7.2f}")


if __name__ == "__main__":
    main()

"""Prints how long pairing, turns, usage and linting take at 5,000, 10,000 and 35,000 messages.

``python -m benchmarks.linting``. Times are processor seconds, the best of three; the last column divides the
growth in time by the growth in messages against the smallest size: 1.0 is linear.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from functools import partial

import tape
from benchmarks.make_session import session
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


def fresh(session: Session) -> Session:
    """The session without anything that was found out about it before."""
    session.derived.clear()
    return session


def steps(loaded: Session) -> dict[str, Callable[[], object]]:
    """What is measured; each begins with a session that remembers nothing."""
    found: dict[str, Callable[[], object]] = {
        "threads": lambda: tape.threads(fresh(loaded)),
        "turns": lambda: tape.turns(fresh(loaded)),
        "usage": lambda: usage(fresh(loaded)),
    }
    for endpoint in ENDPOINTS:
        found[f"lint {endpoint}"] = partial(lambda one: tape.lint(fresh(loaded), one), endpoint)
    return found


def main() -> None:
    """One table row a size and step."""
    print(f"{'messages':>9}  {'step':<22} {'seconds':>8} {'growth':>7}")
    least: dict[str, float] = {}
    for size in SIZES:
        loaded = tape.load(session(size))
        gc.collect()
        gc.freeze()
        count = len(loaded.messages)
        for name, work in steps(loaded).items():
            each = seconds(work) / count
            first = least.setdefault(name, each)
            print(f"{count:>9}  {name:<22} {each * count:>8.3f} {each / first:>7.2f}")


if __name__ == "__main__":
    main()

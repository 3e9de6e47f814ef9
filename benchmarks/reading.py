"""Prints how long a generated Claude Code session takes to read, pair, check and write back: ``make bench``.

Every time stands beside that of ``json.loads`` on each of the same lines, so that runs on different machines
can be compared; the column to look at is the ratio, and whether it grows with the size.
"""

from __future__ import annotations

import json
import random
import time
import tracemalloc
from collections.abc import Callable

import tape
from sample_sessions.claude_code import Log, call, text

SIZES = (1_000, 5_000, 20_000)


def session(turns: int, seed: int = 1) -> bytes:
    """A session of that many turns: one to three parallel reads each, results from 100 bytes to 100 kB."""
    chance = random.Random(seed)
    log = Log(f"bench-{turns}")
    for turn in range(turns):
        if turn % 20 == 0:
            log.user(f"Question {turn // 20}: what is in the next files?")
        calls = [f"toolu_{turn}_{n}" for n in range(chance.randint(1, 3))]
        for one in calls:
            block = call(one, "Read", file_path=f"/srv/teapot/{one}.txt")
            log.assistant(f"msg_{turn}", block, 10, 2000 + 40 * turn, 60)
        for one in calls:
            log.result(one, "line of output\n" * min(7000, int(chance.lognormvariate(4, 1.5)) + 7))
    log.assistant("msg_last", text("That was all."), 10, 2000 + 40 * turns, 5)
    return log.text().encode()


def seconds(work: Callable[[], object]) -> float:
    """The best of three runs."""
    times = []
    for _ in range(3):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def steps(data: bytes) -> dict[str, Callable[[], object]]:
    """What is measured, the yardstick first."""
    loaded = tape.load(data)
    return {
        "json.loads": lambda: [len(json.loads(line)) for line in data.splitlines()],
        "read": lambda: tape.load(data),
        "threads": lambda: tape.threads(loaded),
        "turns": lambda: tape.turns(loaded),
        "lint": lambda: tape.lint(loaded),
        "dump": lambda: tape.dump(loaded),
    }


def main() -> None:
    """One table row a size and step."""
    print(f"{'turns':>7} {'MB':>6}  {'step':<12} {'seconds':>8} {'x json.loads':>13} {'peak MB':>8}")
    for turns in SIZES:
        data = session(turns)
        least = 0.0
        for name, work in steps(data).items():
            took = seconds(work)
            least = least or took
            tracemalloc.start()
            work()
            peak = tracemalloc.get_traced_memory()[1] / 1e6
            tracemalloc.stop()
            size = len(data) / 1e6
            print(f"{turns:>7} {size:>6.1f}  {name:<12} {took:>8.3f} {took / least:>13.2f} {peak:>8.1f}")


if __name__ == "__main__":
    main()

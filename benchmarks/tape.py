"""Measures the tape on one large session, in headless Chromium, and writes ``docs/performance.md``.

``python -m benchmarks.tape [--messages 35000] [--out docs/performance.md]``. The session is made by
``benchmarks.make_session``; what is timed, and how, is in ``benchmarks.tape_page``. Every time stands beside
that of one reference task of the same run, ``json.loads`` of every line of the same file: on another machine
the ratios say more than the milliseconds. Linux only: processor time and memory come from ``/proc``.
"""

from __future__ import annotations

import argparse
import cProfile
import io
import json
import os
import platform
import pstats
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from playwright.sync_api import sync_playwright

import tape
from benchmarks import tape_people
from benchmarks.make_session import NEEDLE, write
from benchmarks.tape_page import Bench, Server, bench
from components.deck import Deck
from tape.model import Session
from tests.browser.chromium import FLAGS, find

REPOSITORY = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: a number, its unit, the most it may be (``None``: nothing is asked)."""

    what: str
    value: float
    unit: str
    most: float | None = None
    note: str = ""

    def cells(self, reference: float) -> list[str]:
        """As the table shows it; ``reference`` in milliseconds."""
        asked = "" if self.most is None else f"{_number(self.most)} {self.unit}"
        kept = "" if self.most is None else "yes" if self.value <= self.most else "**no**"
        ratio = f"{self.value / reference:.3f}" if self.unit == "ms" else ""
        return [self.what, f"{_number(self.value)} {self.unit}", asked, kept, ratio, self.note]


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:,.1f}"


@contextmanager
def serving() -> Iterator[tuple[str, Server]]:
    """The application on a free port, and its process."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    options = [f"--server.port={port}", "--server.headless=true"]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", *options]
    with subprocess.Popen(
        command, cwd=REPOSITORY, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            address = f"http://localhost:{port}"
            for _ in range(300):
                try:
                    urllib.request.urlopen(f"{address}/_stcore/health", timeout=2).close()
                    break
                except OSError:
                    time.sleep(0.2)
            yield address, Server(process.pid)
        finally:
            process.terminate()
            process.wait(timeout=30)


def reference(path: Path) -> float:
    """Milliseconds of ``json.loads`` of every line, the yardstick of the run."""
    start = time.perf_counter()
    with path.open("rb") as file:
        for line in file:
            json.loads(line)
    return 1e3 * (time.perf_counter() - start)


def places(session: Session) -> dict[str, int]:
    """Messages worth going to: the ends, the middle, a call whose result is far away."""
    pairs = tape.threads(session)
    at = pairs.at
    far = max(
        pairs.links,
        key=lambda link: pairs.positions[link.result_uid][0] - pairs.positions[link.call_uid][0],
    )
    count = len(session.messages)
    turn = next(i for i in range(count // 2, count) if session.messages[i].role == "assistant")
    asks = [i for i, m in enumerate(session.messages) if m.role == "user" and m.heads[0].kind == "text"]
    return {
        "last": count - 1,
        "middle": turn,
        "far": pairs.positions[far.call_uid][0],
        "ask": min(asks, key=lambda i: abs(i - count // 2)),
        "first call": at[session.messages[1].uid],
    }


def changes(one: Bench, count: int, at: int) -> Iterator[Row]:
    """An edit, a deletion, an insertion and an undo in the middle of the array."""
    whole = f"bench.holds('{count:,} messages') && bench.bodies()"
    one.jump(at)
    found: dict[str, dict[str, float]] = {}
    for name, action, button, written in (
        ("edit", "Edit", "Save", "Edited by the benchmark"),
        ("insert", "Insert above", "Insert", "Put in by the benchmark"),
    ):
        one.page.evaluate("([i, name]) => bench.press(i, name)", [at, action])
        one.page.locator("form.editor textarea").first.fill(written)
        says = f"bench.says({at}, '{written}')"
        found[name] = one.change(f"bench.button('{button}').click()", f"{says} && !bench.editing()")
        found[f"undo of the {name}"] = one.change("bench.do('undo')", f"!{says} && {whole}")
    one.page.evaluate("i => bench.press(i, 'Delete')", at)
    one.page.wait_for_timeout(300)
    found["delete"] = one.change("bench.confirm()", f"!({whole}) && bench.bodies()")
    found["undo of the delete"] = one.change("bench.do('undo')", whole)
    for name, took in found.items():
        panels = (
            f"the panels follow with {took['later']:.0f} ms of processor, {took['bytes later'] / 1e3:.0f} KB"
        )
        yield Row(f"{name}: click to painted", took["painted"], "ms", 150)
        yield Row(f"{name}: server processor until painted", took["busy"], "ms", 50, panels)
        yield Row(f"{name}: websocket", took["bytes"] / 1e3, "KB", 5)


def index_size(one: Bench) -> float:
    """The index over HTTP as it travels, in MB."""
    one.devtools.send("Network.setCacheDisabled", {"cacheDisabled": True})
    sizes: dict[str, int] = {}
    wanted: list[str] = []
    one.devtools.on(
        "Network.responseReceived",
        lambda e: wanted.append(e["requestId"]) if e["response"]["url"].endswith("/index") else None,
    )
    one.devtools.on(
        "Network.loadingFinished", lambda e: sizes.update({e["requestId"]: e["encodedDataLength"]})
    )
    one.page.evaluate("() => bench.index()")
    one.page.wait_for_timeout(500)
    return sizes[wanted[-1]] / 1e6


def leave(one: Bench) -> None:
    """Opens two samples, one after the other: a page holds the session before for what is on its way."""
    for name in ("Two tickets, one reply", "2 + 2, times 3"):
        one.page.get_by_test_id("stSidebar").get_by_role("button", name=name).first.click()
        one.page.wait_for_timeout(3_000)


def rows(path: Path, session: Session, folder: Path) -> Iterator[Row]:
    """The whole table, top to bottom."""
    count, to = len(session.messages), places(session)
    with serving() as (address, server), sync_playwright() as playwright:
        flags = [*FLAGS, "--enable-precise-memory-info"]
        browser = playwright.chromium.launch(executable_path=find(), args=flags)
        with bench(browser, address, server) as one:
            empty = server.heap
            yield Row("first cards of a local path", one.open(path, count), "ms", 4_000)
            one.page.wait_for_timeout(6_000)
            yield Row("server memory above the empty app", server.heap - empty, "MB", 150)
            yield Row("DOM nodes", one.nodes(), "nodes", 2_500)
            yield Row("browser heap", one.browser_heap(), "MB", 50)
            middle, slow, blank = one.scroll()
            yield Row("scrolling, frame p50", middle, "ms", 16.8)
            yield Row("scrolling, frame p95", slow, "ms", 18, f"{blank} frames without a card")
            yield Row("jump to the last message", one.jump(to["last"]), "ms", 150)
            jumps = [one.jump(i) for i in (10, to["middle"], count // 3, 40, count - 40)]
            yield Row("jump to a turn, median of 5", median(jumps), "ms", 150)
            yield Row("to the other end of a thread", one.follow_thread(to["far"]), "ms", 150)
            yield Row("find a word near the end", one.find(NEEDLE), "ms", 1_000)
            yield from changes(one, count, to["ask"])
            yield Row("index over HTTP, gzipped", index_size(one), "MB", 0.6)
            with bench(browser, address, server) as two:
                yield Row("the same file again", two.open(path, count), "ms", 1_000)
                leave(two)
            leave(one)
            one.page.wait_for_timeout(3_000)
        browser.close()
        yield Row("server memory after the last is closed", server.heap - empty, "MB", None, _LEFT)
    people = tape_people.measure(folder)
    yield Row(
        f"{people.count} people: an edit of one, alone",
        people.alone,
        "ms",
        None,
        f"{people.megabytes:.0f} MB each; {people.alone_own:.1f} ms of processor",
    )
    yield Row(
        f"{people.count} people: the same while all edit",
        people.together,
        "ms",
        None,
        f"{people.own:.1f} ms of processor; nothing shared: {'yes' if people.apart else 'NO'}",
    )


_LEFT = "Python gives freed memory back to the system only in part"


def profile(work: Callable[[], object], lines: int = 10) -> str:
    """What some work spends its processor time in, own time first."""
    watch = cProfile.Profile(time.process_time)
    watch.enable()
    work()
    watch.disable()
    out = io.StringIO()
    pstats.Stats(watch, stream=out).strip_dirs().sort_stats("tottime").print_stats(lines)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines() if line.strip())


def edit_profile(session: Session) -> str:
    """The server's part of twenty edits and deletions, without the page."""
    deck = Deck(session)
    asks = [m.uid for m in session.messages if m.role == "user" and m.heads[0].kind == "text"]
    uids = asks[len(asks) // 2 :][:10]

    def work() -> None:
        for uid in uids:
            deck.apply({"op": "replace", "target": uid, "value": {"role": "user", "content": "edited"}})
            deck.apply({"op": "delete", "targets": [uid]})

    return profile(work)


def page(found: list[Row], took: float, path: Path, session: Session) -> str:
    """The document."""
    table = [["what", "measured", "target", "kept", "x json.loads", "remarks"], ["---"] * 6]
    table += [row.cells(took) for row in found]
    lines = "\n".join(f"| {' | '.join(cells)} |" for cells in table)
    size, count = path.stat().st_size / 1e6, len(session.messages)
    load = ", ".join(f"{n:.1f}" for n in os.getloadavg())
    return f"""# Performance of the tape

Measured by `python -m benchmarks.tape` on {datetime.now(UTC):%Y-%m-%d}: one generated Claude Code session
of {size:.0f} MB with {count:,} messages, opened by its path, in headless Chromium with software rendering, on
{os.cpu_count()} processors ({platform.machine()}, Python {platform.python_version()}). `json.loads` of every
line of the file took {took:,.0f} ms in the same run; the column "x json.loads" divides by that.

**Noise.** Each number is from one run; jumps are the median of five. The load average at the end of the run
was {load}: above {os.cpu_count()} other work was waiting for the same processors, and every time by the clock
is too long, up to several times. Ratios, processor times, bytes and counts suffer less. Processor time is
counted in steps of 10 ms, and includes what the server did for anything else meanwhile.

{lines}

## Where the time goes

A miss by the clock on a machine with a load above its number of processors says little; a miss of bytes,
nodes, memory or processor time is one. What is known of those:

- First cards: reading the file (the second profile below) is most of it, then 0.3 s for the index and the
  page's own start. "The same file again" finds the session read and pays for the page alone.
- DOM nodes and browser heap are those of the whole page, panels and sidebar included, not of the tape alone.
- Processor time and websocket bytes of a change are too high where the panels of the change before were drawn
  in the same moment: the work of both is counted. "The panels follow" is what they cost when they come later.
- After the last page has left it a session is let go (`tests/components/test_sharing.py`), but Python keeps
  much of the memory for the next one.

What the server does for ten edits and ten deletions, without a page:

```text
{edit_profile(session)}
```

Reading the file:

```text
{profile(lambda: tape.load(path), 12)}
```
"""


def main() -> None:
    """Measures, prints the table, writes the document."""
    parser = argparse.ArgumentParser(description="Measures the tape on one large session.")
    parser.add_argument("--messages", type=int, default=35_000)
    parser.add_argument("--out", type=Path, default=REPOSITORY / "docs" / "performance.md")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.jsonl"
        with path.open("wb") as out:
            write(out, asked.messages)
        took = reference(path)
        session = tape.load(path)
        found: list[Row] = []
        for row in rows(path, session, Path(folder)):
            found.append(row)
            print(
                "  ".join(f"{cell:<40}" if i == 0 else cell for i, cell in enumerate(row.cells(took))),
                flush=True,
            )
        asked.out.write_text(page(found, took, path, session), "utf-8")


if __name__ == "__main__":
    main()

"""What a person feels on the page, measured in headless Chromium: the steps that ``benchmarks.tape`` times.

Times are those of the browser's own clock, from the event that a person makes to the frame in which the
result stands on screen; processor seconds are those of the server. What runs inside of the page is in
``tape_page.js``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import Browser, CDPSession, Page, expect

TICKS = os.sysconf("SC_CLK_TCK")
WATCH = Path(__file__).with_suffix(".js")


class Server:
    """The process that serves the page, by its id: what it uses."""

    def __init__(self, pid: int) -> None:
        self.pid = pid

    @property
    def processor(self) -> float:
        """Processor seconds so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    @property
    def heap(self) -> float:
        """Private memory in MB, files that are mapped left out."""
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon")) / 1e3


class Bench:
    """One page with a session open. Every method measures one thing and gives milliseconds unless it says."""

    def __init__(self, page: Page, server: Server) -> None:
        self.page, self.server = page, server
        self.received: list[int] = []
        self.devtools: CDPSession = page.context.new_cdp_session(page)
        self.devtools.send("Network.enable")
        self.devtools.on("Network.webSocketFrameReceived", self._received)
        page.set_default_timeout(120_000)

    def _received(self, event: dict[str, Any]) -> None:
        payload = event["response"]["payloadData"]
        binary = event["response"]["opcode"] == 2
        self.received.append(len(payload) * 3 // 4 if binary else len(payload))

    def start(self, address: str) -> None:
        """Opens the page on its first sample and waits until it is still."""
        self.page.goto(address)
        expect(self.page.locator(".tape .counts")).to_contain_text("6 messages", timeout=60_000)
        self.page.evaluate(WATCH.read_text("utf-8"))
        self.page.wait_for_timeout(1_500)

    def open(self, path: Path, messages: int) -> float:
        """From the press on "Open it" until the first cards stand there with their bodies."""
        sidebar = self.page.get_by_test_id("stSidebar")
        sidebar.get_by_role("button", name="Path").click()
        self.page.get_by_label("A file of this machine").fill(str(path))
        button = self.page.get_by_test_id("stPopoverBody").get_by_role("button", name="Open it")
        button.evaluate("button => window.pressed = button")
        return self.page.evaluate(
            "words => bench.until(() => pressed.click(), () => bench.holds(words) && bench.bodies())",
            f"{messages:,} messages",
        )

    def scroll(self, step: int = 120, milliseconds: int = 3_000) -> tuple[float, float, int]:
        """Frame times while scrolling down: the median, the 95th percentile, and frames without a card."""
        found = self.page.evaluate("([step, time]) => bench.scroll(step, time)", [step, milliseconds])
        times = sorted(found["times"])
        return median(times), times[len(times) * 95 // 100], found["blank"]

    def jump(self, i: int) -> float:
        """To a message by its number, until its body stands there."""
        return self.page.evaluate(
            "i => bench.until(() => bench.go(i), () => bench.positions().includes(i) && bench.bodies())", i
        )

    def follow_thread(self, i: int) -> float:
        """From a message to the other end of its first thread, by the key that follows it."""
        self.jump(i)
        self.page.evaluate("() => bench.tape().querySelector('.scroller').focus()")
        return self.page.evaluate(
            """i => {
              const before = bench.positions()
              bench.card(i).click()
              const key = new KeyboardEvent("keydown", { key: "t", bubbles: true, composed: true })
              return bench.until(() => bench.card(i).dispatchEvent(key),
                () => bench.bodies() && String(bench.positions()) !== String(before))
            }""",
            i,
        )

    def find(self, words: str) -> float:
        """From the last letter of a search until the first hit stands on screen, marked."""
        took = self.page.evaluate(
            """words => bench.until(() => bench.find(words), () =>
              bench.bodies() && bench.visible().some((item) => item.textContent.includes(words)))""",
            words,
        )
        self.page.evaluate("() => bench.find('')")
        return took

    def change(self, act: str, done: str, *, rest: int = 2_500) -> dict[str, float]:
        """A change: ``painted`` (ms), processor ``busy`` until then and ``later`` in the time of ``rest``
        after it (ms), and ``bytes`` of the websocket in all of it."""
        self.page.wait_for_timeout(1_200)
        self.received.clear()
        before = self.server.processor
        painted = self.page.evaluate(f"() => bench.until(() => {{ {act} }}, () => {done})")
        at = self.server.processor
        self.page.wait_for_timeout(200)
        first = sum(self.received)
        self.page.wait_for_timeout(rest)
        return {
            "painted": painted,
            "busy": 1e3 * (at - before),
            "later": 1e3 * (self.server.processor - at),
            "bytes": first,
            "bytes later": sum(self.received) - first,
        }

    def nodes(self) -> int:
        """Elements in the page, shadow trees included."""
        return self.page.evaluate("() => bench.nodes()")

    def browser_heap(self) -> float:
        """What JavaScript holds after a collection, in MB."""
        self.devtools.send("HeapProfiler.collectGarbage")
        return self.page.evaluate("() => performance.memory.usedJSHeapSize") / 1e6


@contextmanager
def bench(browser: Browser, address: str, server: Server) -> Iterator[Bench]:
    """A fresh page as one more person has it."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    try:
        page = context.new_page()
        one = Bench(page, server)
        one.start(address)
        yield one
    finally:
        context.close()


def often(measure: Callable[[], float], times: int = 5) -> float:
    """The median of some repetitions."""
    return median(measure() for _ in range(times))

"""The harness of the browser tests: the real server, a Chromium, and a page that may not misbehave.

Every page blocks and records what it asks of any other server, and records console errors and exceptions; a
test that leaves one of these behind fails, whatever it asserted itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Route, expect, sync_playwright

from tests.browser.chromium import FLAGS, HOW_TO_MEND, find
from tests.browser.deck import Deck
from tests.browser.serving import serving

PATIENCE = 20_000
expect.set_options(timeout=PATIENCE)
Open = Callable[..., Page]


@dataclass
class Watch:
    """What pages did that they must not do, as sentences."""

    origin: str
    misdeeds: list[str] = field(default_factory=list)

    def over(self, context: BrowserContext) -> None:
        """Blocks every request of the context to another origin, and listens for errors."""
        context.route("**/*", self._let_through_or_block)
        context.on("console", self._hear)
        context.on("weberror", lambda error: self.misdeeds.append(f"exception: {error.error}"))
        context.on("page", lambda page: page.on("websocket", lambda ws: self._own(ws.url)))

    def _own(self, url: str) -> bool:
        parts = urlsplit(url)
        if parts.scheme in {"data", "blob", "about"} or parts.netloc == urlsplit(self.origin).netloc:
            return True
        self.misdeeds.append(f"request to another server: {url[:200]}")
        return False

    def _let_through_or_block(self, route: Route) -> None:
        if self._own(route.request.url):
            route.fallback()
        else:
            route.abort()

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.misdeeds.append(f"console: {message.text}")


@pytest.fixture(scope="package")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the running application; no traceback may be in its log when the tests are over."""
    log = tmp_path_factory.mktemp("server") / "log.txt"
    with serving(log) as address:
        yield address
    assert "Traceback" not in log.read_text("utf-8", "replace"), log.read_text("utf-8", "replace")


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One Chromium for all browser tests. Fails, and says what to install, when there is none."""
    executable = find()
    if executable is None:
        pytest.fail(HOW_TO_MEND)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def open_page(app: str, browser: Browser) -> Iterator[Open]:
    """Opens pages: ``open_page(dark=True, size=(1024, 768), path="/")``. Each is a person of its own."""
    watch = Watch(app)
    contexts: list[BrowserContext] = []

    def start(*, dark: bool = False, size: tuple[int, int] = (1440, 900), path: str = "/") -> Page:
        context = browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme="dark" if dark else "light",
            accept_downloads=True,
        )
        watch.over(context)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(app + path)
        return page

    yield start
    for context in contexts:
        context.close()
    assert watch.misdeeds == []


@pytest.fixture
def deck(open_page: Open) -> Deck:
    """The application, open in a light 1440 by 900 window on the first sample."""
    deck = Deck(open_page())
    deck.holds(6)
    return deck

"""The harness of the browser tests: the real server, a Chromium, and a page that may not misbehave.

Every page blocks and records what it asks of any other server, and records console errors and exceptions; a
test that leaves one of these behind fails, whatever it asserted itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect, sync_playwright

from tests.browser.chromium import FLAGS, HOW_TO_MEND, find
from tests.browser.deck import Deck
from tests.browser.serving import serving

PATIENCE = 20_000
expect.set_options(timeout=PATIENCE)
Open = Callable[..., Page]


@dataclass
class Watch:
    """What pages did that they must not do, as sentences. Other servers are out of reach: see ``FLAGS``."""

    origin: str
    misdeeds: list[str] = field(default_factory=list)

    def over(self, context: BrowserContext) -> None:
        """Listens to every page of the context, from now on."""
        context.on("request", lambda request: self._note_if_foreign(request.url))
        context.on("page", lambda page: page.on("websocket", lambda ws: self._note_if_foreign(ws.url)))
        context.on("console", self._note_if_error)
        context.on("weberror", lambda error: self.misdeeds.append(f"exception: {error.error}"))

    def _note_if_foreign(self, url: str) -> None:
        parts = urlsplit(url)
        own = parts.scheme in {"data", "blob", "about"} or parts.netloc == urlsplit(self.origin).netloc
        if not own:
            self.misdeeds.append(f"request to another server: {url[:200]}")

    def _note_if_error(self, message: ConsoleMessage) -> None:
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


@pytest.fixture(scope="package")
def watch(app: str) -> Watch:
    """Listens to all pages of all tests."""
    return Watch(app)


@pytest.fixture(scope="package")
def pool(browser: Browser, watch: Watch) -> Iterator[list[Page]]:
    """Pages that no test is using. A page that loads again costs a third of a new one."""
    context = browser.new_context()
    watch.over(context)
    yield [context.new_page()]
    context.close()


@pytest.fixture
def open_page(app: str, watch: Watch, pool: list[Page]) -> Iterator[Open]:
    """Opens pages: ``open_page(dark=True, size=(1024, 768), path="/")``. Each is a session of its own."""
    pages: list[Page] = []
    watch.misdeeds.clear()

    def start(*, dark: bool = False, size: tuple[int, int] = (1440, 900), path: str = "/") -> Page:
        page = pool.pop() if pool else pages[0].context.new_page()
        pages.append(page)
        page.set_default_timeout(PATIENCE)
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.emulate_media(color_scheme="dark" if dark else "light")
        page.goto(app + path)
        return page

    yield start
    for page in pages:
        # A tab remembers its session, to show it again when it is loaded again.
        page.evaluate("sessionStorage.clear()")
        page.goto("about:blank")
    pool += pages
    assert watch.misdeeds == []


@pytest.fixture
def deck(open_page: Open) -> Deck:
    """The application, open in a light 1440 by 900 window on the first sample."""
    deck = Deck(open_page())
    deck.holds(6)
    deck.rests()
    return deck

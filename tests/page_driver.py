"""Drives the page without a browser: Streamlit's own test runner, and the tape's queue as it would send it.

The tape's JavaScript does not run here; what it sends and receives does. The browser has tests of its own.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from typing import Any

from streamlit.runtime.state.session_state import STREAMLIT_INTERNAL_KEY_PREFIX
from streamlit.testing.v1 import AppTest

from components.state import KEY, PANEL, Page
from tape.model import Session
from tests.corpus import REPOSITORY

LONGEST_RUN = 20.0


class Driver:
    """The page of one person. Every action runs the script and fails on an exception in it."""

    def __init__(self) -> None:
        os.environ.setdefault("TAPEDECK_DATA", tempfile.mkdtemp(prefix="tapedeck-"))
        self.at = AppTest.from_file(str(REPOSITORY / "app.py"), default_timeout=30).run()
        self.page.beat = 0.0
        self._sent = 0
        self.check()

    def check(self) -> None:
        """Fails where the script raised."""
        assert [error.message for error in self.at.exception] == []

    @property
    def page(self) -> Page:
        """What the page remembers."""
        page = self.at.session_state[KEY]
        assert isinstance(page, Page)
        return page

    @property
    def session(self) -> Session:
        """The session on the page."""
        return self.page.session

    @property
    def words(self) -> str:
        """Every text, code block and message on the page, a line each."""
        at = self.at
        shown = [*at.text, *at.code, *at.caption, *at.markdown, *at.error, *at.warning, *at.success]
        return "\n".join(str(one.value) for one in shown)

    def run(self) -> None:
        """Runs the script again."""
        self.at.run()
        self.check()

    def panel(self, name: str) -> None:
        """Opens one of the tabs on the right."""
        self.at.session_state[PANEL] = name
        self.run()

    def click(self, key: str) -> None:
        """Clicks a button."""
        self.at.button(key=key).click()
        self.run()

    def upload(self, name: str, data: bytes) -> None:
        """Uploads a file."""
        self.uploader.set_value((name, data, "application/octet-stream"))
        self.run()

    @property
    def uploader(self) -> Any:
        """Where sessions are uploaded."""
        return next(one for one in self.at.file_uploader if one.label == "Upload a session")

    def tape(self, **item: Any) -> None:
        """Sends one item of the tape's queue, such as ``do="undo"``."""
        self._send("tape", self.page.deck.token, item)

    def beside(self, **item: Any) -> None:
        """Sends one item of the queue of the second tape."""
        beside = self.page.beside
        assert beside is not None
        self._send("tape-beside", beside.deck.token, item)

    def lesson(self, **item: Any) -> None:
        """Sends one press of the lesson's view, such as ``do="next"``."""
        self._send("lesson", "lesson", item)

    def _send(self, key: str, doc: str, item: dict[str, Any]) -> None:
        self._sent += 1
        element = self.at.get_by_key(key)
        states = self.at._tree.get_widget_states()
        widget = states.widgets.add()
        widget.id = f"{STREAMLIT_INTERNAL_KEY_PREFIX}_{element.proto.id}__events"
        queue = {"client": "test", "doc": doc, "items": [{"seq": self._sent, **item}]}
        widget.json_trigger_value = json.dumps([{"event": "queue", "value": queue}])
        self.at._run(states)
        self.check()

    def apply(self, **operation: Any) -> None:
        """Carries out an operation as the tape does."""
        self.tape(do="apply", op=operation)

    def finish(self) -> None:
        """Waits for the run that goes on, and draws what it did."""
        run = self.page.run
        assert run is not None
        deadline = time.monotonic() + LONGEST_RUN
        while run.active and time.monotonic() < deadline:
            run.wait(0.2)
            self.run()
        assert not run.active, "the run did not end"

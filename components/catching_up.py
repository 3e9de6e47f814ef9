"""What takes long about a large session, worked out beside the page instead of while somebody waits for it.

Usage, turns and findings are kept with the session once they are known (``tape.derived``), so that the panels
find them there. For a small session nothing is done ahead: the panels are faster than a thread.
"""

from __future__ import annotations

from threading import Thread

import tape
from components.problems import chosen_endpoint
from components.state import Page
from tape.derived import once
from tape.model import Session
from tape.usage import usage

LARGE = 2_000
"""Messages from which on the panels follow later."""


class Work:
    """One session being worked out, in a thread of its own. ``left`` is the session until it is done, or no
    longer wanted."""

    def __init__(self, endpoint: str) -> None:
        self.endpoint = endpoint
        self.done = False
        self.thread: Thread | None = None

    def start(self, page: Page, session: Session) -> None:
        """Begins, unless it has begun. Goes on only while the page still shows this session."""
        if self.thread is None:
            self.thread = Thread(target=self._run, args=(page, session), name="catching-up", daemon=True)
            self.thread.start()

    def _run(self, page: Page, session: Session) -> None:
        model = session.model
        for make in (
            lambda: tape.turns(session),
            lambda: usage(session),
            lambda: tape.lint(session, self.endpoint, model),
        ):
            if page.session is not session:
                self.thread = None
                return
            make()
        self.done = True


@once
def _work(session: Session, endpoint: str) -> Work:
    return Work(endpoint)


def is_large(page: Page) -> bool:
    """Whether the session on the page is one whose panels follow later."""
    return len(page.session.messages) >= LARGE


def caught_up(page: Page, *, begin: bool = True) -> bool:
    """Whether all that the panels want of the session on the page is known; begins to work it out where it is
    not. Without ``begin`` it only says so: the browser is served first."""
    if not is_large(page):
        return True
    work = _work(page.session, chosen_endpoint())
    if begin and not work.done:
        work.start(page, page.session)
    return work.done

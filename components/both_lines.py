"""The same message to two lines: both are run, one after the other; or a coin chooses one.

Two personalities, one question. Each run is a run like any other, with the settings of the page.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import replace

from components.run_order import order
from components.running import start
from components.state import Page
from tape.branches import current, line
from tape.edits import Append, Switch
from tape.errors import UserError
from tape.visible import one_line


def switched(page: Page, name: str) -> None:
    """Goes on with a line, as one step that can be undone. Raises ``UserError`` where there is none."""
    here = current(page.session)
    if name != here:
        page.deck.apply(Switch(name, here))


def send_to_both(page: Page, left: str, right: str, text: str, done: Callable[[Page], None]) -> None:
    """Appends a message to two lines, runs each, and calls ``done`` once both have ended.

    Raises ``UserError`` where a line is not there or the settings are wrong; nothing is changed then.
    """
    for name in (left, right):
        line(page.session, name)
    order(page, page.session, "")
    _run(page, [left, right], text, done)


def send_to_one(page: Page, left: str, right: str, text: str) -> None:
    """Appends a message to the one of two lines that a coin chooses, and runs that.

    Raises ``UserError`` as ``send_to_both`` does.
    """
    for name in (left, right):
        line(page.session, name)
    order(page, page.session, "")
    chosen = secrets.choice((left, right))
    switched(page, chosen)
    page.deck.apply(Append(({"role": "user", "content": text},)))
    start(page, order(page, page.session, f"Asked {chosen}, as the coin fell"))


def _run(page: Page, lines: list[str], text: str, done: Callable[[Page], None]) -> None:
    name, *others = lines
    switched(page, name)
    page.deck.apply(Append(({"role": "user", "content": text},)))

    def then(page: Page) -> None:
        if page.run is None or page.run.fault or page.run.reason == "stopped":
            if others:
                page.notice = f"“{one_line(others[0])}” was not asked, for the run before it did not end."
            return
        try:
            if others:
                _run(page, others, text, done)
            else:
                done(page)
        except UserError as fault:
            page.notice = fault.sentence

    start(page, replace(order(page, page.session, f"Asked {name}"), then=then))

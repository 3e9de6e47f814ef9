"""The tape of a sub-agent: opened from its call, changed and run like any other, and left again.

A visit is a deck of its own over the sub-agent's array. What was changed there comes back as one step of the
session that started it, and can be undone as one.
"""

from __future__ import annotations

from components.deck import Deck, Inside
from components.state import Page
from tape.edits.spawn import with_lane
from tape.errors import UserError
from tape.model import Session
from tape.visible import one_line


def visit(page: Page, number: int) -> None:
    """Puts the array of sub-agent ``number`` (from 0) on the page. Raises ``UserError`` where there is none,
    or while a run goes on."""
    _no_run(page)
    outer = page.deck
    lanes = outer.session.lanes
    if not 0 <= number < len(lanes):
        raise UserError("This session has no such sub-agent.", do="Undo, if it was there before.")
    now = lanes[number].session
    opened = _opened(outer, number, now)
    deck = Deck(opened)
    deck.origin, deck.reveals, deck.inside = outer.origin, outer.reveals, Inside(outer, number)
    if now is not opened:
        deck.replace_session(now, "As it was left")
    page.put(deck)


def leave(page: Page) -> None:
    """Goes back to the session that started the sub-agent, which gets what was changed; nothing happens where
    the page shows no sub-agent. Raises ``UserError`` while a run goes on."""
    inside = page.deck.inside
    if inside is None:
        return
    _no_run(page)
    outer, number, child = inside.deck, inside.number, page.deck.session
    lane = outer.session.lanes[number]
    if child is not lane.session:
        outer.replace_session(with_lane(outer.session, number, child), f"Changed sub-agent {number + 1}")
    page.put(outer)
    if lane.spawned_by is not None:
        page.show(lane.spawned_by)


def home(page: Page) -> None:
    """Goes back to the outermost session. Raises ``UserError`` while a run goes on."""
    while page.deck.inside is not None:
        leave(page)


def within(deck: Deck) -> dict[str, str] | None:
    """What a visited sub-agent is called and what it belongs to, for the tape; ``None`` where the deck is no
    sub-agent's."""
    if deck.inside is None:
        return None
    outer = deck.inside.deck.session
    lane = outer.lanes[deck.inside.number]
    name = lane.agent or f"sub-agent {deck.inside.number + 1}"
    return {"of": one_line(outer.title or "the session")[:80], "name": one_line(name)[:80]}


def _opened(outer: Deck, number: int, now: Session) -> Session:
    """The sub-agent as its file has it, where it is the same one; else as it is now."""
    lanes = outer.opened.lanes
    opened = lanes[number].session if number < len(lanes) else now
    return opened if opened.base is not None and opened.base is now.base else now


def _no_run(page: Page) -> None:
    if page.run is not None and page.run.active:
        raise UserError("A run is going on.", do="Stop it first.")

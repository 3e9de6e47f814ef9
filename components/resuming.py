"""A page that is loaded again goes on with the session that it showed, with its edits, undo and redo.

A reload makes a new browser session, which knows nothing. So the tab remembers the token of its deck
(``sessionStorage``: this tab, this site, never in an address), and asks for it with a ``resume`` item. It
gets a copy, so that two tabs that know one token do not write into one array. The token cannot be guessed;
decks whose array was changed are kept for half an hour after their last change, and sixteen at most: after
that, or when the server was started anew, a reload begins as a new visit does.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING

from components import deck
from components.visiting import visit

if TYPE_CHECKING:
    from components.deck import Deck
    from components.state import Page

MOST = 16
SECONDS = 1_800

_KEPT: OrderedDict[str, tuple[float, Deck]] = OrderedDict()
_LOCK = Lock()


def keep(one: Deck) -> None:
    """Keeps a deck whose array was changed, for a page that is loaded again; lets go of what is due."""
    now = time.monotonic()
    with _LOCK:
        _KEPT.pop(one.token, None)
        if any(deck.session is not deck.opened for deck in _chain(one)):
            _KEPT[one.token] = (now, one)
        while _KEPT and (len(_KEPT) > MOST or now - next(iter(_KEPT.values()))[0] > SECONDS):
            _KEPT.popitem(last=False)


def resume(page: Page, token: str) -> bool:
    """Goes on with the deck of that token, on a page where nothing has been done yet. False, and nothing
    happens, where it is not there any more."""
    with _LOCK:
        held = _KEPT.get(token)
    known = held[1] if held and time.monotonic() - held[0] <= SECONDS else deck.find(token)
    if known is None or known is page.deck or known.origin is None or not _untouched(page):
        return False
    if known.inside is None and known.history.session is known.opened and known.origin == page.origin:
        return False
    outermost, *inner = _chain(known)
    page.open(known.origin, outermost.opened)
    page.deck.adopt(outermost)
    for one in inner:
        if one.inside is not None:
            visit(page, one.inside.number)
            page.deck.adopt(one)
    keep(page.deck)
    return True


def _chain(one: Deck) -> list[Deck]:
    """The deck behind those that it is inside of, the outermost first."""
    chain = [one]
    while chain[0].inside is not None:
        chain.insert(0, chain[0].inside.deck)
    return chain


def _untouched(page: Page) -> bool:
    fresh = page.seen == 0 and page.run is None and page.lesson is None
    return fresh and not page.deck.history.can_undo

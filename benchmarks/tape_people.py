"""Fifty people on one server: what an edit of one costs while the others edit too.

In one process and without browsers: fifty sessions of about 10 MB, each read from a file of its own and open
on a deck of its own, as the page holds them. Each of the others makes an edit a second while one is measured.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import tape
from benchmarks.make_session import write
from components.deck import Deck

MESSAGES = 1_750
EDITS = 40


@dataclass(frozen=True, slots=True)
class People:
    """Milliseconds an edit: ``alone`` and ``together``; ``own`` is the processor time of the edit itself in
    company, ``alone_own`` alone. ``apart`` says that no two decks share a message."""

    count: int
    megabytes: float
    alone: float
    alone_own: float
    together: float
    own: float
    apart: bool


def edit(deck: Deck, n: int) -> tuple[float, float]:
    """One replacement and its undo; milliseconds by the clock and of this thread's processor, for one."""
    wall, own = time.perf_counter(), time.thread_time()
    uid = deck.session.messages[n % len(deck.session.messages)].uid
    deck.apply({"op": "replace", "target": uid, "value": {"role": "user", "content": f"edit {n}"}})
    deck.undo()
    return 500 * (time.perf_counter() - wall), 500 * (time.thread_time() - own)


def measure(folder: Path, count: int = 50) -> People:
    """Makes the files in ``folder``, opens them and measures."""
    decks: list[Deck] = []
    size = 0
    for n in range(count):
        path = folder / f"person-{n}.jsonl"
        with path.open("wb") as out:
            size += write(out, MESSAGES, seed=100 + n)
        decks.append(Deck(tape.load(path)))
    alone = [edit(decks[0], n) for n in range(EDITS)]
    over = threading.Event()

    def keep_editing(deck: Deck) -> None:
        n = 0
        while not over.wait(1):
            edit(deck, n := n + 1)

    others = [threading.Thread(target=keep_editing, args=(deck,), daemon=True) for deck in decks[1:]]
    for other in others:
        other.start()
    together = []
    for n in range(EDITS):
        time.sleep(0.1)
        together.append(edit(decks[0], n))
    over.set()
    for other in others:
        other.join()
    seen = [id(entry) for deck in decks for entry in deck.opened.messages]
    return People(
        count=count,
        megabytes=size / 1e6 / count,
        alone=median(wall for wall, _ in alone),
        alone_own=median(own for _, own in alone),
        together=median(wall for wall, _ in together),
        own=median(own for _, own in together),
        apart=len(seen) == len(set(seen)) and len({deck.token for deck in decks}) == count,
    )

"""The open document of one browser session: its history, its version and what changed between versions.

A deck knows no page: the page applies operations to it, the routes read it from other threads under its
unguessable token. Sessions are values, so that the base of a file is shared by everybody who opened it.
"""

from __future__ import annotations

import gc
import json
import secrets
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import is_
from threading import RLock, Timer
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakValueDictionary, finalize

from components.tape_view.index import Index, follow, index, splices
from tape.edits import from_json
from tape.edits.history import History
from tape.edits.operations import Operation
from tape.errors import UserError
from tape.model import Json, Session

if TYPE_CHECKING:
    from components.following import Following
    from components.opening import Origin

PATCHES = 50
PATCH_BYTES = 1_200
GROWTH_BYTES = 100_000
"""The most that a patch may have over the websocket, and over HTTP while a file is followed."""
FROZEN_FROM = 2_000


class Version(NamedTuple):
    """One version of a document as a reader sees it: all three belong together."""

    number: int
    session: Session
    lists: Index


@dataclass(frozen=True, slots=True)
class Refusal:
    """An operation that was not carried out: whose queue item it was, its number, and why."""

    client: str
    seq: int
    text: str


@dataclass(frozen=True, slots=True)
class Inside:
    """Where the array of a sub-agent belongs: the deck it was opened from, and its number there (from 0)."""

    deck: Deck
    number: int


class Deck:
    """One open session with its history. Safe to read from any thread; changes come one at a time.

    ``token`` names it in addresses and cannot be guessed. ``opened`` is the session as it was opened, which
    changes only by what its file gets, where that is followed (``following``); ``origin`` says where it came
    from. A deck is found by its token for as long as somebody holds it. ``reveals`` says whether secrets in
    it are shown, ``inside`` whose sub-agent it is (see ``components.visiting``).
    """

    def __init__(self, session: Session) -> None:
        self.token = secrets.token_urlsafe(24)
        self.reveals = False
        self.opened = session
        self.refusal: Refusal | None = None
        self.history = History(session)
        self.following: Following | None = None
        self.origin: Origin | None = None
        self.inside: Inside | None = None
        self._lock = RLock()
        self.last_client: tuple[str, int] = ("", 0)
        self._acknowledged: dict[str, int] = {}
        self._version = Version(0, session, index(session, session))
        self._patches: deque[str] = deque(maxlen=PATCHES)
        _DECKS[self.token] = self
        if len(session.messages) > FROZEN_FROM:
            # Streamlit collects garbage after every rerun; what stays for long need not be walked each time.
            gc.collect()
            gc.freeze()
            finalize(self, _collect_soon).atexit = False

    @property
    def version(self) -> Version:
        """The version of now; a later change makes another and leaves this one as it is."""
        return self._version

    @property
    def session(self) -> Session:
        """The session of now."""
        return self._version.session

    def apply(self, operation: Json | Operation) -> None:
        """Carries out an operation, as data or as JSON. Raises ``UserError`` and changes nothing where it is
        refused."""
        with self._lock:
            self.history.apply(operation if isinstance(operation, Operation) else from_json(operation))
            self._move_on()

    def undo(self) -> None:
        """Takes back the last change; nothing happens where there is none."""
        with self._lock:
            if self.history.can_undo:
                self.history.undo()
                self._move_on()

    def redo(self) -> None:
        """Carries out again what was taken back last; nothing happens where there is nothing."""
        with self._lock:
            if self.history.can_redo:
                self.history.redo()
                self._move_on()

    def replace_session(self, session: Session, why: str) -> None:
        """Goes on with another session, as one step that can be undone; ``why`` is a sentence for the log."""
        with self._lock:
            self.history.push(session, why)
            self._move_on()

    def restore(self, uid: str | None = None) -> None:
        """Brings back the session as it was opened, or one message of it: changed, it gets its old blocks;
        deleted, its old place. Raises ``UserError`` where the original has no such message, or where the
        session is the original already."""
        with self._lock:
            if uid is None:
                self.history.restore()
                self._move_on()
            else:
                self.replace_session(restored(self.session, self.opened, uid), "Restored one message")

    def grow(self, session: Session, known: Session) -> bool:
        """Goes on with a session that has all of ``known`` and more, as if it had been opened so. False, and
        nothing happens, where ``known`` is not what stands here untouched."""
        with self._lock:
            if self.opened is not known or self.session is not known:
                return False
            self.opened = session
            self.history = History(session)
            self._move_on()
            return True

    def adopt(self, other: Deck) -> None:
        """Goes on where another deck stands: with its session, its original, its undo and redo. The two are
        independent from then on."""
        with other._lock:
            opened, history = other.opened, other.history.copy()
        with self._lock:
            self.opened, self.history = opened, history
            self._move_on()

    def refuse(self, client: str, seq: int, text: str) -> None:
        """Remembers that a queue item was not carried out, and why."""
        self.refusal = Refusal(client, seq, text)

    def _move_on(self) -> None:
        old, session = self._version, self.history.session
        if session is old.session:
            return
        new = Version(old.number + 1, session, follow(old.lists, session, self.opened))
        changes: dict[str, Any] = dict(splices(old.lists, new.lists))
        if new.lists.head != old.lists.head:
            changes["head"] = new.lists.head
        patch = json.dumps([new.number, changes])
        self._patches.append(patch if len(patch) <= GROWTH_BYTES else "")
        self._version = new

    def patches(self, most: int = PATCH_BYTES) -> list[Json]:
        """The last changes: ``[version, {list: [[at, removed, [entry…]], …]}]``, without a gap, oldest
        first: as many of the last as fit into ``most`` bytes together. Who is further behind reads the index
        again."""
        with self._lock:
            kept: list[str] = []
            left = most
            for patch in reversed(self._patches):
                left -= len(patch)
                if not patch or left < 0:
                    break
                kept.append(patch)
            return [json.loads(patch) for patch in reversed(kept)]

    def acknowledged(self, client: str) -> int:
        """The number of the last queue item of a client that was taken."""
        return self._acknowledged.get(client, 0)

    def take(self, client: str, items: Sequence[Json]) -> Iterator[Mapping[str, Any]]:
        """The items of a client's queue that were not taken before, each once and in order; an item counts as
        taken when the next one is asked for. What is no queue item is left out."""
        for item in items:
            if not isinstance(item, dict) or not isinstance(item.get("seq"), int):
                continue
            if item["seq"] > self.acknowledged(client):
                self._acknowledged[client] = item["seq"]
                self.last_client = (client, item["seq"])
                yield item


def restored(session: Session, opened: Session, uid: str) -> Session:
    """The session with one message as the original has it, at its place there when it is gone.

    The original's own tuple is used where nothing else differs, so that such a session counts as untouched.
    Raises ``UserError`` where the original has no message of that uid.
    """
    place = next((i for i, entry in enumerate(opened.messages) if entry.uid == uid), None)
    if place is None:
        raise UserError("The original has no such message.", do="It was inserted later; delete it instead.")
    original = opened.messages[place]
    messages = list(session.messages)
    here = {entry.uid: i for i, entry in enumerate(messages)}
    if uid in here:
        messages[here[uid]] = original
    else:
        before = next((here[e.uid] for e in reversed(opened.messages[:place]) if e.uid in here), -1)
        messages.insert(before + 1, original)
    same = len(messages) == len(opened.messages) and all(map(is_, messages, opened.messages))
    return replace(session, messages=opened.messages if same else tuple(messages))


def _collect_soon() -> None:
    """Collects garbage once a large session is gone: what it leaves in cycles is large as well."""
    timer = Timer(1, gc.collect)
    timer.daemon = True
    timer.start()


def find(token: str) -> Deck | None:
    """The deck of that token, ``None`` where nobody holds one."""
    return _DECKS.get(token)


_DECKS: WeakValueDictionary[str, Deck] = WeakValueDictionary()

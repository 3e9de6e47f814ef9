"""What the page remembers between reruns: the open deck, where it came from, what is selected, the run.

The one owner of ``st.session_state`` for values of ours, which live under one key that is no widget's.
Changes go through the deck; what it refuses becomes one sentence here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import streamlit as st

from components.counting_ahead import CountingAhead
from components.deck import Deck
from components.following import follow_file
from components.lesson_view import Presses
from components.opening import Origin, from_sample
from components.tape_view import Goto
from components.waiting import waited
from tape.edits.operations import Operation
from tape.errors import UserError
from tape.lessons.recording import Recording
from tape.model import Json, Message, Session
from tape.samples import samples

if TYPE_CHECKING:
    from components.beside import Beside
    from components.breaking import Broken
    from components.lectern import Lectern
    from components.running import Run

KEY = "tapedeck_page"
PANEL = "panel"


@dataclass
class Page:
    """The state of one browser session.

    ``refusal`` says why a file was not opened and ``notice`` why a change was not made, each one sentence.
    ``goto`` asks the tape to show a message or block; its number tells a new request from an old one.
    ``picked`` is the turn that was last clicked in the chart and ``call`` the one whose request is wanted
    next, ``preview`` the repair that is being looked at, ``broken`` the pair that was broken on purpose,
    ``beside`` two lines that are edited beside each other,
    ``beat`` the seconds between the messages of an embedded run. ``seen`` and ``uploads`` number widgets
    that must start afresh.
    ``stepped`` is the uid of the message that the stepper is at, ``lit`` those that a panel lights up on the
    tape, ``counted`` counts the session's tokens in the background.
    ``lesson`` is the lesson that is going on and ``recording`` one that is being made, ``projector`` whether
    the page is drawn for a projector, ``entered`` whether the address was looked at, ``presses`` what was
    pressed in the lesson's view.
    ``left`` is the deck that was open before: the browser may still be asking for its cards. ``tape_drawn``
    is the version that the whole page was drawn for, ``tape_wrong`` what was marked then, ``tape_settled``
    that the whole page is due again (see ``components.tape_pane``).
    """

    origin: Origin
    deck: Deck
    selected: str | None = None
    goto: Goto | None = None
    refusal: str = ""
    notice: str = ""
    run: Run | None = None
    picked: int | None = None
    call: int | None = None
    preview: tuple[Any, ...] | None = None
    broken: Broken | None = None
    beside: Beside | None = None
    beat: float = 0.4
    uploads: int = 0
    seen: int = 0
    cache: dict[str, tuple[Any, Any]] = field(default_factory=dict)
    left: Deck | None = None
    tape_drawn: int = -1
    tape_wrong: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    tape_settled: bool = False
    stepped: str | None = None
    lit: tuple[str, ...] = ()
    counted: CountingAhead = field(default_factory=CountingAhead)
    lesson: Lectern | None = None
    recording: Recording | None = None
    projector: bool = False
    entered: bool = False
    presses: Presses = field(default_factory=Presses)

    def __post_init__(self) -> None:
        self.deck.origin = self.origin

    @property
    def session(self) -> Session:
        """The session as it is now."""
        return self.deck.session

    @property
    def message(self) -> Message | None:
        """The selected message, or the one that holds the selected block."""
        if self.selected is None:
            return None
        for entry in self.session.messages:
            if entry.uid == self.selected or any(head.uid == self.selected for head in entry.heads):
                return entry
        return None

    def open(self, origin: Origin, session: Session | None = None) -> None:
        """Puts another session on the page: the one given, else what the origin loads. Raises ``UserError``
        and changes nothing where it cannot be loaded. A lesson that was going on is over."""
        deck = Deck(origin.load() if session is None else session)
        follow_file(deck, origin)
        deck.origin = self.origin = origin
        self.stop()
        self.put(deck)
        self.lesson = self.recording = None
        self.refusal = ""

    def put(self, deck: Deck) -> None:
        """Shows another deck; nothing that was chosen or looked at in the one before stays."""
        self.deck, self.left = deck, self.deck
        self.stepped, self.lit = None, ()
        self.selected = self.goto = self.run = self.picked = self.call = self.preview = self.broken = None
        self.beside = None
        self.tape_drawn, self.tape_wrong = -1, {}
        self.notice = ""
        self.cache.clear()
        self.seen += 1

    def try_to_open(self, make: Callable[[], Origin]) -> None:
        """Opens what ``make`` gives, with a bar where that takes long. What cannot be opened becomes the
        refusal."""

        def read() -> tuple[Origin, Session]:
            origin = make()
            return origin, origin.load()

        try:
            self.open(*waited(read, "Reading the file …"))
        except UserError as fault:
            self.refusal = fault.sentence

    def apply(self, operation: Json | Operation) -> None:
        """Changes the session. A refusal becomes the notice."""
        self.attempt(lambda: self.deck.apply(operation))

    def attempt(self, act: Callable[[], None]) -> None:
        """Does something that may be refused; a refusal becomes the notice, a success clears it."""
        self.notice = ""
        try:
            act()
        except UserError as fault:
            self.notice = fault.sentence

    def show(self, uid: str) -> None:
        """Selects a message or block and asks the tape to scroll to it."""
        self.selected = uid
        number = self.goto["seq"] + 1 if self.goto else self.seen * 1_000_000 + 1
        self.goto = {"uid": uid, "seq": number}

    def show_turn(self, number: int) -> None:
        """Asks the tape to scroll to a turn, counted from 1."""
        seq = self.goto["seq"] + 1 if self.goto else self.seen * 1_000_000 + 1
        self.goto = {"turn": number, "seq": seq}

    def stop(self) -> None:
        """Asks a run that is going on to stop; nothing happens where there is none."""
        if self.run is not None:
            self.run.stop()

    def once_a_version(self, name: str, make: Callable[[], Any], *also: Any) -> Any:
        """What ``make`` gives, made once for each version of the session (and each value of ``also``)."""
        key = (self.deck.token, self.deck.version.number, *also)
        held = self.cache.get(name)
        if held is None or held[0] != key:
            held = self.cache[name] = (key, make())
        return held[1]


def current() -> Page:
    """The page of this browser session; a new one opens on the sample of the address, else the first."""
    page = st.session_state.get(KEY)
    if not isinstance(page, Page):
        wanted = st.query_params.get("sample")
        found = next((one for one in samples() if one.name == wanted), None)
        origin = from_sample(found or samples()[0])
        page = st.session_state[KEY] = Page(origin, Deck(origin.load()))
        if wanted and found is None:
            page.refusal = "The address names a sample that is not here; this is the first one."
    return page

"""Two lines of a session beside each other, each on a tape of its own: edited apart, and asked the same.

The left one is the line that the session goes on with. The right one is a document of its own, with its own
undo; what is changed there becomes a step of the session too, so that nothing is lost when the page goes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import is_
from pathlib import Path

import streamlit as st

from components.both_lines import send_to_both, send_to_one, switched
from components.deck import Deck
from components.state import Page
from components.tape_pane import draw_tape
from components.tape_view import Goto, Notice, Options, tape_view
from tape.branches import apart, current, line, with_line
from tape.errors import UserError
from tape.model import Session
from tape.visible import one_line

STYLE = Path(__file__).resolve().parent / "beside.css"


@dataclass
class Beside:
    """The names of two lines and the right one as a document, of which ``folded`` is the version that the
    session has. ``asking`` says that both are being asked; while it is the turn of the right one, ``waiting``
    is the left one as a document. ``asked`` counts how often both were."""

    left: str
    right: str
    deck: Deck
    folded: int = 0
    asking: bool = False
    waiting: Deck | None = None
    asked: int = 0


def open_beside(page: Page, left: str, right: str) -> None:
    """Puts two lines beside each other. Raises ``UserError`` where one is not there, or a run goes on."""
    if _runs(page):
        raise UserError("A run is going on.", do="Stop it first.")
    line(page.session, right)
    switched(page, left)
    page.beside = Beside(left, right, Deck(apart(page.session, right)))


def draw_beside(page: Page, options: Options, notice: Notice | None) -> bool:
    """Draws both tapes with one field for both. False, and nothing is drawn, where no two lines are beside
    each other, or one of them is not there any more."""
    beside: Beside | None = page.beside
    if beside is None:
        return False
    try:
        _settle(page, beside)
        other = _other(page, beside)
    except UserError as fault:
        page.beside, page.notice = None, fault.sentence
        return False
    second = current(page.session) == beside.right
    st.html(STYLE)
    _bar(page, beside)
    with st.container(key="beside-pair-swapped" if second else "beside-pair", horizontal=True):
        with st.container(key="beside-main"):
            _name(beside.right if second else beside.left)
            draw_tape(page, options, notice)
        with st.container(key="beside-other"):
            _name(beside.left if second else beside.right)
            shown: Options = {"beside": True}
            if "frozen" in options:
                shown["frozen"] = options["frozen"]
            if "projector" in options:
                shown["projector"] = True
            goto: Goto = {"i": len(other.session.messages) - 1, "seq": beside.asked}
            tape_view(other, key="tape-beside", goto=goto if beside.asked else None, options=shown)
    return True


def close_beside(page: Page) -> None:
    """Goes on with the left line alone; what was changed on the right is in its branch."""
    if page.beside is not None:
        _fold(page, page.beside)
        page.beside = None


def _bar(page: Page, beside: Beside) -> None:
    going = _runs(page)
    key = f"beside-say-{page.seen}"

    def send(by_coin: bool) -> None:
        text = str(st.session_state[key]).strip()
        if text:
            page.attempt(lambda: _ask(page, beside, text, by_coin))
            if not page.notice:
                st.session_state[key] = ""

    with st.container(key="beside-bar", horizontal=True, vertical_alignment="bottom"):
        st.text_input(
            "The same message to both", key=key, label_visibility="collapsed",
            placeholder="One question, two lines",
        )  # fmt: skip
        if going:
            st.button("Stop", key="beside-stop", type="primary", icon=":material/stop:", on_click=page.stop)
        else:
            st.button("Send to both", key="beside-both", type="primary", on_click=send, args=(False,))
            st.button(
                "Flip a coin", key="beside-coin", icon=":material/casino:", on_click=send, args=(True,),
                help="Sends it to one of the two",
            )  # fmt: skip
        st.button(
            "Done", key="beside-done", disabled=going, on_click=page.attempt,
            args=(lambda: close_beside(page),), help="Back to one tape and the panels; both lines are kept",
        )  # fmt: skip
    if page.notice:
        st.text(page.notice)


def _name(name: str) -> None:
    st.caption(one_line(name))


def _ask(page: Page, beside: Beside, text: str, by_coin: bool) -> None:
    _fold(page, beside)
    if by_coin:
        send_to_one(page, beside.left, beside.right, text)
    else:
        send_to_both(page, beside.left, beside.right, text, done=lambda page: None)
    beside.asking = True
    beside.asked += 1


def _settle(page: Page, beside: Beside) -> None:
    """Brings the two documents together: what was edited on the right, or what a run has left there."""
    if _runs(page):
        return
    if beside.asking:
        beside.asking, beside.waiting = False, None
        switched(page, beside.left)
        now = line(page.session, beside.right)
        if not _same(now, beside.deck.session):
            beside.deck.replace_session(
                replace(beside.deck.session, messages=now.messages, calls=now.calls), "Asked"
            )
            beside.folded = beside.deck.version.number
        beside.asked += 1
        page.show(page.session.messages[-1].uid)
        return
    here = current(page.session)
    if here == beside.left:
        line(page.session, beside.right)
        if beside.folded != beside.deck.version.number:
            _fold(page, beside)
        return
    # An undo took back that the session goes on with the left one.
    if here == beside.right:
        beside.right = beside.left
    beside.left, beside.folded = here, 0
    beside.deck = Deck(apart(page.session, beside.right))


def _fold(page: Page, beside: Beside) -> None:
    """Takes what the right document holds into its branch, as a step; none where that has it already."""
    beside.folded = beside.deck.version.number
    messages = beside.deck.session.messages
    if not _same(line(page.session, beside.right), beside.deck.session):
        changed = with_line(page.session, beside.right, messages)
        page.deck.replace_session(changed, f"Edited {one_line(beside.right)} beside this line")


def _other(page: Page, beside: Beside) -> Deck:
    """The document that is beside the one that the session goes on with."""
    if current(page.session) != beside.right:
        return beside.deck
    beside.waiting = beside.waiting or Deck(line(page.session, beside.left))
    return beside.waiting


def _same(one: Session, other: Session) -> bool:
    return len(one.messages) == len(other.messages) and all(map(is_, one.messages, other.messages))


def _runs(page: Page) -> bool:
    return page.run is not None and page.run.active

"""Starting a run: what is sent, what moves to a branch, and what the buttons say of it beforehand.

The settings are ``components.run_target``'s and ``components.run_results``'s; the run itself is
``components.running``'s. A run never loses anything: what it does not send becomes a branch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from components.operation_forms import cut
from components.rescue import keeper_for
from components.run_results import chosen_results
from components.run_target import chosen_limits, chosen_target, with_model
from components.running import Order, start
from components.state import Page
from components.visiting import leave, visit
from tape.branches import free
from tape.edits.rerun import BEFORE_EDIT, BEFORE_RUN, edits, plan, rerun
from tape.growth import continuation, open_calls, retried
from tape.model import Json, Session
from tape.tools.base import ToolOutput
from tape.turns import opens_work

Mode = Literal["once", "loop", "from", "go on", "retry"]
MOST_TYPED = 1_000_000
PACE = 0.05
"""Seconds between two pieces of an answer of the embedded endpoint, so that it can be watched."""


@dataclass(frozen=True, slots=True)
class Again:
    """What the button above the panels does: its ``label``, the ``sentence`` on what is sent, and from which
    message (``None``: the array as it is). ``reason`` says why there is nothing to run, else empty."""

    label: str
    sentence: str
    uid: str | None = None
    reason: str = ""


def again(page: Page) -> Again:
    """What a person means by running the array that is on the tape.

    One that ends on a question, on results or on open calls goes on. One that ends on an answer is answered
    again: from the last question on; or, where something behind that question was edited, from the last
    message that is no answer, so that the edit is sent and shows what it does.
    """
    session = page.session
    if not session.messages:
        return Again("Run", "", reason="There is no question on the tape yet.")
    last = session.messages[-1]
    if last.role != "assistant" or open_calls(session):
        return Again("Run", f"Sends {_all(session)} and goes on.")
    places = range(len(session.messages) - 1, -1, -1)
    question = next((i for i in places if opens_work(session.messages[i])), None)
    if question is None:
        return Again("Run it again", "", reason="There is no question on the tape yet.")
    edit = edits(session, page.deck.history.before_edits).first
    asked = next(i for i in places if session.messages[i].role != "assistant")
    edited = edit is not None and edit > question
    uid = session.messages[asked if edited else question].uid
    label = "Run the edited array" if edited else "Run it again"
    sentence = plan(session, page.deck.history.before_edits, uid).sentence
    return Again(label, sentence, uid)


def run_again(page: Page) -> None:
    """Does what ``again`` says."""
    chosen = again(page)
    if not chosen.reason:
        begin(page, "loop" if chosen.uid is None else "from", chosen.uid)


def run_state(page: Page) -> Json:
    """What the tape is told: the run that goes on, else what it needs to say what a re-run would do, that is
    the names of the branches and where the last edits begin."""
    if page.run is not None and page.run.active:
        return {"id": page.run.live.number}
    session = page.session
    found = edits(session, page.deck.history.before_edits)
    names = {"edit": free(session, BEFORE_EDIT), "run": free(session, BEFORE_RUN)}
    return {"id": 0, "names": {**names, "edited": found.first is not None, "last": found.last}}


def take_item(page: Page, item: Mapping[str, Any]) -> None:
    """Does what the tape asks of the page: selecting, starting or stopping a run, giving a result, opening a
    sub-agent and leaving it, moving the cuts of a compaction. Raises ``UserError`` where that cannot be."""
    match item:
        case {"do": "select", "uid": uid}:
            page.selected = uid if isinstance(uid, str) else None
            page.stepped = None
        case {"do": "step", "uid": uid}:
            page.stepped = uid if isinstance(uid, str) else None
        case {"do": "run", "mode": "from", "uid": str(uid)}:
            begin(page, "from", uid)
        case {"do": "run", "mode": "once" | "loop" as mode}:
            begin(page, mode)
        case {"do": "stop"}:
            page.stop()
        case {"do": "visit", "number": int(number)}:
            visit(page, number)
        case {"do": "cut", "first": int(first), "last": int(last)}:
            cut(page, first, last)
        case {"do": "leave"}:
            leave(page)
        case {"do": "answer", "uid": str(uid), "text": str(text)} if page.run is not None:
            page.run.answer(uid, ToolOutput(text[:MOST_TYPED], item.get("is_error") is True))


def begin(page: Page, mode: Mode, uid: str | None = None) -> None:
    """Starts a run: ``once``, in a ``loop``, ``from`` a message, to ``go on`` with an answer that was cut
    off, or to ``retry`` a call that failed. With ``uid`` that message is the last one sent. Wrong settings
    become the notice."""
    if page.run is not None and page.run.active:
        return
    page.attempt(lambda: start(page, _order(page, mode, uid)))


def say(page: Page, text: str, *, run: bool) -> None:
    """Appends a user message and, if asked, runs the array. What cannot be done becomes the notice."""
    if page.run is not None and page.run.active:
        return
    page.apply({"op": "append", "messages": [{"role": "user", "content": text}]})
    if run and not page.notice:
        begin(page, "loop")


def order(page: Page, session: Session, said: str) -> Order:
    """An order to run that array to its end with the settings of the page. Raises ``UserError``."""
    target = chosen_target()
    if target.kind == "embedded":
        target = replace(target, pace=PACE if page.beat else 0.0)
    return Order(
        start=with_model(session, target),
        said=said,
        target=target,
        resume=bool(open_calls(session)),
        beat=page.beat if target.kind == "embedded" else 0.0,
        results=chosen_results(page),
        limits=chosen_limits(target),
        keeper=keeper_for(page),
    )


def _order(page: Page, mode: Mode, uid: str | None) -> Order:
    session, said = page.session, "Ran it"
    if uid is not None:
        session = rerun(session, page.deck.history.before_edits, uid)
        said = f"Ran it again from messages[{len(session.messages) - 1}]"
    elif mode == "go on":
        session = continuation(session) or session
        said = "Went on with the answer"
    elif mode in ("loop", "retry") and not open_calls(session):
        session = retried(session)
    chosen = order(page, session, said)
    return replace(chosen, once=True, resume=False) if mode == "once" else chosen


def _all(session: Session) -> str:
    count = len(session.messages)
    return "message 0" if count == 1 else f"messages 0–{count - 1}"

"""The tape: the messages array as cards with its threads, one Streamlit component.

This file is its Python side: it mounts the component, hands it a few hundred bytes a run, and takes what a
person did, each thing once and in order. Drawing, scrolling, folding, searching and stepping happen in the
browser; bodies are read over ``components.routes``. What an operation does is decided in ``tape.edits``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

import streamlit as st

from components.tape_view import assets
from tape.errors import UserError
from tape.model import Json

if TYPE_CHECKING:
    from components.deck import Deck, Refusal

NAME = "tapedeck.tape_view"
_LOADER = """
export default function mount(component) {
  const { parentElement, data } = component
  const main = `${location.origin}${data.base}/assets/${data.build}/main.js`
  import(main).then((view) => view.render(component))
  return () => setTimeout(() => {
    if (!parentElement.isConnected) import(main).then((view) => view.forget(parentElement))
  })
}
"""

Item = Mapping[str, Any]
Wrong = Mapping[str, Mapping[int, str]]
"""What an endpoint would refuse: uid of a message, index of a block or -1 for the message, a sentence."""


class Goto(TypedDict, total=False):
    """Where the view should go: one of a message or block ``uid``, a position ``i``, a ``turn`` (from 1).
    ``seq`` is a number that grows with every wish: the view goes there once for each."""

    uid: str
    i: int
    turn: int
    seq: int


class Options(TypedDict):
    """What the page around the view offers; all are off when absent.

    ``run``: there is something to run, so cards offer *re-run from here* (a ``run`` item). ``select``: tell
    the page which message is selected (a ``select`` item). ``follow``: stay at the end while the array
    grows. ``projector``: large type. ``frozen``: nothing can be changed now, with the reason as a sentence.
    ``lit``: uids of messages that light up.
    ``link``: the name under which an address opens this session again. ``fading``: cards to grey, as
    positions from, up to and not including, and ``cut`` a stretch of the same form whose ends can be dragged
    (a ``cut`` item with the positions ``first`` and ``last``). ``reveals``: secrets are shown, so cards
    are read again. ``beside``: another tape on the page is the one that keys, address and reloads speak of.
    ``within``: this is the tape of a sub-agent, with its ``name`` and what it is part ``of``.
    """

    run: NotRequired[bool]
    select: NotRequired[bool]
    follow: NotRequired[bool]
    projector: NotRequired[bool]
    link: NotRequired[str]
    reveals: NotRequired[bool]
    fading: NotRequired[list[tuple[int, int]]]
    cut: NotRequired[tuple[int, int]]
    frozen: NotRequired[str]
    lit: NotRequired[list[str]]
    beside: NotRequired[bool]
    within: NotRequired[Mapping[str, str]]


class Notice(TypedDict):
    """A card of the page's own under the last message: what an endpoint said when it refused the array.

    ``title`` and ``text`` are shown as they are; ``uids`` are the messages or blocks it speaks of; ``kind``
    is ``error`` or ``info``; ``seq`` grows with every notice, so that the view moves to a new one once.
    """

    kind: str
    title: str
    text: str
    uids: NotRequired[list[str]]
    seq: int


def tape_view(
    deck: Deck,
    *,
    key: str,
    goto: Goto | None = None,
    options: Options | None = None,
    notice: Notice | None = None,
    wrong: Wrong | None = None,
    behind: bool = False,
    run: Json = None,
    on_item: Callable[[Item], None] | None = None,
) -> None:
    """Draws the deck's session and applies to the deck what a person does on the cards.

    ``wrong`` puts red marks on cards and blocks, with a sentence each. ``behind`` says that the rest of the
    page was drawn for another version: the view sends a ``settled`` item once nothing more is being changed.
    ``run`` has the number of the run that goes on as ``id`` (0: none), which the view then follows by itself
    and reports with ``advance`` items, and as ``names`` what a re-run would call its branches
    (``components.run_order``).

    ``apply``, ``undo``, ``redo`` and ``restore`` items go to the deck. Every other item (``run`` with
    ``mode`` and ``uid``, ``select`` with ``uid``) goes to ``on_item``, which is called before the script or
    fragment runs again; so is the deck changed by then. Each item arrives once and in order. What the deck
    refuses is shown on the tape in the words of its ``UserError``. Call it inside a fragment and a keyed
    container at a fixed place.
    """
    base = assets.prefix(str(st.get_option("server.baseUrlPath") or ""))
    mount = st.components.v2.component(NAME, js=_LOADER)

    def take() -> None:
        _take(deck, st.session_state[key].get("queue"), on_item)

    client, last = deck.last_client
    mount(
        key=key,
        data={
            "doc": deck.token,
            "base": base,
            "build": assets.build(),
            "v": deck.version.number,
            "patches": deck.patches(),
            "ack": {"client": client, "seq": last},
            "refused": _refused(deck.refusal),
            "can": {"undo": deck.history.can_undo, "redo": deck.history.can_redo},
            "goto": dict(goto) if goto else None,
            "options": dict(options or {}),
            "notice": dict(notice) if notice else None,
            "behind": behind,
            "run": run,
            "wrong": {uid: dict(found) for uid, found in (wrong or {}).items()},
        },
        on_queue_change=take,
    )


def _refused(refusal: Refusal | None) -> dict[str, Any] | None:
    return None if refusal is None else {"client": refusal.client, "seq": refusal.seq, "text": refusal.text}


def _take(deck: Deck, sent: Any, on_item: Callable[[Item], None] | None) -> None:
    """Carries out what is new in a queue as the browser sent it: ``{client, doc, items}``."""
    if not isinstance(sent, dict) or sent.get("doc") != deck.token:
        return
    client, items = sent.get("client"), sent.get("items")
    if not isinstance(client, str) or not isinstance(items, list):
        return
    for item in deck.take(client, items):
        try:
            carry_out(deck, item, on_item)
        except UserError as error:
            deck.refuse(client, item["seq"], error.sentence)


def carry_out(deck: Deck, item: Item, on_item: Callable[[Item], None] | None = None) -> None:
    """Does what one queue item says. Raises ``UserError`` where the deck refuses it."""
    match item.get("do"):
        case "apply":
            deck.apply(_operation(item))
        case "undo":
            deck.undo()
        case "redo":
            deck.redo()
        case "restore":
            uid = item.get("uid")
            deck.restore(uid if isinstance(uid, str) else None)
        case _ if on_item is not None:
            on_item(item)


def _operation(item: Item) -> Json:
    """The operation of an item. What was typed as JSON comes as text in ``json`` and is read here, so that
    no number passes through the browser's arithmetic."""
    operation, typed = item.get("op"), item.get("json")
    if not isinstance(operation, dict) or not isinstance(typed, dict):
        return operation
    try:
        return operation | {key: json.loads(text) for key, text in typed.items()}
    except (TypeError, ValueError) as error:
        raise UserError(f"This is not JSON: {error}.") from error

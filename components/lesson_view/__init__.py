"""The lesson as the class sees it: one sentence, a question, what came of it; and the keys of a presenter.

This file is the Python side of one Streamlit component: it hands over what is shown and takes what was
pressed, each thing once and in order. What a press does is decided in ``components.lectern``; drawing and
keys are in the browser. Nothing of the presenter's notes ever reaches this view.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from components.tape_view import assets

NAME = "tapedeck.lesson_view"
_LOADER = """
export default function mount(component) {
  const { parentElement, data } = component
  const main = `${location.origin}${data.base}/assets/${data.build}/lesson.js`
  import(main).then((view) => view.render(component))
  return () => setTimeout(() => {
    if (!parentElement.isConnected) import(main).then((view) => view.forget(parentElement))
  })
}
"""
Item = Mapping[str, Any]


class Presses:
    """The presses of one page that were taken: a press may arrive more than once, and counts once."""

    def __init__(self) -> None:
        self.last: dict[str, Any] = {"client": "", "seq": 0}

    def take(self, sent: object) -> list[Item]:
        """The items of a queue, as the browser sent it, that are new; in their order."""
        if not isinstance(sent, dict):
            return []
        client, items = sent.get("client"), sent.get("items")
        if not isinstance(client, str) or not isinstance(items, list):
            return []
        if client != self.last["client"]:
            self.last = {"client": client, "seq": 0}
        fresh = [i for i in items if isinstance(i, dict) and isinstance(i.get("seq"), int)]
        new: list[Item] = sorted(
            (i for i in fresh if i["seq"] > self.last["seq"]), key=lambda item: int(item["seq"])
        )
        if new:
            self.last = {"client": client, "seq": new[-1]["seq"]}
        return new


def lesson_view(
    shown: Mapping[str, Any] | None,
    *,
    key: str,
    presses: Presses,
    projector: bool,
    links: Mapping[str, str],
    on_item: Callable[[Item], None],
) -> None:
    """Draws the lesson, or only listens to the keys where ``shown`` is ``None``.

    ``links`` are addresses of the second window and the handout, and ``desk`` the token that the browser
    keeps over a reload. Every press goes to ``on_item`` once, before the script or fragment runs again.
    """
    mount = st.components.v2.component(NAME, js=_LOADER)

    def take() -> None:
        for item in presses.take(st.session_state[key].get("queue")):
            on_item(item)

    mount(
        key=key,
        data={
            "base": assets.prefix(str(st.get_option("server.baseUrlPath") or "")),
            "build": assets.build(),
            "ack": presses.last,
            "lesson": dict(shown) if shown is not None else None,
            "projector": projector,
            "links": dict(links),
        },
        on_queue_change=take,
    )

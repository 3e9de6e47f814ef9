"""The branches panel: every line of the session as a tree, to switch between them and to compare any two.

What a line is, is ``tape.branches``'s; the comparison is drawn by ``components.compare_view`` over the page.
Switching is an operation like any other, so that it can be undone.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import streamlit as st

from components.beside import open_beside
from components.both_lines import send_to_both, send_to_one, switched
from components.bring_over import draw_bring_over
from components.compare_view import show
from components.fork_form import draw_fork
from components.state import Page
from tape.branches import Line, line, tree
from tape.visible import one_line

STYLE = Path(__file__).resolve().parent / "branches.css"
SHOWN = 100
NAME_SHOWN = 60
ALONE = (
    "There is one line so far. Re-run from an earlier message, or fork, and what it does not go on with is "
    "kept here as a branch."
)


def draw_branches(page: Page) -> None:
    """Draws the tree, the choice of two lines to compare, and one message for both."""
    lines: tuple[Line, ...] = page.once_a_version("lines", lambda: tree(page.session))
    going = page.run is not None and page.run.active
    st.html(STYLE)
    with st.container(key="branch-tree"):
        depth: dict[str, int] = {}
        for number, one in enumerate(lines[:SHOWN]):
            depth[one.name] = 0 if one.parent is None else depth.get(one.parent, 0) + 1
            _line(page, one, number, depth[one.name], going)
        if len(lines) > SHOWN:
            st.caption(f"… and {len(lines) - SHOWN:,} more.")
    draw_fork(page)
    if len(lines) < 2:
        st.caption(ALONE)
        return
    names = [one.name for one in lines]
    with st.container(key="branch-compare", horizontal=True, vertical_alignment="bottom"):
        newest = names.index(page.session.branches[-1].name) if page.session.branches[-1].name in names else 1
        left = st.selectbox("Left", names, index=newest, format_func=_name, key=_field(page, "left", names))
        right = st.selectbox("Right", names, index=0, format_func=_name, key=_field(page, "right", names))
        st.button(
            "Compare",
            key="compare",
            type="primary",
            disabled=left == right,
            on_click=_compare,
            args=(page, left, right),
        )
        st.button(
            "Edit both",
            key="beside",
            icon=":material/view_column_2:",
            help="Each on a tape of its own beside the other, with one field that asks both",
            disabled=left == right or going,
            on_click=page.attempt,
            args=(partial(open_beside, page, left, right),),
        )
    _both(page, left, right, going)
    draw_bring_over(page, names)


def _line(page: Page, one: Line, number: int, depth: int, going: bool) -> None:
    count = f"{one.messages:,} message{'' if one.messages == 1 else 's'}"
    icons = ":material/radio_button_checked:", ":material/radio_button_unchecked:"
    key = f"branch-{number}-depth-{min(depth, 6)}"
    with st.container(key=key, horizontal=True, vertical_alignment="center"):
        st.button(
            _name(one.name),
            key=f"branch-switch-{number}",
            type="secondary" if one.current else "tertiary",
            icon=icons[not one.current],
            disabled=going or one.current,
            help=None if one.current else "Go on with this line; what is on the tape now is kept.",
            on_click=_switch,
            args=(page, one.name),
        )
        st.caption(" · ".join(filter(None, (count, _parts(page, one), one_line(one.operation)))))


def _parts(page: Page, one: Line) -> str:
    """Where a line leaves its parent."""
    if one.parent is None:
        return "on the tape"
    if one.at is None:
        return "from the first message on"
    place = next((i for i, m in enumerate(line(page.session, one.name).messages) if m.uid == one.at), None)
    return "" if place is None else f"parts after #{place}"


def _switch(page: Page, name: str) -> None:
    page.attempt(lambda: switched(page, name))


def _compare(page: Page, left: str, right: str) -> None:
    page.attempt(lambda: show(page, left, right))


def _name(name: str) -> str:
    shown = one_line(name)
    return shown if len(shown) <= NAME_SHOWN else f"{shown[: NAME_SHOWN - 1]}…"


def _field(page: Page, name: str, lines: list[str]) -> str:
    """A field that starts afresh when there are other lines to choose from."""
    return f"branch-{name}-{page.seen}-{hash(tuple(lines))}"


def _both(page: Page, left: str, right: str, going: bool) -> None:
    key = f"both-{page.seen}"

    def send(by_coin: bool) -> None:
        text = str(st.session_state[key]).strip()
        if text and left != right:

            def ask() -> None:
                if by_coin:
                    send_to_one(page, left, right, text)
                else:
                    send_to_both(page, left, right, text, partial(show, left=left, right=right))

            page.attempt(ask)
            if not page.notice:
                st.session_state[key] = ""

    with st.container(key="branch-both"):
        st.text_area(
            "Send the same message to both", key=key, height=80, placeholder="One question, two lines"
        )
        with st.container(horizontal=True):
            off = going or left == right
            st.button("Send to both", key="send-both", disabled=off, on_click=send, args=(False,))
            st.button(
                "Flip a coin",
                key="send-one",
                type="tertiary",
                icon=":material/casino:",
                help="Sends it to one of the two; the tape shows to which",
                disabled=off,
                on_click=send,
                args=(True,),
            )

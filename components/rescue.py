"""What a run had reached when the program was ended in the middle of it: kept on disk, and offered once.

Only where the page serves this machine alone: a server must not offer one person's sessions to another.
Writing and reading checkpoints is ``tape.checkpoints``'s.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from weakref import WeakSet

import streamlit as st

from components.opening import Origin, serves_this_machine
from components.state import Page
from tape.alive import goes_on, own_id
from tape.checkpoints import Checkpoint, Keeper, forget, listed
from tape.errors import UserError
from tape.visible import one_line

OFFERED = 3
_KEEPERS: WeakSet[Keeper] = WeakSet()
"""Of runs that go on in this program: their checkpoints are no one's to rescue."""


def keeper_for(page: Page) -> Keeper | None:
    """What keeps the checkpoints of the next run; ``None`` where the server may be reached by others."""
    if not serves_this_machine():
        return None
    keeper = Keeper(own_id(), page.session.title or page.origin.name)
    _KEEPERS.add(keeper)
    return keeper


def left_over() -> tuple[Checkpoint, ...]:
    """Checkpoints of runs that were cut off, newest first; none of runs that go on, here or elsewhere."""
    if not serves_this_machine():
        return ()
    going: set[Path] = {keeper.path for keeper in _KEEPERS}
    return tuple(
        one for one in listed() if one.path not in going and not one.about.name and not goes_on(one.about.id)
    )


def draw_rescue(page: Page) -> None:
    """Draws an offer for each of the newest runs that were cut off; nothing where there is none."""
    found = page.once_a_version("rescue", left_over)[:OFFERED]
    if not found:
        return
    several = len(found) > 1
    box = st.expander(f"{len(found)} runs were cut off") if several else st.container(key="rescue")
    with box:
        for number, one in enumerate(found):
            with st.container(border=True, key=f"rescue-{number}"):
                st.text(f"A run was cut off {_ago(one.about.at)}: {one_line(one.about.title) or 'a session'}")
                st.caption(_held(one))
                with st.container(horizontal=True):
                    st.button("Open it", key=f"rescue-open-{number}", on_click=_open, args=(page, one))
                    st.button(
                        "Forget it",
                        key=f"rescue-drop-{number}",
                        type="tertiary",
                        on_click=_drop,
                        args=(page, one),
                    )


def _held(one: Checkpoint) -> str:
    count = one.about.messages
    said = f"{count:,} message{'' if count == 1 else 's'}, as of the last complete turn."
    if one.about.waiting:
        calls = "A call has" if one.about.waiting == 1 else f"{one.about.waiting} calls have"
        said += f" {calls} no result yet: run it, or see Problems."
    return said


def _open(page: Page, one: Checkpoint) -> None:
    try:
        session = one.load()
    except UserError as fault:
        page.notice = fault.sentence
        return
    page.open(Origin("new", one.about.title or "A rescued session"), session)
    forget(one)


def _drop(page: Page, one: Checkpoint) -> None:
    forget(one)
    page.cache.pop("rescue", None)


def _ago(at: str) -> str:
    """``5 minutes ago``, of an ISO time; empty for anything else."""
    try:
        minutes = int((datetime.now(UTC) - datetime.fromisoformat(at)).total_seconds() // 60)
    except (ValueError, TypeError):
        return ""
    if minutes < 1:
        return "a moment ago"
    for size, name in ((1440, "day"), (60, "hour"), (1, "minute")):
        if minutes >= size:
            count = minutes // size
            return f"{count} {name}{'' if count == 1 else 's'} ago"
    return ""

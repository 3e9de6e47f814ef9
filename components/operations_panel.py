"""The operations on the whole array: chosen, looked at before and after, asked about, and then carried out.

Forms are in ``components.operation_forms``, sub-agents in ``components.sub_agents``; what an operation does
is decided in ``tape.edits``.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from components.before_after import draw_before_after
from components.checkpoint_panel import draw_checkpoints
from components.operation_forms import FORMS
from components.questions import draw_questions
from components.state import Page
from components.strict_form import draw_strict
from components.sub_agents import draw_sub_agents
from tape.edits import Compact, Fit, Operation
from tape.edits.compact import stretch
from tape.edits.effect import Effect, effect
from tape.edits.fit import fitted
from tape.errors import UserError
from tape.visible import one_line

CHOICE = "operation"
OTHERS: dict[str, tuple[str, Callable[[Page], None]]] = {
    "Sub-agent": ("Start a fresh array for a task, and fold its answer back.", draw_sub_agents),
    "Checkpoint": ("Name a state, go back to it, take it along.", draw_checkpoints),
    "Strict form": ("Merge and fill until an endpoint with strict turns takes it.", draw_strict),
}


def draw_operations(page: Page) -> None:
    """Draws the choice, the form of what was chosen, and what that would do."""
    chosen = st.pills(
        "Operation", [*FORMS, *OTHERS], default=next(iter(FORMS)), required=True, key=CHOICE,
        label_visibility="collapsed", persist_state="session",
    )  # fmt: skip
    if chosen in OTHERS:
        says, draw = OTHERS[chosen]
        st.caption(says)
        draw(page)
        return
    form = FORMS[chosen]
    st.caption(form.says)
    with st.container(key="operation-form"):
        form.draw(page)
    operation = form.read(page)
    if operation is not None:
        _outcome(page, operation)


def fading(page: Page) -> list[tuple[int, int]]:
    """The messages that the operation looked at would take away, as positions from, up to and not including;
    nothing while no operation is looked at or it would be refused."""
    form = FORMS.get(st.session_state.get(CHOICE) or next(iter(FORMS)))
    operation = form.read(page) if form is not None else None
    found: list[tuple[int, int]] = page.once_a_version("fading", lambda: _goes(page, operation), operation)
    return found


def stretch_looked_at(page: Page) -> tuple[int, int] | None:
    """The stretch that would be compacted, as positions from, up to and not including; ``None`` while nothing
    is to be compacted."""
    chosen = st.session_state.get(CHOICE) or next(iter(FORMS))
    found = fading(page) if chosen == "Compact" else []
    return found[0] if found else None


def _goes(page: Page, operation: Operation | None) -> list[tuple[int, int]]:
    try:
        match operation:
            case Compact():
                return [stretch(page.session, operation)]
            case Fit():
                start, end = fitted(page.session, operation).dropped
                return [(start, end)] if end > start else []
    except UserError:
        pass
    return []


def _outcome(page: Page, operation: Operation) -> None:
    """What the operation would do, and the button that does it."""
    try:
        found: Effect = page.once_a_version("effect", lambda: effect(page.session, operation), operation)
    except UserError as fault:
        with st.container(key="operation-refused"):
            st.text(f"{fault.what} {fault.do}")
        return
    with st.container(key="operation-outcome"):
        st.text(f"{one_line(found.preview.sentence)}.")
        if found.session is page.session:
            return
        st.caption(found.sentence)
        for warning in found.preview.warnings:
            st.markdown(":orange[:material/warning:]", width="content")
            st.text(one_line(warning))
        st.button(
            "Do it", key="operate", type="primary", icon=":material/check:",
            help="One step; undo takes it back", on_click=page.apply, args=(operation,),
        )  # fmt: skip
        draw_before_after(page.session, found.session, (found.before, found.after))
        draw_questions(page, page.session, found.session)

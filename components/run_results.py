"""Where the results of a run come from: the mode, the workspace, and which of our tools stand in for theirs.

Tools of an opened transcript are never carried out unless a person says here by which of ours. What the modes
do is ``tape.tools.results``'s, what a workspace is ``tape.tools.folder``'s.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import get_args

import streamlit as st

from components.opening import paths_allowed, serves_this_machine
from components.state import Page
from tape.errors import UserError
from tape.model import Session, ToolSpec
from tape.samples import workspaces
from tape.tools.base import specs
from tape.tools.folder import Snapshot, folder_snapshot, sample_snapshot, zip_snapshot
from tape.tools.mapping import OUR_TOOLS, inferred_tools, suggested_mapping, tool_names
from tape.tools.results import MODES, Mode, Results
from tape.tools.sandbox import Sandbox, available
from tape.visible import one_line
from tape.wire import tool_json

SAMPLE, FOLDER, ZIP, NONE = "Sample", "Folder", "Zip file", "None"
AS_IT_IS = "no tool of ours"
NAMES: Mapping[Mode, str] = {"replay": "Replay", "hybrid": "Hybrid", "live": "Live tools"}
MAPPED_SHOWN = 40


def draw_results(page: Page) -> None:
    """Draws the mode with its sentence and, where tools may work, the workspace and the mapping."""
    mode = st.segmented_control(
        "Tool results",
        list(get_args(Mode)),
        format_func=lambda mode: NAMES[mode],
        default=_default_mode(page),
        required=True,
        key=_field(page, "mode"),
        persist_state="session",
    )
    st.caption(MODES[mode])
    if mode != "replay":
        _draw_workspace(page, mode)
    _draw_undeclared(page, mode)


def chosen_results(page: Page) -> Results:
    """What was chosen. Raises ``UserError`` where the workspace cannot be had."""
    state = st.session_state
    mode: Mode = state.get(_field(page, "mode")) or _default_mode(page)
    if mode == "replay":
        return Results(mode, page.deck.opened)
    snapshot = _snapshot(page)
    if mode == "live" and snapshot is None:
        raise UserError("Live tools need a workspace.", do="Choose one under Run, or take another mode.")
    return Results(mode, page.deck.opened, snapshot, _mapping(page), sandbox())


def sandbox() -> Sandbox:
    """How commands run for this page: where others can reach the server, never without a sandbox."""
    return available(single_user=serves_this_machine())


def _mapping(page: Page) -> dict[str, str]:
    """Our tool by the name of theirs, for those that a person let ours stand in for."""
    state = st.session_state
    if not state.get(_field(page, "mapped")):
        return {}
    suggested = suggested_mapping(page.session)
    chosen = {
        name: state.get(_field(page, f"map-{name}")) or suggested.get(name)
        for name in _mappable(page.session)
    }
    return {name: ours for name, ours in chosen.items() if ours in OUR_TOOLS}


def _field(page: Page, name: str) -> str:
    return f"results-{name}-{page.seen}"


def _default_mode(page: Page) -> Mode:
    sample = page.origin.sample
    return "live" if sample is not None and sample.workspace else "replay"


def _draw_workspace(page: Page, mode: Mode) -> None:
    sample = page.origin.sample
    own = sample is not None and sample.workspace
    kinds = [SAMPLE, *([FOLDER] if paths_allowed() else []), ZIP, *([NONE] if mode == "hybrid" else [])]
    kind = st.segmented_control(
        "Workspace",
        kinds,
        default=SAMPLE if own or mode == "live" else NONE,
        required=True,
        key=_field(page, f"kind-{mode}"),
        persist_state="session",
    )
    if kind == SAMPLE:
        names = workspaces()
        at = names.index(sample.workspace) if sample is not None and sample.workspace in names else 0
        st.selectbox("Folder", names, index=at, key=_field(page, "sample"), persist_state="session")
    elif kind == FOLDER:
        st.text_input(
            "Path of a folder on this computer", key=_field(page, "folder"), persist_state="session"
        )
    elif kind == ZIP:
        st.file_uploader("Zip file", type="zip", key=_field(page, "zip"))
    if kind == NONE:
        return
    st.caption(
        f"Each run works on a copy, which is gone when the run has ended. {one_line(sandbox().sentence)}"
    )
    _say_fault(page, kind)
    _draw_mapping(page)


def _say_fault(page: Page, kind: str) -> None:
    """What is wrong with the chosen workspace, or was left out of it; a folder is read at the run."""
    if kind == FOLDER and str(st.session_state.get(_field(page, "folder")) or "").strip():
        return
    try:
        snapshot = _snapshot(page)
    except UserError as fault:
        st.caption(one_line(fault.sentence))
        return
    for note in snapshot.notes[:5] if snapshot is not None else ():
        st.caption(one_line(note.text))


def _snapshot(page: Page) -> Snapshot | None:
    """The workspace that was chosen; read once for each choice. Raises ``UserError``."""
    state = st.session_state
    sample = page.origin.sample
    own = sample.workspace if sample is not None else None
    mode = state.get(_field(page, "mode")) or _default_mode(page)
    kind = state.get(_field(page, f"kind-{mode}")) or (SAMPLE if own or mode == "live" else NONE)
    if kind == SAMPLE:
        return sample_snapshot(str(state.get(_field(page, "sample")) or own or workspaces()[0]))
    if kind == FOLDER:
        path = str(state.get(_field(page, "folder")) or "").strip()
        if not path:
            raise UserError("No folder is named yet.", do="Give its path under Run.")
        if not paths_allowed():
            raise UserError("Folders of this computer may not be used here.", do="Upload a zip file.")
        return folder_snapshot(path)
    if kind == ZIP:
        given = state.get(_field(page, "zip"))
        if given is None:
            raise UserError("No zip file is there yet.", do="Upload one under Run.")
        held = page.cache.get("zip")
        if held is None or held[0] != given.file_id:
            held = page.cache["zip"] = (given.file_id, zip_snapshot(given.getvalue(), given.name))
        found: Snapshot = held[1]
        return found
    return None


def _mappable(session: Session) -> tuple[str, ...]:
    return tuple(name for name in tool_names(session) if name not in OUR_TOOLS)[:MAPPED_SHOWN]


def _draw_mapping(page: Page) -> None:
    """Which of our tools does what one of theirs did; nothing is mapped before the switch is on."""
    theirs = page.once_a_version("mappable", lambda: _mappable(page.session))
    if not theirs:
        return
    on = st.toggle(
        "Carry out the session's own tools with ours",
        key=_field(page, "mapped"),
        help="Their calls then work on the copied folder, in the sandbox. Nothing of theirs is executed.",
        persist_state="session",
    )
    if not on:
        return
    suggested = suggested_mapping(page.session)
    for name in theirs:
        choices = [AS_IT_IS, *OUR_TOOLS]
        st.selectbox(
            one_line(name)[:80],
            choices,
            index=choices.index(suggested.get(name, AS_IT_IS)),
            key=_field(page, f"map-{name}"),
            persist_state="session",
        )


def _draw_undeclared(page: Page, mode: Mode) -> None:
    """Offers to declare tools where the session has none: a model can only ask for tools that it is given."""
    if page.session.tools is not None:
        return
    called = page.once_a_version("inferred", lambda: inferred_tools(page.session))
    if not called and mode == "replay":
        return
    st.caption("No tools are declared, so that the model cannot ask for any.")
    with st.container(horizontal=True, key="declare-buttons"):
        if called:
            count = f"{len(called)} tool{'' if len(called) == 1 else 's'}"
            st.button(
                f"Declare the {count} it calls", key="declare-called", on_click=_declare, args=(page, called)
            )
        if mode != "replay":
            st.button("Declare the workspace's tools", key="declare", on_click=_declare_ours, args=(page,))


def _declare(page: Page, tools: Sequence[ToolSpec]) -> None:
    page.apply({"op": "set_tools", "tools": [tool_json(one) for one in tools]})


def _declare_ours(page: Page) -> None:
    def declare() -> None:
        snapshot = _snapshot(page)
        if snapshot is None:
            raise UserError("There is no workspace.", do="Choose one first.")
        with Results("live", None, snapshot, sandbox=sandbox()).open(page.session) as opened:
            page.deck.apply({"op": "set_tools", "tools": [tool_json(one) for one in specs(opened.tools)]})

    page.attempt(declare)

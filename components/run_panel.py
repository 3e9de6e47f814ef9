"""The run panel: which endpoint answers, where tool results come from, and the buttons that start a run.

What goes on during a run is in ``components.running``. A key stays in the memory of this browser session and
goes to the address it was entered for, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from components.opening import serves_this_machine
from components.running import Order, start
from components.state import Page
from tape.client import Target, claude_api, custom, embedded
from tape.edits.rewind import rewind
from tape.errors import UserError
from tape.growth import open_calls
from tape.model import Json, Session, json_text
from tape.samples import workspace, workspaces
from tape.tools.base import Source, ToolOutput
from tape.tools.files import WorkspaceTools, caught_up, file_tools
from tape.tools.memory import MemoryWorkspace
from tape.tools.recorded import RecordedTools
from tape.turns import opens_work
from tape.visible import one_line, visible

EMBEDDED, CLAUDE, OTHER = "Embedded", "Claude API", "Other server"
TARGETS = (EMBEDDED, CLAUDE, OTHER)
WORKSPACE, RECORDED, BY_HAND = "Workspace", "Recorded", "By hand"
LIVE_MAX_TOKENS = 4096
BRANCH = "before the re-run"
SAYS = {
    EMBEDDED: "A scripted model in this process: no key, no network. It sees nothing but the array.",
    CLAUDE: "Each call is billed to the key. It stays in memory and goes to the Claude API alone.",
    OTHER: "Any server that speaks /v1/messages, such as Ollama, llama.cpp, vLLM or OpenRouter.",
}
SOURCES = {
    WORKSPACE: "The tools work on a copy of a sample folder, held in memory; a tool that is not there "
    "gives its recorded results again.",
    RECORDED: "A call with the same name and input gets its result from the original again; "
    "for any other you are asked.",
    BY_HAND: "You are the harness: you write every result.",
}


def draw_run(page: Page) -> None:
    """Draws the settings, the buttons, and what the last run did."""
    going = page.run is not None and page.run.active
    with st.container(key="run-settings"):
        _target()
        _tools(page)
    with st.container(horizontal=True, key="run-buttons"):
        if going:
            st.button("Stop", key="stop", icon=":material/stop:", type="primary", on_click=page.stop)
        else:
            nothing = not page.session.messages
            st.button(
                "Run until it stops",
                key="run-loop",
                type="primary",
                icon=":material/play_arrow:",
                disabled=nothing,
                on_click=begin,
                args=(page, "loop"),
            )
            st.button("Send once", key="run-once", disabled=nothing, on_click=begin, args=(page, "once"))
    count = len(page.session.messages)
    if not going:
        st.caption(
            f"Sends the {count:,} message{'' if count == 1 else 's'} on the tape." if count else NOTHING
        )
    _say_something(page, going)
    _progress(page)


NOTHING = "The array is empty: write the first message below."


def _target() -> None:
    target = st.segmented_control(
        "Who answers", TARGETS, default=EMBEDDED, required=True, key="target", persist_state="session"
    )
    st.caption(SAYS[target])
    if target == OTHER:
        st.text_input(
            "Base URL", key="base-url", placeholder="http://localhost:11434", persist_state="session"
        )
    if target != EMBEDDED:
        st.text_input(
            "Key", key=f"key-{target}", type="password", autocomplete="off", persist_state="session"
        )
        st.text_input("Model", key="model", placeholder="as the session says", persist_state="session")


def _tools(page: Page) -> None:
    key = f"tools-{page.seen}"
    sample = page.origin.sample
    default = WORKSPACE if sample is not None and sample.workspace else RECORDED
    chosen = st.segmented_control(
        "Tool results", list(SOURCES), default=default, required=True, key=key, persist_state="session"
    )
    st.caption(SOURCES[chosen])
    if chosen == WORKSPACE:
        names = workspaces()
        at = names.index(sample.workspace) if sample is not None and sample.workspace in names else 0
        st.selectbox("Folder", names, index=at, key=f"workspace-{page.seen}", persist_state="session")
        if page.session.tools is None:
            st.button("Declare its tools", key="declare", on_click=_declare, args=(page,))


def _declare(page: Page) -> None:
    tools = file_tools(MemoryWorkspace({}))
    declared = [{"name": t.name, "description": t.description, "input_schema": t.input_schema} for t in tools]
    page.apply({"op": "set_tools", "tools": declared})


def _say_something(page: Page, going: bool) -> None:
    key = f"say-{page.seen}"

    def append() -> None:
        text = st.session_state[key].strip()
        if text:
            page.apply({"op": "append", "messages": [{"role": "user", "content": text}]})
            st.session_state[key] = "" if not page.notice else text

    if going:
        return
    st.text_area("Say something first", key=key, height=80, placeholder="The next user message")
    st.button("Append", key="append", on_click=append)


def _progress(page: Page) -> None:
    run = page.run
    with st.container(key="run-progress"):
        if run is None:
            return
        if run.fault:
            st.error("The call failed.", icon=":material/error:")
            st.text(visible(run.fault))
        for line in run.lines[-40:]:
            st.text(one_line(line))
        if run.streaming:
            st.text(visible(run.streaming[-2000:]))
        if run.waiting is not None:
            with st.form("by-hand", border=True):
                st.caption("No source has a result for this call. What does it return?")
                st.text(one_line(run.waiting.name))
                st.code(visible(json_text(run.waiting.input)[:4000]), language=None, wrap_lines=True)
                text = st.text_area("Result", key=f"result-{run.waiting.uid}")
                error = st.checkbox("It is an error", key=f"error-{run.waiting.uid}")
                if st.form_submit_button("Give this result", type="primary"):
                    run.answer(ToolOutput(text, error))


def take_item(page: Page, item: Mapping[str, Any]) -> None:
    """Does what the tape asks of the page: selecting a message, or starting a run."""
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


def run_again_reason(page: Page) -> str:
    """Why there is nothing to run again; empty where there is."""
    if _question(page.session) is None:
        return "There is no question on the tape yet."
    return ""


def run_again(page: Page) -> None:
    """Answers the last question anew, on the chosen endpoint; what came after it becomes a branch."""
    uid = _question(page.session)
    if uid is not None:
        begin(page, "from", uid)


def _question(session: Session) -> str | None:
    return next((m.uid for m in reversed(session.messages) if opens_work(m)), None)


def begin(page: Page, mode: str, uid: str | None = None) -> None:
    """Starts a run: ``once``, ``loop``, or ``from`` a message. Wrong settings become the notice."""
    if page.run is not None and page.run.active:
        return
    page.attempt(lambda: start(page, _order(page, mode, uid)))


def _order(page: Page, mode: str, uid: str | None) -> Order:
    session, said = page.session, "Ran it"
    if mode == "from" and uid is not None:
        session = rewind(session, uid, BRANCH)
        said = f"Ran it again from messages[{len(session.messages) - 1}]"
    target = chosen_target()
    return Order(
        start=with_model(session, target),
        said=said,
        target=target,
        sources=_sources(page, session),
        once=mode == "once",
        resume=mode != "once" and bool(open_calls(session)),
        by_hand=_chosen_tools(page) != WORKSPACE,
        beat=page.beat if target.kind == "embedded" else 0.0,
    )


def chosen_target() -> Target:
    """Who answers, as it is set under Run. Raises ``UserError`` where an address or a key is missing."""
    state = st.session_state
    match state.get("target", EMBEDDED):
        case "Claude API":
            return claude_api(_own_key(state.get(f"key-{CLAUDE}", "")))
        case "Other server":
            return custom(state.get("base-url", ""), state.get(f"key-{OTHER}"))
    return embedded()


def _own_key(entered: str) -> str | None:
    """The key that was entered; only a page that serves this machine alone may use the environment's."""
    if not entered.strip() and not serves_this_machine():
        raise UserError("The Claude API needs a key.", do="Enter one under Run.")
    return entered


def with_model(session: Session, target: Target) -> Session:
    """The session with the model that was entered for a live target, and a limit on its answer's tokens."""
    if target.kind == "embedded":
        return session
    named: dict[str, Json] = {"max_tokens": LIVE_MAX_TOKENS, **session.params}
    model = st.session_state.get("model", "").strip()
    if model:
        named["model"] = model
    return replace(session, params=named)


def _chosen_tools(page: Page) -> str:
    sample = page.origin.sample
    default = WORKSPACE if sample is not None and sample.workspace else RECORDED
    return str(st.session_state.get(f"tools-{page.seen}") or default)


def _sources(page: Page, session: Session) -> Sequence[Source]:
    match _chosen_tools(page):
        case "Workspace":
            sample = page.origin.sample
            fallback = sample.workspace if sample is not None and sample.workspace else workspaces()[0]
            name = str(st.session_state.get(f"workspace-{page.seen}") or fallback)
            folder = caught_up(MemoryWorkspace(workspace(name), name), session)
            return WorkspaceTools(file_tools(folder), name), RecordedTools(page.deck.opened)
        case "Recorded":
            return (RecordedTools(page.deck.opened),)
    return ()

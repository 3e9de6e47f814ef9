"""Sub-agents of the session: spawn one from a call or a task, run it, look at it, fold its answer back.

A run of a sub-agent goes to the endpoint chosen under Run and ends by itself or at its limits; it never
touches the array of the session that started it.
"""

from __future__ import annotations

from functools import partial

import streamlit as st

from components.before_after import draw_before_after
from components.run_results import sandbox
from components.run_target import chosen_target, with_model
from components.state import Page
from components.visiting import visit
from tape.agent import Limits, run
from tape.client import Client
from tape.counting import Counter
from tape.edits import FoldSubagent, Spawn
from tape.edits.effect import effect
from tape.edits.spawn import task_of, with_lane
from tape.errors import UserError
from tape.model import Head, Lane, Session
from tape.run_events import Ended, Failed, Refused
from tape.threads import threads
from tape.tools.folder import sample_snapshot
from tape.tools.results import Results
from tape.visible import one_line, visible

FREE = "none: a task of its own"
LIMITS = Limits(calls=12, usd=0.50, unpriced_tokens=100_000, seconds=180)
SHOWN = 20
WORDS = 700


def draw_sub_agents(page: Page) -> None:
    """Draws the form that spawns one, and a card for each that the session has."""
    _spawn(page)
    lanes = page.session.lanes
    for number, lane in enumerate(lanes[:SHOWN]):
        _lane(page, number, lane)
    if len(lanes) > SHOWN:
        st.caption(f"and {len(lanes) - SHOWN:,} more sub-agents; the tape shows them at their calls")


def _spawn(page: Page) -> None:
    calls = _calls(page.session)
    with st.container(key="spawn", border=True):
        uid = st.selectbox(
            "For the call",
            [None, *calls],
            format_func=lambda uid: FREE if uid is None else calls[uid],
            key=_key(page, "call"),
        )
        task = st.text_area(
            "Task",
            value="" if uid is None else task_of(page.session, uid),
            key=_key(page, f"task-{uid}"),
            height=80,
            placeholder="All that the sub-agent will know",
        )
        system = st.text_input("Its own system prompt", key=_key(page, "system"))
        tools = st.checkbox("Give it the session's tools", key=_key(page, "tools"))
        st.caption("It starts with an array of its own: this task, and none of the session's history.")
        st.button(
            "Spawn",
            key="do-spawn",
            type="primary",
            icon=":material/call_split:",
            disabled=not task.strip(),
            on_click=page.apply,
            args=(Spawn(uid, task, system or None, tools),),
        )


def _calls(session: Session) -> dict[str, str]:
    """The calls that have no sub-agent, the last first, with where they stand."""
    taken = {lane.spawned_by for lane in session.lanes}
    found = [
        (head.uid, f"messages[{i}] {one_line(head.name or 'call')}")
        for i, entry in enumerate(session.messages)
        if entry.role == "assistant"
        for head in entry.heads
        if _spawns(head) and head.uid not in taken
    ]
    return dict(reversed(found[-200:]))


def _spawns(head: Head) -> bool:
    return head.kind == "tool_use" and "server" not in head.flags


def _lane(page: Page, number: int, lane: Lane) -> None:
    child = lane.session
    size = Counter(child.model).session(child).total
    answer = _answer(child)
    name = one_line(f"{number + 1}. {lane.agent or 'sub-agent'}: {child.title or 'no title'}")
    with st.container(key=f"lane-{number}", border=True):
        st.text(name)
        word = "message" if len(child.messages) == 1 else "messages"
        st.caption(f"{len(child.messages):,} {word}, ≈ {size:,} tokens in an array of its own")
        if answer:
            st.text(visible(answer[:WORDS]) + ("…" if len(answer) > WORDS else ""))
        with st.container(horizontal=True):
            ready = bool(child.messages) and child.messages[-1].role == "user"
            if ready and st.button("Run it", key=f"run-lane-{number}", icon=":material/play_arrow:"):
                _run(page, number)
            st.button(
                "Open its tape",
                key=f"visit-lane-{number}",
                icon=":material/open_in_new:",
                help="Its array on the tape, to change and to run; the way back stands above it",
                on_click=page.attempt,
                args=(partial(visit, page, number),),
            )
            if answer:
                _fold(page, number, lane, size, answer)


def _answer(child: Session) -> str:
    """The sub-agent's last words; empty while it has not answered."""
    last = child.messages[-1] if child.messages else None
    return last.text if last is not None and last.role == "assistant" else ""


def _fold(page: Page, number: int, lane: Lane, size: int, answer: str) -> None:
    open_call = lane.spawned_by if lane.spawned_by in threads(page.session).states else None
    operation = FoldSubagent(call=open_call) if open_call else FoldSubagent(lane=number)
    st.button(
        "Fold into its call" if open_call else "Fold into a message",
        key=f"fold-lane-{number}",
        icon=":material/call_merge:",
        on_click=page.apply,
        args=(operation,),
    )
    spared = size - Counter(page.session.model).text(answer)
    st.caption(f"≈ {max(spared, 0):,} tokens stay out of this array")
    if st.toggle("Preview", key=f"look-lane-{number}"):
        try:
            found = effect(page.session, operation)
        except UserError as fault:
            st.text(fault.sentence)
            return
        draw_before_after(page.session, found.session, (found.before, found.after))


def _run(page: Page, number: int) -> None:
    child = page.session.lanes[number].session
    sample = page.origin.sample
    snapshot = sample_snapshot(sample.workspace) if sample is not None and sample.workspace else None
    try:
        target = chosen_target()
        start = with_model(child, target)
        with (
            st.spinner("The sub-agent works …"),
            Client(target) as client,
            Results("live", snapshot=snapshot, sandbox=sandbox()).open(start) as results,
        ):
            *_, last = run(start, client, results.sources, LIMITS)
    except UserError as fault:
        page.notice = fault.sentence
        st.rerun()
    match last:
        case Failed() | Refused():
            page.notice = f"The sub-agent's call failed. {last.sentence}"
        case Ended(session=after):
            if after is not start:
                grown = with_lane(page.session, number, after)
                page.deck.replace_session(grown, f"Ran sub-agent {number + 1}")
            if not _answer(after):
                page.notice = "The sub-agent ended without an answer. Run it again, or give it another task."
    st.rerun()


def _key(page: Page, name: str) -> str:
    return f"spawn-{name}-{page.seen}"

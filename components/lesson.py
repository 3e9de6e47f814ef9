"""Lessons on the page: the list in the sidebar, the lesson above the tape, and the way in by an address.

``?lesson=D&step=7`` opens a lesson at a step, ``?code=ABCD`` what a teacher has started, ``?view=projector``
the page for a projector. Whoever opens an address has a copy of their own. What a press does to the lesson is
in ``components.lectern``.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from components.classroom import CODES, DESKS
from components.lectern import Lectern, guesses_of, shown
from components.lesson_view import Item, lesson_view
from components.opening import Origin, from_sample
from components.presenter import handout_path, notes_path
from components.state import Page
from components.visiting import home
from tape.errors import UserError
from tape.lessons import Lesson, lesson, lessons
from tape.samples import sample

STYLE = Path(__file__).resolve().parent / "lessons.css"
PLACE = ("lesson", "step", "wait", "said", "code", "view")


def begin(page: Page, one: Lesson, code: str = "") -> None:
    """Starts a lesson at its first step, in place of what is on the page. Raises ``UserError`` where its
    session cannot be made; nothing changes then."""
    desk = page.lesson.desk if page.lesson is not None else DESKS.new()
    lectern = Lectern(one, desk)
    desk.begun = None
    lectern.code = code
    origin = from_sample(sample(one.source)) if isinstance(one.source, str) else Origin("new", one.title)
    page.open(origin, lectern.player.now.session)
    page.lesson = lectern
    lectern.point(page)


def enter(page: Page) -> None:
    """Does what the address asks for, once for a page: a lesson, a class's code, the projector."""
    if page.entered:
        return
    page.entered = True
    asked = st.query_params
    page.projector = asked.get("view") == "projector"
    try:
        if "code" in asked:
            begin(page, CODES.lesson(asked["code"]), asked["code"].strip().upper())
        elif "lesson" in asked:
            begin(page, lesson(asked["lesson"]))
    except UserError as fault:
        page.refusal = fault.sentence
        return
    if page.lesson is not None and asked.get("step", "").isdecimal() and len(asked["step"]) < 6:
        index = max(int(asked["step"]) - 1, 0)
        page.lesson.play_to(page, index, "wait" not in asked, guesses_of(asked.get("said", "")))


def draw_lessons(page: Page) -> None:
    """Draws the lessons in the sidebar, and the field for the code of a class."""
    st.html(STYLE)
    with st.container(key="lessons"):
        st.html("<h2>Lessons</h2>")
        for one in lessons():
            current = page.lesson is not None and page.lesson.lesson is one
            st.button(
                f"{one.block}  {one.title}" if one.block else one.title,
                key=f"lesson-{one.name}",
                type="secondary" if current else "tertiary",
                width="stretch",
                help=f"{one.about} {one.minutes:g} minutes.",
                on_click=_try_to_begin,
                args=(page, one),
            )
    key = f"class-code-{page.seen}"
    st.text_input(
        "Code of a class",
        key=key,
        max_chars=8,
        placeholder="four letters",
        help="Your teacher says it. You get a copy of your own.",
        on_change=_enter_code,
        args=(page, key),
    )


def draw_lesson(page: Page) -> None:
    """Draws the lesson above the tape and listens to the presenter's keys; without a lesson only the keys."""
    lectern = page.lesson
    if lectern is not None and page.deck.inside is None:
        lectern.catch_up(page)
    _keep_place(page)
    links = {}
    if lectern is not None:
        token = lectern.desk.token
        links = {"desk": token, "notes": notes_path(token), "handout": handout_path(token)}
    with st.container(key="no-lesson" if lectern is None else "lesson-pane"):
        lesson_view(
            None
            if lectern is None
            else shown(lectern, page.session) | {"running": page.run is not None and page.run.active},
            key="lesson",
            presses=page.presses,
            projector=page.projector,
            links=links,
            on_item=lambda item: take(page, item),
        )


def take(page: Page, item: Item) -> None:
    """Does what was pressed. What cannot be done becomes one sentence in the lesson."""
    match item:
        case {"do": "projector", "on": bool(on)}:
            page.projector = on
            return
    lectern = page.lesson
    if lectern is None:
        return
    lectern.fault = ""
    try:
        home(page)
        match item:
            case {"do": "next"}:
                lectern.catch_up(page)
                lectern.forward(page)
            case {"do": "back"}:
                lectern.catch_up(page)
                lectern.back(page)
            case {"do": "guess", "value": value}:
                lectern.guess(page, value)
            case {"do": "code"}:
                lectern.code = lectern.code or CODES.give(lectern.lesson)
            case {"do": "claim", "desk": str(token)}:
                lectern.sit_down(DESKS.find(token))
            case {"do": "close"}:
                close(page)
    except UserError as fault:
        lectern.fault = fault.sentence


def close(page: Page) -> None:
    """Ends the lesson; the array stays as it is."""
    page.lesson = None


def _try_to_begin(page: Page, one: Lesson) -> None:
    try:
        begin(page, one)
    except UserError as fault:
        page.refusal = fault.sentence


def _enter_code(page: Page, key: str) -> None:
    code = str(st.session_state.get(key, ""))
    if not code.strip():
        return
    try:
        begin(page, CODES.lesson(code), code.strip().upper())
    except UserError as fault:
        page.refusal = fault.sentence


def _keep_place(page: Page) -> None:
    """Writes where the lesson is into the address, so that a reload comes back to the same step."""
    place = page.lesson.place() if page.lesson is not None else {}
    if page.projector:
        place["view"] = "projector"
    current = {key: st.query_params[key] for key in st.query_params}
    others = {key: value for key, value in current.items() if key not in PLACE}
    if others | place != current:
        st.query_params.from_dict(others | place)

"""Making lessons: opening a lesson file with its faults shown by line, and recording one while clicking.

What is recorded, and how it is written, is ``tape.lessons.recording``; here are the widgets.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TypeAlias

import streamlit as st

from components.classroom import CODES
from components.lesson import begin
from components.opening import Origin
from components.state import Page
from tape.errors import UserError
from tape.lessons import Lesson, check
from tape.lessons.nodes import LARGEST, Fault
from tape.lessons.recording import Recording, lines
from tape.visible import one_line
from tape.wire import request, session_of

Make: TypeAlias = Callable[[Page, Recording], dict[str, object]]
SHOWN = 8
WORDS = ("record-text", "record-choices")
"""Fields that are empty again once a step was made of them."""


def draw_own_lessons(page: Page) -> None:
    """Draws the way to a lesson of one's own: a file, or a recording."""
    with st.expander("Your own lesson", key="own-lesson"):
        _open_file(page)
        if page.recording is None:
            st.button(
                "Record a lesson from this session",
                key="record",
                width="stretch",
                on_click=_attempt,
                args=(page, _start),
                disabled=not page.session.messages,
                help="What you do on the tape becomes the steps of a lesson file.",
            )


def draw_recording(page: Page) -> None:
    """Draws what has been recorded so far and the words to add; nothing where nothing is recorded."""
    recording = page.recording
    if recording is None:
        return
    if page.deck.inside is None:
        _follow(page, recording)
    with st.container(key="recording", border=True):
        st.html(f"<h2>Recording a lesson: {_count(len(recording.steps))}</h2>")
        st.caption("Change the array on the tape, or run it: each becomes a step. Add words here.")
        for number, step in list(enumerate(recording.steps, 1))[-SHOWN:]:
            st.text(one_line(f"{number}. {_said(step)}"[:160]))
        st.text_area("What the class reads", key="record-text", height=68)
        st.text_area(
            "Answers, one a line, a star before the right one",
            key="record-choices",
            height=68,
            help="Only for a question.",
        )
        with st.container(horizontal=True, gap="small", key="record-buttons"):
            for label, make in STEPS.items():
                _word(label, page, partial(_add, recording, make))
            _word("Drop the last words", page, lambda _: recording.drop())
        title = st.text_input("Title", key="record-title", placeholder="A lesson")
        question = st.text_input("What the class can answer in the end", key="record-question")
        with st.container(horizontal=True, gap="small", key="record-end"):
            try:
                file = recording.text(title, question)
                st.download_button(
                    "Save the lesson file", file, "lesson.yaml", "application/yaml", key="record-save"
                )
                _word("Give it", page, lambda page: _give(page, recording.lesson(title, question)))
            except UserError as fault:
                st.caption(one_line(fault.sentence))
            _word("Stop recording", page, _stop)


def _open_file(page: Page) -> None:
    key = f"lesson-file-{page.uploads}-{page.seen}"
    file = st.file_uploader("Open a lesson file", type=["yaml", "yml", "json"], key=key)
    if file is None:
        return
    if file.size > LARGEST:
        faults: tuple[Fault, ...] = (Fault(1, "The file is too large for a lesson."),)
        lesson = None
    else:
        lesson, faults = check(
            file.getvalue().decode("utf-8", "replace"), file.name.rpartition(".")[0] or "own"
        )
    if lesson is not None:
        page.uploads += 1
        _attempt(page, lambda page: _give(page, lesson))
        st.rerun()
    st.error("This is no lesson yet.", icon=":material/block:")
    for fault in faults[:20]:
        st.text(one_line(str(fault)))


def _start(page: Page) -> None:
    """Opens the array anew in the Anthropic form, whose positions the lesson file speaks of."""
    title = page.session.title or page.origin.name
    page.open(Origin("new", title), replace(session_of(request(page.session)), title=title))
    page.recording = Recording(page.session)


def _stop(page: Page) -> None:
    page.recording = None


def _give(page: Page, lesson: Lesson) -> None:
    page.recording = None
    begin(page, lesson, CODES.give(lesson))


def _follow(page: Page, recording: Recording) -> None:
    run = page.run
    if run is not None and run.active:
        return
    made = None
    if run is not None:
        order = run.order
        made = {"sent": order.start, "mode": "once" if order.once else "resume" if order.resume else "loop"}
    recording.follow(page.session, page.deck.history.log, made)


def _word(label: str, page: Page, act: Callable[[Page], object]) -> None:
    key = f"record-{label.lower().replace(' ', '-')}"
    st.button(label, key=key, on_click=_attempt, args=(page, act))


def _attempt(page: Page, act: Callable[[Page], object]) -> None:
    def tried() -> None:
        act(page)
        for field in WORDS:
            st.session_state.pop(field, None)

    page.attempt(tried)


def _add(recording: Recording, make: Make, page: Page) -> None:
    recording.add(make(page, recording))


def _typed() -> str:
    """What the class will read, as it stands in the field now."""
    text = str(st.session_state.get("record-text", "")).strip()
    if not text:
        raise UserError("There is nothing to say yet.", do="Write what the class reads.")
    return text


def _card(page: Page, recording: Recording) -> dict[str, object]:
    if page.selected is None:
        raise UserError("No card is selected.", do="Click one on the tape.")
    return {"show": {"cards": [recording.place(page.selected)]}, "say": _typed()}


def _question(page: Page, recording: Recording) -> dict[str, object]:
    answers = list(lines(str(st.session_state.get("record-choices", ""))))
    if not 2 <= len(answers) <= 6 or not any(answer.startswith("*") for answer in answers):
        raise UserError(
            "A question needs two to six answers, and a right one.", do="Put a star before the right one."
        )
    listed = [{"text": a[1:].strip(), "when": "yes"} if a.startswith("*") else a for a in answers]
    return {"predict": _typed(), "choices": listed}


STEPS: dict[str, Make] = {
    "Say": lambda page, recording: {"say": _typed()},
    "Show the selected card": _card,
    "Show the chart": lambda page, recording: {"show": {"chart": "calls"}, "say": _typed()},
    "Ask": _question,
    "Reveal": lambda page, recording: {"reveal": _typed()},
}
"""The steps of words, by the label of their button."""


def _said(step: dict[str, object]) -> str:
    kind = next((kind for kind in ("show", "predict", "do", "run", "reveal") if kind in step), "say")
    words = step.get("say") or step.get(kind)
    return f"{kind}: {words}"


def _count(number: int) -> str:
    return f"{number} step{'' if number == 1 else 's'}"

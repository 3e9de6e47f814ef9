"""Lessons in the browser, offline: each played with its keys to its end, guessed wrong and right, undone.

The core plays them too (``tests/lessons``); here it is the page, its presses and what it shows.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tape.lessons import Lesson, Player, lessons
from tape.lessons.model import Predict
from tests.browser.conftest import Open
from tests.lessons.playing import right

LESSONS = {one.name: one for one in lessons()}
ACTED = ("do", "run")


class Class:
    """A lesson on the page, as those in front of it see it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.panel = page.locator(".lesson")
        self.said = self.panel.locator(".said")
        expect(self.said).not_to_be_empty()

    def is_at(self, step: int, *, waits: bool) -> None:
        """Waits until the lesson is at a step (from 1), done or still to do, and nothing is on its way."""
        here = f".lesson[data-step='{step}'][data-waits='{str(waits).lower()}']:not(.busy)"
        self.page.locator(here).wait_for()

    def key(self, key: str) -> None:
        """Presses a key as a clicker does, wherever the focus is."""
        self.page.keyboard.press(key)

    def guess(self, asked: Predict, value: float) -> None:
        """Answers the question."""
        if asked.choices:
            self.key(str(int(value) + 1))
            pressed = self.panel.locator(".choices [aria-pressed=true]")
            pressed.filter(has_text=asked.choices[int(value)].text).wait_for()
            return
        field = self.panel.locator(".number input")
        field.fill(f"{value:.6g}")
        field.press("Enter")
        self.panel.locator(".number button", has_text="Change the guess").wait_for()
        self.page.locator(".lesson:not(.busy)").wait_for()


def right_answers(lesson: Lesson) -> dict[int, float]:
    """The right answer to every question, by its step, from playing the lesson in the core."""
    player, found = Player(lesson), {}
    asked: int | None = None
    while not player.at_end:
        if player.waits and player.step.kind == "predict":
            asked = player.now.index
            player.guess(0)
        else:
            player.forward()
        if player.step.kind == "reveal" and asked is not None:
            detail = lesson.steps[asked].detail
            assert isinstance(detail, Predict)
            found[asked], asked = right(detail, player.facts), None
    return found


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_is_played_wrong_and_right_and_every_step_undone(name: str, open_page: Open) -> None:
    lesson = LESSONS[name]
    answers = right_answers(lesson)
    there = Class(open_page(path=f"/?lesson={lesson.name}&view=projector"))
    pending: int | None = None
    for index, step in enumerate(lesson.steps):
        waiting = step.kind in ("predict", "do", "run")
        there.is_at(index + 1, waits=waiting)
        if isinstance(step.detail, Predict):
            pending = index
            wrong = 0.0 if answers[index] else 1.0
            there.guess(step.detail, wrong)
        elif waiting:
            there.key("PageDown")
            there.is_at(index + 1, waits=False)
            if step.kind == "do":
                there.key("PageUp")
                there.is_at(index + 1, waits=True)
                there.key("PageDown")
        there.is_at(index + 1, waits=False)
        if step.kind == "reveal" and pending is not None:
            there.panel.locator(".verdict.wrong").wait_for()
            back_and_right(there, lesson, pending, index, answers[pending])
            pending = None
        if index + 1 < len(lesson.steps):
            there.key("PageDown")
    expect(there.panel.locator(".next")).to_have_text("The end")
    expect(there.panel.locator(".fault")).to_have_count(0)


def back_and_right(there: Class, lesson: Lesson, question: int, reveal: int, answer: float) -> None:
    """Steps back to the question, undoing what lies between, answers it rightly, and comes forward again."""
    asked = lesson.steps[question].detail
    assert isinstance(asked, Predict)
    for index in range(reveal - 1, question, -1):
        there.key("PageUp")
        there.is_at(index + 1, waits=False)
        if lesson.steps[index].kind in ACTED:
            there.key("PageUp")
            there.is_at(index + 1, waits=True)
    there.key("PageUp")
    there.is_at(question + 1, waits=False)
    there.guess(asked, answer)
    for index in range(question + 1, reveal):
        there.key("PageDown")
        if lesson.steps[index].kind in ACTED:
            there.is_at(index + 1, waits=True)
            there.key("PageDown")
        there.is_at(index + 1, waits=False)
    there.key("PageDown")
    there.is_at(reveal + 1, waits=False)
    there.panel.locator(".verdict.right").wait_for()

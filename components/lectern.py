"""A lesson on the page: the player beside the deck, moved by what the teacher presses.

The player (``tape.lessons``) knows what comes next; the deck holds the array that everybody sees. This keeps
the two together: what a step does becomes one step of the deck's history, and what a person changes by hand
becomes the player's array. Drawing is in ``components.lesson_view``, the second window in
``components.presenter``.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from components.classroom import Desk
from components.run_target import chosen_limits, chosen_target, with_model
from components.running import Order, start
from components.tape_view import Notice
from tape.errors import UserError
from tape.lessons import Lesson, Player, acts, lessons
from tape.lessons.handout import answer_to
from tape.lessons.model import Chart, Do, Predict, Run, Show
from tape.lessons.words import Ran
from tape.model import Session

if TYPE_CHECKING:
    from components.state import Page

CARDS = itertools.count(1_000_000)
MOST_GUESSES = 60


class Lectern:
    """The lesson that is open on one page. ``fault`` is why the last press did nothing, one sentence.

    ``chart`` is the chart that the lesson last asked for, ``card`` what the endpoint said when it refused,
    ``code`` the letters that students start the lesson with, once there are any.
    """

    def __init__(self, lesson: Lesson, desk: Desk) -> None:
        self.player = Player(lesson)
        self.desk = desk
        self.fault = ""
        self.chart: Chart | None = None
        self.code = ""
        self.card: Notice | None = None
        self._taken: object = None
        self._foreseen: dict[int, str] = {}
        desk.follow(self)

    @property
    def lesson(self) -> Lesson:
        """The lesson."""
        return self.player.lesson

    def sit_down(self, desk: Desk | None) -> None:
        """Goes on at the desk of before a reload, so that the second window follows; none changes nothing."""
        if desk is not None:
            self.desk = desk
            desk.follow(self)

    def catch_up(self, page: Page) -> None:
        """Takes over what happened on the page since then: changes by hand, and a run that ended there."""
        run = page.run
        if run is not None and run.active:
            return
        if run is not None and run is not self._taken:
            self._taken = run
            if run.fault and not run.refusal:
                self.fault = run.fault
            elif self.player.waits and isinstance(self.player.step.detail, Run):
                self.player.finish(page.session, Ran(page.session, run.refusal, run.said))
                self.point(page)
        self.player.adopt(page.session)

    def forward(self, page: Page) -> None:
        """Does what the step waits for, or goes to the next one."""
        step = self.player.step.detail
        if self.desk.begun is None:
            self.desk.begun = time.monotonic()
        if self.player.waits and isinstance(step, Run) and self._live(page, step):
            return
        before = self.player.now.session
        self.player.forward()
        self._carry_over(page, before, self.player.will_do or "Ran a step of the lesson")
        self.point(page)

    def back(self, page: Page) -> None:
        """Takes the last press back; the array is again what it was."""
        before = self.player.now.session
        self.player.back()
        now = self.player.now.session
        if now is not before:
            page.deck.undo()
            if page.session is not now:
                page.deck.redo()
                page.deck.replace_session(now, "Stepped back in the lesson")
        self.point(page)

    def guess(self, page: Page, value: object) -> None:
        """Commits the class to an answer. Raises ``UserError`` where that is none."""
        if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) < 1e15:
            raise UserError("This is no answer.", do="Choose one, or give a number.")
        self.player.guess(float(value))

    def play_to(self, page: Page, index: int, done: bool, guesses: Mapping[int, float]) -> None:
        """Goes to a step as after a reload. What cannot be carried out on the way becomes the fault."""
        before = self.player.now.session
        try:
            self.player.play_to(index, done, guesses)
        except UserError as fault:
            self.fault = fault.sentence
        self._carry_over(page, before, "Went on in the lesson")
        self.point(page)

    @property
    def foreseen(self) -> str:
        """What the question of now will turn out to be: the lesson is played on to where it is revealed, on
        an array of its own. Empty where nothing is asked, or it cannot be told."""
        index = self.player.now.index
        if index not in self._foreseen:
            self._foreseen[index] = answer_to(self.lesson, index)
        return self._foreseen[index]

    def place(self) -> dict[str, str]:
        """Where the lesson is, as the parameters of an address; one that is not of ours goes by its code."""
        now = self.player.now
        guesses = sorted(now.guesses.items())[:MOST_GUESSES]
        ours = any(self.lesson is one for one in lessons())
        named = {"lesson": self.lesson.name} if ours else {"code": self.code}
        place = {**named, "step": str(now.index + 1)}
        if self.player.waits:
            place["wait"] = "1"
        if guesses:
            place["said"] = "_".join(f"{index + 1}.{value:.15g}" for index, value in guesses)
        return place

    def _carry_over(self, page: Page, before: Session, said: str) -> None:
        now = self.player.now.session
        if now is not before:
            page.deck.replace_session(now, said)

    def _live(self, page: Page, step: Run) -> bool:
        """Starts the run on the model that is chosen under Run, where that is not the embedded one."""
        target = chosen_target()
        if target.kind == "embedded" or step.endpoint != "anthropic" or step.lines or step.apart:
            return False
        order = Order(
            start=with_model(page.session, target),
            said="Ran a step of the lesson",
            target=target,
            sources=acts.sources(self.lesson, step, page.session),
            once=step.mode == "once",
            resume=step.mode == "resume",
            limits=chosen_limits(target),
        )
        start(page, order)
        return True

    def point(self, page: Page) -> None:
        """Shows what the step is about, and what the endpoint said where it refused."""
        step, now = self.player.step, self.player.now
        self.card = None
        if isinstance(step.detail, Show):
            self.chart = step.detail.chart or self.chart
            self._show(page, step.detail)
        elif isinstance(step.detail, Do | Run) and now.done:
            ran = now.runs[-1] if isinstance(step.detail, Run) and now.runs else None
            if ran is not None and ran.refusal:
                self.card = {
                    "kind": "error",
                    "title": "Refused",
                    "text": ran.refusal,
                    "uids": [],
                    "seq": next(CARDS),
                }
            elif now.session.messages:
                page.show(now.session.messages[-1].uid)

    def _show(self, page: Page, show: Show) -> None:
        targets = [*((show.thread,) if show.thread is not None else ()), *show.cards]
        for target in targets:
            uid = acts.uid_of(page.session, target)
            if uid is not None:
                page.show(uid)
                return
        if show.turn is not None:
            page.show_turn(show.turn)


def guesses_of(text: str) -> dict[int, float]:
    """The predictions that an address holds, by the index of their step; what is none is left out."""
    found: dict[int, float] = {}
    for part in text.split("_")[:MOST_GUESSES]:
        index, _, value = part.partition(".")
        try:
            place, number = int(index) - 1, float(value)
        except ValueError:
            continue
        if place >= 0 and abs(number) < 1e15:
            found[place] = number
    return found


def shown(lectern: Lectern, session: Session) -> dict[str, Any]:
    """What the class sees of the step, as the view takes it. Nothing of the presenter's is in it."""
    player, step = lectern.player, lectern.player.step
    asked = step.detail if isinstance(step.detail, Predict) else None
    verdict = player.verdict()
    guess = player.now.guesses.get(player.now.index)
    return {
        "title": lectern.lesson.title,
        "block": lectern.lesson.block,
        "step": player.now.index + 1,
        "steps": len(lectern.lesson.steps),
        "kind": step.kind,
        "waits": player.waits,
        "text": player.text,
        "will": player.will_do if step.text else "",
        "outcome": _outcome(player),
        "classic": None if step.classic is None else _classic(step.classic),
        "choices": [choice.text for choice in asked.choices] if asked else [],
        "number": {"unit": asked.unit} if asked is not None and not asked.choices else None,
        "guess": guess,
        "verdict": None
        if verdict is None
        else {"guessed": verdict.guessed, "right": verdict.right, "correct": verdict.correct},
        "answer": player.answer,
        "atStart": player.at_start,
        "atEnd": player.at_end,
        "fault": lectern.fault,
        "code": lectern.code,
    }


def _outcome(player: Player) -> str:
    """What came of the run of the step, in a word; empty before it, and for other steps."""
    if not isinstance(player.step.detail, Run) or player.waits or not player.now.runs:
        return ""
    return "refused" if player.now.runs[-1].refusal else "answered"


def _classic(classic: Any) -> dict[str, str]:
    return {"then": classic.then, "now": classic.now, "since": classic.since}

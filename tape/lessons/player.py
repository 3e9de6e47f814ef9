"""Plays a lesson: where the class is, what it predicted, and the array at that moment. No page, no clock.

A moment is a frozen value and the way back is the list of moments before it, so that stepping back is exact.
Playing the same lesson to the same place with the same predictions gives the same moment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from tape.edits.preview import imperative
from tape.errors import UserError
from tape.lessons import acts
from tape.lessons.model import Do, Lesson, Predict, Run, Step
from tape.lessons.verdict import Verdict, judged
from tape.lessons.words import Facts, Ran, filled
from tape.model import Session

Guess: TypeAlias = float
"""What a class committed to: the number of a choice (from 0), or the number that it said."""


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """Where a lesson is. ``done`` says that the step has been carried out, or answered; of other kinds it is
    always true. ``guesses`` are by the index of their step; ``by_hand`` says that a person did the step."""

    index: int
    done: bool
    session: Session
    guesses: Mapping[int, Guess] = field(default_factory=dict)
    runs: tuple[Ran, ...] = ()
    by_hand: bool = False


class Player:
    """A lesson being played, from its first step on. Raises ``UserError`` where its session cannot be
    made."""

    def __init__(self, lesson: Lesson) -> None:
        self.lesson = lesson
        self._past: list[Moment] = []
        self.now = self._at(0, lesson.start(), {}, ())

    @property
    def step(self) -> Step:
        """The step of now."""
        return self.lesson.steps[self.now.index]

    @property
    def waits(self) -> bool:
        """Whether the step has still to be answered or carried out before the next one."""
        return not self.now.done

    @property
    def at_end(self) -> bool:
        """Whether this is the last step, done."""
        return self.now.done and self.now.index + 1 == len(self.lesson.steps)

    @property
    def at_start(self) -> bool:
        """Whether there is no step back."""
        return not self._past

    @property
    def facts(self) -> Facts:
        """What the sentences of the step can speak of."""
        return Facts(self.now.session, self.now.runs)

    @property
    def text(self) -> str:
        """The sentence of the step, with its values; of an operation, what it does, where nothing is said."""
        step = self.step
        if step.text:
            return filled(step.text, self.facts) if self.now.done or step.kind == "reveal" else step.text
        return self.will_do

    @property
    def will_do(self) -> str:
        """What the operation of the step does or has done, as sentences; empty for other steps."""
        if not isinstance(self.step.detail, Do):
            return ""
        before = self._past[-1].session if self.now.done and self._past else self.now.session
        try:
            said = acts.said(before, self.lesson, self.step.detail)
            return ". ".join(said if self.now.done else map(imperative, said))
        except UserError as fault:
            return fault.sentence

    def adopt(self, session: Session) -> None:
        """Goes on with an array that a person changed by hand. Where that is what the step was to do, the
        step is done."""
        if session is self.now.session:
            return
        step, before = self.step.detail, self.now.session
        if self.waits and isinstance(step, Do):
            try:
                as_meant = acts.same(acts.do(before, self.lesson, step), session)
            except UserError:
                as_meant = False
            if as_meant:
                self._push(replace(self.now, done=True, session=session, by_hand=True))
                return
        self.now = replace(self.now, session=session)

    def guess(self, value: Guess) -> None:
        """Commits to an answer. Raises ``UserError`` where nothing is asked, or it is none of the choices."""
        asked = self.step.detail
        if not isinstance(asked, Predict):
            raise UserError("Nothing is asked here.")
        if asked.choices and value not in range(len(asked.choices)):
            raise UserError(f"Choose one of the {len(asked.choices)} answers.")
        guesses = {**self.now.guesses, self.now.index: value}
        if self.now.done:
            self.now = replace(self.now, guesses=guesses)
        else:
            self._push(replace(self.now, done=True, guesses=guesses))

    def forward(self) -> None:
        """Carries the step out where it waits for that, else goes to the next one.

        Raises ``UserError``, and stays, where the class has not answered yet, where an operation is refused,
        or at the end.
        """
        step, now = self.step, self.now
        if self.waits:
            match step.detail:
                case Do():
                    self._push(
                        replace(now, done=True, session=acts.do(now.session, self.lesson, step.detail))
                    )
                case Run():
                    self.finish(*acts.carry_out(now.session, self.lesson, step.detail))
                case _:
                    raise UserError("First the class says what it expects.", do="Choose an answer.")
            return
        if self.at_end:
            raise UserError("This was the last step.")
        self._push(self._at(now.index + 1, now.session, now.guesses, now.runs))

    def finish(self, session: Session, ran: Ran | None) -> None:
        """Takes the result of a run that was made elsewhere, such as on a live model, for the step's own."""
        runs = (*self.now.runs, ran) if ran is not None else self.now.runs
        self._push(replace(self.now, done=True, session=session, runs=runs))

    def back(self) -> None:
        """Takes the last move back: an operation or run is undone, else the step before comes again. Nothing
        happens at the start."""
        if self._past:
            self.now = self._past.pop()

    def verdict(self) -> Verdict | None:
        """How the last prediction fares, where the step reveals it; ``None`` where it does not."""
        if self.step.kind != "reveal":
            return None
        asked = [i for i in range(self.now.index) if self.lesson.steps[i].kind == "predict"]
        if not asked or any(self.lesson.steps[i].kind == "reveal" for i in range(asked[-1], self.now.index)):
            return None
        question = self.lesson.steps[asked[-1]]
        assert isinstance(question.detail, Predict)
        return judged(question, self.now.guesses.get(asked[-1]), self.facts)

    @property
    def answer(self) -> str:
        """The answer to the question before, as the step gives it; empty where it gives none."""
        return filled(self.step.answer, self.facts)

    @property
    def left(self) -> float:
        """The minutes that this and the later steps take, by the lesson's own count."""
        return self.lesson.left(self.now.index)

    def play_to(self, index: int, done: bool = True, guesses: Mapping[int, Guess] | None = None) -> None:
        """Plays on to a step (from 0), carrying out what is on the way.

        Questions are passed without an answer where ``guesses`` has none. Raises the ``UserError`` of an
        operation that is refused, and stays there.
        """
        index = max(0, min(index, len(self.lesson.steps) - 1))
        while (self.now.index, self.now.done) < (index, done):
            asked = self.step.detail
            if self.waits and isinstance(asked, Predict):
                value = (guesses or {}).get(self.now.index)
                if value is None and self.now.index == index:
                    return
                if value is None:
                    self._push(replace(self.now, done=True))
                else:
                    self.guess(value)
            else:
                self.forward()

    def _at(self, index: int, session: Session, guesses: Mapping[int, Guess], runs: Sequence[Ran]) -> Moment:
        waiting = isinstance(self.lesson.steps[index].detail, Predict | Do | Run)
        return Moment(index, not waiting, session, guesses, tuple(runs))

    def _push(self, moment: Moment) -> None:
        self._past.append(self.now)
        self.now = moment

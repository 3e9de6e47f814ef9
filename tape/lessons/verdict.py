"""Judges a prediction by what really happened: which answer was right, and whether the class had it."""

from __future__ import annotations

from dataclasses import dataclass

from tape.lessons.model import Predict, Step
from tape.lessons.words import Facts, holds, spoken, value


@dataclass(frozen=True, slots=True)
class Verdict:
    """``guessed`` is what the class said (empty where it said nothing) and ``right`` what is right, as
    texts; ``correct`` is ``None`` where nothing was said, or where what is right is not known."""

    question: str
    guessed: str
    right: str
    correct: bool | None


def judged(question: Step, guess: float | None, facts: Facts) -> Verdict:
    """How a guess fares. Of choices those are right whose condition holds; of a number, what is close."""
    asked = question.detail
    assert isinstance(asked, Predict)
    if asked.choices:
        right = right_choices(asked, facts)
        guessed = asked.choices[int(guess)].text if guess is not None else ""
        correct = guessed in right if guess is not None and right else None
        return Verdict(question.text, guessed, " / ".join(right) or "not known", correct)
    found = value(asked.number, facts)
    number = float(found) if isinstance(found, int | float) else None
    said = with_unit(guess, asked.unit) if guess is not None else ""
    if number is None:
        return Verdict(question.text, said, "not known", None)
    close = None if guess is None else abs(guess - number) <= abs(number) * asked.within / 100
    return Verdict(question.text, said, with_unit(number, asked.unit), close)


def right_choices(asked: Predict, facts: Facts) -> list[str]:
    """The texts of the choices whose condition holds."""
    return [choice.text for choice in asked.choices if holds(choice.when, facts)]


def with_unit(number: float, unit: str) -> str:
    """A number as people read it, with its unit: ``12,840 tokens``."""
    return f"{spoken(number)} {unit}".strip()

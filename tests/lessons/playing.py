"""Plays lessons as a class does: each question answered, each operation and run carried out."""

from __future__ import annotations

from tape.lessons import Player
from tape.lessons.model import Predict
from tape.lessons.verdict import right_choices
from tape.lessons.words import Facts, value


def guesses(player: Player) -> list[float]:
    """Every answer that can be given to the question of now; for a number, one far off and zero."""
    asked = player.step.detail
    assert isinstance(asked, Predict)
    return [float(i) for i in range(len(asked.choices))] if asked.choices else [0.0, 10_000_000.0]


def right(asked: Predict, facts: Facts) -> float:
    """The right answer to a question, once everything has happened."""
    if asked.choices:
        texts = [choice.text for choice in asked.choices]
        return float(texts.index(right_choices(asked, facts)[0]))
    found = value(asked.number, facts)
    assert isinstance(found, int | float)
    return float(found)


def played(player: Player, answers: dict[int, float] | None = None) -> Player:
    """The player at the end of its lesson. Questions without an answer get the first choice, or zero."""
    while not player.at_end:
        if player.waits and player.step.kind == "predict":
            player.guess((answers or {}).get(player.now.index, 0.0))
        else:
            player.forward()
    return player

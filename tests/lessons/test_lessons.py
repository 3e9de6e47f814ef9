"""Every lesson of ours, played from start to end offline: predicted wrong and right, and undone."""

from __future__ import annotations

import pytest

from tape.edits import Delete, apply
from tape.lessons import Player, lessons
from tape.lessons.library import files
from tape.lessons.model import Do, Predict
from tape.lessons.words import Facts, Ran, filled
from tape.model import Session
from tape.wire import request
from tests.lessons.playing import guesses, played, right

LESSONS = {one.name: one for one in lessons()}
each_lesson = pytest.mark.parametrize("name", LESSONS)


def opened(name: str) -> Player:
    return Player(LESSONS[name])


def outcome(player: Player) -> tuple[object, ...]:
    """What a moment is, without the time of day at which its messages were made."""
    now = player.now
    ran = [(one.refusal, one.reason, request(one.session)) for one in now.runs]
    return now.index, now.done, request(now.session), dict(now.guesses), ran


@each_lesson
def test_every_lesson_is_played_to_its_end(name: str) -> None:
    player = opened(name)
    said = []
    while not player.at_end:
        if player.waits and player.step.kind == "predict":
            player.guess(0)
        else:
            player.forward()
        said += [player.text, player.answer]
    assert player.now.index == len(player.lesson.steps) - 1
    assert not [text for text in said if "not known" in text or "{" in text]


@each_lesson
def test_each_prediction_is_revealed_and_judged_wrong_and_right(name: str) -> None:
    lesson = LESSONS[name]
    after = played(opened(name))
    revealed = 0
    for index, step in enumerate(lesson.steps):
        if not isinstance(step.detail, Predict):
            continue
        at = next(i for i in range(index, len(lesson.steps)) if lesson.steps[i].kind == "reveal")
        judge = opened(name)
        judge.play_to(index, done=False)
        every = guesses(judge)
        judge.play_to(at, guesses={})
        best = right(step.detail, judge.facts)
        fates = {}
        for guess in {*every, best}:
            judge.now = type(judge.now)(at, True, judge.now.session, {index: guess}, judge.now.runs)
            verdict = judge.verdict()
            assert verdict is not None
            fates[guess] = verdict.correct
        assert fates[best] is True
        assert [guess for guess, correct in fates.items() if correct] == [best]
        assert any(correct is False for correct in fates.values())
        revealed += 1
    assert revealed == sum(step.kind == "predict" for step in lesson.steps) >= 1
    assert after.at_end


@each_lesson
def test_each_operation_and_run_is_undone_exactly(name: str) -> None:
    player = opened(name)
    moments = [player.now]
    while not player.at_end:
        if player.waits and player.step.kind == "predict":
            player.guess(0)
        else:
            player.forward()
        moments.append(player.now)
    for moment in reversed(moments[:-1]):
        player.back()
        assert player.now is moment
    assert player.at_start
    changing = sum(isinstance(step.detail, Do) for step in player.lesson.steps)
    assert changing or name == "turns-and-cost"


@each_lesson
def test_the_same_place_is_reached_again_after_a_reload(name: str) -> None:
    player = opened(name)
    answers: dict[int, float] = {}
    while not player.at_end:
        again = opened(name)
        again.play_to(player.now.index, player.now.done, answers)
        assert outcome(again) == outcome(player)
        for _ in range(4):
            if player.at_end:
                break
            if player.waits and player.step.kind == "predict":
                answers[player.now.index] = 1.0
                player.guess(1)
            else:
                player.forward()


@each_lesson
def test_a_lesson_fits_into_its_minutes(name: str) -> None:
    lesson = LESSONS[name]
    assert 0.8 * lesson.minutes <= lesson.left(0) <= lesson.minutes
    assert lesson.block or lesson.minutes == 10


def test_the_course_has_its_four_blocks_and_two_hours_are_enough_for_them() -> None:
    blocks = [one for one in LESSONS.values() if one.block]
    assert [one.block for one in blocks] == ["A", "B", "C", "D"]
    assert sum(one.minutes for one in blocks) <= 120
    assert all(any(step.board for step in one.steps) for one in blocks)
    assert len(LESSONS) == len(files()) == 10


def test_statements_that_are_no_longer_true_are_dated() -> None:
    dated = [step.classic.since for one in LESSONS.values() for step in one.steps if step.classic]
    assert sorted(dated) == ["2024-10-08", "2026-02-05", "2026-04-16", "2026-08-31"]


def test_what_is_revealed_follows_what_happened_and_not_the_file() -> None:
    player = opened("threading")
    player.play_to(6)
    verdict = player.verdict()
    assert verdict is not None
    assert verdict.right == "It refuses the whole array."
    whole = opened("threading")
    whole.play_to(4, guesses={4: 0})
    whole.adopt(apply(whole.lesson.start(), Delete((3,))))
    whole.play_to(6)
    other = whole.verdict()
    assert other is not None
    assert (other.right, other.correct) == ("It answers, with what it has.", True)
    assert "not known" in whole.text


def test_facts_about_nothing_are_unknown() -> None:
    facts = Facts(Session(messages=()), (Ran(Session(messages=()), "", "end_turn"),))
    assert filled("{answer} {tokens sent by call 3} {refusal}", facts) == "not known not known not known"

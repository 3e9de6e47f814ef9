"""Sums go on from the last number that the array shows."""

from __future__ import annotations

import pytest

from tests.endpoint.asking import turns, words
from tests.strategies import user


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("2+2?", "2 + 2 = 4."),
        ("What is 7 x 6?", "7 × 6 = 42."),
        ("what is two plus two", "2 + 2 = 4."),
        ("12 / 8", "12 ÷ 8 = 1.5."),
        ("1/3", "1 ÷ 3 = 0.3333333333."),
        ("2 * (3 + 4)", "2 × (3 + 4) = 14."),
        ("0.1 + 0.2", "0.1 + 0.2 = 0.3."),
        ("2^10", "2 ^ 10 = 1024."),
        ("1/0", "Nothing can be divided by zero."),
        ("times 3?", "I see no earlier number in this array to go on from."),
    ],
)
def test_a_sum_is_worked_out(question: str, answer: str) -> None:
    assert words(user(question)) == answer


@pytest.mark.parametrize(
    ("earlier", "next_one"),
    [("2 + 2 = 4.", "4 × 3 = 12."), ("2 + 2 = 5.", "5 × 3 = 15."), ("It is 1,000.", "1000 × 3 = 3000.")],
)
def test_an_edited_answer_changes_the_next(earlier: str, next_one: str) -> None:
    assert words(*turns("2+2?", earlier, "times 3?")) == next_one


@pytest.mark.parametrize(
    ("more", "result"), [("and minus 3", "7"), ("double it", "20"), ("half of that", "5")]
)
def test_a_bare_number_is_followed_by_a_bare_number(more: str, result: str) -> None:
    assert words(*turns("5+5", "10", more)) == result


@pytest.mark.parametrize(
    "question", ["Call me on 555-1234 - thanks", "2024-05-01 was a day", "9**9**9**9", "+"]
)
def test_what_is_no_sum_is_left_to_others(question: str) -> None:
    assert "=" not in words(user(question))

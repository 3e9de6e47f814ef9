"""The scripted model knows of you what a message of the array says, and nothing else."""

from __future__ import annotations

import pytest

from tests.endpoint.asking import turns, words
from tests.strategies import user


def test_a_name_is_known_while_a_message_says_it() -> None:
    told = turns("Hi, my name is Ada.", "Nice to meet you, Ada.", "What is my name?")
    assert words(*told) == "Your name is Ada. Message 0 says so."
    assert words(told[-1]).startswith("I cannot know your name: nothing in this array says it.")


def test_an_answer_that_repeats_the_name_is_enough() -> None:
    told = turns("Hi, my name is Ada.", "Nice to meet you, Ada.", "What is my name?")
    assert words(user("Hello"), *told[1:]) == "Your name is Ada. Message 1 says so."


def test_an_edited_name_is_the_name() -> None:
    told = turns("Hi, my name is Grace.", "Nice to meet you, Ada.", "What is my name?")
    assert words(*told).startswith("Your name is Grace.")


def test_the_latest_name_wins() -> None:
    told = turns("My name is Ada.", "Hello.", "Call me Lin from now on.", "Fine.", "Who am I?")
    assert words(*told) == "Your name is Lin. Message 2 says so."


def test_a_name_ends_where_the_sentence_goes_on() -> None:
    told = turns("my name is Mary Ann and I like tea.", "Good.", "What is my name?")
    assert words(*told).startswith("Your name is Mary Ann.")


@pytest.mark.parametrize("told", ["I'm stuck.", "I am not sure.", "My name is not important."])
def test_not_everything_after_i_am_is_a_name(told: str) -> None:
    assert "cannot know your name" in words(*turns(told, "I see.", "What's my name?"))


def test_the_system_prompt_may_say_the_name() -> None:
    said = words(user("What is my name?"), system="The user's name is Ada. Your name is Bo.")
    assert said == "Your name is Ada. The system prompt says so."


def test_other_facts_are_found_the_same_way() -> None:
    told = turns("My favorite color is dark green.", "Noted.", "What is my favourite colour?")
    assert words(*told) == "Your favourite colour is dark green. Message 0 says so."
    assert words(told[-1]).startswith("I cannot know your favourite colour")

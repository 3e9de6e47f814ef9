"""The system prompt sets the language, the length and the name."""

from __future__ import annotations

import ast
import string
from pathlib import Path

import pytest

import tape.endpoint
from tape.endpoint.phrases import ENTRIES
from tape.endpoint.triage import ACTIONS, LEVELS, TOPICS
from tests.endpoint.asking import READING, Harness, turns, words
from tests.strategies import assistant, user

FOLDER = Path(tape.endpoint.__file__).parent


@pytest.mark.parametrize(
    ("system", "said"),
    [
        ("Answer in German.", "Du heißt Ada. Das steht in Nachricht 0."),
        ("Always reply in French.", "Tu t'appelles Ada. C'est le message 0 qui le dit."),
        ("You speak Spanish.", "Te llamas Ada. Lo dice el mensaje 0."),
        ("Be brief.", "Your name is Ada."),
        ("Answer with one word.", "Ada"),
        ("You are a pirate.", "Arr! Your name is Ada. Message 0 says so."),
        ("Use capital letters. Be concise.", "YOUR NAME IS ADA."),
    ],
)
def test_the_system_prompt_sets_the_manner(system: str, said: str) -> None:
    assert words(*turns("My name is Ada.", "Hello.", "What is my name?"), system=system) == said


def test_a_user_message_can_change_the_language() -> None:
    told = turns("My name is Ada. Please answer in German.", "Gut.", "What is my name?")
    assert words(*told).startswith("Du heißt Ada.")


def test_a_system_message_in_the_array_counts_like_the_prompt() -> None:
    array = [
        user("2+2?"),
        assistant("4."),
        user("Who are you?"),
        {"role": "system", "content": "You are Bo."},
    ]
    assert words(*array).startswith("I am Bo: the system prompt calls me that.")


def test_it_is_open_about_being_a_script() -> None:
    assert words(user("Who are you?")) == (
        "I am a script, not a language model: I answer from the messages array alone."
    )


def test_a_bare_manner_still_asks_for_tools() -> None:
    harness = Harness("calculator")
    harness.messages = [user("Is the add function in calc.py correct?")]
    assert words(*harness.messages, system="One word only.", tools=READING) == ""


def test_every_phrase_is_said_in_every_language() -> None:
    templates = {
        node.args[0].value
        for path in FOLDER.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "line"
        if isinstance(node.args[0], ast.Constant)
    }
    assert templates - ENTRIES.keys() == set()
    assert {len(said) for said in ENTRIES.values()} == {3}


@pytest.mark.parametrize("english", sorted(ENTRIES))
def test_translations_keep_the_values(english: str) -> None:
    def names(template: str) -> set[str | None]:
        return {name for _, name, _, _ in string.Formatter().parse(template)} - {None}

    assert {frozenset(names(said)) for said in ENTRIES[english].values()} == {frozenset(names(english))}


def test_every_topic_level_and_action_is_said_in_every_language() -> None:
    assert {*TOPICS, *LEVELS, *ACTIONS, *ACTIONS.values()} - ENTRIES.keys() == set()

"""The scripted model as a whole: pure, honest about what it sees, and at home with any array."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tape.endpoint import tokens
from tape.endpoint.scripted import answer
from tape.endpoint.skills import SKILLS
from tests.endpoint.asking import READING, WRITING, Harness, body, calls, turns, words
from tests.strategies import answer as result
from tests.strategies import arrays, assistant, call, user

WEATHER = {
    "name": "get_weather",
    "description": "The weather in a city.",
    "input_schema": {
        "type": "object",
        "properties": {"city": {"type": "string"}, "unit": {"enum": ["celsius", "fahrenheit"]}},
        "required": ["city", "unit"],
    },
}

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(arrays(), st.sampled_from(([], READING, WRITING, [WEATHER])))
def test_any_array_gets_a_message_that_could_be_sent_back(array: list[Any], tools: list[Any]) -> None:
    request = body(*array, tools=tools)
    given_answer = answer(request)
    assert given_answer.content
    assert given_answer.stop_reason in ("end_turn", "tool_use")
    assert (given_answer.stop_reason == "tool_use") == bool(calls(given_answer))
    ids = [block["id"] for block in given_answer.content if block["type"] == "tool_use"]
    assert len(set(ids)) == len(ids)
    assert not any(identity in json.dumps(array) for identity in ids)
    assert {name for name, _ in calls(given_answer)} <= {tool["name"] for tool in tools}
    assert all(block["text"].strip() for block in given_answer.content if block["type"] == "text")


@given(arrays())
def test_the_same_request_gets_the_same_answer(array: list[Any]) -> None:
    assert answer(body(*array)) == answer(json.loads(json.dumps(body(*array))))


@given(st.dictionaries(st.sampled_from(["messages", "system", "tools", "tool_choice", "thinking"]), anything))
def test_no_body_makes_it_fail(request: dict[str, Any]) -> None:
    assert answer(request).stop_reason


@given(st.text(max_size=200))
def test_no_question_makes_it_fail(question: str) -> None:
    assert answer(body(user(question), tools=WRITING)).content


def test_what_it_cannot_answer_it_says_it_cannot() -> None:
    said = words(user("Why is the sky blue?"))
    assert said.startswith(
        "I can see 1 message; it is yours. Nothing in this array tells me how to answer “Why"
    )
    assert words(*turns("Hm.", "Yes?", "Why?")).startswith("I can see 3 messages; the last one is yours.")


def test_any_other_tool_is_called_with_what_the_question_holds() -> None:
    question = user("What is the weather in Paris, in fahrenheit?")
    given_answer = answer(body(question, tools=[WEATHER]))
    assert calls(given_answer) == [("get_weather", {"city": "Paris", "unit": "fahrenheit"})]
    array = [
        question,
        assistant(*given_answer.content),
        user(result(given_answer.content[-1]["id"], "Rain, 50°")),
    ]
    assert words(*array, tools=[WEATHER]) == "get_weather says: Rain, 50°"


@pytest.mark.parametrize(("said", "number"), [("7", 7), ("-2.5", -2), ("9" * 400, 1), ("", 1)])
def test_a_number_is_taken_from_the_question(said: str, number: int) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    dice = {"name": "roll_dice", "description": "Roll dice.", "input_schema": schema}
    assert calls(answer(body(user(f"Roll {said} dice"), tools=[dice]))) == [("roll_dice", {"n": number})]


def test_tool_choice_is_obeyed() -> None:
    question = user("2+2?")
    forced = answer(body(question, tools=[WEATHER], tool_choice={"type": "tool", "name": "get_weather"}))
    assert [name for name, _ in calls(forced)] == ["get_weather"]
    named = user("Is the add function in calc.py correct?")
    assert calls(answer(body(named, tools=READING, tool_choice={"type": "none"}))) == []


def test_thinking_comes_first_and_only_when_it_is_asked_for() -> None:
    question = user("2+2?")
    thinking = answer(body(question, thinking={"type": "adaptive"})).content[0]
    assert thinking["type"] == "thinking"
    assert thinking["thinking"]
    assert thinking["signature"]
    assert [block["type"] for block in answer(body(question)).content] == ["text"]


@pytest.mark.parametrize("limit", [0, 1, 5, 20, 60])
def test_max_tokens_ends_an_answer_without_half_a_call(limit: int) -> None:
    request = body(user("Is the add function in calc.py correct?"), tools=READING, max_tokens=limit)
    cut = answer(request)
    whole = answer({**request, "max_tokens": 4000})
    if cut.content == whole.content:
        assert cut.stop_reason == "tool_use"
    else:
        assert cut.stop_reason == "max_tokens"
        assert all(block in whole.content for block in cut.content if block["type"] == "tool_use")
        assert tokens.output(cut.content) <= max(1, limit)


def test_a_stop_sequence_ends_an_answer() -> None:
    cut = answer(body(user("2+2?"), stop_sequences=["never", " ="]))
    assert (cut.content[0]["text"], cut.stop_reason, cut.stop_sequence) == ("2 + 2", "stop_sequence", " =")


def test_go_on_means_the_question_before() -> None:
    harness = Harness("calculator")
    harness.messages = [
        user("Is add() in calc.py right?"),
        assistant(call("t1", "read_file", {"path": "calc.py"})),
    ]
    harness.messages.append(
        user(result("t1", "def add(a, b):\n    return a - b\n"), {"type": "text", "text": "go on"})
    )
    assert calls(answer(body(*harness.messages, tools=READING))) == [("read_file", {"path": "test_calc.py"})]


def test_every_skill_says_what_it_does() -> None:
    assert [skill for skill in SKILLS if len(skill.__doc__ or "") < 20] == []

"""The shape of a request body, in the API's own words."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from tape.endpoint.shapes import problem
from tape.endpoint.validation import refusal
from tests.endpoint.asking import READING, body
from tests.strategies import arrays, assistant, call, text, user, well_formed


def without(field: str) -> dict[str, Any]:
    """A good body with one field missing."""
    return {key: value for key, value in body(user("hi")).items() if key != field}


@pytest.mark.parametrize(
    ("request_body", "message"),
    [
        ([], "Input should be a valid dictionary"),
        (without("messages"), "messages: Field required"),
        (without("model"), "model: Field required"),
        (without("max_tokens"), "max_tokens: Field required"),
        (body(user("hi"), max_tokens="many"), "max_tokens: Input should be a valid integer"),
        (body(user("hi"), max_tokens=True), "max_tokens: Input should be a valid integer"),
        (body(user("hi"), max_tokens=-1), "max_tokens: Input should be greater than or equal to 0"),
        (body(user("hi"), model=None), "model: Input should be a valid string"),
        ({**body(), "messages": "hi"}, "messages: Input should be a valid list"),
        (body(user("hi"), top_q=1), "top_q: Extra inputs are not permitted"),
        (body(user("hi"), system={}), "system: Input should be a valid list"),
        (body(user("hi"), system=[{"type": "text"}]), "system.0.text.text: Field required"),
        ({**body(), "messages": ["hi"]}, "messages.0: Input should be a valid dictionary"),
        (body({"content": "hi"}), "messages.0.role: Field required"),
        (body(user("a"), {"role": "user"}), "messages.1.content: Field required"),
        (body({"role": "user", "content": None}), "messages.0.content: Input should be a valid list"),
        (body(user({"text": "hi"})), "messages.0.content.0.type: Field required"),
        (body(user("a"), user({"type": "text"})), "messages.1.content.0.text.text: Field required"),
        (
            body(user("a"), assistant({**call("t"), "input": "{}"})),
            "messages.1.content.0.tool_use.input: Input should be a valid dictionary",
        ),
        (
            body(user({"type": "tool_result", "tool_use_id": "t", "content": {}})),
            "messages.0.content.0.tool_result.content: Input should be a valid list",
        ),
        (body(user("a"), tools=[{"name": "t"}]), "tools.0.custom.input_schema: Field required"),
        (body(user("a"), tools={}), "tools: Input should be a valid list"),
    ],
)
def test_a_wrong_shape_is_named_by_its_path(request_body: Any, message: str) -> None:
    assert problem(request_body) == message
    assert refusal(request_body, "anthropic") == message


def test_an_unknown_block_names_the_known_ones() -> None:
    told = problem(body(user({"type": "tool_call"}))) or ""
    assert told.startswith(
        "messages.0.content.0: Input tag 'tool_call' found using 'type' does not match any"
    )
    assert "'tool_use'" in told


@given(arrays())
def test_counting_tokens_needs_no_limit(array: list[Any]) -> None:
    request_body = body(*array)
    del request_body["max_tokens"]
    assert problem(request_body) == "max_tokens: Field required"
    assert problem(request_body, counting=True) == problem(body(*array))


@given(well_formed())
def test_a_well_formed_array_is_accepted(array: list[Any]) -> None:
    if array[-1]["role"] == "assistant":
        array = [*array, user("go on")]
    assert refusal(body(*array, tools=READING), "anthropic") is None


@pytest.mark.parametrize(
    ("array", "anthropic", "strict"),
    [
        ([], "messages: at least one message is required", "messages: at least one message is required"),
        ([user("a"), user("b")], None, "messages: roles must alternate"),
        ([assistant("a"), user("b")], None, 'messages: first message must use the "user" role'),
        ([user("a"), assistant(call("t"))], "messages.1: `tool_use` ids were found without", "messages.1:"),
        ([user("a"), assistant("b")], "This model does not support assistant message prefill.", None),
    ],
)
def test_an_array_is_judged_by_the_rules_of_the_profile(
    array: list[Any], anthropic: str | None, strict: str | None
) -> None:
    assert str(refusal(body(*array), "anthropic")).startswith(str(anthropic))
    assert str(refusal(body(*array), "strict")).startswith(str(strict))


def test_a_model_that_takes_a_prefill_may_be_given_one() -> None:
    array = [user("Name a color."), assistant("The color is")]
    assert refusal(body(*array, model="claude-haiku-4-5"), "anthropic") is None


def test_bodies_of_other_shapes_survive_json() -> None:
    assert problem(json.loads(json.dumps(body(user(text("hi")))))) is None

"""The pairing rules: every row of the tables, what triggers it, and what comes near and does not."""

from __future__ import annotations

from typing import Any

import pytest

from tape.rules import ENDPOINTS, lint
from tape.wire import session_of
from tests.rules.lints import found, told
from tests.strategies import answer, assistant, call, text, user

GO = user("go")
A, B, C = call("a"), call("b"), call("c")
SERVER = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}
HITS = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []}
EVERY = list(ENDPOINTS)
ORDERED = [e for e in ENDPOINTS if e != "openai-responses"]


def codes(messages: list[Any], endpoint: str = "anthropic", **how: Any) -> set[str]:
    """The codes refused at an endpoint."""
    return {f.code for f in found(messages, endpoint, **how) if f.severity == "refused"}


@pytest.mark.parametrize("endpoint", EVERY)
def test_a_round_answered_at_once_is_accepted_everywhere(endpoint: str) -> None:
    x, y = call("abcdefgh1"), call("abcdefgh2")
    array = [GO, assistant(x, y), user(answer("abcdefgh2"), answer("abcdefgh1")), assistant("done"), GO]
    tools = [{"name": "read_file", "input_schema": {"type": "object"}}]
    assert found(array, endpoint, sending=True, tools=tools, model="claude-opus-5-5") == ()


@pytest.mark.parametrize("endpoint", EVERY)
def test_an_unanswered_call_is_refused_everywhere(endpoint: str) -> None:
    assert "unanswered-tool-use" in codes([GO, assistant(A), user("continue")], endpoint)


@pytest.mark.parametrize("endpoint", EVERY)
def test_a_call_at_the_end_waits_until_it_is_sent(endpoint: str) -> None:
    array = [GO, assistant(A, B)]
    waiting = [f for f in found(array, endpoint) if f.code == "unanswered-tool-use"]
    assert [f.severity for f in waiting] == ["hint", "hint"]
    assert "unanswered-tool-use" in codes(array, endpoint, sending=True)


@pytest.mark.parametrize("endpoint", [e for e in EVERY if e != "mistral"])
def test_an_orphan_result_is_refused(endpoint: str) -> None:
    assert "orphan-tool-result" in codes([GO, assistant("x"), user(answer("a"))], endpoint)
    assert "orphan-tool-result" in codes([user(answer("a"))], endpoint)


@pytest.mark.parametrize("endpoint", ORDERED)
def test_a_late_result_is_refused(endpoint: str) -> None:
    array = [GO, assistant(A), user("never mind"), assistant("fine"), user(answer("a"))]
    assert "late-tool-result" in codes(array, endpoint)


def test_responses_take_a_result_at_any_distance() -> None:
    array = [GO, assistant(A), user("never mind"), assistant("fine"), user(answer("a"))]
    assert codes(array, "openai-responses") == set()
    assert codes([user(answer("a")), assistant(A)], "openai-responses") == set()


@pytest.mark.parametrize(
    ("endpoint", "severity"),
    [
        ("anthropic", "risky"),
        ("gemini", "refused"),
        ("bedrock", "refused"),
        ("strict", "refused"),
        ("openai-chat", None),
    ],
)
def test_split_results(endpoint: str, severity: str | None) -> None:
    array = [GO, assistant(A, B), user(answer("a")), user(answer("b"))]
    split = [f for f in found(array, endpoint) if f.code == "split-tool-results"]
    assert [f.severity for f in split] == ([severity] if severity else [])
    assert all(f.uids == ("m2.0", "m3.0") and f.where == "messages[3]" for f in split)


@pytest.mark.parametrize("endpoint", ["anthropic", "strict"])
def test_text_before_a_result_is_refused_and_after_it_is_not(endpoint: str) -> None:
    assert codes([GO, assistant(A), user(text("and"), answer("a"))], endpoint) == {"result-not-first"}
    assert codes([GO, assistant(A), user(answer("a"), text("and"))], endpoint) == set()
    assert codes([GO, assistant(A), user(text("and"), answer("a"))], "openai-chat") == set()


@pytest.mark.parametrize(
    ("endpoint", "severity"),
    [("anthropic", "refused"), ("openai-chat", "risky"), ("mistral", None), ("gemini", None)],
)
def test_an_id_used_again_in_a_later_turn(endpoint: str, severity: str | None) -> None:
    array = [GO, assistant(A), user(answer("a")), assistant(A), user(answer("a"))]
    again = [f for f in found(array, endpoint) if f.code == "duplicate-tool-use-id"]
    assert [(f.severity, f.where, f.uids) for f in again] == (
        [(severity, "messages[3].content[0]", ("m3.0", "m4.0"))] if severity else []
    )


@pytest.mark.parametrize("endpoint", ["anthropic", "openai-chat", "mistral", "strict"])
def test_an_id_used_twice_in_one_message_is_refused(endpoint: str) -> None:
    assert "duplicate-tool-use-id" in codes([GO, assistant(A, A), user(answer("a"), answer("a"))], endpoint)


@pytest.mark.parametrize("endpoint", [e for e in EVERY if e != "openai-responses"])
def test_a_call_answered_twice_is_refused(endpoint: str) -> None:
    assert "duplicate-tool-result" in codes([GO, assistant(A), user(answer("a"), answer("a"))], endpoint)
    assert "duplicate-tool-result" not in codes([GO, assistant(A), user(answer("a"))], endpoint)


@pytest.mark.parametrize("endpoint", EVERY)
def test_a_block_in_the_wrong_role_is_refused(endpoint: str) -> None:
    assert "wrong-role-block" in codes([user(A)], endpoint)
    assert "wrong-role-block" in codes([GO, assistant(answer("a"))], endpoint)
    assert "wrong-role-block" not in codes([GO, assistant(A), user(answer("a"))], endpoint)


@pytest.mark.parametrize(
    ("id", "endpoints"),
    [
        ("functions.ls:0", {"anthropic", "strict", "mistral"}),
        ("toolu_01AbC-9", {"mistral"}),
        ("abcdefgh9", set()),
        ("", {"anthropic", "strict", "bedrock", "mistral", "openai-chat", "openai-responses"}),
        ("a" * 41, {"mistral", "openai-chat"}),
        ("a" * 65, {"mistral", "openai-chat", "openai-responses", "bedrock"}),
    ],
)
def test_ids_that_an_endpoint_does_not_take(id: str, endpoints: set[str]) -> None:
    array = [GO, assistant(call(id)), user(answer(id))]
    assert {e for e in ENDPOINTS if told(found(array, e), "bad-tool-use-id")} == endpoints
    assert all(
        f.uids == ("m1.0", "m2.0") for e in endpoints for f in found(array, e) if f.code == "bad-tool-use-id"
    )


@pytest.mark.parametrize(
    ("messages", "places"),
    [
        ([GO, assistant(HITS)], ["messages[1][0]"]),
        ([GO, assistant(SERVER), user("and?")], ["messages[1][0]"]),
        ([GO, assistant(SERVER), user("and?"), assistant(HITS)], ["messages[1][0]"]),
        ([GO, assistant(SERVER, HITS)], []),
        ([GO, assistant(SERVER)], []),
        ([GO, assistant(SERVER, A), user(answer("a"))], []),
        ([GO, assistant(SERVER, A), user(answer("a")), assistant(HITS)], []),
    ],
)
def test_server_tools(messages: list[Any], places: list[str]) -> None:
    assert [w for _, s, w in told(found(messages), "unpaired-server-tool") if s == "refused"] == places
    assert "unanswered-tool-use" not in codes(messages)


@pytest.mark.parametrize(
    ("messages", "endpoint", "vendor_text"),
    [
        (
            [GO, assistant(A, B), user("x")],
            "anthropic",
            "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a, b. "
            "Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
        ),
        (
            [GO, assistant(A, B, C), user(answer("a"), text("x"), answer("c"))],
            "anthropic",
            "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: b, c. "
            "Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
        ),
        (
            [user(answer("a"))],
            "anthropic",
            "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: a. Each "
            "`tool_result` block must have a corresponding `tool_use` block in the previous message.",
        ),
        (
            [GO, assistant(A), user(answer("a"), answer("a"))],
            "anthropic",
            "messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` "
            "blocks with id: a",
        ),
        (
            [GO, assistant(A), user(answer("a")), assistant("x"), user(answer("a"))],
            "anthropic",
            "messages.4.content.0: unexpected `tool_use_id` found in `tool_result` blocks: a. Each "
            "`tool_result` block must have a corresponding `tool_use` block in the previous message.",
        ),
        (
            [GO, assistant(A), user(answer("a")), assistant(A), user(answer("a"))],
            "anthropic",
            "messages.3.content.0: `tool_use` ids must be unique",
        ),
        ([user(A)], "anthropic", "messages.0: `tool_use` blocks can only be in `assistant` messages"),
        (
            [GO, assistant(call("a.b")), user(answer("a.b"))],
            "anthropic",
            "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
        ),
        (
            [GO, assistant(HITS)],
            "anthropic",
            "messages.1.content.0: unexpected `tool_use_id` found in `web_search_tool_result` blocks: s1. "
            "Each `web_search_tool_result` block must have a corresponding `server_tool_use` block before "
            "it.",
        ),
        (
            [GO, assistant(SERVER), user("x")],
            "anthropic",
            "`web_search` tool use with id `s1` was found without a corresponding "
            "`web_search_tool_result` block",
        ),
        (
            [GO, assistant(A, B), user("x")],
            "openai-chat",
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
            "'tool_call_id'. The following tool_call_ids did not have response messages: a, b",
        ),
        ([GO, assistant(A), user("x")], "openai-responses", "No tool output found for function call a."),
        (
            [GO, assistant(A), user("x")],
            "bedrock",
            "Expected toolResult blocks at messages.2.content for the following Ids: a",
        ),
    ],
)
def test_the_first_refusal_is_in_the_vendors_words(
    messages: list[Any], endpoint: str, vendor_text: str
) -> None:
    tools = [{"name": "read_file", "input_schema": {"type": "object"}}]
    first = found(messages, endpoint, sending=True, tools=tools)[0]
    assert (first.severity, first.vendor_text) == ("refused", vendor_text)
    assert first.last_seen


@pytest.mark.parametrize(
    ("messages", "vendor_text"),
    [
        ([GO, GO], None),
        ([GO, assistant("x"), assistant("y"), GO], None),
        ([assistant("x"), GO], None),
        ([GO, user(answer("aaaaaaaaa"))], "Unexpected role 'tool' after role 'user'"),
        (
            [GO, assistant(call("aaaaaaaaa"))],
            "Expected last role User or Tool (or Assistant with prefix) for serving but got assistant",
        ),
        ([GO, assistant(call("aaaaaaaaa")), GO], "Not the same number of function calls and responses"),
        (
            [GO, assistant(call("aaaaaaaaa")), GO, user(answer("aaaaaaaaa"))],
            "Unexpected role 'tool' after role 'user'",
        ),
        ([GO, assistant(call("aaaaaaaaa")), user(answer("aaaaaaaaa")), GO], None),
        (
            [GO, assistant("x"), {"role": "system", "content": "s"}, GO],
            "Unexpected role 'system' after role 'assistant'",
        ),
        (
            [GO, assistant(call("aaaaaaaaa")), user(answer("aaaaaaaaa")), {"role": "system", "content": "s"}],
            "Unexpected role 'system' after role 'tool'",
        ),
        ([user("")], None),
        ([user(answer("aaaaaaaaa")), GO], None),
        ([assistant("x")], "Conversation must start with a user message or system message"),
        ([], "Conversation must have at least one message"),
    ],
)
def test_mistral_as_its_own_validator_was_run(messages: list[Any], vendor_text: str | None) -> None:
    """The executed results of mistral-common 1.13.1 in serving mode."""
    refused = [f for f in found(messages, "mistral", sending=True) if f.severity == "refused"]
    assert [f.vendor_text for f in refused[:1]] == ([vendor_text] if vendor_text else [])


def test_a_second_model_names_no_place_that_is_not_there() -> None:
    body = {"messages": [GO, assistant(A, B), user(answer("a"))]}
    finding = lint(session_of(body), "openai-chat")[0]
    assert (finding.uids, finding.where) == (("m1.1",), "messages[1].content[1]")

"""The rules about roles and their order: what triggers each, and what comes near and does not."""

from __future__ import annotations

from typing import Any

import pytest

from tape.errors import UserError
from tape.rules import ENDPOINTS, lint
from tape.wire import session_of
from tests.rules.lints import found, told
from tests.strategies import answer, assistant, call, text, user

GO = user("go")
HI = assistant("hi")
SYSTEM = {"role": "system", "content": "be terse"}
HITS = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []}
SERVER = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}


@pytest.mark.parametrize("endpoint", ENDPOINTS)
def test_an_empty_array_is_refused(endpoint: str) -> None:
    assert told(found([], endpoint)) == [("empty-array", "refused", "messages")]


@pytest.mark.parametrize("role", ["robot", "tool", None, 7])
def test_an_unknown_role_is_refused(role: Any) -> None:
    array = [{"role": role, "content": "beep"}, HI, GO]
    (finding,) = [f for f in found(array) if f.code == "unknown-role"]
    assert (finding.severity, finding.where) == ("refused", "messages[0]")
    if isinstance(role, str):
        assert finding.vendor_text == f'messages: Unexpected role "{role}".'


def test_a_role_is_unknown_only_where_it_is() -> None:
    developer = [{"role": "developer", "content": "be terse"}, GO]
    assert told(found(developer, "openai-chat"), "unknown-role") == []
    assert told(found(developer, "gemini"), "unknown-role")


@pytest.mark.parametrize(
    ("endpoint", "severity"),
    [
        ("bedrock", "refused"),
        ("strict", "refused"),
        ("gemini", "risky"),
        ("anthropic", "hint"),
        ("openai-chat", None),
        ("mistral", None),
        ("openai-responses", None),
    ],
)
def test_roles_in_a_row(endpoint: str, severity: str | None) -> None:
    findings = [f for f in found([GO, GO, GO, HI, GO], endpoint) if f.code == "consecutive-roles"]
    assert [(f.severity, f.uids) for f in findings] == ([(severity, ("m0", "m1", "m2"))] if severity else [])
    assert told(found([GO, HI, GO], endpoint), "consecutive-roles") == []


def test_the_old_text_names_the_role() -> None:
    text = (
        'messages: roles must alternate between "user" and "assistant", but found multiple "assistant" roles'
    )
    assert str(found([GO, HI, HI, GO], "strict")[0].vendor_text).startswith(text)


@pytest.mark.parametrize(
    ("endpoint", "severity"),
    [
        ("bedrock", "refused"),
        ("strict", "refused"),
        ("anthropic", "risky"),
        ("gemini", "risky"),
        ("openai-chat", None),
        ("mistral", None),
        ("openai-responses", None),
    ],
)
def test_the_assistant_first(endpoint: str, severity: str | None) -> None:
    expected = [("first-not-user", severity, "messages[0]")] if severity else []
    assert told(found([HI, GO], endpoint), "first-not-user") == expected
    assert told(found([GO, HI], endpoint), "first-not-user") == []


def test_gemini_refuses_a_call_at_the_start() -> None:
    array = [assistant(call("a")), user(answer("a"))]
    finding = found(array, "gemini")[0]
    assert (finding.code, finding.severity) == ("first-not-user", "refused")
    assert str(finding.vendor_text).startswith("Please ensure that function call turn comes immediately")


@pytest.mark.parametrize("endpoint", ["anthropic", "strict"])
def test_a_leading_system_message_is_refused(endpoint: str) -> None:
    findings = [f for f in found([SYSTEM, SYSTEM, GO], endpoint) if f.code == "system-first-in-messages"]
    assert [(f.severity, f.uids) for f in findings] == [("refused", ("m0", "m1"))]


@pytest.mark.parametrize("endpoint", ["openai-chat", "openai-responses", "gemini", "mistral", "bedrock"])
def test_a_leading_system_message_is_where_other_apis_have_it(endpoint: str) -> None:
    assert [f for f in found([SYSTEM, GO], endpoint) if f.severity == "refused"] == []


@pytest.mark.parametrize(
    ("model", "severity"),
    [
        ("claude-opus-4-7", "refused"),
        ("claude-opus-5-5", None),
        ("claude-sonnet-5", "risky"),
        ("house-1", "risky"),
        (None, "risky"),
    ],
)
def test_a_system_message_in_the_middle_depends_on_the_model(model: str | None, severity: str | None) -> None:
    body = {"model": model} if model else {}
    expected = [("unsupported-system-role", severity, "messages[1]")] if severity else []
    assert told(found([GO, SYSTEM, HI, GO], **body), "unsupported-system-role") == expected


@pytest.mark.parametrize(
    ("messages", "where"),
    [
        ([GO, SYSTEM], []),
        ([GO, SYSTEM, HI, GO], []),
        ([GO, SYSTEM, SYSTEM, HI, GO], []),
        ([GO, assistant(call("a")), user(answer("a")), SYSTEM], []),
        ([GO, assistant(SERVER, HITS), SYSTEM], []),
        ([GO, {"role": "system", "content": [], "output_config": {"effort": "low"}}, GO], []),
        ([GO, SYSTEM, GO], ["messages[1]"]),
        ([GO, HI, SYSTEM], ["messages[2]"]),
        ([GO, assistant(call("a")), SYSTEM, user(answer("a"))], ["messages[2]"]),
    ],
)
def test_where_a_system_message_may_stand(messages: list[Any], where: list[str]) -> None:
    findings = told(found(messages, model="claude-opus-5-5"), "misplaced-system")
    assert findings == [("misplaced-system", "refused", place) for place in where]


def test_a_system_message_before_a_user_message_is_told_so() -> None:
    finding = found([GO, SYSTEM, GO], model="claude-opus-5-5")[0]
    assert finding.vendor_text == (
        "messages.1: role 'system' must precede an 'assistant' message or end the array"
    )


@pytest.mark.parametrize(
    ("model", "severity"),
    [
        ("claude-opus-4-6", "refused"),
        ("claude-opus-5-5", "refused"),
        ("claude-haiku-4-5", None),
        ("house-1", "risky"),
    ],
)
def test_prefill_depends_on_the_model(model: str, severity: str | None) -> None:
    expected = [("prefill-unsupported", severity, "messages[1]")] if severity else []
    assert told(found([GO, HI], model=model, sending=True), "prefill-unsupported") == expected
    as_request = told(found([GO, HI], model=model, max_tokens=10), "prefill-unsupported")
    assert as_request == [
        (code, "hint" if rank == "risky" else rank, where) for code, rank, where in expected
    ]


def test_a_finished_transcript_is_no_prefill() -> None:
    assert told(found([GO, HI], model="claude-opus-5-5"), "prefill-unsupported") == [
        ("prefill-unsupported", "hint", "messages[1]")
    ]


def test_no_model_takes_a_prefill_while_it_thinks() -> None:
    thinking = {"type": "enabled", "budget_tokens": 2000}
    array = [GO, HI]
    findings = found(array, model="claude-haiku-4-5", thinking=thinking, sending=True)
    assert ("prefill-unsupported", "refused", "messages[1]") in told(findings)


@pytest.mark.parametrize(
    ("endpoint", "message", "severity"),
    [
        ("mistral", {"role": "assistant", "content": "x"}, "refused"),
        ("mistral", {"role": "assistant", "content": "x", "prefix": True}, None),
        ("openai-chat", {"role": "assistant", "content": "x"}, "hint"),
        ("gemini", {"role": "assistant", "content": "x"}, "risky"),
        ("anthropic", assistant(SERVER), None),
        ("anthropic", assistant(text("x"), call("a")), None),
    ],
)
def test_who_may_have_the_last_word(endpoint: str, message: Any, severity: str | None) -> None:
    findings = told(
        found([GO, message], endpoint, sending=True, model="claude-opus-5-5"), "prefill-unsupported"
    )
    assert [s for _, s, _ in findings] == ([severity] if severity else [])


@pytest.mark.parametrize(("content", "count"), [("Hello ", 1), ("Hello\n", 1), ("Hello", 0)])
def test_a_prefill_may_not_end_in_a_blank(content: str, count: int) -> None:
    findings = found([GO, assistant(content)], model="claude-sonnet-4-5", sending=True)
    assert len(told(findings, "prefill-trailing-space")) == count
    assert told(found([GO, assistant(content)], model="claude-sonnet-4-5"), "prefill-trailing-space") == []


def test_an_endpoint_that_is_not_known_is_a_user_error() -> None:
    with pytest.raises(UserError, match="no rules for the endpoint nowhere"):
        lint(session_of({"messages": []}), "nowhere")


def test_the_gravest_come_first() -> None:
    array = [HI, GO, GO, {"role": "robot", "content": ""}]
    ranks = [["refused", "risky", "hint"].index(f.severity) for f in found(array)]
    assert ranks == sorted(ranks)
    assert len(set(ranks)) == 3

"""The rules about what a message holds, what a call hands over, and where cache marks stand."""

from __future__ import annotations

import json
from typing import Any

import pytest

import tape
from tape.rules import lint
from tests.rules.lints import found, told
from tests.strategies import answer, assistant, call, text, user

GO = user("go")
HI = assistant("hi")
MARK = {"cache_control": {"type": "ephemeral"}}
HOUR = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
LS = {"name": "ls", "input_schema": {"type": "object"}}


def refused(messages: list[Any], endpoint: str = "anthropic", **body: Any) -> list[tuple[str, str]]:
    """Code and place of what is refused."""
    return [
        (code, where) for code, rank, where in told(found(messages, endpoint, **body)) if rank == "refused"
    ]


@pytest.mark.parametrize("endpoint", ["anthropic", "strict", "bedrock"])
@pytest.mark.parametrize(
    ("messages", "code"),
    [
        ([user(text(""), text("x"))], "empty-text"),
        ([user(text(" \n"), text("x"))], "blank-text"),
        ([user(" ")], "blank-text"),
        ([user("")], "empty-message"),
        ([user(text(""))], "empty-message"),
        ([{"role": "user", "content": []}], "empty-message"),
        ([{"role": "user", "content": None}], "empty-message"),
        ([{"role": "user"}], "empty-message"),
    ],
)
def test_nothing_said_is_refused(messages: list[Any], code: str, endpoint: str) -> None:
    assert [c for c, _ in refused([*messages, HI, GO], endpoint)] == [code]


@pytest.mark.parametrize(
    "messages",
    [
        [GO, assistant("")],
        [GO, assistant(call("a")), user(answer("a", ""))],
        [GO, assistant(call("a")), user({"type": "tool_result", "tool_use_id": "a"})],
        [user(text("x"), text("y"))],
    ],
)
def test_what_comes_near_to_nothing_is_taken(messages: list[Any]) -> None:
    assert refused(messages) == []


@pytest.mark.parametrize("system", ["", " ", [text("\n")]])
def test_a_system_prompt_without_words_is_refused(system: Any) -> None:
    assert refused([GO], system=system) == [("blank-text", "system")]
    assert refused([GO], system="x") == []


def test_openai_tells_null_from_an_empty_string() -> None:
    null, blank = {"role": "user", "content": None}, {"role": "user", "content": ""}
    assert refused([null, HI], "openai-chat") == [("empty-message", "messages[0]")]
    assert refused([blank, HI], "openai-chat") == []
    assert told(found([GO, assistant(""), GO], "mistral")) == [("empty-message", "risky", "messages[1]")]


@pytest.mark.parametrize(
    ("block", "code"),
    [
        ({"type": "hologram", "payload": 1}, "unknown-block"),
        ({"payload": 1}, "unknown-block"),
        ({"type": "text"}, "unknown-block"),
        ("just a string", "unknown-block"),
        ({"type": "search_result", "source": "s", "title": "t", "content": []}, None),
        ({"type": "container_upload", "file_id": "f"}, None),
        ({"type": "text", "text": "x", "lang": "en"}, "unknown-field"),
        ({"type": "text", "text": "x", "citations": None, **MARK}, None),
        ({"type": "image", "source": {"type": "url", "url": "u"}, "alt": "x"}, "unknown-field"),
    ],
)
def test_blocks_and_fields(block: Any, code: str | None) -> None:
    assert refused([user(text("hi"), block)]) == ([(code, "messages[0][1]")] if code else [])


def test_a_result_may_name_its_toolset_and_a_call_its_caller() -> None:
    asked = {**call("a"), "caller": {"type": "direct"}, "toolset_name": "computer"}
    assert refused([GO, assistant(asked), user({**answer("a"), "toolset_name": "computer"})]) == []


def test_the_path_of_an_unknown_field_is_the_apis() -> None:
    (finding,) = found([user({"type": "text", "text": "x", "lang": "en"})])
    assert finding.vendor_text == "messages.0.content.0.text.lang: Extra inputs are not permitted"


def test_fields_of_a_response_on_messages_are_told_once_and_refused_when_sent() -> None:
    response = {"role": "assistant", "content": "x", "id": "msg_1", "usage": {}}
    array = [GO, response, GO, response, GO]
    (one, other) = [f for f in found(array) if f.code == "unknown-field"]
    assert [(f.severity, f.uids) for f in (one, other)] == [("risky", ("m1", "m3"))] * 2
    assert one.vendor_text == "messages.1.id: Extra inputs are not permitted"
    assert {c for c, _ in refused(array, sending=True)} == {"unknown-field"}


def test_documents_and_citations_since_the_new_version() -> None:
    document = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "a"}}
    cited = {"type": "text", "text": "x", "citations": [{"type": "char_location", "cited_text": "a"}]}
    assert refused([GO, assistant(document), GO]) == [("document-in-assistant", "messages[1][0]")]
    assert refused([user(document)]) == []
    assert refused([user(cited)]) == [("citations-in-user", "messages[0][0]")]
    assert refused([GO, assistant(cited), GO]) == []


@pytest.mark.parametrize("value", ["a", [1], None, 3])
@pytest.mark.parametrize("endpoint", ["anthropic", "strict", "bedrock", "gemini"])
def test_an_input_is_an_object(value: Any, endpoint: str) -> None:
    array = [GO, assistant({**call("abcdefgh1"), "input": value}), user(answer("abcdefgh1")), HI]
    assert ("input-not-object", "messages[1][0]") in refused(array, endpoint, tools=[LS])
    assert told(found(array, "openai-chat"), "input-not-object") == []


def openai(arguments: Any) -> bytes:
    """A Chat Completions array with one answered call of these arguments."""
    asked = {"id": "c1", "type": "function", "function": {"name": "ls", "arguments": arguments}}
    return json.dumps(
        [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": None, "tool_calls": [asked]},
            {"role": "tool", "tool_call_id": "c1", "content": "a.py"},
        ]
    ).encode()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("{}", []),
        ("", []),
        ({"q": 1}, [("arguments-not-string", "refused")]),
        ('{"q": "unfin', [("invalid-arguments-json", "risky")]),
        ("[1,2]", [("invalid-arguments-json", "risky")]),
    ],
)
def test_arguments_at_openai(arguments: Any, expected: list[tuple[str, str]]) -> None:
    findings = lint(tape.load(openai(arguments), format="openai-chat"), "openai-chat")
    assert [(f.code, f.severity) for f in findings] == expected


def test_openais_text_names_the_call() -> None:
    (finding,) = lint(tape.load(openai({}), format="openai-chat"), "openai-chat")
    assert finding.vendor_text == (
        "Invalid type for 'messages[1].tool_calls[0].function.arguments': expected a string, but got an "
        "object instead."
    )


@pytest.mark.parametrize(
    ("name", "endpoint", "severity"),
    [
        ("read file", "anthropic", "refused"),
        ("a" * 129, "anthropic", "refused"),
        ("a" * 65, "anthropic", "risky"),
        ("a" * 64, "anthropic", None),
        ("a" * 65, "openai-chat", "refused"),
        ("mcp.read:file", "openai-chat", "refused"),
        ("mcp.read:file", "gemini", None),
        ("1read", "gemini", "refused"),
        ("1read", "mistral", None),
    ],
)
def test_tool_names(name: str, endpoint: str, severity: str | None) -> None:
    findings = told(found([GO], endpoint, tools=[{**LS, "name": name}]), "bad-tool-name")
    assert findings == ([("bad-tool-name", severity, "tools[0].name")] if severity else [])


def test_names_in_the_history_have_their_own_rules() -> None:
    array = [GO, assistant(call("abcdefgh1", "x" * 201)), user(answer("abcdefgh1"))]
    assert refused(array) == [("bad-tool-name", "messages[1][0]")]
    assert refused([GO, assistant(call("a", "read file")), user(answer("a"))]) == []
    assert ("bad-tool-name", "risky", "messages[1][0]") in told(found(array, "openai-chat"))


def test_tool_names_are_unique() -> None:
    assert refused([GO], tools=[LS, {**LS, "name": "cat"}, LS]) == [("duplicate-tool-name", "tools[2].name")]
    assert refused([GO], tools=[LS, {**LS, "name": "cat"}]) == []


@pytest.mark.parametrize(
    ("model", "choice", "severity"),
    [
        ("claude-opus-5-5", {"type": "any"}, "refused"),
        ("claude-opus-5-5", {"type": "tool", "name": "ls"}, "refused"),
        ("claude-opus-5-5", {"type": "auto"}, None),
        ("claude-haiku-5-5", {"type": "any"}, None),
        ("claude-fable-5-2", {"type": "any"}, "risky"),
        ("house-model", {"type": "any"}, "risky"),
    ],
)
def test_forced_choice(model: str, choice: dict[str, str], severity: str | None) -> None:
    findings = told(found([GO], model=model, tool_choice=choice, tools=[LS]))
    assert findings == ([("forced-tool-choice", severity, "tool_choice")] if severity else [])


def test_nothing_is_forced_while_the_model_thinks() -> None:
    body = {"model": "claude-opus-4-5", "tool_choice": {"type": "any"}, "tools": [LS]}
    assert refused([GO], **body) == []
    thinking = {"type": "enabled", "budget_tokens": 2000}
    assert refused([GO], thinking=thinking, **body) == [("forced-tool-choice", "tool_choice")]


@pytest.mark.parametrize("tools", [None, []])
@pytest.mark.parametrize("endpoint", ["anthropic", "openai-chat"])
def test_a_choice_needs_tools(tools: Any, endpoint: str) -> None:
    body = {"tool_choice": {"type": "auto"}} | ({} if tools is None else {"tools": tools})
    assert refused([GO], endpoint, **body) == [("tool-choice-without-tools", "tool_choice")]
    assert refused([GO], endpoint, tool_choice={"type": "auto"}, tools=[LS]) == []


def test_bedrock_wants_the_tools_of_the_history() -> None:
    array = [GO, assistant(call("a", "ls")), user(answer("a"))]
    assert refused(array, "bedrock") == [("tools-required", "tools")]
    assert refused(array, "bedrock", tools=[LS]) == []
    assert refused([GO], "bedrock") == []
    assert refused(array) == []


def test_a_tool_that_is_not_offered_is_a_hint() -> None:
    array = [GO, assistant(call("a", "cat"), call("b", "cat")), user(answer("a"), answer("b"))]
    assert told(found(array, tools=[LS])) == [("undeclared-tool", "hint", "messages[1][0]")]
    assert told(found(array)) == []


def test_four_cache_marks_and_no_more() -> None:
    four = user(*[{**text(str(n)), **MARK} for n in range(4)])
    assert refused([four]) == []
    assert refused([four], cache_control={"type": "ephemeral"}) == [
        ("too-many-cache-marks", "messages[0][3]")
    ]
    (finding,) = found([four], tools=[{**LS, **MARK}], system=[{**text("s"), **MARK}])
    assert finding.vendor_text == "A maximum of 4 blocks with cache_control may be provided. Found 6."
    assert finding.uids == ("m0.0", "m0.1", "m0.2", "m0.3")


def test_marks_of_an_hour_come_first() -> None:
    late = [user({**text("1"), **MARK}, {**text("2"), **HOUR})]
    assert refused(late) == [("cache-ttl-order", "messages[0][1]")]
    assert refused([user({**text("1"), **HOUR}, {**text("2"), **MARK})]) == []
    (finding,) = found([user({**text("1"), **HOUR})], tools=[{**LS, **MARK}])
    assert str(finding.vendor_text).startswith("messages.0.content.0.cache_control.ttl: a ttl='1h'")


def test_where_no_mark_may_stand() -> None:
    thinking = {"type": "thinking", "thinking": "hm", "signature": "c2ln", **MARK}
    assert ("cache-mark-placement", "messages[0][1]") in refused([user(text("x"), {**text(""), **MARK})])
    assert refused([GO, assistant(thinking, text("x")), GO], model="claude-opus-5-5") == [
        ("cache-mark-placement", "messages[1][0]")
    ]
    deferred = {**LS, "defer_loading": True}
    assert refused([GO], tools=[{**deferred, **MARK}]) == [("cache-mark-placement", "tools[0]")]
    assert refused([GO], tools=[deferred]) == []

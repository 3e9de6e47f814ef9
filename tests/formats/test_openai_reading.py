"""Chat Completions files as they are met: arrays, requests, responses, streams, rows, logs, old forms."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tape
from tape.edits import from_json
from tape.model import Document, Image, Text, Thinking, ToolResult, ToolUse
from tests.formats.chats import ARRAY, CALLS, FUNCTION, REPLY, USER, call, kinds, load, tool


def test_tool_messages_that_stand_together_are_one_user_message() -> None:
    session = load(ARRAY)
    assert session.format == "openai-chat"
    assert [entry.role for entry in session.messages] == ["system", "user", "assistant", "user"]
    results = session.messages[3]
    assert results.meta["role"] == "tool"
    assert [(b.tool_use_id, b.text) for b in results.blocks if isinstance(b, ToolResult)] == [
        ("c1", "one"),
        ("c2", "two"),
    ]
    assert [block.uid for block in results.blocks] == ["m3.0", "m3.1"]
    assert [link.state for link in tape.threads(session).links] == ["ok", "ok"]


def test_they_come_apart_again_with_what_was_their_own() -> None:
    session = load(ARRAY)
    after = tape.apply(session, from_json({"op": "replace", "target": "m3.1", "value": "new"}))
    assert json.loads(tape.dump(after).data) == [*ARRAY[:4], tool("c2", "new", ts=1.5)]


def test_a_request_with_its_tools_and_parameters() -> None:
    session = load({"model": "gpt-5.5", "messages": ARRAY, "tools": [FUNCTION], "temperature": 0.5})
    assert session.tools is not None
    assert session.tools[0].name == "ls"
    assert session.params == {"model": "gpt-5.5", "temperature": 0.5}


def test_a_response_has_inclusive_usage() -> None:
    session = load(REPLY)
    usage = session.calls[0].usage
    assert usage is not None
    assert (usage.input, usage.cache_read, usage.prompt, usage.output) == (500, 11500, 12000, 7)
    assert session.messages[0].meta["stop_reason"] == "stop"


def test_pairs_are_chained() -> None:
    first = {**REPLY, "id": "chatcmpl-0", "choices": [{"message": CALLS, "finish_reason": "tool_calls"}]}
    log = [
        {"request": {"messages": ARRAY[:2], "tools": [FUNCTION]}, "response": first},
        {"request": {"messages": ARRAY, "tools": [FUNCTION]}, "response": REPLY},
    ]
    session = load(log)
    assert kinds(session)[-1] == ["text"]
    assert [(c.message_uid, c.id) for c in session.calls] == [("m2", "chatcmpl-0"), ("m4", "chatcmpl-1")]


def test_batch_requests_and_results() -> None:
    asked = [
        {"custom_id": str(i), "method": "POST", "body": {"model": "m", "messages": ARRAY}} for i in range(2)
    ]
    reading = tape.read("\n".join(map(json.dumps, asked)).encode())
    assert (reading.format, len(reading.conversations)) == ("openai-chat", 2)
    told = [{"custom_id": str(i), "response": {"status_code": 200, "body": REPLY}} for i in range(2)]
    reading = tape.read("\n".join(map(json.dumps, told)).encode())
    assert (reading.format, len(reading.conversations)) == ("openai-chat", 2)
    assert reading.conversations[1].load().calls[0].id == "chatcmpl-1"


@pytest.mark.parametrize("content", [None, "", "absent", [], "x", [{"type": "text", "text": "x"}]])
@pytest.mark.parametrize("role", ["assistant", "tool"])
def test_absent_null_and_empty_content_stay_apart(role: str, content: Any) -> None:
    entry = {"role": role, "content": content} | (
        {"tool_calls": [call("c1")]} if role == "assistant" else {"tool_call_id": "c1"}
    )
    if content == "absent":
        del entry["content"]
    array = [USER, *([CALLS] if role == "tool" else []), entry]
    session = load(array)
    assert tape.dump(session).data.decode() == json.dumps(array)
    empty = content in (None, "", "absent", [])
    assert ("text" in [head.kind for head in session.messages[-1].heads]) == (
        not empty and role == "assistant"
    )
    after = tape.apply(session, from_json({"op": "append", "messages": [{"role": "user", "content": "on"}]}))
    assert json.loads(tape.dump(after).data) == [*array, {"role": "user", "content": "on"}]


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("", {}),
        (" ", {}),
        ("{}", {}),
        ('{"q": "x"}', {"q": "x"}),
        ('{"q": "unfin', '{"q": "unfin'),
        ("[1,2]", "[1,2]"),
        ({"q": 1}, {"q": 1}),
        (None, {}),
    ],
)
def test_arguments_are_kept_as_they_are(given: Any, shown: Any) -> None:
    array = [USER, {"role": "assistant", "tool_calls": [call("c1", arguments=given)]}, tool("c1")]
    session = load(array)
    block = session.messages[1].blocks[0]
    assert isinstance(block, ToolUse)
    assert block.input == shown
    assert ("bad-arguments" in [note.kind for note in session.notes]) == isinstance(shown, str)
    assert json.loads(tape.convert(session, "openai-chat").data)["messages"] == array
    sent = tape.request(session)["messages"][1]["content"][0]["input"]
    assert sent == (shown if isinstance(shown, dict) else {"arguments": given})


def test_edited_arguments_are_spaced_as_they_were() -> None:
    session = load([USER, {"role": "assistant", "tool_calls": [call("c1", arguments='{"p":"a","n":[1,2]}')]}])
    value = {"type": "tool_use", "id": "c1", "name": "ls", "input": {"p": "b", "n": [1, 3]}}
    after = tape.apply(session, from_json({"op": "replace", "target": "m1.0", "value": value}))
    made = json.loads(tape.dump(after).data)[1]["tool_calls"]
    assert made == [call("c1", arguments='{"p":"b","n":[1,3]}')]


def test_legacy_calls_pair_by_their_place() -> None:
    array = [
        USER,
        {"role": "assistant", "content": None, "function_call": {"name": "ls", "arguments": "{}"}},
        {"role": "function", "name": "ls", "content": "a"},
        {"role": "assistant", "content": None, "function_call": {"name": "ls", "arguments": "{}"}},
        {"role": "function", "name": "ls", "content": "b"},
    ]
    session = load(array)
    assert [(link.state, link.call_uid, link.result_uid) for link in tape.threads(session).links] == [
        ("ok", "m1.0", "m2.0"),
        ("ok", "m3.0", "m4.0"),
    ]
    assert all("generated-id" in head.flags for entry in session.messages[1:] for head in entry.heads)
    after = tape.apply(session, from_json({"op": "append", "messages": [USER]}))
    assert json.loads(tape.dump(after).data) == [*array, USER]


def test_calls_without_ids_are_answered_in_order() -> None:
    array = [
        USER,
        {"role": "assistant", "tool_calls": [call(None), call(None, "cat")]},
        tool(None),
        tool(None),
    ]
    session = load(array)
    assert [link.result_uid for link in tape.threads(session).links] == ["m2.0", "m2.1"]
    assert "gen_1" not in tape.dump(session).data.decode()


def test_a_custom_tool_takes_text() -> None:
    made = {"id": "c1", "type": "custom", "custom": {"name": "sql", "input": "select 1"}}
    session = load([USER, {"role": "assistant", "tool_calls": [made]}, tool("c1")])
    block = session.messages[1].blocks[0]
    assert isinstance(block, ToolUse)
    assert (block.name, block.input) == ("sql", {"input": "select 1"})
    value = {"type": "tool_use", "id": "c1", "name": "sql", "input": {"input": "select 2"}}
    after = tape.apply(session, from_json({"op": "replace", "target": "m1.0", "value": value}))
    assert json.loads(tape.dump(after).data)[1]["tool_calls"] == [
        {"id": "c1", "type": "custom", "custom": {"name": "sql", "input": "select 2"}}
    ]


@pytest.mark.parametrize(
    ("field", "value", "text", "signature"),
    [
        ("reasoning_content", "hm", "hm", None),
        ("reasoning", "hm", "hm", None),
        ("thinking", "hm", "hm", None),
        ("reasoning_details", [{"type": "reasoning.text", "text": "hm", "signature": "s"}], "hm", "s"),
        ("thinking_blocks", [{"type": "thinking", "thinking": "hm", "signature": "s"}], "hm", "s"),
    ],
)
def test_reasoning_under_every_name(field: str, value: Any, text: str, signature: str | None) -> None:
    array = [
        USER,
        {"role": "assistant", "content": "x", field: value, "tool_calls": [call("c1")]},
        tool("c1"),
    ]
    session = load(array)
    block = session.messages[1].blocks[0]
    assert isinstance(block, Thinking)
    assert (block.text, block.signature) == (text, signature)
    assert kinds(session)[1] == ["thinking", "text", "tool_use"]
    after = tape.apply(session, from_json({"op": "replace", "target": "m1.1", "value": "y"}))
    array[1]["content"] = "y"
    assert json.loads(tape.dump(after).data) == array


def test_parts_of_all_kinds() -> None:
    parts = [
        {"type": "text", "text": "see"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo=", "detail": "low"}},
        {"type": "image_url", "image_url": {"url": "https://pictures.example/x.png"}},
        {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBE"}},
        {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}},
    ]
    session = load([{"role": "system", "content": "s"}, {"role": "user", "content": parts}])
    text, inline, linked, document, _ = session.messages[1].blocks
    assert isinstance(text, Text)
    assert isinstance(inline, Image)
    assert (inline.source, inline.media_type, inline.data) == ("base64", "image/png", "iVBORw0KGgo=")
    assert isinstance(linked, Image)
    assert (linked.source, linked.ref) == ("url", "https://pictures.example/x.png")
    assert isinstance(document, Document)
    assert (document.title, document.media_type) == ("a.pdf", "application/pdf")
    assert session.messages[1].heads[4].name == "input_audio"
    assert session.notes == ()


def test_a_developer_message_is_a_system_message() -> None:
    session = load([{"role": "developer", "content": "s"}, USER])
    assert (session.messages[0].role, session.messages[0].meta["role"]) == ("system", "developer")


def test_rows_with_messages_as_a_string_of_json() -> None:
    row = {"id": 1, "messages": json.dumps(ARRAY), "tools": json.dumps([FUNCTION]), "reward": 1.0}
    session = load(row)
    assert len(session.messages) == 4
    assert session.tools is not None
    after = tape.apply(session, from_json({"op": "replace", "target": "m1.0", "value": "new"}))
    done = json.loads(tape.dump(after).data)
    assert json.loads(done["messages"])[1]["content"] == "new"
    assert {**done, "messages": row["messages"]} == row


def test_a_preference_row_has_two_conversations() -> None:
    reading = tape.read(json.dumps({"chosen": [USER, CALLS], "rejected": [USER, CALLS]}).encode())
    assert [one.title for one in reading.conversations] == ["chosen: go", "rejected: go"]


def test_fine_tuning_files_have_one_conversation_a_line() -> None:
    rows = [{"messages": [*ARRAY, {"role": "assistant", "content": str(i), "weight": 0}]} for i in range(3)]
    reading = tape.read("\n".join(map(json.dumps, rows)).encode())
    assert (reading.format, len(reading.conversations)) == ("openai-chat", 3)
    last = reading.conversations[2].load()
    assert last.messages[-1].meta["extra"] == {"weight": 0}
    after = tape.apply(last, from_json({"op": "delete", "targets": ["m1"]}))
    done = tape.dump(after).data.decode().split("\n")
    assert [json.loads(line) for line in done[:2]] == rows[:2]
    assert json.loads(done[2])["messages"] == [ARRAY[0], *rows[2]["messages"][2:]]


@pytest.mark.parametrize(
    ("response", "text", "output"),
    [
        (
            {
                "model": "m",
                "created_at": "2026-01-01T00:00:00Z",
                "message": {"role": "assistant", "content": "hi"},
                "done": True,
                "prompt_eval_count": 9,
                "eval_count": 4,
            },
            "hi",
            4,
        ),
        (
            {
                "id": "x",
                "message": {"role": "assistant", "content": [{"type": "text", "text": "hi"}]},
                "finish_reason": "COMPLETE",
                "usage": {"tokens": {"input_tokens": 9, "output_tokens": 4}},
            },
            "hi",
            4,
        ),
    ],
)
def test_responses_of_other_servers(response: Any, text: str, output: int) -> None:
    session = load(response)
    assert session.format == "openai-chat"
    assert session.messages[0].text == text
    assert session.calls[0].usage is not None
    assert session.calls[0].usage.output == output


def test_a_reply_stays_beside_its_request_and_what_follows_is_appended() -> None:
    log = {"messages": ARRAY, "response": REPLY, "cost": 0.5}
    session = load(log)
    after = tape.apply(session, from_json({"op": "append", "messages": [{"role": "user", "content": "on"}]}))
    done = tape.dump(after)
    again = tape.load(done.data)
    assert [entry.text for entry in again.messages][-2:] == ["done", "on"]
    assert len(again.messages) == len(after.messages)
    assert [note.kind for note in done.losses] == ["reply-moved"]
    changed = tape.apply(session, from_json({"op": "replace", "target": "m4.0", "value": "new"}))
    assert json.loads(tape.dump(changed).data)["response"]["choices"][0]["message"]["content"] == "new"
    gone = tape.apply(session, from_json({"op": "delete", "targets": ["m4"]}))
    assert [note.kind for note in tape.dump(gone).losses] == ["reply-emptied"]


def test_the_log_of_the_corpus(corpus: Callable[[str], Path]) -> None:
    path = corpus("openai-chat/litellm-log.json")
    session = tape.load(path)
    said = [m for m in session.messages if not all(h.kind == "tool_result" for h in m.heads)]
    heads = [head for entry in session.messages for head in entry.heads]
    assert [entry.role for entry in said].count("user") == 1
    assert [entry.role for entry in said].count("assistant") == 6
    assert [entry.role for entry in said].count("system") == 1
    assert [h.kind for h in heads].count("tool_use") == 6
    assert [h.kind for h in heads].count("tool_result") == 5
    assert [one.state for one in tape.threads(session).unlinked] == ["pending"]
    assert session.tools is not None
    assert len(session.tools) == 3
    assert session.calls[0].usage is not None
    assert session.calls[0].usage.prompt == 6729
    assert tape.dump(session).data == path.read_bytes()

"""Anthropic files as they are met: arrays, requests, responses, pairs, streams, one message a line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tape
from tape.model import Session, Text, Thinking, ToolResult, ToolUse

CALL = {"type": "tool_use", "id": "toolu_1", "name": "ls", "input": {"p": "."}}
ANSWER = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "a.py"}]}
ARRAY = [{"role": "user", "content": "what is here?"}, {"role": "assistant", "content": [CALL]}, ANSWER]
USAGE = {
    "input_tokens": 7,
    "output_tokens": 5,
    "cache_read_input_tokens": 90,
    "cache_creation_input_tokens": 3,
}
REPLY = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-opus-5-5",
    "content": [{"type": "text", "text": "a.py"}],
    "stop_reason": "end_turn",
    "usage": USAGE,
}
TOOL = {"name": "ls", "description": "Lists files", "input_schema": {"type": "object"}}


def load(value: Any, **more: Any) -> Session:
    return tape.load(json.dumps(value).encode(), **more)


def kinds(session: Session) -> list[list[str]]:
    return [[head.kind for head in entry.heads] for entry in session.messages]


def test_a_bare_array() -> None:
    reading = tape.read(json.dumps(ARRAY).encode())
    assert (reading.format, reading.confidence) == ("anthropic-messages", 3)
    assert "tool_use" in reading.why
    session = reading.conversations[0].load()
    assert kinds(session) == [["text"], ["tool_use"], ["tool_result"]]
    assert [entry.uid for entry in session.messages] == ["m0", "m1", "m2"]
    assert [block.uid for block in session.messages[1].blocks] == ["m1.0"]
    assert (session.system, session.tools, session.model) == (None, None, None)
    assert session.title == "what is here?"


def test_a_request_with_system_tools_and_parameters() -> None:
    body = {
        "model": "claude-opus-5-5",
        "max_tokens": 99,
        "system": [{"type": "text", "text": "s"}],
        "tools": [TOOL],
    }
    session = load({**body, "messages": ARRAY})
    assert session.system == body["system"]
    assert session.tools is not None
    assert [tool.name for tool in session.tools] == ["ls"]
    assert session.params == {"model": "claude-opus-5-5", "max_tokens": 99}
    assert tape.request(session) == {**body, "messages": ARRAY}


def test_no_tools_and_an_empty_list_are_not_the_same() -> None:
    assert load({"system": "s", "messages": ARRAY}).tools is None
    assert load({"system": "s", "tools": [], "messages": ARRAY}).tools == ()


def test_a_response_is_one_message_with_its_call() -> None:
    session = load(REPLY)
    assert [entry.role for entry in session.messages] == ["assistant"]
    call = session.calls[0]
    assert (call.message_uid, call.id, call.model, call.stop_reason) == (
        "m0",
        "msg_1",
        "claude-opus-5-5",
        "end_turn",
    )
    assert call.usage is not None
    assert (call.usage.input, call.usage.cache_read, call.usage.prompt, call.usage.output) == (7, 90, 100, 5)


def test_responses_that_were_appended_to_the_array_keep_their_usage() -> None:
    session = load([ARRAY[0], REPLY])
    assert [call.message_uid for call in session.calls] == ["m1"]
    assert session.messages[1].meta["response_id"] == "msg_1"


def test_a_request_with_its_response_beside_it() -> None:
    session = load({"model": "m", "max_tokens": 1, "messages": ARRAY, "response": REPLY})
    assert kinds(session)[-1] == ["text"]
    assert [call.message_uid for call in session.calls] == ["m3"]
    again = load(
        {"messages": [*ARRAY, {"role": "assistant", "content": REPLY["content"]}], "response": REPLY}
    )
    assert len(again.messages) == 4


@pytest.mark.parametrize(
    ("asked", "answered"), [("request", "response"), ("input", "output"), ("req", "resp")]
)
@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize("lines", [False, True])
def test_pairs_are_one_conversation_for_each_chain(
    asked: str, answered: str, inside: bool, lines: bool
) -> None:
    def pair(messages: list[Any], reply: Any) -> dict[str, Any]:
        request = {"model": "claude-opus-5-5", "max_tokens": 9, "system": "s", "messages": messages}
        return {
            asked: {"body": request} if inside else request,
            answered: {"body": reply} if inside else reply,
        }

    first = {**REPLY, "id": "msg_0", "content": [CALL], "stop_reason": "tool_use"}
    marked = json.loads(json.dumps(ARRAY))
    marked[0]["content"] = [{"type": "text", "text": "what is here?", "cache_control": {"type": "ephemeral"}}]
    quota = pair([{"role": "user", "content": "quota"}], {**REPLY, "id": "msg_q"})
    log = [pair(ARRAY[:1], first), quota, pair(marked, REPLY)]
    text = "\n".join(map(json.dumps, log)) if lines else json.dumps(log)
    reading = tape.read(text.encode())
    assert reading.format == "anthropic-messages"
    assert [one.title for one in reading.conversations] == ["what is here?", "side request: quota"]
    session = reading.conversations[0].load()
    assert kinds(session) == [["text"], ["tool_use"], ["tool_result"], ["text"]]
    assert [(call.message_uid, call.id) for call in session.calls] == [("m1", "msg_0"), ("m3", "msg_1")]
    assert session.report is not None
    assert session.report.records == (3 if lines else 1)
    assert tape.dump(session).data.decode() == text


def test_a_recorded_stream_inside_a_pair_is_its_response() -> None:
    raw = "\n\n".join(f"data: {json.dumps(event)}" for event in events("ok"))
    log = [
        {
            "request": {"body": {"messages": ARRAY, "system": "s"}},
            "response": {"status_code": 200, "body_raw": raw},
        }
    ]
    session = load(log)
    assert session.messages[-1].text == "ok"
    assert session.messages[-1].meta["response_id"] == "msg_1"


def events(text: str, *, stop: bool = True) -> list[dict[str, Any]]:
    """A stream with thinking, words and a call."""
    call = {"type": "tool_use", "id": "t1", "name": "ls", "input": {}}
    told: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**REPLY, "content": [], "stop_reason": None, "usage": USAGE}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "hm"}},
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "signature_delta", "signature": "c2ln"},
        },
        {"type": "content_block_stop", "index": 0},
        {"type": "ping"},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
        *(
            {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": c}}
            for c in text
        ),
        {"type": "content_block_stop", "index": 1},
        {"type": "content_block_start", "index": 2, "content_block": call},
        {
            "type": "content_block_delta",
            "index": 2,
            "delta": {"type": "input_json_delta", "partial_json": '{"p"'},
        },
        {
            "type": "content_block_delta",
            "index": 2,
            "delta": {"type": "input_json_delta", "partial_json": ': "."}'},
        },
        {"type": "content_block_stop", "index": 2},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 42}},
        {"type": "message_stop"},
    ]
    return told if stop else told[:-4]


def stream(told: list[dict[str, Any]]) -> bytes:
    return "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in told).encode()


@pytest.mark.parametrize("write", [stream, lambda told: "\n".join(map(json.dumps, told)).encode()])
def test_a_stream_is_put_together(write: Callable[[Any], bytes]) -> None:
    data = write(events("hello"))
    session = tape.load(data)
    thinking, text, call = session.messages[0].blocks
    assert isinstance(thinking, Thinking)
    assert (thinking.text, thinking.signature) == ("hm", "c2ln")
    assert isinstance(text, Text)
    assert text.text == "hello"
    assert isinstance(call, ToolUse)
    assert call.input == {"p": "."}
    assert session.calls[0].usage is not None
    assert (session.calls[0].usage.output, session.calls[0].usage.input) == (42, 7)
    assert session.calls[0].stop_reason == "tool_use"
    assert tape.dump(session).data == data


def test_several_streams_are_several_messages() -> None:
    session = tape.load(stream(events("one") + events("two")))
    assert [entry.text for entry in session.messages] == ["one", "two"]


def test_a_cut_stream_keeps_the_part_of_the_input_that_came() -> None:
    session = tape.load(stream(events("hello", stop=False)))
    call = session.messages[0].blocks[-1]
    assert isinstance(call, ToolUse)
    assert call.input == '{"p"'
    assert "bad-input" in session.messages[0].heads[-1].flags
    assert "cut-stream" in [note.kind for note in session.notes]


def test_an_empty_input_in_a_stream_is_an_empty_object() -> None:
    told = [e for e in events("x") if "partial_json" not in json.dumps(e)]
    call = tape.load(stream(told)).messages[0].blocks[-1]
    assert isinstance(call, ToolUse)
    assert call.input == {}


def test_server_tools_stand_in_the_assistant_message() -> None:
    search = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}}
    hit = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
    session = load([ARRAY[0], {"role": "assistant", "content": [search, hit, {"type": "text", "text": "x"}]}])
    call, result, _ = session.messages[1].blocks
    assert isinstance(call, ToolUse)
    assert isinstance(result, ToolResult)
    assert call.server
    assert result.server
    assert [link.state for link in tape.threads(session).links] == ["server"]


def test_a_paused_reply_goes_on_in_the_next_assistant_message() -> None:
    session = load([ARRAY[0], {**REPLY, "stop_reason": "pause_turn"}, {**REPLY, "id": "msg_2"}])
    assert [entry.role for entry in session.messages] == ["user", "assistant", "assistant"]
    assert [call.stop_reason for call in session.calls] == ["pause_turn", "end_turn"]


def test_a_system_message_inside_the_array_stays_there() -> None:
    array = [*ARRAY, {"role": "system", "content": "be brief"}, {"role": "assistant", "content": "ok"}]
    session = load({"model": "claude-opus-5-5", "max_tokens": 5, "system": "s", "messages": array})
    assert [entry.role for entry in session.messages] == ["user", "assistant", "user", "system", "assistant"]
    assert session.format == "anthropic-messages"


def test_a_compaction_block_is_known() -> None:
    block = {"type": "compaction", "content": "so far", "signature": "c2ln"}
    session = load([ARRAY[0], {"role": "assistant", "content": [block, {"type": "text", "text": "on"}]}])
    assert session.messages[1].heads[0].name == "compaction"
    assert session.notes == ()


@pytest.mark.parametrize(
    "content", ["", None, [], "absent", [{"type": "text", "text": ""}], {"type": "text", "text": "x"}, 7]
)
def test_odd_content_is_read_and_given_back(content: Any) -> None:
    entry = {"role": "assistant"} if content == "absent" else {"role": "assistant", "content": content}
    array = [{"role": "user", "content": "a"}, entry, *ARRAY[1:]]
    text = json.dumps(array)
    session = tape.load(text.encode(), format="anthropic-messages")
    assert len(session.messages) == 4
    assert tape.dump(session).data.decode() == text
    if not isinstance(content, (dict, int)):
        assert tape.request(session)["messages"] == array


def test_one_message_a_line_and_a_torn_one() -> None:
    text = "\n".join(map(json.dumps, ARRAY)) + '\n{"role": "assistant", "content": "unfin'
    session = tape.load(text.encode())
    assert kinds(session) == [["text"], ["tool_use"], ["tool_result"]]
    assert [(note.where, note.kind) for note in session.notes] == [("line 4", "torn-record")]
    assert session.report is not None
    assert (session.report.records, session.report.in_messages, session.report.broken) == (4, 3, (4,))
    assert tape.dump(session).data.decode() == text


def test_lines_that_are_edited_keep_the_others_and_the_torn_one() -> None:
    lines = [*map(json.dumps, ARRAY), '{"role": "assistant", "content": "unfin']
    session = tape.load("\r\n".join(lines).encode())
    from tape.edits import from_json

    after = tape.apply(
        session, from_json({"op": "replace", "target": 0, "value": {"role": "user", "content": "new"}})
    )
    after = tape.apply(after, from_json({"op": "append", "messages": [{"role": "user", "content": "more"}]}))
    done = tape.dump(after).data.decode().split("\r\n")
    assert done[0] == lines[0].replace("what is here?", "new")
    assert done[1:3] == lines[1:3]
    assert '{"role": "user", "content": "more"}' in done
    assert lines[3] in done


def test_a_data_set_has_one_conversation_a_line() -> None:
    rows = [{"system": f"s{i}", "messages": ARRAY} for i in range(3)]
    text = "\n".join(map(json.dumps, rows))
    reading = tape.read(text.encode())
    assert len(reading.conversations) == 3
    assert [one.load().system for one in reading.conversations] == ["s0", "s1", "s2"]


def test_a_large_document_is_read_without_keeping_its_blocks() -> None:
    array = [{"role": "user", "content": "x" * 500_000 + str(i)} for i in range(10)]
    text = json.dumps({"system": "s", "messages": array})
    session = tape.load(text.encode())
    assert all(callable(entry.body) for entry in session.messages)
    assert [entry.text[-1] for entry in session.messages] == [str(i) for i in range(10)]
    assert tape.dump(session).data.decode() == text


def test_the_refused_search_of_the_corpus(corpus: Callable[[str], Path]) -> None:
    path = corpus("anthropic-sse/stream-a-toolrefusal.sse")
    session = tape.load(path)
    heads = [head for entry in session.messages for head in entry.heads]
    assert [entry.role for entry in session.messages] == ["assistant"]
    assert [h.kind for h in heads].count("tool_use") == 1
    assert [h.kind for h in heads].count("tool_result") == 1
    assert session.report is not None
    assert session.report.records == 18
    call = session.messages[0].blocks[0]
    assert isinstance(call, ToolUse)
    assert call.input == {"query": "solar eclipse viewing safety news 2026"}
    assert session.calls[0].stop_reason == "refusal"
    assert tape.dump(session).data == path.read_bytes()

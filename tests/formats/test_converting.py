"""Between Anthropic and Chat Completions: every call, result, id and text goes over and comes back."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings

import tape
from tape.errors import UserError
from tape.model import Session, Text, ToolResult, ToolUse
from tape.wire import session_of
from tests.strategies import arrays, well_formed

LEGAL = re.compile(r"[A-Za-z0-9_-]+")


def told(session: Session) -> dict[str, Any]:
    """What must survive: calls, results and their ids in order, and every text that is not blank."""
    blocks = [block for entry in session.messages for block in entry.blocks]
    return {
        "calls": [(b.id, b.name, b.input) for b in blocks if isinstance(b, ToolUse) and not b.server],
        "results": [(b.tool_use_id, b.text) for b in blocks if isinstance(b, ToolResult) and not b.server],
        "texts": sorted(b.text for b in blocks if isinstance(b, Text) and b.text.strip()),
    }


def over(session: Session, to: str) -> Session:
    return tape.load(tape.convert(session, to).data, format=to)


@settings(max_examples=100, deadline=None)
@given(array=well_formed())
def test_round_trips_keep_calls_results_ids_and_texts(array: Any) -> None:
    session = session_of({"model": "claude-opus-5-5", "max_tokens": 9, "messages": array})
    chat = over(session, "openai-chat")
    assert told(chat) == told(session)
    assert told(over(chat, "anthropic-messages")) == told(session)


@settings(max_examples=100, deadline=None)
@given(array=arrays())
def test_converting_never_raises_and_is_read_again(array: Any) -> None:
    session = session_of({"messages": array})
    for to in ("openai-chat", "anthropic-messages"):
        done = tape.convert(session, to)
        assert done.data.decode("utf-8")
        back = tape.load(done.data, format=to)
        ids = [b.id for entry in back.messages for b in entry.blocks if isinstance(b, ToolUse)]
        if to == "openai-chat":
            assert len(set(ids)) == len(ids)
            assert all(LEGAL.fullmatch(id) for id in ids)


@settings(max_examples=100, deadline=None)
@given(array=well_formed())
def test_what_one_endpoint_takes_the_other_takes_converted(array: Any) -> None:
    session = session_of({"model": "claude-opus-5-5", "max_tokens": 9, "messages": array})
    if any(finding.severity == "refused" for finding in tape.lint(session)):
        return
    chat = over(session, "openai-chat")
    assert [f.code for f in tape.lint(chat, "openai-chat") if f.severity == "refused"] == []
    back = over(chat, "anthropic-messages")
    assert [f.code for f in tape.lint(back) if f.severity == "refused"] == []


LS = {"name": "ls", "description": "d", "parameters": {"type": "object"}}
DOTTED = {"id": "functions.ls:0", "type": "function", "function": {"name": "ls", "arguments": '{"p":"."}'}}
CHAT = {
    "model": "gpt-5.5",
    "messages": [
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": "", "reasoning_content": "hm", "tool_calls": [DOTTED]},
        {"role": "tool", "tool_call_id": "functions.ls:0", "content": "a.py"},
        {"role": "system", "content": "now hurry"},
        {"role": "user", "content": ""},
    ],
    "tools": [{"type": "function", "function": LS}],
    "tool_choice": "required",
    "stop": "END",
    "max_completion_tokens": 77,
    "seed": 1,
}


def test_a_chat_request_as_an_anthropic_request() -> None:
    done = tape.convert(tape.load(json.dumps(CHAT).encode()), "anthropic-messages")
    body = json.loads(done.data)
    assert body["system"] == "be brief"
    assert body["messages"] == [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [
            {"type": "tool_use", "id": "functions_ls_0", "name": "ls", "input": {"p": "."}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "functions_ls_0", "content": "a.py"}]},
        {"role": "user", "content": "now hurry"},
    ]  # fmt: skip
    assert body["tools"] == [{"name": "ls", "description": "d", "input_schema": {"type": "object"}}]
    assert (body["tool_choice"], body["stop_sequences"], body["max_tokens"]) == ({"type": "any"}, ["END"], 77)
    assert "seed" not in body
    words = " ".join(note.text for note in done.losses)
    for part in ("seed", "Reasoning without a signature", "system message in the middle", "without content"):
        assert part in words


ANTHROPIC = {
    "model": "claude-opus-5-5",
    "max_tokens": 9,
    "system": [{"type": "text", "text": "be brief", "cache_control": {"type": "ephemeral"}}],
    "thinking": {"type": "adaptive"},
    "tool_choice": {"type": "tool", "name": "ls"},
    "stop_sequences": ["END"],
    "tools": [{"name": "ls", "description": "d", "input_schema": {"type": "object"}}],
    "messages": [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
            {"type": "text", "text": "both"},
            {"type": "tool_use", "id": "t1", "name": "ls", "input": {"p": "."}},
            {"type": "tool_use", "id": "t2", "name": "ls", "input": {}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t2", "content": "no", "is_error": True},
            {"type": "tool_result", "tool_use_id": "t1", "content": [
                {"type": "text", "text": "a.py"},
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBOR"}}]},
            {"type": "text", "text": "well?"}]},
    ],
}  # fmt: skip


def test_an_anthropic_request_as_a_chat_request() -> None:
    done = tape.convert(tape.load(json.dumps(ANTHROPIC).encode()), "openai-chat")
    body = json.loads(done.data)
    calls = [
        {"id": "t1", "type": "function", "function": {"name": "ls", "arguments": '{"p": "."}'}},
        {"id": "t2", "type": "function", "function": {"name": "ls", "arguments": "{}"}},
    ]
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBOR"}}
    assert body["messages"] == [
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": "both", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "t2", "content": "no"},
        {"role": "tool", "tool_call_id": "t1", "content": [{"type": "text", "text": "a.py"}]},
        {"role": "user", "content": [picture, {"type": "text", "text": "well?"}]},
    ]
    assert body["tool_choice"] == {"type": "function", "function": {"name": "ls"}}
    assert body["stop"] == ["END"]
    words = " ".join(note.text for note in done.losses)
    for part in ("Thinking", "Images of a result", "error", "thinking"):
        assert part in words


def test_only_what_can_be_written_is_written() -> None:
    session = tape.load(json.dumps(ANTHROPIC).encode())
    with pytest.raises(UserError, match="cannot be written"):
        tape.convert(session, "plain-text")
    with pytest.raises(UserError, match=r"no format named 'x'.*anthropic-messages"):
        tape.convert(session, "x")
    assert tape.convert(session, "source").data == json.dumps(ANTHROPIC).encode()


def test_a_session_that_no_file_holds_is_written_in_its_form() -> None:
    session = session_of({"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": "hi"}]})
    assert json.loads(tape.dump(session).data)["messages"] == [{"role": "user", "content": "hi"}]

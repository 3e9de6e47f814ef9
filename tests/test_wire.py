"""The Anthropic form: blocks and messages to values and back without loss."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tape
from tape.model import Document, Image, Other, Text, Thinking, ToolResult, ToolUse
from tape.wire import block_json, message_json, parse_block, parse_message, request, session_of, tool_json
from tests.strategies import arrays

BLOCKS: list[tuple[dict[str, Any], type]] = [
    ({"type": "text", "text": "x", "citations": []}, Text),
    ({"type": "text", "text": 7}, Other),
    ({"type": "thinking", "thinking": "hm", "signature": "s"}, Thinking),
    ({"type": "redacted_thinking", "data": "s"}, Thinking),
    ({"type": "tool_use", "id": "a", "name": "f", "input": {"p": 1}, "caller": {"type": "direct"}}, ToolUse),
    ({"type": "tool_use", "id": "a", "name": "f", "input": "{"}, ToolUse),
    ({"type": "tool_use", "name": "f", "input": {}}, Other),
    ({"type": "mcp_tool_use", "id": "a", "name": "f", "server_name": "s", "input": {}}, ToolUse),
    ({"type": "mcp_tool_result", "tool_use_id": "a", "content": []}, ToolResult),
    ({"type": "tool_result", "tool_use_id": "a"}, ToolResult),
    ({"type": "tool_result", "tool_use_id": "a", "content": "", "is_error": True}, ToolResult),
    ({"type": "web_search_tool_result", "tool_use_id": "a", "content": {"type": "error"}}, ToolResult),
    ({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iV"}}, Image),
    ({"type": "image", "source": {"type": "url", "url": "https://x.example"}}, Image),
    ({"type": "image", "source": {"type": "file", "file_id": "f"}}, Image),
    ({"type": "image", "source": {"type": "new"}}, Image),
    ({"type": "document", "title": "t", "source": {"type": "text", "data": "x"}}, Document),
    ({"type": "document", "source": {"type": "url", "url": "https://x.example"}}, Document),
    ({"type": "hologram", "x": [1]}, Other),
    ({}, Other),
]


@pytest.mark.parametrize(("value", "kind"), BLOCKS)
def test_a_block_survives(value: dict[str, Any], kind: type) -> None:
    block = parse_block(value, "b")
    assert type(block) is kind
    assert block_json(block) == value


@pytest.mark.parametrize("value", [None, 1, "x", [1]])
def test_what_is_no_object_is_kept(value: Any) -> None:
    assert block_json(parse_block(value, "b")) == value


@given(arrays())
def test_an_array_survives(array: Any) -> None:
    session = session_of({"model": "m", "max_tokens": 5, "messages": array})
    assert [message_json(entry) for entry in session.messages] == array
    assert request(session) == {"model": "m", "max_tokens": 5, "messages": array}


@given(
    st.recursive(
        st.none() | st.text(max_size=3) | st.integers(), lambda i: st.lists(i, max_size=2), max_leaves=4
    )
)
def test_any_value_is_a_message(value: Any) -> None:
    entry = parse_message(value, "m0")
    assert entry.role == "user"
    json.dumps(message_json(entry))


def test_tools_of_another_dialect_are_declared_in_ours() -> None:
    function = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
    chat = {"messages": [{"role": "user", "content": "x"}], "tools": [function]}
    tools = tape.load(json.dumps(chat).encode()).tools
    assert tools is not None
    assert tool_json(tools[0]) == {"name": "f", "description": "", "input_schema": {"type": "object"}}
    builtin = {"type": "bash_20250124", "name": "bash"}
    assert request(session_of({"messages": [], "tools": [builtin]}))["tools"] == [builtin]


def test_the_request_of_a_chat_has_its_system_prompt_beside_the_array() -> None:
    chat = [{"role": "system", "content": "be brief"}, {"role": "user", "content": "hi"}]
    body = tape.request(tape.load(json.dumps(chat).encode(), format="openai-chat"))
    assert body["system"] == "be brief"
    assert body["messages"] == [{"role": "user", "content": "hi"}]

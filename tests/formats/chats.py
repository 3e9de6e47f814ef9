"""Small Chat Completions files for tests: an array with two parallel calls, a response, a stream."""

from __future__ import annotations

import json
from typing import Any

import tape
from tape.model import Session


def call(id: str | None, name: str = "ls", arguments: Any = "{}") -> dict[str, Any]:
    made = {"type": "function", "function": {"name": name, "arguments": arguments}}
    return made if id is None else {"id": id, **made}


def tool(id: str | None, content: Any = "ok", **more: Any) -> dict[str, Any]:
    return {"role": "tool", **({} if id is None else {"tool_call_id": id}), "content": content, **more}


USER = {"role": "user", "content": "go"}
CALLS = {"role": "assistant", "content": None, "tool_calls": [call("c1"), call("c2", "cat", '{"p":"a"}')]}
ARRAY = [
    {"role": "system", "content": "s"},
    USER,
    CALLS,
    tool("c1", "one", name="ls"),
    tool("c2", "two", ts=1.5),
]
USAGE = {"prompt_tokens": 12000, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 11500}}
REPLY = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "model": "gpt-5.5",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "done"}, "finish_reason": "stop"}],
    "usage": USAGE,
}
FUNCTION = {"type": "function", "function": {"name": "ls", "parameters": {"type": "object"}}}


def load(value: Any, **more: Any) -> Session:
    return tape.load(json.dumps(value).encode(), **more)


def kinds(session: Session) -> list[list[str]]:
    return [[head.kind for head in entry.heads] for entry in session.messages]


def chunks(
    *deltas: dict[str, Any], id: str = "chatcmpl-1", finish: str | None = "stop"
) -> list[dict[str, Any]]:
    told = [
        {
            "id": id,
            "object": "chat.completion.chunk",
            "model": "gpt-5.5",
            "choices": [{"index": 0, "delta": delta}],
        }
        for delta in deltas
    ]
    if finish:
        told.append(
            {
                "id": id,
                "object": "chat.completion.chunk",
                "choices": [{"index": 0, "delta": {}, "finish_reason": finish}],
            }
        )
        told.append({"id": id, "object": "chat.completion.chunk", "choices": [], "usage": USAGE})
    return told


def stream(told: list[dict[str, Any]]) -> bytes:
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in told).encode() + b"data: [DONE]\n\n"


PIECES = [
    {"role": "assistant", "content": ""},
    {"content": "he"},
    {"content": "llo"},
    {
        "tool_calls": [
            {"index": 0, "id": "c1", "type": "function", "function": {"name": "ls", "arguments": ""}}
        ]
    },
    {"tool_calls": [{"index": 0, "function": {"arguments": '{"p"'}}]},
    {"tool_calls": [{"index": 0, "function": {"arguments": ': "."}'}}]},
    {
        "tool_calls": [
            {"index": 1, "id": "c2", "type": "function", "function": {"name": "cat", "arguments": "{}"}}
        ]
    },
]

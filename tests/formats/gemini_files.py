"""Small bodies of the Gemini API and sessions of Gemini CLI for tests, one a situation."""

from __future__ import annotations

import json
from typing import Any

from tests.formats.agent_logs import document, lines

Value = dict[str, Any]


def content(role: str, *parts: Any) -> Value:
    """A content; a string is a text part."""
    return {"role": role, "parts": [{"text": one} if isinstance(one, str) else one for one in parts]}


def call(name: str, **args: Any) -> Value:
    """A call without id."""
    return {"functionCall": {"name": name, "args": args}}


def gave(name: str, **response: Any) -> Value:
    """A result without id."""
    return {"functionResponse": {"name": name, "response": response}}


CONTENTS = [
    content("user", "Which lamp is on?", {"inlineData": {"mimeType": "image/png", "data": "aGk="}}),
    content(
        "model",
        {"text": "Ask both", "thought": True, "thoughtSignature": "c2ln"},
        call("lamp", room="hall"),
        call("lamp", room="attic"),
    ),
    content("function", gave("lamp", output="off"), gave("lamp", error="no bulb")),
    content("model", "The one in neither."),
]
REQUEST = {
    "systemInstruction": {"parts": [{"text": "Be calm."}]},
    "contents": CONTENTS,
    "tools": [
        {"functionDeclarations": [{"name": "lamp", "parameters": {"type": "OBJECT"}}]},
        {"googleSearch": {}},
    ],
    "generationConfig": {"temperature": 0.5},
}
RESPONSE = {
    "candidates": [{"content": content("model", "Good night."), "finishReason": "STOP"}],
    "usageMetadata": {
        "promptTokenCount": 100,
        "cachedContentTokenCount": 60,
        "candidatesTokenCount": 7,
        "thoughtsTokenCount": 5,
    },
    "modelVersion": "gem-test-1",
    "responseId": "r-1",
}


def piece(*parts: Any, **fields: Any) -> Value:
    """A partial response of a stream."""
    return {"candidates": [{"content": content("model", *parts), **fields}], "modelVersion": "gem-test-1"}


STREAM = [
    piece({"text": "Hm", "thought": True}),
    piece("It is "),
    piece("late."),
    piece(call("lamp", room="hall")),
    {
        **piece({"text": "", "thoughtSignature": "c2ln"}, finishReason="STOP"),
        **{"usageMetadata": RESPONSE["usageMetadata"]},
    },
]


def tool_call(id: str, status: str, response: Value | None) -> Value:
    """A call of Gemini CLI with its result, or without one."""
    result = (
        None if response is None else [{"functionResponse": {"id": id, "name": "ls", "response": response}}]
    )
    return {"id": id, "name": "ls", "args": {"path": id}, "result": result, "status": status}


CLI_MESSAGES: list[Value] = [
    {"id": "1", "timestamp": "2026-01-01T00:00:00Z", "type": "user", "content": "List it"},
    {"id": "2", "timestamp": "2026-01-01T00:00:01Z", "type": "info", "content": "Update available"},
    {
        "id": "3",
        "timestamp": "2026-01-01T00:00:02Z",
        "type": "gemini",
        "content": "I will.",
        "thoughts": [{"subject": "Plan", "description": "Use ls twice"}],
        "tokens": {"input": 100, "output": 10, "cached": 40, "thoughts": 5, "tool": 0, "total": 115},
        "model": "gem-test-1",
        "toolCalls": [
            tool_call("a", "success", {"output": "x.txt"}),
            tool_call("b", "error", {"error": "denied"}),
            tool_call("c", "cancelled", None),
        ],
    },
    {
        "id": "4",
        "type": "gemini",
        "content": "One file.",
        "tokens": {"input": 0, "output": 0, "cached": 0, "thoughts": 0, "tool": 0, "total": 0},
    },
]
CLI_HEAD = {"sessionId": "s-1", "projectHash": "h", "startTime": "2026-01-01T00:00:00Z"}
CLI_STREAM: list[Value] = [
    {"type": "init", "session_id": "s-2", "model": "gem-test-1"},
    {"type": "message", "role": "user", "content": "List it"},
    {"type": "message", "role": "assistant", "content": "I ", "delta": True},
    {"type": "message", "role": "assistant", "content": "will.", "delta": True},
    {"type": "tool_use", "tool_name": "ls", "tool_id": "t1", "parameters": {"path": "."}},
    {"type": "tool_result", "tool_id": "t1", "status": "success", "output": "x.txt"},
    {"type": "message", "role": "assistant", "content": "One file.", "delta": True},
    {"type": "result", "status": "success", "stats": {}},
]
SITUATIONS: dict[str, tuple[str, bytes]] = {
    "gemini-request": ("gemini", document(REQUEST)),
    "gemini-contents": ("gemini", json.dumps(CONTENTS).encode()),
    "gemini-response": ("gemini", json.dumps(RESPONSE).encode()),
    "gemini-lines": ("gemini", lines(*CONTENTS)),
    "gemini-cli-document": ("gemini-cli", document({**CLI_HEAD, "messages": CLI_MESSAGES})),
    "gemini-cli-lines": ("gemini-cli", lines(CLI_HEAD, *CLI_MESSAGES)),
}

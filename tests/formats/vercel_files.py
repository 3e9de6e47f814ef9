"""Small message lists of the Vercel AI SDK for tests, one a situation; all of it is invented."""

from __future__ import annotations

import json
from typing import Any

from tests.formats.agent_logs import document

Value = dict[str, Any]


def text(words: str) -> Value:
    """A text part."""
    return {"type": "text", "text": words}


def tool(id: str, state: str, **fields: Any) -> Value:
    """A tool part of a UI message."""
    return {"type": "tool-weather", "toolCallId": id, "state": state, "input": {"town": id}, **fields}


UI: list[Value] = [
    {"id": "1", "role": "user", "parts": [text("Weather in Brno and Graz?")]},
    {
        "id": "2",
        "role": "assistant",
        "parts": [
            {"type": "step-start"},
            {"type": "reasoning", "text": "Ask twice"},
            tool("Brno", "output-available", output="Sun in Brno"),
            tool("Graz", "output-error", errorText="no data"),
            {"type": "step-start"},
            {
                "type": "dynamic-tool",
                "toolName": "map",
                "toolCallId": "m1",
                "state": "input-available",
                "input": {},
            },
            {"type": "source-url", "url": "https://example.org"},
            text("Sun in Brno, Graz unknown."),
        ],
    },
    {"id": "3", "role": "user", "parts": [text("Thanks")]},
]
MODEL: list[Value] = [
    {"role": "system", "content": "Be brief."},
    {
        "role": "user",
        "content": [text("Weather?"), {"type": "file", "mediaType": "image/png", "data": "aGk="}],
    },
    {
        "role": "assistant",
        "content": [
            {"type": "tool-call", "toolCallId": "a", "toolName": "weather", "input": {"town": "Brno"}},
            {"type": "tool-call", "toolCallId": "b", "toolName": "weather", "args": {"town": "Graz"}},
        ],
    },
    {
        "role": "tool",
        "content": [
            {
                "type": "tool-result",
                "toolCallId": "a",
                "toolName": "weather",
                "output": {"type": "text", "value": "Sun"},
            },
            {
                "type": "tool-result",
                "toolCallId": "b",
                "toolName": "weather",
                "result": "Fog",
                "isError": True,
            },
        ],
    },
    {"role": "assistant", "content": "Sun and perhaps fog."},
]
SITUATIONS: dict[str, tuple[str, bytes]] = {
    "vercel-ui": ("vercel-ai", document(UI)),
    "vercel-ui-wrapped": ("vercel-ai", json.dumps({"title": "Weather", "messages": UI}).encode()),
    "vercel-model": ("vercel-ai", json.dumps(MODEL).encode()),
}

"""A small history of Pydantic AI for tests; all of it is invented."""

from __future__ import annotations

import json
from typing import Any

from tests.formats.agent_logs import document

HISTORY: list[dict[str, Any]] = [
    {
        "kind": "request",
        "instructions": "Speak softly.",
        "parts": [
            {"part_kind": "system-prompt", "content": "Know the sea."},
            {"part_kind": "user-prompt", "content": ["When is the tide?", "And the moon?"]},
        ],
    },
    {
        "kind": "response",
        "model_name": "made-up-1",
        "provider_response_id": "r-1",
        "finish_reason": "tool_call",
        "timestamp": "2026-01-02T03:04:05Z",
        "usage": {"input_tokens": 100, "cache_read_tokens": 60, "cache_write_tokens": 10, "output_tokens": 9},
        "parts": [
            {"part_kind": "thinking", "content": "Both", "signature": "c2ln"},
            {"part_kind": "tool-call", "tool_name": "tide", "args": '{"day": 1}', "tool_call_id": "t1"},
            {"part_kind": "tool-call", "tool_name": "moon", "args": {"day": 2}, "tool_call_id": "t2"},
        ],
    },
    {
        "kind": "request",
        "parts": [
            {"part_kind": "tool-return", "tool_name": "tide", "content": "at noon", "tool_call_id": "t1"},
            {
                "part_kind": "retry-prompt",
                "tool_name": "moon",
                "content": "no day",
                "tool_call_id": "t2",
            },
            {"part_kind": "user-prompt", "content": "Hurry"},
        ],
    },
    {"kind": "response", "parts": [{"part_kind": "text", "content": "High tide is at noon, moon unknown."}]},
]
SITUATIONS: dict[str, tuple[str, bytes]] = {
    "pydantic-ai-history": ("pydantic-ai", document(HISTORY)),
    "pydantic-ai-wrapped": ("pydantic-ai", json.dumps({"messages": HISTORY}).encode()),
}

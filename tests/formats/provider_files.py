"""Small files of providers, chat products and data sets for tests, one a situation; all of it is invented."""

from __future__ import annotations

import json
from typing import Any

from tests.formats.agent_logs import document, lines

Item = dict[str, Any]
WEATHER_TOOL = {
    "type": "function",
    "name": "weather",
    "description": "The weather of a town",
    "parameters": {"type": "object", "properties": {"town": {"type": "string"}}},
}


def said(role: str, text: str) -> Item:
    """A message item of the Responses API."""
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def asked(call_id: str, town: str) -> Item:
    """A call item, with the two ids that such an item has."""
    return {
        "type": "function_call",
        "id": f"fc_{call_id}",
        "call_id": call_id,
        "name": "weather",
        "arguments": json.dumps({"town": town}),
    }


def told(call_id: str, output: Any) -> Item:
    """The output of a call."""
    return {"type": "function_call_output", "call_id": call_id, "output": output}


THINKING = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [{"type": "summary_text", "text": "Two towns, two calls"}],
    "encrypted_content": "b3BhcXVl",
}
MCP_CALL = {
    "type": "mcp_call",
    "id": "mcp_1",
    "server_label": "shelf",
    "name": "lookup",
    "arguments": '{"q": "tea"}',
    "output": "Tea is on shelf four",
    "error": None,
}
RESPONSES_REQUEST = {
    "model": "gpt-test",
    "instructions": "Answer briefly.",
    "tools": [WEATHER_TOOL],
    "input": [
        {"role": "user", "content": "Weather in Brno and Graz?"},
        THINKING,
        asked("call_1", "Brno"),
        asked("call_2", "Graz"),
        told("call_2", "Rain in Graz"),
        told("call_1", [{"type": "input_text", "text": "Sun in Brno"}]),
        said("assistant", "Sun in Brno, rain in Graz."),
        said("user", "Thank you"),
    ],
}
RESPONSE = {
    "id": "resp_9",
    "object": "response",
    "status": "completed",
    "model": "gpt-test-1",
    "output": [THINKING, MCP_CALL, said("assistant", "It stands on shelf four.")],
    "usage": {
        "input_tokens": 900,
        "input_tokens_details": {"cached_tokens": 700},
        "output_tokens": 80,
        "output_tokens_details": {"reasoning_tokens": 50},
    },
}


def events(*values: Item) -> bytes:
    """A stream of server-sent events."""
    return "".join(f"event: {v['type']}\ndata: {json.dumps(v)}\n\n" for v in values).encode()


RESPONSES_STREAM = events(
    {"type": "response.created", "response": {"id": "resp_9", "output": []}},
    {"type": "response.output_text.delta", "delta": "It stands"},
    {"type": "response.output_item.done", "output_index": 2, "item": RESPONSE["output"][2]},
    {"type": "response.completed", "response": RESPONSE},
)
RUN_STATE = {
    "$schemaVersion": "1.4",
    "current_turn": 1,
    "original_input": "Weather in Brno?",
    "generated_items": [
        {"type": "tool_call_item", "raw_item": asked("call_1", "Brno"), "agent": {"name": "Ann"}},
        {"type": "tool_call_output_item", "raw_item": told("call_1", "Sun"), "agent": {"name": "Ann"}},
        {"type": "message_output_item", "raw_item": said("assistant", "Sunny."), "agent": {"name": "Ann"}},
    ],
    "model_responses": [{"response_id": "resp_1", "output": []}],
}

SITUATIONS: dict[str, tuple[str, bytes]] = {
    "responses-request": ("openai-responses", document(RESPONSES_REQUEST)),
    "responses-body": ("openai-responses", json.dumps(RESPONSE).encode()),
    "responses-items": ("openai-responses", lines(*RESPONSES_REQUEST["input"])),
    "responses-stream": ("openai-responses", RESPONSES_STREAM),
    "responses-run-state": ("openai-responses", document(RUN_STATE)),
}

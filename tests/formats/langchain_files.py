"""Small dumps of LangChain messages for tests, one a situation; all of it is invented."""

from __future__ import annotations

import json

from tests.formats.log_lines import Line, document, lines

NAMES = {"human": "HumanMessage", "ai": "AIMessage", "system": "SystemMessage", "tool": "ToolMessage"}
USED: Line = {
    "input_tokens": 100,
    "output_tokens": 9,
    "total_tokens": 109,
    "input_token_details": {"cache_read": 60, "cache_creation": 10},
}


def call(id: str, name: str, **args: int) -> Line:
    """A call."""
    return {"name": name, "args": args, "id": id, "type": "tool_call"}


def again(id: str, name: str, **args: int) -> Line:
    """The same call in OpenAI's form."""
    return {"id": id, "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}


PLAIN: list[Line] = [
    {"type": "system", "content": "Know the sea."},
    {
        "type": "human",
        "content": [
            {"type": "text", "text": "When is the tide?"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}},
        ],
        "example": False,
    },
    {
        "type": "ai",
        "content": [
            {"type": "thinking", "thinking": "Ask for both", "signature": "c2ln"},
            {"type": "tool_use", "id": "c1", "name": "tide", "input": {"day": 1}},
            {"type": "tool_use", "id": "c2", "name": "moon", "input": {"day": 2}},
        ],
        "additional_kwargs": {"tool_calls": [again("c1", "tide", day=1), again("c2", "moon", day=2)]},
        "response_metadata": {"model_name": "made-up-1", "finish_reason": "tool_calls", "id": "r-1"},
        "tool_calls": [call("c1", "tide", day=1), call("c2", "moon", day=2)],
        "usage_metadata": USED,
    },
    {"type": "tool", "content": "at noon", "tool_call_id": "c1", "name": "tide", "status": "success"},
    {"type": "tool", "content": "no such day", "tool_call_id": "c2", "name": "moon", "status": "error"},
    {"type": "ai", "content": "High tide is at noon.", "tool_calls": [], "invalid_tool_calls": []},
]


def dumped(message: Line) -> Line:
    """A message with its class."""
    kind, kwargs = message["type"], {k: v for k, v in message.items() if k != "type"}
    return {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain", "schema", "messages", NAMES[kind]],
        "kwargs": kwargs,
    }


DUMPED = [dumped(message) for message in PLAIN]
DICTS: list[Line] = [{"type": message["type"], "data": message} for message in PLAIN]
STATE: Line = {
    "v": 1,
    "channel_values": {"messages": [*PLAIN, {"type": "remove", "id": "x", "content": ""}], "steps": 3},
}
SITUATIONS: dict[str, tuple[str, bytes]] = {
    "langchain-model-dump": ("langchain", document(PLAIN)),
    "langchain-dumped-with-class": ("langchain", document({"messages": DUMPED})),
    "langchain-messages-to-dict": ("langchain", json.dumps(DICTS).encode()),
    "langchain-lines": ("langchain", lines(*PLAIN)),
    "langgraph-state": ("langchain", document(STATE)),
}

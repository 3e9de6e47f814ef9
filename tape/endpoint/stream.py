"""A whole answer as the events a stream sends it in, in the order and the shapes of the Messages API."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

Event = dict[str, Any]
PIECE = re.compile(r"\s*\S+\s*|\s+")
JSON_PIECE = 12


def events(message: Mapping[str, Any]) -> Iterator[Event]:
    """The events that build ``message`` (a non-streamed response body) piece by piece."""
    usage = message["usage"]
    opening = {**message, "content": [], "stop_reason": None, "stop_sequence": None}
    yield {"type": "message_start", "message": {**opening, "usage": {**usage, "output_tokens": 1}}}
    for index, block in enumerate(message["content"]):
        yield {"type": "content_block_start", "index": index, "content_block": _empty(block)}
        if index == 0:
            yield {"type": "ping"}
        for delta in _deltas(block):
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    ending = {"stop_reason": message["stop_reason"], "stop_sequence": message["stop_sequence"]}
    yield {"type": "message_delta", "delta": ending, "usage": usage}
    yield {"type": "message_stop"}


def encode(event: Event) -> bytes:
    """One event as server-sent text."""
    data = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
    return f"event: {event['type']}\ndata: {data}\n\n".encode("utf-8", "replace")


def _empty(block: Mapping[str, Any]) -> Event:
    match block["type"]:
        case "text":
            return {**block, "text": ""}
        case "thinking":
            return {**block, "thinking": "", "signature": ""}
        case "tool_use":
            return {**block, "input": {}}
    return dict(block)


def _deltas(block: Mapping[str, Any]) -> Iterator[Event]:
    match block["type"]:
        case "text":
            yield from ({"type": "text_delta", "text": piece} for piece in PIECE.findall(block["text"]))
        case "thinking":
            for piece in PIECE.findall(block["thinking"]):
                yield {"type": "thinking_delta", "thinking": piece}
            yield {"type": "signature_delta", "signature": block["signature"]}
        case "tool_use":
            yield {"type": "input_json_delta", "partial_json": ""}
            text = json.dumps(block["input"], ensure_ascii=False)
            for start in range(0, len(text), JSON_PIECE):
                yield {"type": "input_json_delta", "partial_json": text[start : start + JSON_PIECE]}

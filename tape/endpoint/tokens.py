"""The embedded endpoint's token counts: an estimate from characters, the same for every request it gets.

Prices, windows and the counting of real models are the business of ``tape.counting``; this is the
meter of a model that has no tokenizer.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

CHARACTERS_A_TOKEN = 2.5
"""Of text, by the tokenizer of Claude 4.7 and later (the table of models in Anthropic's documentation)."""
JSON_CHARACTERS_A_TOKEN = 2.3
IMAGE = 1568
"""Tokens of a picture at the largest size that older models take; its real size is not looked at."""
A_MESSAGE = 4
A_TOOL_LIST = 290


def prompt(request: Mapping[str, Any]) -> int:
    """Tokens of everything a request sends: system prompt, tool list and every message."""
    count = 3.0 + _content(request.get("system"))
    tools = request.get("tools")
    if isinstance(tools, list) and tools:
        count += A_TOOL_LIST + sum(_json(tool) for tool in tools)
    messages = request.get("messages")
    if isinstance(messages, list):
        for message in messages:
            count += A_MESSAGE + (_content(message.get("content")) if isinstance(message, dict) else 0)
    return round(count)


def output(content: Iterable[Mapping[str, Any]]) -> int:
    """Tokens of an answer's content blocks, thinking included. At least 1: an answer is never free."""
    return max(1, round(sum(_block(block) for block in content)))


def thinking(content: Iterable[Mapping[str, Any]]) -> int:
    """Tokens of an answer's thinking blocks alone."""
    return round(sum(_block(block) for block in content if block.get("type") == "thinking"))


def first(text: str, limit: int) -> str:
    """As much of a text as ``limit`` tokens hold."""
    return text[: int(limit * CHARACTERS_A_TOKEN)]


def _content(content: object) -> float:
    if isinstance(content, str):
        return len(content) / CHARACTERS_A_TOKEN
    if isinstance(content, list):
        return sum(_block(block) for block in content)
    return 0.0


def _block(block: object) -> float:
    if not isinstance(block, Mapping):
        return 0.0
    match block.get("type"):
        case "text":
            return _content(block.get("text"))
        case "thinking":
            return _content(block.get("thinking"))
        case "tool_use":
            return 8 + _content(block.get("name")) + _json(block.get("input"))
        case "tool_result":
            return 8 + _content(block.get("content"))
        case "image":
            return IMAGE
    return _json(block)


def _json(value: object) -> float:
    return len(json.dumps(value, ensure_ascii=False)) / JSON_CHARACTERS_A_TOKEN

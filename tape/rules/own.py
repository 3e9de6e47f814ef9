"""Which endpoint a transcript was recorded on, by its format, so that it can be judged by its own rules.

An export of a chat application has none: what the application sends is not in the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

OWN: Final[Mapping[str, str]] = {
    "anthropic-messages": "anthropic",
    "claude-code": "anthropic",
    "claude-stream-json": "anthropic",
    "bedrock-converse": "bedrock",
    "codex-exec": "openai-responses",
    "codex-rollout": "openai-responses",
    "gemini": "gemini",
    "gemini-cli": "gemini",
    "openai-chat": "openai-chat",
    "openai-responses": "openai-responses",
    "swe-agent": "openai-chat",
    "mini-swe-agent": "openai-chat",
}


def own_endpoint(format: str) -> str | None:
    """The endpoint that a format's arrays are sent to; ``None`` where its files come from many."""
    return OWN.get(format)

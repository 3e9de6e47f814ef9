"""Which dialect an array of role-bearing objects speaks, told by its entries alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tape.formats.base import Guess
from tape.model import Json

LOOKED_AT: Final = 400
OPENAI: Final = "openai-chat"
ANTHROPIC: Final = "anthropic-messages"
ROLES: Final = ("role", "from")
OPENAI_KEYS: Final = ("tool_calls", "tool_call_id", "function_call")
OPENAI_ROLES: Final = ("tool", "function", "developer")
OPENAI_PARTS: Final = ("image_url", "input_audio", "tool_call", "tool_output")
ANTHROPIC_BLOCKS: Final = (
    "tool_use",
    "tool_result",
    "thinking",
    "redacted_thinking",
    "server_tool_use",
    "mcp_tool_use",
    "compaction",
)


def is_array(value: Json) -> bool:
    """Whether at least half of this array is objects, and 60 % of those have a role and no foreign shape."""
    if not isinstance(value, list) or not value:
        return False
    looked = value[:LOOKED_AT]
    objects = [one for one in looked if isinstance(one, dict)]
    return len(objects) * 2 >= len(looked) and sum(map(is_entry, objects)) * 10 >= len(objects) * 6


def is_entry(value: Json) -> bool:
    """Whether this is an object with a role and a content, or none, that both dialects could have."""
    if not isinstance(value, dict) or not isinstance(value.get("role"), str):
        return False
    content = value.get("content")
    if "parts" in value or "info" in value or "message_type" in value:
        return False
    return content is None or isinstance(content, (str, list))


def blocks(entries: Sequence[Json]) -> Iterator[dict[str, Json]]:
    """The content blocks of the first entries that are objects."""
    for entry in entries[:LOOKED_AT]:
        content = entry.get("content") if isinstance(entry, dict) else None
        if isinstance(content, list):
            yield from (block for block in content if isinstance(block, dict))


def dialect(entries: Sequence[Json]) -> tuple[str, Guess]:
    """The dialect of an array and how sure that is. Only roles and text are valid in both."""
    first = [entry for entry in entries[:LOOKED_AT] if isinstance(entry, dict)]
    for key in OPENAI_KEYS:
        if any(entry.get(key) for entry in first):
            return OPENAI, Guess(3, f"messages with {key}")
    roles = [entry.get("role") for entry in first]
    for role in OPENAI_ROLES:
        if role in roles:
            return OPENAI, Guess(3, f"a message of role {role}")
    for block in blocks(entries):
        kind = block.get("type")
        if kind in ANTHROPIC_BLOCKS:
            return ANTHROPIC, Guess(3, f"content blocks of type {kind}")
        if kind in ("image", "document") and isinstance(block.get("source"), dict):
            return ANTHROPIC, Guess(3, f"content blocks of type {kind} with a source")
        if kind in OPENAI_PARTS:
            return OPENAI, Guess(3, f"content parts of type {kind}")
    if "system" in roles:
        return OPENAI, Guess(2, "only roles and text, with a system message inside the array")
    return ANTHROPIC, Guess(2, "only roles and text: valid as Anthropic and as OpenAI")


def guess_for(name: str, entries: Sequence[Json]) -> Guess | None:
    """What a format says of an array: sure of its own dialect, a hint where the array is valid in both."""
    said, guess = dialect(entries)
    if said == name:
        return guess
    return Guess(1, f"could be read so, but has {guess.why}") if guess.score < 3 else None

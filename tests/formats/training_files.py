"""Small training rows for tests, one a situation; all of it is invented."""

from __future__ import annotations

import json
from typing import Any

from tests.formats.agent_logs import document, lines


def turns(*pairs: tuple[str, Any]) -> list[dict[str, Any]]:
    """Turns with ``from`` and ``value``."""
    return [{"from": who, "value": what} for who, what in pairs]


PLAIN = {
    "id": "row-1",
    "conversations": turns(("human", "Is it far?"), ("gpt", ""), ("human", "Is it?"), ("gpt", "No.")),
}
TOOLS = {
    "system": "Use the map.",
    "tools": json.dumps([{"name": "map", "description": "Looks", "parameters": {"type": "object"}}]),
    "conversations": turns(
        ("human", "<image>Where is this?"),
        ("function_call", '{"name": "map", "arguments": {"x": 1}}'),
        ("observation", "At the lake"),
        ("gpt", "At the lake."),
    ),
    "images": ["lake.png"],
}
# Without pictures: words that are replaced by others no longer hold the place of one.
WORDS = {key: value for key, value in TOOLS.items() if key != "images"}
SITUATIONS: dict[str, tuple[str, bytes]] = {
    "sharegpt-row": ("sharegpt", document(WORDS)),
    "sharegpt-rows": ("sharegpt", lines(PLAIN, WORDS)),
    "sharegpt-list-of-rows": ("sharegpt", json.dumps([PLAIN, WORDS]).encode()),
    "sharegpt-turns": ("sharegpt", json.dumps(PLAIN["conversations"]).encode()),
}

"""A small chat log of mux for tests; all of it is invented."""

from __future__ import annotations

from typing import Any

from tests.formats.log_lines import Line, lines
from tests.formats.vercel_files import text, tool


def said(number: int, role: str, *parts: Line, **metadata: Any) -> Line:
    """A line of the log."""
    facts = {"historySequence": number, "timestamp": 1_767_323_045_000, **metadata}
    return {"id": f"{role}-{number}", "role": role, "parts": list(parts), "metadata": facts}


LOG: list[Line] = [
    {**said(0, "user", text("Weather in Brno?")), "workspaceId": "w1"},
    said(
        1,
        "assistant",
        {"type": "reasoning", "text": "Ask"},
        tool("Brno", "output-available", output="Sun in Brno"),
        text("Sunny in Brno."),
        model="made-up:one",
        usage={"inputTokens": 50, "outputTokens": 8, "reasoningTokens": 2, "totalTokens": 58},
    ),
    said(2, "user", text("And Graz?")),
    said(
        3,
        "assistant",
        tool("Graz", "input-available"),
        model="made-up:one",
        partial=True,
        usage={"inputTokens": 70, "outputTokens": 4, "cachedInputTokens": 40},
    ),
]
SITUATIONS: dict[str, tuple[str, bytes]] = {
    "mux-chat": ("mux", lines(*LOG)),
    "mux-unfinished-message-alone": ("mux", lines(LOG[3])),
}

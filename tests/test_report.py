"""The report: its shape is a promise, its numbers were counted by hand, and what is unknown is null."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import tape
from tape.report import report
from tape.samples import sample

KEYS = {
    "format", "confidence", "why", "conversations", "conversation", "title", "model", "counts", "links",
    "unlinked", "usage", "turns", "findings", "secrets", "notes",
}  # fmt: skip
COUNTS = {
    "messages", "user", "assistant", "system", "blocks", "tool_uses", "tool_results", "links", "turns",
    "responses", "lanes", "branches", "compactions", "asides",
}  # fmt: skip
USAGE = {
    "source", "fresh_input", "cache_write", "cache_read", "output", "prompt_last", "context_now", "window",
    "cost_usd", "unpriced_tokens", "by_lane",
}  # fmt: skip


def told(source: bytes | Path, **options: Any) -> dict[str, Any]:
    """The report of the first conversation, through JSON and back."""
    reading = tape.read(source)
    made: dict[str, Any] = json.loads(
        json.dumps(report(reading, reading.conversations[0].load(), 0, **options))
    )
    return made


@pytest.mark.parametrize("name", ["add-function", "dangling-call", "openai-form", "claude-code"])
def test_the_shape_is_the_documented_one(name: str) -> None:
    made = told(sample(name).files[0])
    assert set(made) == KEYS
    assert set(made["counts"]) == COUNTS
    assert set(made["usage"]) >= USAGE
    assert all(set(turn) == set(made["turns"][0]) for turn in made["turns"])
    assert set(made["turns"][0]) == {"index", "call", "new_from", "prompt", "output", "cumulative", "source"}


def test_the_claude_code_sample_as_counted_by_hand() -> None:
    made = told(sample("claude-code").files[0])
    assert made["counts"] == {
        "messages": 17, "user": 9, "assistant": 8, "system": 0, "blocks": 20, "tool_uses": 5,
        "tool_results": 5, "links": 5, "turns": 8, "responses": 9, "lanes": 1, "branches": 1,
        "compactions": 1, "asides": 4,
    }  # fmt: skip
    assert {(link["call"], link["result"], link["state"]) for link in made["links"]} >= {
        ("messages[5].content[1]", "messages[6].content[0]", "ok"),
        ("messages[5].content[2]", "messages[6].content[1]", "ok"),
    }


def test_every_lane_is_counted_and_told_apart() -> None:
    usage = told(sample("claude-code").files[0])["usage"]
    main, branch, agent = usage["by_lane"].values()
    assert (main["fresh_input"], main["cache_read"], main["output"]) == (5231, 14360, 477)
    assert (branch["fresh_input"], branch["cache_read"], branch["output"]) == (38, 2294, 18)
    assert (agent["fresh_input"], agent["cache_read"], agent["output"]) == (1276, 1180, 89)
    assert (usage["fresh_input"], usage["cache_read"], usage["output"]) == (6545, 17834, 584)
    assert (usage["prompt_last"], usage["context_now"], usage["source"]) == (2516, 2535, "recorded")


def test_what_is_not_known_is_null() -> None:
    made = told(b'[{"role": "user", "content": "Hello."}]')
    assert made["model"] is None
    usage = made["usage"]
    unknown = (
        "source",
        "fresh_input",
        "cache_write",
        "cache_read",
        "output",
        "prompt_last",
        "window",
        "cost_usd",
        "unpriced_tokens",
    )
    assert [name for name in unknown if usage[name] is not None] == []


def test_findings_come_with_their_repairs_and_notes_with_their_place() -> None:
    made = told(sample("dangling-call").files[0])
    assert [(one["code"], one["where"]) for one in made["findings"]] == [
        ("unanswered-tool-use", "messages[1].content[1]")
    ]
    assert [one["safe"] for one in made["findings"][0]["repairs"]] == [True, False]
    torn = told(sample("claude-code").files[0].read_bytes()[:-9])
    assert [(one["where"], one["kind"]) for one in torn["notes"]] == [("line 26", "torn-record")]


def test_the_endpoint_and_the_model_can_be_chosen() -> None:
    source = b'[{"role": "assistant", "content": "Hi."}, {"role": "user", "content": "Go on."}]'
    assert "first-not-user" in {f["code"] for f in told(source, endpoint="strict")["findings"]}
    assert told(source, model="claude-sonnet-4-5")["model"] == "claude-sonnet-4-5"

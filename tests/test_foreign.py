"""Tests of request bodies made from sessions that were not recorded as request bodies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import tape
from tape.edits.operations import Append, Replace
from tape.endpoint.validation import refusal
from tape.model import Session
from tape.wire import session_of

LOGGED = [
    {"role": "user", "content": "hi"},
    {"role": "assistant", "content": [{"type": "text", "text": "\n\n"}]},
    {
        "role": "assistant",
        "content": [
            {"type": "tool_use", "id": "a", "name": "ls", "input": {}},
            {"type": "thinking", "thinking": "later", "signature": "c2ln"},
        ],
    },
    {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "a"}, {"type": "text", "text": " "}],
    },
]


def logged(format: str) -> Session:
    return replace(session_of({"model": "claude-opus-5-5", "messages": LOGGED}), format=format)


def kinds(session: Session) -> list[list[str]]:
    return [[block["type"] for block in entry["content"]] for entry in tape.request(session)["messages"][1:]]


def test_the_log_of_an_agent_is_sent_without_what_the_agent_leaves_out() -> None:
    assert kinds(logged("claude-code")) == [["tool_use"], ["tool_result"]]
    assert refusal(tape.request(logged("claude-code")), "anthropic") is None


def test_an_array_of_messages_is_sent_as_it_stands() -> None:
    assert tape.request(logged("anthropic-messages"))["messages"] == LOGGED


def test_what_a_person_made_blank_is_sent_blank() -> None:
    edited = tape.apply(logged("claude-code"), Replace("m3.1", "\t"))
    assert kinds(edited)[-1] == ["tool_result", "text"]
    assert "non-whitespace" in (refusal(tape.request(edited), "anthropic") or "")


@pytest.mark.parametrize("name", ["parallel-tools", "sdk-compaction"])
def test_a_real_log_can_be_run_on(name: str, corpus: Callable[[str], Path]) -> None:
    session = tape.load(corpus(f"claude-code/{name}.jsonl"))
    more = tape.apply(session, Append(({"role": "user", "content": "go on"},)))
    assert refusal(tape.request(more), "anthropic") is None

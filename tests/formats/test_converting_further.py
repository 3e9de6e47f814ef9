"""From Anthropic sessions to the other providers' requests: what goes over, what is said to be lost."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings

import tape
from tape.model import Session
from tape.wire import session_of
from tests.formats.test_converting import ANTHROPIC, told
from tests.strategies import arrays, bodies, well_formed

TARGETS = {"openai-responses": "openai-responses", "gemini": "gemini", "bedrock-converse": "bedrock"}


def over(session: Session, to: str) -> Session:
    return tape.load(tape.convert(session, to).data, format=to)


@pytest.mark.parametrize("to", TARGETS)
@settings(max_examples=60, deadline=None)
@given(array=well_formed())
def test_calls_results_ids_and_texts_go_over(to: str, array: Any) -> None:
    session = session_of({"model": "claude-opus-5-5", "max_tokens": 9, "messages": array})
    assert told(over(session, to)) == told(session)


@pytest.mark.parametrize("to", TARGETS)
@settings(max_examples=100, deadline=None)
@given(body=bodies(arrays()))
def test_any_array_is_written_and_read_again(to: str, body: Any) -> None:
    done = tape.convert(session_of(body), to)
    assert json.loads(done.data)
    assert tape.read(done.data, format=to).conversations[0].load() is not None


@pytest.mark.parametrize(("to", "endpoint"), TARGETS.items())
@settings(max_examples=100, deadline=None)
@given(body=bodies(arrays()))
def test_what_its_own_endpoint_takes_the_target_takes(to: str, endpoint: str, body: Any) -> None:
    session = session_of(body)
    if any(finding.severity == "refused" for finding in tape.lint(session)):
        return
    there = over(session, to)
    assert [f.text for f in tape.lint(there, endpoint) if f.severity == "refused"] == []


@settings(max_examples=60, deadline=None)
@given(array=well_formed())
def test_a_trajectory_keeps_calls_results_ids_and_texts(array: Any) -> None:
    session = session_of({"model": "claude-opus-5-5", "messages": array})
    before, after = told(session), told(over(session, "atif"))
    assert after["calls"] == before["calls"]
    assert sorted(after["results"]) == sorted(before["results"])
    assert after["texts"] == before["texts"]


@settings(max_examples=100, deadline=None)
@given(body=bodies(arrays()))
def test_any_array_is_a_trajectory(body: Any) -> None:
    done = tape.convert(session_of(body), "atif")
    steps = json.loads(done.data)["steps"]
    assert [step["step_id"] for step in steps] == list(range(1, len(steps) + 1))
    assert tape.read(done.data, format="atif").conversations[0].load() is not None


@settings(max_examples=60, deadline=None)
@given(array=well_formed())
def test_a_training_row_keeps_all_but_ids(array: Any) -> None:
    session = session_of({"model": "claude-opus-5-5", "messages": array})
    before, after = told(session), told(over(session, "sharegpt"))
    answers = dict(before["results"])
    assert [call[1:] for call in after["calls"]] == [call[1:] for call in before["calls"]]
    assert [text for _, text in after["results"]] == [answers[id] for id, *_ in before["calls"]]
    assert after["texts"] == before["texts"]


@settings(max_examples=100, deadline=None)
@given(body=bodies(arrays()))
def test_any_array_is_a_training_row(body: Any) -> None:
    done = tape.convert(session_of(body), "sharegpt")
    turns = json.loads(done.data)["conversations"]
    assert {turn["from"] for turn in turns} <= {"human", "gpt", "function_call", "observation"}
    assert tape.read(done.data, format="sharegpt").conversations[0].load() is not None


LOST = {
    "openai-responses": ("another provider's is refused", "that it is an error", "stop, thinking"),
    "gemini": ("another provider's means nothing", "left out: thinking"),
    "bedrock-converse": ("Cache marks",),
    "atif": ("Signatures", "An image or file", "that it is an error", "stop, thinking"),
    "sharegpt": ("Thinking", "Ids of calls", "An image or file of a result", "stop_sequences"),
}


@pytest.mark.parametrize("to", LOST)
def test_what_is_lost_is_said_once_a_kind(to: str) -> None:
    losses = tape.convert(tape.load(json.dumps(ANTHROPIC).encode()), to).losses
    texts = [note.text for note in losses]
    assert len(set(texts)) == len(texts)
    for part in LOST[to]:
        assert any(part in text for text in texts), part


def test_bedrock_gets_a_first_message_tools_and_the_thinking_it_takes() -> None:
    entries = [
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
            {"type": "tool_use", "id": "t1", "name": "read file", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "a"}]},
        {"role": "user", "content": "well?"},
    ]  # fmt: skip
    body = json.loads(tape.convert(session_of({"messages": entries}), "bedrock-converse").data)
    assert [message["role"] for message in body["messages"]] == ["user", "assistant", "user"]
    assert body["messages"][1]["content"][0]["reasoningContent"]["reasoningText"]["signature"] == "c2ln"
    assert body["messages"][1]["content"][1]["toolUse"]["name"] == "read_file"
    assert [spec["toolSpec"]["name"] for spec in body["toolConfig"]["tools"]] == ["read_file"]


def test_the_first_call_of_each_gemini_content_is_signed_as_foreign() -> None:
    body = json.loads(tape.convert(tape.load(json.dumps(ANTHROPIC).encode()), "gemini").data)
    calls = [part for part in body["contents"][1]["parts"] if "functionCall" in part]
    assert ["thoughtSignature" in part for part in calls] == [True, False]

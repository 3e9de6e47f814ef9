"""LangChain messages in each of their forms: calls that stand at several places are shown once."""

from __future__ import annotations

import json
from typing import Any

import pytest

import tape
from tape.edits import from_json
from tape.model import Image, Session, Thinking, ToolResult, ToolUse
from tests.formats.langchain_files import PLAIN, SITUATIONS, again

EACH = pytest.mark.parametrize("name", sorted(SITUATIONS))


def kinds(session: Session) -> list[tuple[str, list[str]]]:
    return [(entry.role, [head.kind for head in entry.heads]) for entry in session.messages]


@EACH
def test_every_form_gives_the_same_array(name: str) -> None:
    session = tape.load(SITUATIONS[name][1])
    assert kinds(session) == [
        ("system", ["text"]),
        ("user", ["text", "image"]),
        ("assistant", ["thinking", "tool_use", "tool_use"]),
        ("user", ["tool_result", "tool_result"]),
        ("assistant", ["text"]),
    ]
    image, (thought, first, _), failed = (
        session.messages[1].blocks[1],
        session.messages[2].blocks,
        session.messages[3].blocks[1],
    )
    assert isinstance(image, Image)
    assert (image.media_type, image.data) == ("image/png", "aGk=")
    assert isinstance(thought, Thinking)
    assert thought.signature == "c2ln"
    assert isinstance(first, ToolUse)
    assert (first.id, first.name, first.input) == ("c1", "tide", {"day": 1})
    assert isinstance(failed, ToolResult)
    assert failed.is_error is True
    assert [link.state for link in tape.threads(session).links] == ["ok", "ok"]


@EACH
def test_input_includes_what_was_cached(name: str) -> None:
    """100 include 60 read from and 10 written to the cache."""
    first, second = tape.load(SITUATIONS[name][1]).calls
    assert first.usage is not None
    assert (first.usage.input, first.usage.cache_read, first.usage.cache_write) == (30, 60, 10)
    assert (first.id, first.model, first.stop_reason) == ("r-1", "made-up-1", "tool_calls")
    assert second.usage is None


@EACH
def test_an_edited_call_is_written_to_all_its_places(name: str) -> None:
    data = SITUATIONS[name][1]
    use = {"type": "tool_use", "id": "c1", "name": "tide", "input": {"day": 7}}
    op = {"op": "replace", "target": "messages[2].content[1]", "value": use}
    done = tape.dump(tape.apply(tape.load(data), from_json(op)))
    assert done.losses == ()
    sign = b'"day":1' if name == "langchain-lines" else b'"day": 1'
    assert data.count(sign) == 2
    changed = data.replace(sign, sign[:-1] + b"7").replace(b'{\\"day\\": 1}', b'{\\"day\\": 7}')
    assert done.data == changed


@EACH
def test_a_deleted_call_is_gone_from_all_its_places(name: str) -> None:
    session = tape.load(SITUATIONS[name][1])
    op = from_json({"op": "delete", "targets": ["messages[2].content[1]"], "partners": True})
    done = tape.dump(tape.apply(session, op))
    assert done.losses == ()
    assert b'"c1"' not in done.data


@EACH
def test_new_messages_have_the_form_of_their_neighbors(name: str) -> None:
    session = tape.load(SITUATIONS[name][1])
    use = {"type": "tool_use", "id": "c3", "name": "tide", "input": {"day": 3}}
    result = {"type": "tool_result", "tool_use_id": "c3", "content": "at one", "is_error": True}
    new = [
        {"role": "user", "content": "And then?"},
        {"role": "assistant", "content": [{"type": "text", "text": "I look."}, use]},
        {"role": "user", "content": [result]},
    ]
    done = tape.dump(tape.apply(session, from_json({"op": "append", "messages": new})))
    assert done.losses == ()
    assert kinds(tape.load(done.data))[5:] == [
        ("user", ["text"]),
        ("assistant", ["text", "tool_use"]),
        ("user", ["tool_result"]),
    ]


def test_instructions_to_remove_a_message_are_no_messages() -> None:
    session = tape.load(SITUATIONS["langgraph-state"][1])
    assert [aside.kind for aside in session.asides] == ["RemoveMessage"]


@pytest.mark.parametrize(
    "fields",
    [
        {"additional_kwargs": {"tool_calls": [again("c1", "tide", day=1)]}},
        {"invalid_tool_calls": [{"name": "tide", "args": '{"day": 1}', "id": "c1", "error": "torn"}]},
        {"additional_kwargs": {"function_call": {"name": "tide", "arguments": '{"day": 1}'}}},
        {"tool_calls": [again("c1", "tide", day=1)]},
    ],
)
def test_a_call_may_stand_at_one_place_alone(fields: dict[str, Any]) -> None:
    message = {"type": "ai", "content": "", **fields}
    (call,) = tape.load(json.dumps([PLAIN[1], message]).encode()).messages[1].blocks
    assert isinstance(call, ToolUse)
    assert (call.name, call.input, call.arguments) == ("tide", {"day": 1}, '{"day": 1}')


@pytest.mark.parametrize(
    "message",
    [
        None,
        {"type": "ai", "content": None},
        {"type": "ai", "content": [None, 3, {}], "tool_calls": [None, {}], "usage_metadata": 3},
        {"type": "chat", "role": "captain", "content": "Ahoy"},
        {"lc": 1, "type": "constructor", "id": [], "kwargs": None},
        {"type": "tool", "content": [{"type": "image", "base64": 3}, "words"]},
        {"type": "human", "content": {"text": 1}},
    ],
)
def test_odd_messages_are_read_and_come_back(message: Any) -> None:
    data = json.dumps([PLAIN[1], message]).encode()
    session = tape.load(data)
    assert session.format == "langchain"
    assert all(len(entry.blocks) == len(entry.heads) for entry in session.messages)
    assert tape.dump(session).data == data

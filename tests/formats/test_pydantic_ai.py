"""Pydantic AI histories: requests hold results and prompts, arguments are strings or objects."""

from __future__ import annotations

import json
from typing import Any

import pytest

import tape
from tape.edits import from_json
from tape.model import Image, Session, Thinking, ToolResult, ToolUse
from tests.formats.pydantic_ai_files import HISTORY


def loaded(value: Any) -> Session:
    session = tape.load(json.dumps(value).encode())
    assert session.format == "pydantic-ai"
    return session


def test_results_stand_before_the_prompt_of_their_request() -> None:
    session = loaded(HISTORY)
    assert [(entry.role, [head.kind for head in entry.heads]) for entry in session.messages] == [
        ("system", ["text"]),
        ("user", ["text", "text"]),
        ("assistant", ["thinking", "tool_use", "tool_use"]),
        ("user", ["tool_result", "tool_result"]),
        ("user", ["text"]),
        ("assistant", ["text"]),
    ]
    assert {link.state for link in tape.threads(session).links} == {"ok"}
    assert session.system == "Speak softly."
    thinking, tide, moon = session.messages[2].blocks
    assert isinstance(thinking, Thinking)
    assert isinstance(tide, ToolUse)
    assert isinstance(moon, ToolUse)
    assert (thinking.signature, tide.input, moon.input) == ("c2ln", {"day": 1}, {"day": 2})
    failed = session.messages[3].blocks[1]
    assert isinstance(failed, ToolResult)
    assert (failed.text, failed.is_error) == ("no day", True)


def test_the_input_count_includes_what_was_cached() -> None:
    """100 include 60 read from and 10 written to the cache. The second response counted nothing."""
    first, second = loaded(HISTORY).calls
    assert first.usage is not None
    assert (first.usage.input, first.usage.cache_read, first.usage.cache_write) == (30, 60, 10)
    assert (first.id, first.model, first.stop_reason) == ("r-1", "made-up-1", "tool_call")
    assert second.usage is None


def test_a_retry_without_a_tool_is_what_the_user_says() -> None:
    session = loaded([{"kind": "request", "parts": [{"part_kind": "retry-prompt", "content": "Again"}]}])
    assert [(entry.role, entry.text) for entry in session.messages] == [("user", "Again")]


def test_a_tool_of_the_provider_is_answered_in_place() -> None:
    call = {"part_kind": "builtin-tool-call", "tool_name": "search", "args": {"q": "x"}, "tool_call_id": "b"}
    answer = {"part_kind": "builtin-tool-return", "tool_name": "search", "content": [1], "tool_call_id": "b"}
    (link,) = tape.threads(loaded([{"kind": "response", "parts": [call, answer]}])).links
    assert link.state == "server"


def test_binary_content_is_a_picture() -> None:
    picture = {"kind": "binary", "media_type": "image/png", "data": "aGk="}
    session = loaded(
        [{"kind": "request", "parts": [{"part_kind": "user-prompt", "content": ["See", picture]}]}]
    )
    image = session.messages[0].blocks[1]
    assert isinstance(image, Image)
    assert (image.media_type, image.data) == ("image/png", "aGk=")


def test_an_edit_keeps_arguments_a_string() -> None:
    data = json.dumps(HISTORY).encode()
    use = {"type": "tool_use", "id": "t1", "name": "tide", "input": {"day": 7}}
    session = tape.load(data)
    for op in (
        {"op": "replace", "target": "messages[2].content[1]", "value": use},
        {"op": "set_system", "system": "Speak up."},
    ):
        session = tape.apply(session, from_json(op))
    done = tape.dump(session)
    assert done.losses == ()
    assert done.data == data.replace(b'{\\"day\\": 1}', b'{\\"day\\": 7}').replace(
        b"Speak softly.", b"Speak up."
    )


@pytest.mark.parametrize(
    "value",
    [
        [{"kind": "request", "parts": []}, {"kind": "response", "parts": [{"part_kind": 3}]}, None],
        [{"kind": "request", "parts": [{"part_kind": "user-prompt", "content": [None, {"kind": "binary"}]}]}],
        [{"kind": "response", "parts": [{"part_kind": "tool-call", "args": None}], "usage": 5}],
    ],
)
def test_odd_messages_are_read_and_come_back(value: Any) -> None:
    data = json.dumps(value).encode()
    session = tape.load(data, format="pydantic-ai")
    assert all(len(entry.blocks) == len(entry.heads) for entry in session.messages)
    assert tape.dump(session).data == data

"""AutoGen: contexts of models, events of chats, and the state of a team."""

from __future__ import annotations

import json
from typing import Any

import pytest

import tape
from tape.edits import from_json
from tape.model import Image, Session, ToolResult, ToolUse
from tests.formats.autogen_files import CONTEXT, SITUATIONS


def kinds(session: Session) -> list[tuple[str, list[str]]]:
    return [(entry.role, [head.kind for head in entry.heads]) for entry in session.messages]


def test_the_context_of_a_model() -> None:
    session = tape.load(SITUATIONS["autogen-context"][1])
    assert kinds(session) == [
        ("system", ["text"]),
        ("user", ["text", "image"]),
        ("assistant", ["thinking", "tool_use", "tool_use"]),
        ("user", ["tool_result", "tool_result"]),
        ("assistant", ["text"]),
    ]
    image, first, second = (
        session.messages[1].blocks[1],
        session.messages[2].blocks[1],
        session.messages[3].blocks[1],
    )
    assert isinstance(image, Image)
    assert image.data == "aGk="
    assert isinstance(first, ToolUse)
    assert (first.id, first.name, first.input) == ("c1", "tide", {"day": 1})
    assert isinstance(second, ToolResult)
    assert (second.text, second.is_error) == ("no such day", True)
    assert [link.state for link in tape.threads(session).links] == ["ok", "ok"]


@pytest.mark.parametrize("name", ["autogen-events", "autogen-event-lines"])
def test_a_thought_and_its_calls_are_one_reply_of_a_chat(name: str) -> None:
    session = tape.load(SITUATIONS[name][1])
    assert kinds(session) == [
        ("user", ["text"]),
        ("assistant", ["thinking", "tool_use", "tool_use"]),
        ("user", ["tool_result", "tool_result"]),
        ("assistant", ["text"]),
    ]
    assert [aside.kind for aside in session.asides] == ["ToolCallSummaryMessage"]
    usages = [call.usage for call in session.calls]
    assert [(used.input, used.output) for used in usages if used] == [(40, 6), (40, 6)]


def test_each_agent_of_a_team_has_a_conversation() -> None:
    reading = tape.read(SITUATIONS["autogen-team-state"][1])
    assert [one.title for one in reading.conversations] == ["sailor", "mate"]
    assert [len(one.load().messages) for one in reading.conversations] == [5, 2]


def test_an_edit_keeps_arguments_a_string_and_changes_nothing_else() -> None:
    data = SITUATIONS["autogen-context"][1]
    use = {"type": "tool_use", "id": "c1", "name": "tide", "input": {"day": 7}}
    op = {"op": "replace", "target": "messages[2].content[1]", "value": use}
    done = tape.dump(tape.apply(tape.load(data), from_json(op)))
    assert done.losses == ()
    assert done.data == data.replace(b'{\\"day\\": 1}', b'{\\"day\\": 7}')


def test_a_new_message_is_said_as_its_neighbors_are() -> None:
    new = [{"role": "user", "content": "Thanks"}, {"role": "assistant", "content": "Ahoy"}]
    for name, path, types in (
        ("autogen-context", None, ["UserMessage", "AssistantMessage"]),
        ("autogen-events", "messages", ["TextMessage", "TextMessage"]),
    ):
        session = tape.load(SITUATIONS[name][1])
        done = tape.dump(tape.apply(session, from_json({"op": "append", "messages": new})))
        assert done.losses == ()
        value = json.loads(done.data)
        last = (value[path] if path else value)[-2:]
        assert [(one["type"], one["source"], one["content"]) for one in last] == [
            (types[0], "user", "Thanks"),
            (types[1], "sailor", "Ahoy"),
        ]


@pytest.mark.parametrize(
    "message",
    [
        None,
        {"type": "AssistantMessage", "content": None},
        {"type": "UserMessage", "content": [None, 3, {"data": 1}]},
        {"type": "FunctionExecutionResultMessage", "content": "lost"},
        {"type": "FunctionExecutionResultMessage", "content": [None, {}]},
        {"type": "NeverSeenEvent", "content": 1},
    ],
)
def test_odd_messages_are_read_and_come_back(message: Any) -> None:
    data = json.dumps([CONTEXT[1], message]).encode()
    session = tape.load(data)
    assert session.format == "autogen"
    assert all(len(entry.blocks) == len(entry.heads) for entry in session.messages)
    assert tape.dump(session).data == data

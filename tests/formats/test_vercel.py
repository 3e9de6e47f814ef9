"""Vercel AI messages: steps of the interface come apart, results come out of the parts of their calls."""

from __future__ import annotations

import json
from typing import Any

import pytest

import tape
from tape.edits import from_json
from tape.model import Image, Session, ToolResult, ToolUse
from tests.formats.vercel_files import MODEL, UI, text, tool


def loaded(value: Any) -> Session:
    session = tape.load(json.dumps(value).encode())
    assert session.format == "vercel-ai"
    return session


def shape(session: Session) -> list[tuple[str, list[str]]]:
    return [(entry.role, [head.kind for head in entry.heads]) for entry in session.messages]


def states(session: Session) -> list[str]:
    return [link.state for link in tape.threads(session).links]


def test_steps_and_results_come_apart() -> None:
    session = loaded(UI)
    assert shape(session) == [
        ("user", ["text"]),
        ("assistant", ["thinking", "tool_use", "tool_use"]),
        ("user", ["tool_result", "tool_result"]),
        ("assistant", ["tool_use", "text"]),
        ("user", ["text"]),
    ]
    pairs = tape.threads(session)
    assert [link.state for link in pairs.links] == ["ok", "ok"]
    assert [one.id for one in pairs.unlinked] == ["m1"]
    call, failed = session.messages[1].blocks[1], session.messages[2].blocks[1]
    assert isinstance(call, ToolUse)
    assert (call.name, call.input) == ("weather", {"town": "Brno"})
    assert isinstance(failed, ToolResult)
    assert (failed.text, failed.is_error) == ("no data", True)
    assert [aside.kind for aside in session.asides] == ["step-start", "step-start", "source-url"]


def test_words_behind_an_answered_call_are_a_new_reply_without_a_step_too() -> None:
    parts = [text("I look."), tool("Brno", "output-available", output={"sun": True}), text("Sun.")]
    session = loaded([{"role": "user", "parts": [text("?")]}, {"role": "assistant", "parts": parts}])
    assert shape(session)[1:] == [
        ("assistant", ["text", "tool_use"]),
        ("user", ["tool_result"]),
        ("assistant", ["text"]),
    ]


def test_a_tool_that_the_provider_ran_is_answered_in_place() -> None:
    ran = tool("Brno", "output-available", output="Sun", providerExecuted=True)
    session = loaded([{"role": "assistant", "parts": [{"type": "step-start"}, ran, text("Sun.")]}])
    assert shape(session) == [("assistant", ["tool_use", "tool_result", "text"])]
    assert states(session) == ["server"]


def test_a_result_that_is_not_final_is_none() -> None:
    early = tool("Brno", "output-available", output="…", preliminary=True)
    assert shape(loaded([{"role": "assistant", "parts": [early]}])) == [("assistant", ["tool_use"])]


def test_messages_for_models_are_the_array() -> None:
    session = loaded(MODEL)
    assert shape(session) == [
        ("system", ["text"]),
        ("user", ["text", "image"]),
        ("assistant", ["tool_use", "tool_use"]),
        ("user", ["tool_result", "tool_result"]),
        ("assistant", ["text"]),
    ]
    assert states(session) == ["ok", "ok"]
    picture = session.messages[1].blocks[1]
    assert isinstance(picture, Image)
    second = session.messages[3].blocks[1]
    assert isinstance(second, ToolResult)
    assert (second.text, second.is_error) == ("Fog", True)


def test_version_4_has_tools_beside_the_words() -> None:
    done = {
        "toolCallId": "a",
        "toolName": "weather",
        "args": {"town": "Brno"},
        "state": "result",
        "result": "Sun",
    }
    session = loaded(
        [
            {"role": "user", "content": "Weather?"},
            {"role": "assistant", "content": "Sun.", "toolInvocations": [done]},
        ]
    )
    assert shape(session) == [
        ("user", ["text"]),
        ("assistant", ["tool_use"]),
        ("user", ["tool_result"]),
        ("assistant", ["text"]),
    ]
    assert states(session) == ["ok"]


def test_an_edit_changes_its_part() -> None:
    data = json.dumps(UI).encode()
    session = tape.load(data)
    use = {"type": "tool_use", "id": "Brno", "name": "climate", "input": {"town": "Brno"}}
    for op in (
        {"op": "replace", "target": "messages[1].content[1]", "value": use},
        {
            "op": "replace",
            "target": "messages[2].content[0]",
            "value": {"type": "tool_result", "tool_use_id": "Brno", "content": "Rain in Brno"},
        },
    ):
        session = tape.apply(session, from_json(op))
    done = tape.dump(session)
    assert done.losses == ()
    expected = data.replace(b'"tool-weather"', b'"tool-climate"', 1)
    assert done.data == expected.replace(b'"output": "Sun in Brno"', b'"output": "Rain in Brno"')


def test_a_deleted_pair_takes_its_part_along() -> None:
    session = loaded(UI)
    op = {"op": "delete", "targets": ["messages[1].content[1]"], "partners": True}
    done = tape.dump(tape.apply(session, from_json(op)))
    assert done.losses == ()
    assert json.loads(done.data)[1]["parts"] == UI[1]["parts"][:2] + UI[1]["parts"][3:]


@pytest.mark.parametrize(
    "value",
    [
        [
            {
                "role": "assistant",
                "parts": [None, 1, {"type": "tool-x"}, {"type": "dynamic-tool", "state": "result"}],
            }
        ],
        [{"role": "user", "content": [None, {"type": "tool-call"}]}, {"role": "tool", "content": "x"}],
        [{"role": "assistant", "toolInvocations": [1], "content": 3}, {"role": "data", "parts": []}],
    ],
)
def test_odd_messages_are_read_and_come_back(value: Any) -> None:
    data = json.dumps(value).encode()
    session = tape.load(data, format="vercel-ai")
    assert all(len(entry.blocks) == len(entry.heads) for entry in session.messages)
    assert tape.dump(session).data == data

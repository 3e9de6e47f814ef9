"""Agents with fewer users: what each form makes of the same little run."""

from __future__ import annotations

import json

import pytest

import tape
from tape.edits import from_json
from tape.model import Session
from tests.formats.log_lines import document, lines
from tests.formats.small_logs import SITUATIONS, droid, kimi, qwen, said


def load(name: str) -> Session:
    """The session of a situation."""
    return tape.load(SITUATIONS[name][1])


KINDS: dict[str, list[str]] = {
    "cursor-calls-without-ids": ["user text", "assistant text tool_use", "assistant text"],
    "droid-call": ["user text text", "assistant text tool_use", "user tool_result", "assistant text"],
    "goose-export": ["user text", "assistant text tool_use", "user tool_result", "assistant text"],
    "goose-lines": ["user text", "assistant text tool_use", "user tool_result", "assistant text"],
    "amp-run-results": ["user text", "assistant text tool_use tool_use", "user tool_result tool_result"],
    "kiro-empty-ids": ["user text", "assistant text tool_use", "user tool_result", "assistant text"],
    "qwen-parts": ["user text", "assistant thinking tool_use", "user tool_result", "assistant text"],
    "kimi-steps": [
        "user text",
        "assistant thinking tool_use tool_use",
        "user tool_result tool_result",
        "assistant text",
    ],
    "antigravity-steps": ["user text", "assistant text tool_use", "user tool_result", "assistant text"],
    "hermes-session": ["user text", "assistant tool_use", "user tool_result"],
    "vscode-rounds": [
        "user text",
        "assistant thinking text tool_use",
        "user tool_result",
        "assistant text",
        "user text",
        "assistant thinking text text",
    ],
}


@pytest.mark.parametrize("name", KINDS)
def test_the_array_has_its_messages_and_every_call_its_result(name: str) -> None:
    session = load(name)
    assert [" ".join([e.role, *(head.kind for head in e.heads)]) for e in session.messages] == KINDS[name]
    pairs = tape.threads(session)
    assert {link.state for link in pairs.links} <= {"ok"}
    assert [note.kind for note in session.notes] == (["no-results"] if "cursor" in name else [])
    assert len(pairs.unlinked) == ("cursor" in name)


@pytest.mark.parametrize(
    ("name", "spent"),
    [("kimi-steps", (9, 80, 5)), ("qwen-parts", (30, 70, 8)), ("amp-run-results", (4, 80, 9))],
)
def test_usage_follows_the_convention_of_the_format(name: str, spent: tuple[int, int, int]) -> None:
    usage = load(name).calls[0].usage
    assert usage is not None
    assert (usage.input, usage.cache_read, usage.output) == spent


def test_what_failed_is_marked() -> None:
    session = load("amp-run-results")
    assert [head.flags for head in session.messages[2].heads] == [(), ("error",)]
    assert session.messages[1].meta["stop_reason"] == "tool_use"


def test_system_prompt_tools_and_titles_are_taken_along() -> None:
    session = load("hermes-session")
    assert (session.system, session.model) == ("Be terse.", "test-1")
    assert session.tools is not None
    assert [tool.name for tool in session.tools] == ["ls"]
    assert [
        load(name).title for name in ("droid-call", "goose-export", "goose-lines", "amp-run-results")
    ] == ["Files"] * 4


def test_ids_of_ours_are_never_written() -> None:
    session = load("kiro-empty-ids")
    assert all("generated-id" in session.messages[i].heads[-1].flags for i in (1, 2))
    changed = tape.apply(session, from_json({"op": "replace", "target": "m2.0", "value": "b.txt"}))
    dumped = tape.dump(changed)
    assert json.loads(dumped.data)["history"][1]["user"]["content"]["ToolUseResults"]["tool_use_results"] == [
        {"tool_use_id": "", "content": [{"Text": "b.txt"}], "status": "Success"}
    ]
    assert b"gen_" not in dumped.data


def test_the_round_of_a_request_keeps_its_arguments_as_a_string() -> None:
    session = load("vscode-rounds")
    value = {"type": "tool_use", "id": "c1", "name": "list_dir", "input": {"path": "/tmp"}}
    changed = tape.apply(session, from_json({"op": "replace", "target": "m1.2", "value": value}))
    (call,) = json.loads(tape.dump(changed).data)["requests"][0]["result"]["metadata"]["toolCallRounds"][0][
        "toolCalls"
    ]
    assert call == {"id": "c1", "name": "list_dir", "arguments": '{"path": "/tmp"}'}


ODD: list[bytes] = [
    lines({"type": "context.append_message", "message": {"role": 1, "toolCalls": [1]}}, kimi("tool.result")),
    lines(
        {"step_index": 0, "source": 1, "type": "PLANNER_RESPONSE", "tool_calls": [1, {}]}, {"step_index": 1}
    ),
    lines(
        {"role": "user", "message": {"content": "x"}}, {"role": "assistant", "message": {"content": [None]}}
    ),
    lines(
        {"type": "session_start"}, droid(1, said("user", {"type": "zz"})), {"type": "message", "message": 3}
    ),
    lines(qwen(1, "user", {"text": "x"}), qwen(2, "assistant", {"zz": 1}), qwen(3, "zz")),
    document({"id": "T-2", "messages": [None, {"role": 1, "content": [{"type": "tool_result", "run": {}}]}]}),
    document(
        {
            "conversation_id": "k",
            "history": [{"user": {}, "assistant": {}}, 1, {"user": None, "assistant": 2}],
        }
    ),
    document(
        {
            "conversation": [
                {"role": "user", "content": [{"type": "toolRequest"}, {"type": "toolResponse"}, 1]}
            ]
        }
    ),
    document({"requests": [{"message": 1, "response": [1, {"kind": []}]}, {"message": {}, "result": {}}]}),
]


@pytest.mark.parametrize("data", ODD)
def test_odd_records_are_kept(data: bytes) -> None:
    reading = tape.read(data)
    assert reading.format in {format for format, _ in SITUATIONS.values()}
    for conversation in reading.conversations:
        session = conversation.load()
        assert tape.dump(session).data == data

"""Copilot CLI's events and Pi's tree of entries."""

from __future__ import annotations

import json
from typing import Any

import pytest

import tape
from tape.edits import from_json
from tape.model import Session, Text
from tests.formats.editor_logs import PI_HEAD, SITUATIONS, copilot, pi, pi_said
from tests.formats.log_lines import lines


def load(name: str) -> Session:
    """The session of a situation."""
    return tape.load(SITUATIONS[name][1])


def kinds(session: Session) -> list[tuple[str, list[str]]]:
    """Each message as its role and the kinds of its blocks."""
    return [(entry.role, [head.kind for head in entry.heads]) for entry in session.messages]


def test_events_become_prompts_replies_and_results() -> None:
    session = load("copilot-cli-parallel-calls")
    assert kinds(session) == [
        ("user", ["text"]),
        ("assistant", ["thinking", "tool_use", "tool_use"]),
        ("user", ["tool_result", "tool_result"]),
        ("assistant", ["text"]),
    ]
    assert (session.system, session.model, session.id, session.notes) == ("Be terse.", "test-1", "co-1", ())
    assert [head.flags for head in session.messages[2].heads] == [("error",), ()]
    assert [call.usage and (call.usage.input, call.usage.output) for call in session.calls] == [
        (None, 33),
        (None, 4),
    ]


def test_what_was_typed_follows_what_the_model_saw() -> None:
    session = load("copilot-cli-parallel-calls")
    (seen,) = session.messages[0].blocks
    assert isinstance(seen, Text)
    assert seen.text == "<now>noon</now>\ncount"
    changed = tape.apply(
        session, from_json({"op": "replace", "target": "m0.0", "value": "<now>noon</now>\nsum"})
    )
    data = json.loads(tape.dump(changed).data.splitlines()[2])["data"]
    assert (data["content"], data["transformedContent"]) == ("sum", "<now>noon</now>\nsum")


@pytest.mark.parametrize("name", ["copilot-cli-parallel-calls", "pi-calls-and-image"])
def test_the_chain_of_parents_holds_after_edits(name: str) -> None:
    session = load(name)
    for operation in (
        {"op": "insert", "at": 1, "message": {"role": "user", "content": "and more"}},
        {"op": "delete", "targets": [session.messages[-1].uid]},
        {"op": "append", "messages": [{"role": "user", "content": "thanks"}]},
    ):
        session = tape.apply(session, from_json(operation))
    dumped = tape.dump(session)
    values = [json.loads(line) for line in dumped.data.splitlines()]
    chained = [value for value in values if "parentId" in value]
    parents = [value["parentId"] for value in chained]
    assert parents == [None, *(value["id"] for value in chained[:-1])]
    assert not any(note.kind == "order-not-kept" for note in dumped.losses)


def test_pi_counts_leave_cached_tokens_out() -> None:
    session = load("pi-calls-and-image")
    usage = session.calls[0].usage
    assert usage is not None
    assert (usage.input, usage.cache_read, usage.cache_write, usage.output) == (5, 90, 7, 20)
    assert kinds(session)[1:3] == [("assistant", ["thinking", "tool_use"]), ("user", ["tool_result"])]
    assert "image" in session.messages[2].heads[0].flags
    assert session.messages[-1].heads[0].flags == ("injected",)
    assert session.notes == ()


def test_what_hangs_elsewhere_is_a_branch() -> None:
    session = load("pi-branch-left")
    assert [entry.text for entry in session.messages] == ["one", "first answer", "right way"]
    (branch,) = session.branches
    assert [entry.text for entry in branch.messages] == ["wrong way", "lost"]
    assert (branch.at, branch.name) == ("m1", "wrong way")


@pytest.mark.parametrize(
    "odd",
    [
        pi(9, 77, "message", message={"role": "user", "content": "x"}),
        pi(9, 1, "message", message={"role": [], "content": {"a": 1}}),
        pi(9, 1, "message", message={"role": "toolResult", "content": None}),
        pi(9, 1, "message", message=None),
        pi(9, 1, "zz-new"),
        copilot(9, "assistant.message", toolRequests=[None, {}], content=5),
        copilot(9, "tool.execution_complete"),
        copilot(9, "user.message", content=[1]),
        None,
    ],
)
def test_odd_entries_are_kept(odd: Any) -> None:
    first = [PI_HEAD, pi_said(1, None, "user", "a")]
    if isinstance(odd, dict) and "data" in odd:
        first = [copilot(1, "user.message", content="a")]
    data = lines(*first, odd)
    session = tape.load(data)
    assert session.messages[0].text == "a"
    assert tape.dump(session).data == data

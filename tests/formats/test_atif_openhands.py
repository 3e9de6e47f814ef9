"""ATIF trajectories and the event streams of OpenHands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tape
from tape.edits import from_json
from tape.model import Session
from tests.formats.agent_logs import SITUATIONS
from tests.formats.log_lines import document


def load(name: str) -> Session:
    """The session of a situation."""
    return tape.load(SITUATIONS[name][1])


def kinds(session: Session) -> list[tuple[str, list[str]]]:
    """Each message as its role and the kinds of its blocks."""
    return [(entry.role, [head.kind for head in entry.heads]) for entry in session.messages]


def test_the_real_trajectory_has_the_counts_of_a_hand_count(corpus: Callable[[str], Path]) -> None:
    path = corpus("atif/openhands_hello-world.trajectory.json")
    reading = tape.read(path)
    session = reading.conversations[0].load()
    assert (reading.format, reading.confidence) == ("atif", 3)
    assert kinds(session) == [
        ("system", ["text"]),
        ("user", ["text"]),
        ("system", ["text"]),
        ("system", ["text"]),
        ("assistant", ["text", "tool_use"]),
        ("user", ["tool_result"]),
        ("assistant", ["text", "tool_use"]),
    ]
    assert session.tools
    assert [one.state for one in tape.threads(session).unlinked] == ["pending"]
    assert [call.usage and call.usage.prompt for call in session.calls] == [100, 120]
    assert tape.dump(session).data == path.read_bytes()


def test_call_and_result_of_one_step_are_two_messages() -> None:
    session = load("atif-result-without-id")
    assert kinds(session)[2:] == [
        ("assistant", ["thinking", "text", "tool_use", "tool_use"]),
        ("user", ["tool_result", "tool_result"]),
        ("assistant", ["text"]),
    ]
    assert [link.state for link in tape.threads(session).links] == ["ok", "ok"]
    assert session.messages[3].heads[0].id == "c1"
    usage = session.calls[0].usage
    assert usage is not None
    assert (usage.input, usage.cache_read, usage.output) == (40, 60, 9)


@pytest.mark.parametrize(("ids", "notes"), [((1, 2), 0), ((1, 3), 1), ((0, 1), 1), ((1.0, 2.0), 2)])
def test_a_gap_in_the_numbers_of_steps_is_remarked(ids: tuple[float, float], notes: int) -> None:
    steps = [{"step_id": i, "source": "user", "message": "x"} for i in ids]
    session = tape.load(document({"schema_version": "ATIF-v1.4", "steps": steps}))
    assert [note.kind for note in session.notes] == ["step-id"] * notes


def test_calls_of_one_response_are_one_message() -> None:
    session = load("openhands-v1-parallel-calls")
    assert kinds(session) == [
        ("user", ["text"]),
        ("assistant", ["text", "tool_use", "tool_use"]),
        ("user", ["tool_result", "tool_result"]),
        ("assistant", ["text"]),
    ]
    assert (session.system, session.tools, session.notes) == ("Help.", (), ())
    assert [head.flags for head in session.messages[2].heads] == [(), ("error",)]


def test_events_of_the_older_form_are_tied_by_their_metadata() -> None:
    session = load("openhands-v0-events")
    assert kinds(session) == [
        ("user", ["text"]),
        ("assistant", ["text", "tool_use"]),
        ("user", ["tool_result"]),
        ("assistant", ["text"]),
    ]
    assert (session.system, session.model, session.notes) == ("Help.", "test-1", ())
    assert [call.usage and call.usage.prompt for call in session.calls] == [70, None]


@pytest.mark.parametrize(
    "odd",
    [
        None,
        {"kind": "ActionEvent"},
        {"kind": "ObservationEvent", "observation": {"content": {"a": 1}}},
        {"kind": "MessageEvent", "llm_message": [1]},
        {"source": "agent", "action": "run", "tool_call_metadata": {"model_response": 7}},
        {"source": "agent", "observation": "run", "cause": []},
    ],
)
def test_odd_events_are_kept(odd: Any) -> None:
    data = document([{"kind": "MessageEvent", "llm_message": {"role": "user", "content": "x"}}, odd])
    session = tape.load(data)
    assert session.messages[0].text == "x"
    assert tape.dump(session).data == data


@pytest.mark.parametrize(
    "name", ["openhands-v1-parallel-calls", "openhands-v0-events", "atif-result-without-id"]
)
def test_a_message_of_words_can_be_added(name: str) -> None:
    session = load(name)
    for role in ("user", "assistant"):
        session = tape.apply(
            session, from_json({"op": "append", "messages": [{"role": role, "content": f"{role} more"}]})
        )
    dumped = tape.dump(session)
    again = tape.load(dumped.data)
    assert [entry.text for entry in again.messages[-2:]] == ["user more", "assistant more"]
    assert {note.kind for note in dumped.losses} <= {"copies-left"}

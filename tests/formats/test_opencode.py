"""opencode: exports with several replies in one record, and what ``opencode run`` prints."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tape
from tape.edits import from_json
from tape.model import Session
from tests.formats.agent_logs import SITUATIONS, tool_part
from tests.formats.log_lines import document, lines

NAMES = ["opencode-several-replies-in-a-record", "opencode-run"]


def load(name: str) -> Session:
    """The session of a situation."""
    return tape.load(SITUATIONS[name][1])


def kinds(session: Session) -> list[tuple[str, list[str]]]:
    """Each message as its role and the kinds of its blocks."""
    return [(entry.role, [head.kind for head in entry.heads]) for entry in session.messages]


def test_the_real_stream_has_the_counts_of_a_hand_count(corpus: Callable[[str], Path]) -> None:
    path = corpus("opencode-run-json/fixture-opencode.jsonl")
    reading = tape.read(path)
    session = reading.conversations[0].load()
    assert (reading.format, reading.confidence) == ("opencode-run", 3)
    assert [role for role, _ in kinds(session)].count("assistant") == 5
    heads = [head for entry in session.messages for head in entry.heads]
    assert sum(head.kind == "tool_use" for head in heads) == 3
    assert sum(head.kind == "tool_result" for head in heads) == 3
    assert sum("error" in head.flags for head in heads) == 1
    assert all(
        entry.role == "assistant" or entry.heads[0].kind == "tool_result" for entry in session.messages
    )
    spent = [(u.input, u.cache_read, u.cache_write, u.output) for c in session.calls if (u := c.usage)]
    assert spent[0] == (2, 12985, 356, 132)
    assert len(spent) == 5
    assert [note.kind for note in session.notes] == ["no-prompt"]
    assert tape.dump(session).data == path.read_bytes()


@pytest.mark.parametrize("name", NAMES)
def test_replies_are_split_where_a_step_begins(name: str) -> None:
    session = load(name)
    assert kinds(session)[-3:] == [
        ("assistant", ["thinking", "tool_use", "tool_use"]),
        ("user", ["tool_result", "tool_result"]),
        ("assistant", ["text"]),
    ]
    assert [head.flags for head in session.messages[-2].heads] == [(), ("error",)]
    spent = [(u.input, u.cache_read, u.output, u.thinking) for c in session.calls if (u := c.usage)]
    assert spent == [(3, 90, 25, 5), (3, 90, 4, 0)]
    assert [call.stop_reason for call in session.calls] == ["tool-calls", "stop"]


def test_a_prompt_has_its_text_what_a_program_added_and_its_files() -> None:
    session = load(NAMES[0])
    assert kinds(session)[0] == ("user", ["text", "text", "image"])
    assert [head.flags for head in session.messages[0].heads] == [(), ("injected",), ()]
    assert (session.title, session.id, session.model) == ("Files", "ses_1", "test-1")


def test_a_call_that_still_runs_is_open() -> None:
    part = {"messageID": "m", **tool_part("c1", "running")}
    session = tape.load(lines({"type": "tool_use", "sessionID": "s", "part": part}))
    assert [one.state for one in tape.threads(session).unlinked] == ["pending"]


def test_a_result_that_goes_alone_leaves_its_call_running() -> None:
    session = load(NAMES[0])
    gone = tape.apply(session, from_json({"op": "delete", "targets": ["m2.0"], "partners": False}))
    dumped = tape.dump(gone)
    state = json.loads(dumped.data)["messages"][1]["parts"][2]["state"]
    assert (state["status"], "output" in state, dumped.losses) == ("running", False, ())


def test_a_call_goes_with_its_result() -> None:
    session = load(NAMES[0])
    gone = tape.apply(session, from_json({"op": "delete", "targets": ["m1.1"], "partners": True}))
    dumped = tape.dump(gone)
    parts = json.loads(dumped.data)["messages"][1]["parts"]
    assert [part.get("callID") for part in parts] == [None, None, "c2", None, None, None, None]
    assert dumped.losses == ()


@pytest.mark.parametrize(
    "odd", [None, 1, {"info": {}}, {"info": {"role": 1}, "parts": [1, {"type": "tool"}]}]
)
def test_odd_messages_are_kept(odd: Any) -> None:
    first = {"info": {"role": "user"}, "parts": [{"type": "text", "text": "x"}]}
    data = document({"info": {"id": "ses_2"}, "messages": [first, odd]})
    session = tape.load(data)
    assert session.messages[0].text == "x"
    assert tape.dump(session).data == data

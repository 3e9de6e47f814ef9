"""Chat logs of mux: a message of the Vercel AI SDK a line."""

from __future__ import annotations

import json
from typing import Any

import pytest

import tape
from tape.edits import from_json
from tests.formats.log_lines import lines
from tests.formats.mux_files import LOG, SITUATIONS


def test_a_reply_with_a_tool_comes_apart() -> None:
    """Four lines are six messages: call, result and answer of the second stand apart."""
    session = tape.load(SITUATIONS["mux-chat"][1])
    assert [(entry.role, [head.kind for head in entry.heads]) for entry in session.messages] == [
        ("user", ["text"]),
        ("assistant", ["thinking", "tool_use"]),
        ("user", ["tool_result"]),
        ("assistant", ["text"]),
        ("user", ["text"]),
        ("assistant", ["tool_use"]),
    ]
    assert [link.state for link in tape.threads(session).links] == ["ok"]
    assert session.id == "w1"
    assert session.messages[1].meta["timestamp"] == "2026-01-02T03:04:05Z"


def test_the_sum_of_a_line_is_counted_once_and_cached_input_stays_unknown() -> None:
    session = tape.load(SITUATIONS["mux-chat"][1])
    first, second, third = session.calls
    assert first.usage is None
    assert second.usage is not None
    assert (second.usage.input, second.usage.output) == (50, 8)
    assert third.usage is not None
    assert (third.usage.input, third.usage.cache_read) == (None, 40)
    assert [note.where for note in session.notes if note.kind == "usage-summed"] == ["line 2"]
    assert {call.model for call in session.calls} == {"made-up:one"}


def test_a_new_message_is_a_line_like_its_neighbors() -> None:
    data = SITUATIONS["mux-chat"][1]
    new = {"role": "user", "content": "And Linz?"}
    done = tape.dump(tape.apply(tape.load(data), from_json({"op": "append", "messages": [new]})))
    assert done.losses == ()
    assert done.data.startswith(data)
    assert json.loads(done.data[len(data) :]) == {
        "role": "user",
        "parts": [{"type": "text", "text": "And Linz?"}],
    }


@pytest.mark.parametrize(
    "line", [{"role": "user", "parts": None}, {**LOG[0], "metadata": 3}, {**LOG[0], "parts": [None]}, 5]
)
def test_odd_lines_are_read_and_come_back(line: Any) -> None:
    data = lines(LOG[0], line, LOG[1])
    session = tape.load(data)
    assert session.format == "mux"
    assert tape.dump(session).data == data

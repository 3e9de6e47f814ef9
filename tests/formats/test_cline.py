"""Cline: sessions of the SDK, and histories whose results are texts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tape
from tape.edits import from_json
from tape.model import Session, ToolResult
from tests.formats.editor_logs import SITUATIONS, use
from tests.formats.log_lines import document


def load(name: str) -> Session:
    """The session of a situation."""
    return tape.load(SITUATIONS[name][1])


def test_the_real_session_has_the_counts_of_a_hand_count(corpus: Callable[[str], Path]) -> None:
    path = corpus("cline/session.messages.json")
    reading = tape.read(path)
    session = reading.conversations[0].load()
    assert (reading.format, reading.confidence) == ("cline", 3)
    heads = [head for entry in session.messages for head in entry.heads]
    roles = [e.role for e in session.messages if any(head.kind != "tool_result" for head in e.heads)]
    assert [roles.count(role) for role in ("user", "assistant", "system")] == [5, 16, 0]
    assert sum(head.kind == "tool_use" for head in heads) == 11
    assert sum(head.kind == "tool_result" for head in heads) == 11
    assert {link.state for link in tape.threads(session).links} == {"ok"}
    assert session.system is not None
    assert session.notes == ()
    usage = session.calls[1].usage
    assert usage is not None
    assert (usage.prompt, usage.input, usage.cache_read, usage.output) == (35912, 1580, 34332, 164)
    assert tape.dump(session).data == path.read_bytes()
    changed = tape.apply(session, from_json({"op": "set_system", "system": "Be terse."}))
    dumped = tape.dump(changed)
    assert (json.loads(dumped.data)["system_prompt"], dumped.losses) == ("Be terse.", ())


def test_what_a_tool_gave_back_and_a_file_are_words() -> None:
    session = load("cline-sdk-session")
    (result,) = session.messages[2].blocks
    assert isinstance(result, ToolResult)
    assert result.text == "let a = 1"
    assert [head.kind for head in session.messages[0].heads] == ["text", "document"]
    usage = session.calls[0].usage
    assert usage is not None
    assert (usage.input, usage.cache_read, usage.cache_write, usage.output) == (30, 60, 10, 9)


def test_textual_results_are_paired_by_name_and_order() -> None:
    session = load("cline-textual-results")
    assert [head.kind for head in session.messages[2].heads] == ["text", "tool_result", "tool_result", "text"]
    links = [(link.call_uid, link.result_uid) for link in tape.threads(session).links]
    assert links == [("m1.0", "m2.1"), ("m1.1", "m2.2")]
    assert session.messages[2].heads[3].flags == ("injected",)
    assert all("generated-id" in head.flags for head in session.messages[2].heads[1:3])


def test_a_textual_result_that_is_edited_stays_a_text() -> None:
    session = load("cline-textual-results")
    changed = tape.apply(session, from_json({"op": "replace", "target": "m2.2", "value": "b.ts"}))
    dumped = tape.dump(changed)
    assert json.loads(dumped.data)[2]["content"][2]["text"] == "[list_files] Result:\nb.ts"
    assert dumped.losses == ()


def test_a_block_is_put_in_beside_its_neighbors() -> None:
    session = load("cline-sdk-session")
    block = {"type": "text", "text": "more"}
    changed = tape.apply(session, from_json({"op": "insert", "into": "m1", "index": 1, "block": block}))
    dumped = tape.dump(changed)
    content = json.loads(dumped.data)["messages"][1]["content"]
    assert [one["type"] for one in content] == ["text", "text", "tool_use"]
    assert (content[1], dumped.losses) == (block, ())


@pytest.mark.parametrize(
    "odd", [None, "x", {"role": 7}, {"role": "user", "content": [None, {"type": "tool_result"}]}]
)
def test_odd_messages_are_kept(odd: Any) -> None:
    marked = {"role": "assistant", "content": [use("t1", "read")], "modelInfo": {"id": "test-1"}}
    data = document({"messages": [marked, odd]})
    session = tape.load(data)
    assert session.messages[0].role == "assistant"
    assert tape.dump(session).data == data

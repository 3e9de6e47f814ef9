"""Codex rollouts: replies of several items, counters that run on, mirrors, roll-backs, failures."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tape
from tape.edits import from_json
from tape.formats.codex_items import failed
from tape.model import Session, ToolResult, ToolUse
from tests.formats.codex_files import (
    CODEX_META,
    PATCH,
    SITUATIONS,
    codex,
    codex_call,
    codex_counted,
    codex_output,
    codex_said,
    event,
    item,
)
from tests.formats.log_lines import lines


def load(*values: Any) -> Session:
    """The session of a rollout."""
    reading = tape.read(lines(*values))
    assert (reading.format, reading.confidence) == ("codex-rollout", 3)
    return reading.conversations[0].load()


def shown(session: Session) -> list[tuple[str, list[str]]]:
    """Each message as its role and the kinds of its blocks."""
    return [(entry.role, [head.kind for head in entry.heads]) for entry in session.messages]


def test_the_real_file_has_the_counts_of_a_hand_count(corpus: Callable[[str], Path]) -> None:
    path = corpus("codex-rollout/codex_session.jsonl")
    session = tape.load(path)
    heads = [head for entry in session.messages for head in entry.heads]
    said = [e for e in session.messages if any(head.kind == "text" for head in e.heads)]
    assert [entry.role for entry in said] == ["user", "user", "assistant", "user", "assistant"]
    assert sum(head.kind == "tool_use" for head in heads) == 5
    assert sum(head.kind == "tool_result" for head in heads) == 5
    assert sum("error" in head.flags for head in heads) == 2
    assert {link.state for link in tape.threads(session).links} == {"ok"}
    usages = [call.usage for call in session.calls]
    assert sum((u.prompt or 0) for u in usages if u) == 26740
    assert sum((u.output or 0) for u in usages if u) == 408
    assert sum((u.cache_read or 0) for u in usages if u) == 22912
    assert session.report is not None
    assert (session.report.records, session.report.unknown, session.notes) == (55, {}, ())
    assert tape.dump(session).data == path.read_bytes()


def test_a_reply_is_one_message_and_its_outputs_are_the_next() -> None:
    session = tape.load(SITUATIONS["codex-parallel-calls"][1])
    assert shown(session) == [
        ("system", ["text"]),
        ("user", ["text"]),
        ("user", ["text"]),
        ("assistant", ["thinking", "tool_use", "tool_use"]),
        ("user", ["tool_result", "tool_result"]),
        ("assistant", ["text"]),
    ]
    assert (session.system, session.model, session.id) == ("Be terse.", "gpt-test-1", "0c0d-ex")
    assert session.messages[0].meta["role"] == "developer"
    assert session.messages[1].heads[0].flags == ("injected",)
    calls = [block for block in session.messages[3].blocks if isinstance(block, ToolUse)]
    assert [call.input for call in calls] == [{"command": ["ls"]}, {"input": PATCH}]
    results = [block for block in session.messages[4].blocks if isinstance(block, ToolResult)]
    assert [result.is_error for result in results] == [True, False]
    assert session.title == "list the files"


def test_counters_that_run_on_become_increments() -> None:
    counted = [codex_counted(1000, 800, 50, 30)] * 2
    replies = [codex_said("user", "a"), codex_said("assistant", "b"), *counted]
    more = [codex_said("user", "c"), codex_said("assistant", "d"), codex_counted(2500, 2000, 120, 60)]
    session = load(CODEX_META, *replies, *more)
    spent = [(c.usage.input, c.usage.cache_read, c.usage.output) for c in session.calls if c.usage]
    assert spent == [(200, 800, 50), (300, 1200, 70)]


def test_a_fork_counts_what_it_added_to_the_total_of_its_parent() -> None:
    meta = codex("session_meta", id="fork", forked_from_id="parent")
    copied = [codex_said("user", "a"), codex_said("assistant", "b"), codex_counted(1000, 800, 50, 30)]
    own = [codex_said("user", "c"), codex_said("assistant", "d"), codex_counted(2500, 2000, 120, 60)]
    session = load(meta, *copied, *own)
    spent = [
        call.usage and (call.usage.input, call.usage.cache_read, call.usage.output) for call in session.calls
    ]
    assert spent == [None, (300, 1200, 70)]


def test_turns_that_were_rolled_back_are_a_branch() -> None:
    session = load(
        CODEX_META,
        codex_said("user", "one"),
        codex_said("assistant", "1"),
        codex_said("user", "two"),
        codex_said("assistant", "2"),
        codex_counted(10, 0, 5, 0),
        event("thread_rolled_back", num_turns=1),
        codex_said("user", "three"),
    )
    assert [entry.text for entry in session.messages] == ["one", "1", "three"]
    (branch,) = session.branches
    assert (branch.name, branch.at, branch.reason) == ("two", "m1", "rolled back")
    assert [entry.uid for entry in (*session.messages, *branch.messages)] == ["m0", "m1", "m4", "m2", "m3"]
    assert [call.usage is not None for call in session.calls if call.message_uid == "m3"] == [True]


def test_events_speak_where_there_are_no_items() -> None:
    session = load(
        CODEX_META,
        event("user_message", message="hello"),
        event("agent_reasoning", text="Hm"),
        event("agent_message", message="hi"),
    )
    assert shown(session) == [("user", ["text"]), ("assistant", ["thinking", "text"])]
    assert [note.kind for note in session.notes] == ["events-only"]


def test_an_edit_keeps_the_event_that_mirrors_it_in_step() -> None:
    data = SITUATIONS["codex-parallel-calls"][1]
    session = tape.apply(
        tape.load(data), from_json({"op": "replace", "target": "m5.0", "value": "Zwei <Dateien>."})
    )
    before, after = data.splitlines(), tape.dump(session).data.splitlines()
    changed = [i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
    assert changed == [14, 15]
    assert json.loads(after[14])["payload"]["message"] == "Zwei <Dateien>."


def test_arguments_keep_their_spacing_where_they_are_edited() -> None:
    call = item("function_call", name="f", arguments='{"a": 1,  "b":2}', call_id="c")
    session = load(CODEX_META, codex_said("user", "x"), call)
    value = {"type": "tool_use", "id": "c", "name": "f", "input": {"a": 1, "b": 3}}
    changed = tape.apply(session, from_json({"op": "replace", "target": "m1.0", "value": value}))
    written = json.loads(tape.dump(changed).data.splitlines()[-1])["payload"]
    assert (json.loads(written["arguments"]), written["call_id"]) == ({"a": 1, "b": 3}, "c")


@pytest.mark.parametrize(
    ("output", "says"),
    [
        ("Exit code: 0\nWall time: 0.1 seconds\nOutput:\nExit code: 7", False),
        ("Chunk ID: a\nWall time: 1\nProcess exited with code 2\nOutput:\n", True),
        ('{"output":"x","metadata":{"exit_code":1,"duration_seconds":0.1}}', True),
        ('{"output":"x","metadata":{"exit_code":0}}', False),
        ('{"output":"cut off', None),
        ("plain text that says Exit code: 3", None),
        ([{"type": "input_text", "text": "Exit code: 4\nOutput:\n"}], True),
        (None, None),
    ],
)
def test_failure_stands_in_the_text(output: Any, says: bool | None) -> None:
    assert failed(output) is says


def test_server_side_calls_need_no_answer_and_open_calls_stay_open() -> None:
    session = load(
        CODEX_META,
        codex_said("user", "x"),
        item("web_search_call", status="completed", action={"type": "search", "query": "q"}),
        codex_call("c1", command=["true"]),
    )
    assert [(head.kind, head.name) for head in session.messages[1].heads] == [
        ("other", "web_search_call"),
        ("tool_use", "shell"),
    ]
    assert session.notes == ()
    assert [one.state for one in tape.threads(session).unlinked] == ["pending"]


@pytest.mark.parametrize(
    "odd",
    [
        item("message"),
        item("message", role=[], content={"a": 1}),
        item("reasoning", summary="x", content=[None]),
        item("function_call", name=None, arguments={"a": 1}, call_id=5),
        codex_output("nobody", None),
        codex_output("nobody", [1, {"type": "input_image", "image_url": "data:image/png;base64,AA=="}]),
        event("token_count", info={"total_token_usage": {"input_tokens": "many"}}),
        event("thread_rolled_back", num_turns=-3),
        {"type": "response_item", "payload": None},
        codex("zz-new", a=1),
    ],
)
def test_odd_lines_are_kept(odd: Any) -> None:
    data = lines(CODEX_META, codex_said("user", "x"), odd, codex_said("assistant", "y"))
    session = tape.load(data)
    assert session.messages[-1].text.endswith("y")
    assert tape.dump(session).data == data


def test_an_unknown_line_is_one_note() -> None:
    session = load(CODEX_META, codex("zz-new"), codex_said("user", "x"), item("zz-item"), event("zz-event"))
    assert [(note.where, note.kind) for note in session.notes] == [
        ("line 5", "unknown-record"),
        ("line 4", "unknown-record"),
        ("line 2", "unknown-record"),
    ]

"""The SDK's stream: counts of the real file, sub-agents by call, partial replies, edits."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tape
from tape.edits import from_json
from tape.model import Session
from tests.formats.claude_code_lines import Line, jsonl, shape, text, use

RUN = "7d0e1111-0000-4000-8000-000000000001"


def line(kind: str, **fields: Any) -> Line:
    """A line of a stream."""
    return {"type": kind, **fields, "session_id": RUN}


def reply(id: str, *blocks: Line, parent: str | None = None, **fields: Any) -> Line:
    """An assistant line."""
    message = {"id": id, "role": "assistant", "model": "claude-test-1", "content": list(blocks), **fields}
    return line("assistant", message=message, parent_tool_use_id=parent)


def user(content: Any, parent: str | None = None, **fields: Any) -> Line:
    """A user line."""
    return line("user", message={"role": "user", "content": content}, parent_tool_use_id=parent, **fields)


def result(id: str, content: Any = "ok", parent: str | None = None, **fields: Any) -> Line:
    """A user line that answers a call."""
    block = {"tool_use_id": id, "type": "tool_result", "content": content}
    return user([block], parent, **fields)


def event(value: Line) -> Line:
    """A line with one event of a reply that is being streamed."""
    return line("stream_event", event=value, parent_tool_use_id=None)


def load(data: bytes) -> Session:
    """The session of a stream that must be recognized as one."""
    reading = tape.read(data, name="run.jsonl")
    assert (reading.format, reading.confidence) == ("claude-stream-json", 3)
    return reading.conversations[0].load()


INIT = line("system", subtype="init", model="claude-test-1", tools=["Read", "Bash"], cwd="/srv")
END = line(
    "result",
    subtype="success",
    num_turns=2,
    total_cost_usd=0.0125,
    usage={"input_tokens": 30, "output_tokens": 40},
)


def test_the_real_file_has_the_counts_of_a_hand_count(corpus: Callable[[str], Path]) -> None:
    path = corpus("claude-stream-json/stream.jsonl")
    session = load(path.read_bytes())
    heads = [head for entry in session.messages for head in entry.heads]
    assert [len(entry.heads) for entry in session.messages if entry.role == "assistant"] == [
        1,
        5,
        3,
        2,
        1,
        2,
        1,
        1,
    ]
    assert sum(head.kind == "tool_use" for head in heads) == 11
    assert sum(head.kind == "tool_result" for head in heads) == 11
    spoken = [
        e for e in session.messages if e.role == "user" and any(h.kind != "tool_result" for h in e.heads)
    ]
    assert [entry.uid for entry in spoken] == ["m1"]
    assert spoken[0].heads[0].flags == ("injected",)
    assert {link.state for link in tape.threads(session).links} == {"ok"}
    assert session.report is not None
    assert (session.report.records, session.report.unknown) == (48, {})
    assert [note.kind for note in session.notes] == ["no-prompt"]
    assert tape.dump(session).data == path.read_bytes()


def test_the_run_says_its_tools_cost_and_total() -> None:
    session = load(jsonl(INIT, user("go"), reply("m1", text("hi")), END))
    assert [(a.kind, a.text, a.after) for a in session.asides] == [
        ("init", "claude-test-1 with 2 tools: Read, Bash", None),
        ("result", "success, 2 turns, 0.0125 USD", "m1"),
    ]
    assert session.base is not None
    assert session.base.extra["total_cost_usd"] == 0.0125
    assert session.base.extra["total_usage"].output == 40
    assert (session.title, session.id, session.notes) == ("go", RUN, ())


def test_the_lines_of_a_sub_agent_are_a_lane_of_its_call() -> None:
    call = use("t1", "Task", prompt="find it", description="Hunt", subagent_type="Explore")
    data = jsonl(
        user("go"),
        reply("m1", call, use("b", "Read")),
        user("find it", "t1"),
        reply("s1", use("grep"), parent="t1"),
        result("b"),
        result("grep", parent="t1"),
        result("t1", "found"),
    )
    session = load(data)
    assert [words for _, words in shape(session)] == [["go"], ["use:t1", "use:b"], ["res:b", "res:t1"]]
    (lane,) = session.lanes
    assert (lane.spawned_by, lane.agent, lane.session.title) == ("m1.0", "Explore", "Hunt")
    assert [words for _, words in shape(lane.session)] == [["find it"], ["use:grep"], ["res:grep"]]
    assert tape.dump(session).data == data


def test_a_stream_kept_as_one_array_reads_the_same() -> None:
    lines = [INIT, user("go"), reply("m1", text("hi")), reply("m1", use("a")), result("a"), END]
    data = json.dumps(lines, indent=1).encode()
    session = load(data)
    assert shape(session) == shape(load(jsonl(*lines)))
    assert tape.dump(session).data == data
    changed = tape.apply(session, from_json({"op": "replace", "target": "m1.0", "value": "hello"}))
    assert tape.dump(changed).data == data.replace(b'"text": "hi"', b'"text": "hello"')


def test_a_run_that_died_before_the_model_spoke_has_no_messages() -> None:
    session = load(jsonl(INIT, line("system", subtype="api_retry", attempt=1, error="rate_limit")))
    assert (session.messages, [a.text for a in session.asides][1]) == ((), "rate_limit")


STREAMED = [
    event({"type": "message_start", "message": {"id": "m1", "role": "assistant", "model": "claude-test-1"}}),
    event({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
    event({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hel"}}),
    event({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "lo"}}),
]


def test_events_are_not_shown_twice() -> None:
    session = load(jsonl(user("go"), *STREAMED, reply("m1", text("Hello"))))
    assert [words for _, words in shape(session)] == [["go"], ["Hello"]]


def test_a_reply_that_only_events_tell_of_is_put_together() -> None:
    data = jsonl(user("go"), *STREAMED)
    session = load(data)
    assert [words for _, words in shape(session)] == [["go"], ["Hello"]]
    assert (session.messages[1].heads[0].chars, session.calls[0].id) == (5, "m1")
    changed = tape.apply(session, from_json({"op": "replace", "target": "m1.0", "value": "x"}))
    dumped = tape.dump(changed)
    assert (dumped.data, [note.kind for note in dumped.losses]) == (data, ["message-kept"])
    gone = tape.apply(session, from_json({"op": "delete", "targets": ["m1"]}))
    assert tape.dump(gone).data == jsonl(user("go"))


def test_edits_change_only_their_lines() -> None:
    lines = [
        user("go"),
        reply("m1", text("a"), use("b")),
        result("b", "old", tool_use_result={"stdout": "old"}),
        END,
    ]
    session = load(jsonl(*lines))
    for operation in (
        {"op": "replace", "target": "m2.0", "value": "new"},
        {"op": "insert", "at": 0, "message": {"role": "user", "content": "first"}},
        {"op": "append", "messages": [{"role": "assistant", "content": [text("x"), text("y")]}]},
    ):
        session = tape.apply(session, from_json(operation))
    dumped = tape.dump(session)
    values = [json.loads(one) for one in dumped.data.splitlines()]
    assert values[1:3] == lines[:2]
    assert values[3] == result("b", "new", tool_use_result={"stdout": "new"})
    assert values[-1] == END
    assert values[0] == user("first")
    assert [v["message"]["content"] for v in values[4:6]] == [[text("x")], [text("y")]]
    assert dumped.losses == ()
    assert shape(load(dumped.data)) == shape(session)


def test_an_unknown_line_is_one_note() -> None:
    session = load(jsonl(user("go"), line("zz-latch"), line("system", subtype="zz"), reply("m1", text("hi"))))
    assert [(note.where, note.kind) for note in session.notes] == [
        ("line 3", "unknown-record"),
        ("line 2", "unknown-record"),
    ]


@pytest.mark.parametrize(
    "odd", [[1], None, "x", {"type": "user", "session_id": RUN}, {"type": [], "session_id": 7}]
)
def test_odd_lines_are_kept(odd: Any) -> None:
    data = jsonl(user("go"), odd, reply("m1", text("hi")))
    session = load(data)
    assert len(session.messages) == 2
    assert tape.dump(session).data == data


def test_a_stream_cannot_be_made_of_other_sessions() -> None:
    formats = {one.name: one.write for one in tape.formats.FORMATS}
    assert formats["claude-stream-json"] is None

"""SWE-agent and mini-swe-agent trajectories, and the lines of codex exec."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import tape
from tape.edits import from_json
from tape.model import Session
from tests.formats.agent_logs import COMMAND, SITUATIONS, THREAD
from tests.formats.log_lines import lines


def load(name: str) -> Session:
    """The session of a situation."""
    return tape.load(SITUATIONS[name][1])


def test_the_real_trajectory_has_the_counts_of_a_hand_count(corpus: Callable[[str], Path]) -> None:
    path = corpus("swe-agent/marshmallow-1867.traj")
    reading = tape.read(path)
    session = reading.conversations[0].load()
    assert reading.format == "swe-agent"
    heads = [head for entry in session.messages for head in entry.heads]
    roles = [e.role for e in session.messages if any(head.kind == "text" for head in e.heads)]
    assert [roles.count(role) for role in ("user", "assistant", "system")] == [1, 11, 1]
    assert sum(head.kind == "tool_use" for head in heads) == 11
    assert sum(head.kind == "tool_result" for head in heads) == 11
    assert {link.state for link in tape.threads(session).links} == {"ok"}
    assert tape.dump(session).data == path.read_bytes()
    changed = tape.apply(session, from_json({"op": "replace", "target": "m3.0", "value": "gone"}))
    dumped = tape.dump(changed)
    assert [note.kind for note in dumped.losses] == ["copies-left"]
    before, after = path.read_bytes().splitlines(), dumped.data.splitlines()
    assert sum(a != b for a, b in zip(before, after, strict=True)) == 1


def test_an_id_that_is_used_again_answers_the_call_before_it() -> None:
    links = tape.threads(load("swe-agent-same-id-twice")).links
    assert [(link.call_uid, link.result_uid) for link in links] == [("m2.1", "m3.0"), ("m4.1", "m5.0")]
    assert [a.kind for a in load("swe-agent-same-id-twice").asides] == ["exit_status", "model_stats"]


def test_usage_stands_in_the_response_that_is_kept_with_a_reply() -> None:
    session = load("mini-swe-agent-tool-calls")
    (call,) = session.calls
    assert call.usage is not None
    assert (call.id, call.model, call.stop_reason) == ("r1", "test-1", "tool_calls")
    assert (call.usage.input, call.usage.cache_read, call.usage.output) == (10, 40, 5)
    assert (session.notes, session.messages[-1].meta["role"]) == ((), "exit")


def test_the_last_line_of_an_item_counts() -> None:
    session = load("codex-exec")
    assert [[head.kind for head in entry.heads] for entry in session.messages] == [
        ["thinking", "tool_use"],
        ["tool_result"],
        ["text"],
    ]
    assert session.messages[1].heads[0].flags == ("error",)
    usage = session.calls[-1].usage
    assert usage is not None
    assert (usage.input, usage.cache_read, usage.output) == (200, 700, 40)
    assert ([note.kind for note in session.notes], session.id) == (["no-prompt"], "t-1")


def test_a_command_that_never_ended_is_an_open_call() -> None:
    session = tape.load(lines(THREAD, {"type": "item.started", "item": COMMAND}))
    assert [one.state for one in tape.threads(session).unlinked] == ["pending"]

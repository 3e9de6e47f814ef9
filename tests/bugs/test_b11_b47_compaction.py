"""B11, B47: compaction that cuts through a batch of calls, or is repeated over a call that got no result."""

from __future__ import annotations

import json

import pytest

import tape
from tape.edits import Compact
from tape.errors import UserError
from tape.model import Session
from tape.repairs import repairs
from tape.rules import Finding
from tests.strategies import answer, assistant, call, session, text, user

CALLS = [{"id": f"c{n}", "type": "function", "function": {"name": "ls", "arguments": "{}"}} for n in (1, 2)]
BATCH = {
    "messages": [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": CALLS},
        {"role": "tool", "tool_call_id": "c1", "content": "a.py"},
        {"role": "tool", "tool_call_id": "c2", "content": "b.py"},
        {"role": "assistant", "content": "done"},
        {"role": "user", "content": "thanks"},
    ]
}


def refused(start: Session, endpoint: str = "anthropic") -> list[Finding]:
    return [finding for finding in tape.lint(start, endpoint) if finding.severity == "refused"]


@pytest.mark.parametrize("endpoint", ["anthropic", "openai-chat"])
@pytest.mark.parametrize("keep", range(5))
def test_b11_no_cut_of_a_batch_adds_a_finding(keep: int, endpoint: str) -> None:
    start = tape.load(json.dumps(BATCH).encode(), format="openai-chat")
    assert refused(start, endpoint) == []
    after = tape.apply(start, Compact(keep_last=keep, summary="They listed two files."))
    assert refused(after, endpoint) == []
    kept = json.loads(tape.dump(after).data)["messages"]
    assert sum(entry["role"] == "tool" for entry in kept) in (0, 2)


def test_b11_a_cut_between_two_results_of_a_batch_moves_to_its_edge() -> None:
    start = session(
        user("go"), assistant(call("a"), call("b")), user(answer("a")), user(answer("b")), assistant("done")
    )
    after = tape.apply(start, Compact(keep_last=2, summary="s"))
    assert [entry.uid for entry in after.messages] == ["n0", "m1", "m2", "m3", "m4"]
    assert refused(after) == []


def test_b47_compacting_twice_adds_nothing_and_reports_the_old_orphan() -> None:
    start = session(
        user("go"), assistant(call("a")), user(text("so"), answer("a")), assistant(call("z")), user("go on")
    )
    before = [(finding.code, finding.uids) for finding in refused(start)]
    assert ("unanswered-tool-use", ("m3.0",)) in before
    once = tape.apply(start, Compact(keep_last=2, summary="They went."))
    assert [entry.uid for entry in once.messages] == ["n0", "m3", "m4"]
    (old,) = refused(once)
    assert (old.code, old.uids) == ("unanswered-tool-use", ("m3.0",))
    assert refused(tape.apply(once, repairs(once, old)[0])) == []
    twice = tape.apply(once, Compact(keep_last=1, summary="They went on."))
    assert [entry.text for entry in twice.messages] == ["They went on.", "go on"]
    assert refused(twice) == []


def test_b47_a_mixed_message_is_kept_or_goes_with_its_call() -> None:
    start = session(
        user("go"), assistant(call("a")), user(answer("a"), text("so?")), assistant("x"), user("y")
    )
    for keep in range(5):
        try:
            after = tape.apply(start, Compact(keep_last=keep, summary="s"))
        except UserError:
            continue
        kept = {entry.uid for entry in after.messages}
        assert ("m1" in kept) == ("m2" in kept)
        assert refused(after) == []

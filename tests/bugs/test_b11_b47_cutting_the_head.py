"""B11, B47: cutting off the head never leaves half a pair, and what was half before is offered for repair."""

from __future__ import annotations

import json

import pytest

import tape
from tape.edits import Delete
from tape.model import Session
from tape.repairs import mend
from tape.rules import Finding
from tape.wire import message_json
from tests.strategies import answer, assistant, call, session, text, user

CALLS = [{"id": f"c{n}", "type": "function", "function": {"name": "ls", "arguments": "{}"}} for n in (1, 2)]
BATCH = {
    "messages": [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": CALLS},
        {"role": "tool", "tool_call_id": "c1", "content": "a.py"},
        {"role": "tool", "tool_call_id": "c2", "content": "b.py"},
        {"role": "assistant", "content": "two files"},
        {"role": "user", "content": "thanks"},
    ]
}
MIXED = session(
    user("start"),
    assistant(call("a")),
    user(answer("a"), text("and be quick")),
    assistant(call("z")),
    user("go on"),
)


def refused(start: Session, endpoint: str) -> list[Finding]:
    """What the endpoint refuses."""
    return [one for one in tape.lint(start, endpoint) if one.severity == "refused"]


@pytest.mark.parametrize("endpoint", ["openai-chat", "anthropic", "mistral"])
@pytest.mark.parametrize("cut", range(1, 5))
def test_b11_wherever_the_head_is_cut_no_pair_is_halved(cut: int, endpoint: str) -> None:
    start = tape.load(json.dumps(BATCH).encode(), format="openai-chat")
    assert refused(start, endpoint) == []
    after = tape.apply(start, Delete(tuple(range(min(cut, len(start.messages))))))
    pairs = tape.threads(after)
    assert [one for one in pairs.unlinked if one.state != "pending"] == []
    assert {link.state for link in pairs.links} <= {"ok"}
    assert [f.code for f in refused(after, endpoint) if "tool" in f.code] == []


def test_b11_a_result_without_its_call_at_the_head_is_found_and_can_be_mended() -> None:
    body = {"messages": BATCH["messages"][3:]}
    start = tape.load(json.dumps(body).encode(), format="openai-chat")
    (finding,) = refused(start, "openai-chat")
    assert (finding.code, finding.where) == ("orphan-tool-result", "messages[0].content[0]")
    safe, unsafe = finding.repairs
    assert (safe.safe, unsafe.safe) == (True, False)
    assert refused(mend(start, safe), "openai-chat") == []


def test_b47_an_old_call_without_a_result_is_reported_and_can_be_answered() -> None:
    (finding,) = refused(MIXED, "anthropic")
    assert (finding.code, finding.where) == ("unanswered-tool-use", "messages[3].content[0]")
    assert refused(mend(MIXED, finding.repairs[0]), "anthropic") == []


def test_b47_a_message_that_is_kept_loses_its_result_with_the_call() -> None:
    after = tape.apply(MIXED, Delete((0, 1)))
    assert message_json(after.messages[0]) == user(text("and be quick"))
    before = {(one.code, one.uids) for one in refused(MIXED, "anthropic")}
    assert {(one.code, one.uids) for one in refused(after, "anthropic")} <= before


def test_b47_cutting_again_and_again_adds_nothing() -> None:
    known = {(one.code, one.uids) for one in refused(MIXED, "anthropic")}
    left = MIXED
    while len(left.messages) > 1:
        left = tape.apply(left, Delete((0,)))
        assert {(one.code, one.uids) for one in refused(left, "anthropic")} <= known

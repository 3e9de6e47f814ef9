"""B08, B10, B14: calls that were never answered, answered late, or answered behind other words."""

from __future__ import annotations

import json

import pytest

import tape
from tape.edits.history import History
from tape.model import Session
from tape.repairs import repairs
from tape.rules import Finding
from tape.wire import message_json
from tests.strategies import answer, assistant, call, session, text, user


def refused(start: Session, endpoint: str = "anthropic") -> list[Finding]:
    return [finding for finding in tape.lint(start, endpoint) if finding.severity == "refused"]


def entries(start: Session) -> list[dict[str, object]]:
    return [message_json(entry) for entry in start.messages]


def test_b08_two_calls_of_an_interrupted_run_are_answered_in_the_next_user_message() -> None:
    start = session(
        user("go"),
        assistant(call("a", "ls"), call("b", "cat", {"p": "x"})),
        user("continue"),
        model="claude-opus-5-5",
    )
    found = refused(start)
    assert [(f.code, f.uids, f.where) for f in found] == [
        ("unanswered-tool-use", ("m1.0",), "messages[1].content[0]"),
        ("unanswered-tool-use", ("m1.1",), "messages[1].content[1]"),
    ]
    for order in (found, found[::-1]):
        history = History(start)
        for finding in order:
            repair = repairs(history.session, finding)[0]
            assert repair.safe
            history.apply(repair)
        first, second, last = history.session.messages[2].blocks
        assert [(b.tool_use_id, b.is_error) for b in (first, second)] == [("a", True), ("b", True)]
        assert last.text == "continue"
        assert len(history.session.messages) == 3
        assert refused(history.session) == []
        history.undo()
        assert history.undo() is start


def test_b08_a_call_at_the_very_end_is_pending_and_not_broken() -> None:
    start = session(user("go"), assistant(call("a")))
    assert refused(start) == []
    assert [f.severity for f in tape.lint(start) if f.code == "unanswered-tool-use"] == ["hint"]


OPENAI = {
    "messages": [
        {"role": "user", "content": "go"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "ls", "arguments": "{}"}}],
        },
        {"role": "user", "content": "never mind"},
        {"role": "tool", "tool_call_id": "c1", "content": "done"},
        {"role": "assistant", "content": "fine"},
    ]
}


@pytest.mark.parametrize("endpoint", ["anthropic", "openai-chat"])
def test_b10_a_late_result_moves_behind_its_call_and_the_words_follow_it(endpoint: str) -> None:
    start = tape.load(json.dumps(OPENAI).encode(), format="openai-chat")
    assert [link.state for link in tape.threads(start).links] == ["late"]
    (finding,) = refused(start, endpoint)
    assert finding.code == "late-tool-result"
    (repair,) = repairs(start, finding)
    assert repair.safe
    after = tape.apply(start, repair)
    written = json.loads(tape.dump(after).data)["messages"]
    assert [entry["role"] for entry in written] == ["user", "assistant", "tool", "user", "assistant"]
    assert sorted(map(json.dumps, written)) == sorted(map(json.dumps, OPENAI["messages"]))
    assert after.messages[3] is start.messages[2]
    assert refused(after, endpoint) == []


def test_b14_results_come_first_and_keep_their_order() -> None:
    start = session(
        user("go"),
        assistant(call("a", "faq", {"q": "x"}), call("b")),
        user(text("and also"), answer("b", "1"), text("so"), answer("a", "42")),
    )
    assert {link.state for link in tape.threads(start).links} == {"misplaced"}
    found = refused(start)
    assert [f.code for f in found] == ["result-not-first", "result-not-first"]
    after = tape.apply(start, repairs(start, found[0])[0])
    assert entries(after)[2] == user(answer("b", "1"), answer("a", "42"), text("and also"), text("so"))
    assert refused(after) == []

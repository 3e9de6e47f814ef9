"""B13: ids that start again in every response. B17: a server's tool, paired inside one message."""

from __future__ import annotations

import pytest

import tape
from tape.edits import Delete
from tape.model import Session
from tape.repairs import repairs
from tape.wire import message_json
from tests.strategies import answer, assistant, call, session, text, user

APART = session(
    user("go"),
    assistant(call("call_0", "ls")),
    user(answer("call_0", "one")),
    assistant(call("call_0", "pwd")),
    user(answer("call_0", "two")),
)
TOGETHER = session(
    user("go"),
    assistant(call("call_0", "ls"), call("call_0", "pwd")),
    user(answer("call_0", "one"), answer("call_0", "two")),
)


@pytest.mark.parametrize(
    ("start", "pairs"),
    [
        (APART, [("m1.0", "m2.0"), ("m3.0", "m4.0")]),
        (TOGETHER, [("m1.0", "m2.0"), ("m1.1", "m2.1")]),
    ],
)
def test_b13_a_result_belongs_to_the_nearest_open_call_and_one_pair_is_renamed(
    start: Session, pairs: list[tuple[str, str]]
) -> None:
    assert [(link.call_uid, link.result_uid) for link in tape.threads(start).links] == pairs
    (finding,) = [f for f in tape.lint(start) if f.code == "duplicate-tool-use-id"]
    assert finding.severity == "refused"
    assert finding.uids == pairs[1]
    (repair,) = repairs(start, finding)
    after = tape.apply(start, repair)
    links = tape.threads(after).links
    assert [(link.call_uid, link.result_uid) for link in links] == pairs
    assert [link.id for link in links] == ["call_0", "call_0_2"]
    assert [f.code for f in tape.lint(after) if f.severity == "refused"] == []


SERVER = [
    {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}},
    {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []},
]


def test_b17_a_server_pair_needs_no_answer_from_the_user() -> None:
    start = session(user("news?"), assistant(*SERVER, text("none")), user("thanks"))
    assert [link.state for link in tape.threads(start).links] == ["server"]
    assert [f for f in tape.lint(start) if f.severity == "refused"] == []
    for half in ("m1.0", "m1.1"):
        after = tape.apply(start, Delete((half,)))
        assert message_json(after.messages[1]) == assistant(text("none"))


def test_b17_what_is_left_of_a_server_pair_is_found_and_deleted() -> None:
    start = session(user("news?"), assistant(SERVER[1], text("none")), user("thanks"))
    (finding,) = [f for f in tape.lint(start) if f.severity == "refused"]
    assert finding.code == "unpaired-server-tool"
    (repair,) = repairs(start, finding)
    assert not repair.safe
    assert message_json(tape.apply(start, repair).messages[1]) == assistant(text("none"))

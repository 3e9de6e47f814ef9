"""Deleting keeps pairs whole unless told otherwise, and says what it takes along."""

from __future__ import annotations

import pytest

from tape.edits import Delete, apply, sentence
from tape.edits.delete import offer, plan
from tape.errors import UserError
from tape.model import Session
from tape.threads import threads
from tape.wire import message_json
from tests.strategies import answer, assistant, call, session, text, user

CALL_GONE = "Deleted the call to read_file"
SERVER = [
    {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}},
    {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []},
]
SIGNED = {"type": "thinking", "thinking": "Look first.", "signature": "c2ln"}
TWO = session(user("go"), assistant(call("a"), call("b")), user(answer("a"), answer("b")), assistant("done"))
MIXED = session(
    user("go"), assistant(text("I see."), call("a")), user(answer("a"), text("so?")), assistant("x")
)
TWICE = session(user("go"), assistant(call("a")), user(answer("a", "1"), answer("a", "2")), assistant("x"))
LATE = session(assistant(call("a")), user("never mind"), user(answer("a")), assistant("x"))
SEARCH = session(user("go"), assistant(*SERVER, text("found")), user("thanks"))
THOUGHT = session(user("go"), assistant(SIGNED, text("I see."), call("a")), user(answer("a")), assistant("x"))


def entries(after: Session) -> list[dict[str, object]]:
    return [message_json(entry) for entry in after.messages]


@pytest.mark.parametrize(
    ("start", "targets", "left", "said"),
    [
        (TWO, ["m1"], [0, 3], "Deleted message 1 and the 2 results that answered it"),
        (TWO, ["m2"], [0, 3], "Deleted message 2 and the 2 calls it answered"),
        (TWO, ["m0", "m1"], [3], "Deleted messages 0–1 and the 2 results that answered them"),
        (TWO, ["m3"], [0, 1, 2], "Deleted message 3"),
        (TWO, [0, 1, 2, 3], [], "Deleted messages 0–3"),
        (
            LATE,
            ["m0.0"],
            [1, 3],
            f"{CALL_GONE} in message 0 and the result that answered it",
        ),
        (
            TWICE,
            ["m1.0"],
            [0, 3],
            f"{CALL_GONE} in message 1 and the 2 results that answered it",
        ),
    ],
)
def test_partners_go_along(start: Session, targets: list[str], left: list[int], said: str) -> None:
    operation = Delete(tuple(targets))
    after = apply(start, operation)
    assert after.messages == tuple(start.messages[i] for i in left)
    assert sentence(start, operation) == said


def test_one_call_of_two_takes_its_result_only() -> None:
    operation = Delete(("m1.1",))
    assert entries(apply(TWO, operation)) == [
        user("go"),
        assistant(call("a")),
        user(answer("a")),
        assistant("done"),
    ]
    assert sentence(TWO, operation) == (
        "Deleted the call to read_file in message 1 (block 1) and the result that answered it"
    )
    assert [one.uid for one in plan(TWO, operation).along] == ["m2.1"]


def test_a_mixed_message_keeps_its_words() -> None:
    assert entries(apply(MIXED, Delete(("m1",)))) == [user("go"), user(text("so?")), assistant("x")]
    assert entries(apply(MIXED, Delete(("m2",)))) == [user("go"), assistant(text("I see.")), assistant("x")]


def test_a_second_answer_goes_alone() -> None:
    after = apply(TWICE, Delete(("m2.1",)))
    assert entries(after)[2] == user(answer("a", "1"))
    assert {link.state for link in threads(after).links} == {"ok"}


@pytest.mark.parametrize("target", ["m1.0", "m1.1"])
def test_a_server_call_and_its_result_are_one(target: str) -> None:
    assert entries(apply(SEARCH, Delete((target,))))[1] == assistant(text("found"))


def test_a_pair_is_broken_on_purpose() -> None:
    alone = Delete(("m1.0",), partners=False)
    after = apply(TWO, alone)
    assert [one.state for one in threads(after).unlinked] == ["orphan"]
    assert sentence(TWO, alone) == (
        "Deleted the call to read_file in message 1 (block 0), leaving 1 result without a call"
    )
    unanswered = Delete(("m2",), partners=False)
    assert [one.state for one in threads(apply(TWO, unanswered)).unlinked] == ["pending", "pending"]
    assert sentence(TWO, unanswered) == "Deleted message 2, leaving 2 calls without a result"


def test_thinking_stays_unless_it_is_asked_to_go() -> None:
    keep, drop = Delete(("m1.2",)), Delete(("m1.2",), thinking=True)
    assert entries(apply(THOUGHT, keep))[1] == assistant(SIGNED, text("I see."))
    assert entries(apply(THOUGHT, drop))[1] == assistant(text("I see."))
    said = offer(plan(THOUGHT, keep))
    assert said is not None
    assert said.startswith("Message 1 would keep signed thinking whose call is gone.")
    assert offer(plan(THOUGHT, drop)) is None
    assert offer(plan(THOUGHT, Delete(("m1",)))) is None
    assert offer(plan(TWO, Delete(("m1.0",)))) is None
    assert sentence(THOUGHT, drop) == (
        f"{CALL_GONE} in message 1, the result that answered it and the thinking that led there"
    )


def test_nothing_to_delete_is_said() -> None:
    with pytest.raises(UserError, match="no message and no block"):
        apply(TWO, Delete(()))

"""Pairing: which result answers which call, and how each pair or lonely end is named."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from tape.model import Session, Text, ToolResult, ToolUse, message
from tape.threads import threads
from tests.strategies import answer, assistant, call, session, sessions, text, user

SERVER = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []}
GO = user("go")
AB = assistant(call("a"), call("b"))


def states(*entries: dict[str, Any], **how: Any) -> list[tuple[str, str, str]]:
    """Every link as (call place, result place, state), places as ``message.block``."""
    found = threads(session(*entries), **how)
    at = {uid: f"{i}.{j}" for uid, (i, j) in found.positions.items()}
    return [(at[link.call_uid], at[link.result_uid], link.state) for link in found.links]


def alone(*entries: dict[str, Any]) -> list[tuple[str, str]]:
    """Every unlinked end as (place, state)."""
    found = threads(session(*entries))
    at = {uid: f"{i}.{j}" for uid, (i, j) in found.positions.items()}
    return [(at[one.uid], one.state) for one in found.unlinked]


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        pytest.param([GO, AB, user(answer("b"), answer("a"))], ["ok", "ok"], id="answered out of order"),
        pytest.param([GO, AB, user(answer("a")), user(answer("b"))], ["split", "split"], id="two messages"),
        pytest.param(
            [AB, user(answer("a")), user("x"), user(answer("b"))], ["ok", "late"], id="typed between"
        ),
        pytest.param(
            [AB, user(answer("a"), text("x")), user(answer("b"))], ["ok", "late"], id="text between"
        ),
        pytest.param([AB, user(text("x"), answer("a"), answer("b"))], ["misplaced"] * 2, id="text first"),
        pytest.param([AB, user(answer("a"), text("x"), answer("b"))], ["ok", "misplaced"], id="text inside"),
        pytest.param([AB, user(answer("a"), answer("b"), text("x"))], ["ok", "ok"], id="text last"),
        pytest.param(
            [AB, user("x"), user(answer("a"), answer("b"))], ["late", "late"], id="a message between"
        ),
        pytest.param(
            [assistant(call("a")), user("x"), assistant("y"), user(answer("a"))], ["late"], id="turns between"
        ),
        pytest.param(
            [assistant(call("a")), assistant("y"), user(answer("a"))], ["ok"], id="merged neighbors"
        ),
        pytest.param([assistant(call("a"), answer("a"))], ["misplaced"], id="answered by the assistant"),
        pytest.param(
            [assistant(call("a")), {"role": "system", "content": "s"}, user(answer("a"))],
            ["late"],
            id="system",
        ),
        pytest.param(
            [assistant(call("a")), user(answer("a"), answer("a"))], ["ok", "duplicate"], id="answered twice"
        ),
        pytest.param(
            [assistant(call("a")), user(answer("a")), assistant("x"), user(answer("a"))],
            ["ok", "duplicate"],
            id="answered again later",
        ),
        pytest.param([assistant(SERVER, FOUND)], ["server"], id="server tool"),
        pytest.param([assistant(SERVER), assistant(FOUND)], ["server"], id="resumed after a pause"),
        pytest.param(
            [assistant(SERVER, call("a")), user(answer("a")), assistant(FOUND)],
            ["server", "ok"],
            id="client results while the server works",
        ),
        pytest.param(
            [assistant(SERVER), user("x"), assistant(FOUND)], ["late"], id="user spoke before the server"
        ),
    ],
)
def test_link_states(entries: list[dict[str, Any]], expected: list[str]) -> None:
    assert [state for _, _, state in states(*entries)] == expected
    assert alone(*entries) == []


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        pytest.param([GO, AB], [("1.0", "pending"), ("1.1", "pending")], id="at the end"),
        pytest.param([GO, AB, user(answer("a"))], [("1.1", "unanswered")], id="half answered"),
        pytest.param([assistant(call("a")), assistant("x")], [("0.0", "pending")], id="last turn"),
        pytest.param([assistant(call("a")), user("x")], [("0.0", "unanswered")], id="user went on"),
        pytest.param(
            [user(answer("a")), AB],
            [
                ("0.0", "orphan"),
                ("1.0", "pending"),
                ("1.1", "pending"),
            ],
            id="result before its call",
        ),
        pytest.param([assistant(SERVER)], [("0.0", "pending")], id="paused server tool"),
        pytest.param([assistant(SERVER), user("x")], [("0.0", "unanswered")], id="closed server tool"),
        pytest.param(
            [assistant(FOUND, SERVER)],
            [
                ("0.0", "orphan"),
                ("0.1", "pending"),
            ],
            id="server result first",
        ),
        pytest.param(
            [assistant(SERVER, call("s1")), user(answer("s1"))],
            [("0.0", "pending")],
            id="a client result does not answer a server call",
        ),
    ],
)
def test_unlinked_states(entries: list[dict[str, Any]], expected: list[tuple[str, str]]) -> None:
    assert alone(*entries) == expected


def test_a_round_is_split_around_a_call_without_an_answer() -> None:
    entries = [assistant(call("a"), call("b"), call("c")), user(answer("a")), user(answer("c"))]
    assert [state for _, _, state in states(*entries)] == ["split", "split"]
    assert alone(*entries) == [("0.1", "unanswered")]


def test_ids_that_start_over_pair_by_position() -> None:
    x = assistant(call("call_0", "ls"))
    assert states(x, user(answer("call_0")), x, user(answer("call_0"))) == [
        ("0.0", "1.0", "ok"),
        ("2.0", "3.0", "ok"),
    ]


def test_calls_of_one_message_with_one_id_are_answered_in_order() -> None:
    entries = [assistant(*[call("x")] * 3), user(*[answer("x")] * 3)]
    assert [(c, r) for c, r, _ in states(*entries)] == [("0.0", "1.0"), ("0.1", "1.1"), ("0.2", "1.2")]


def test_a_result_answers_the_nearest_open_call() -> None:
    entries = [assistant(call("x")), user("no"), assistant(call("x")), user(answer("x"))]
    assert states(*entries) == [("2.0", "3.0", "ok")]
    assert alone(*entries) == [("0.0", "unanswered")]


def test_without_merging_an_assistant_message_in_between_makes_it_late() -> None:
    entries = [assistant(call("a")), assistant("y"), user(answer("a"))]
    assert states(*entries, merge=False) == [("0.0", "2.0", "late")]
    assert states(assistant(call("a")), user(answer("a")), merge=False) == [("0.0", "1.0", "ok")]


def test_an_interrupted_result_is_given_up() -> None:
    asked = message("m0", "assistant", (ToolUse(uid="m0.0", id="a", name="ls", input={}),))
    told = ToolResult(uid="m1.0", tool_use_id="a", content="stopped", is_error=True)
    stopped = message("m1", "user", (told, Text(uid="m1.1", text="go on")), meta={"interrupted": True})
    (link,) = threads(Session((asked, stopped))).links
    assert (link.state, link.name) == ("given-up", "ls")


def test_lookups() -> None:
    found = threads(session(GO, AB, user(answer("b"), answer("b")), user("x")))
    assert found.partners("m1.1") == ("m2.0", "m2.1")
    assert found.partners("m2.1") == ("m1.1",)
    assert found.partners("m1.0") == found.partners("m0.0") == ()
    assert found.states == {"m1.0": "unanswered"}
    assert found.place("m2.1") == "messages[2].content[1]"
    (group,) = found.rounds
    assert group == ("m1", ("m1.0", "m1.1"), (None, "m2.0"))
    with pytest.raises(KeyError):
        found.place("m0.0")


def test_server_calls_are_no_part_of_a_round() -> None:
    found = threads(session(assistant(SERVER, FOUND, call("a")), user(answer("a"))))
    assert [group.call_uids for group in found.rounds] == [("m0.2",)]


@given(sessions())
def test_every_end_is_linked_once_or_named_unlinked(made: Session) -> None:
    found = threads(made)
    calls = {h.uid for m in made.messages for h in m.heads if h.kind == "tool_use"}
    results = {h.uid for m in made.messages for h in m.heads if h.kind == "tool_result"}
    lonely = {one.uid for one in found.unlinked}
    linked_calls = {link.call_uid for link in found.links}
    linked_results = [link.result_uid for link in found.links]
    assert len(linked_results) == len(set(linked_results))
    assert linked_calls | set(linked_results) | lonely == calls | results
    assert not lonely & (linked_calls | set(linked_results))
    assert all(
        len([x for x in found.links if x.call_uid == uid and x.state != "duplicate"]) == 1
        for uid in linked_calls
    )


@given(sessions())
def test_a_result_never_stands_before_its_call(made: Session) -> None:
    found = threads(made)
    assert all(found.positions[link.call_uid] < found.positions[link.result_uid] for link in found.links)
    assert all(link.id == _quoted(made, found.positions[link.result_uid]) for link in found.links)


def _quoted(made: Session, at: tuple[int, int]) -> str | None:
    return made.messages[at[0]].heads[at[1]].id

"""What can go wrong between the loop and a server: one clear sentence each time, and the session stays whole.

The real SDK talks to a server on the loopback address that misbehaves on purpose.
"""

from __future__ import annotations

import json
import re

import pytest

from tape.agent import Ended, Failed, Limits, Refused, Streamed, run
from tape.client import Client, custom
from tape.growth import retried
from tape.threads import threads
from tests.loopback import HoldingServer, RawServer, response
from tests.strategies import answer, assistant, call, session, user
from tests.test_client import HALF, KEY, START, errors, sse

SESSION = session(
    user("Read a."),
    assistant(call("toolu_1", "read_file", {"path": "a"})),
    user(answer("toolu_1", "text of a")),
)
BUSY = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
SIGNED = [
    {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Hm"}},
]
CALL = [
    {
        "type": "content_block_start",
        "index": 1,
        "content_block": {"type": "tool_use", "id": "toolu_2", "name": "read_file", "input": {}},
    },
    {
        "type": "content_block_delta",
        "index": 1,
        "delta": {"type": "input_json_delta", "partial_json": '{"path": "b'},
    },
]


def stream(*events: object) -> bytes:
    """An answer of events that ends with its connection."""
    return response(200, sse(*events), kind="text/event-stream")  # type: ignore[arg-type]


BROKEN_OFF = (
    "The endpoint broke the answer off with an error. It says: Overloaded. Nothing is lost; try again in "
    "a moment."
)
CASES = {
    "400": (
        errors(400, "invalid_request_error", "messages.2: roles must alternate"),
        "The endpoint refuses this request (400). It says: messages.2: roles must alternate. Mend the array "
        "(see Problems), then send it again.",
        [],
    ),
    "401": (
        errors(401, "authentication_error", f"invalid key {KEY}"),
        "The endpoint does not accept the key (401). It says: invalid key [key]. Check the key and the base "
        "URL it belongs to.",
        [],
    ),
    "413 that is no JSON": (
        response(413, b"<html><h1>413 Too Large</h1></html>", kind="text/html"),
        "The request is larger than the endpoint takes (413). "
        "Make the array shorter, for example by compacting it.",
        [],
    ),
    "429 with retry-after": (
        errors(429, "rate_limit_error", "Slow down.", "retry-after: 17"),
        "The endpoint asks to slow down (429). It says: Slow down. It asks to wait 17 seconds; "
        "nothing is lost.",
        [],
    ),
    "529": (
        errors(529, "overloaded_error", "Overloaded"),
        "The endpoint is overloaded (529). It says: Overloaded. Nothing is lost; try again in a moment.",
        [],
    ),
    "error event first": (
        stream(START, BUSY),
        BROKEN_OFF,
        [],
    ),
    "error event in thinking": (
        stream(START, *SIGNED, BUSY),
        BROKEN_OFF,
        [],
    ),
    "error event in a text": (
        stream(*HALF, BUSY),
        BROKEN_OFF,
        ["text"],
    ),
    "cut in a text": (
        stream(*HALF),
        "The connection was closed before the answer was complete. What had come is kept; try again.",
        ["text"],
    ),
    "cut in a call": (
        stream(*HALF, *CALL),
        "The connection was closed before the answer was complete. What had come is kept; try again.",
        ["text"],
    ),
    "cut before anything": (
        b"",
        "Nothing answers at URL, or the connection was cut. Check the address and that the server runs, then "
        "try again.",
        [],
    ),
}


@pytest.mark.parametrize("name", list(CASES))
def test_a_fault_gives_one_sentence_and_leaves_the_session_whole(name: str) -> None:
    raw, sentence, kept = CASES[name]
    with RawServer(raw).running() as url, Client(custom(url, KEY), retries=0) as client:
        *_, end = run(SESSION, client, limits=Limits(calls=3))
    assert isinstance(end, Failed | Refused)
    assert end.sentence.replace(url, "URL") == sentence
    assert end.session.messages[:3] == SESSION.messages
    assert [head.kind for entry in end.session.messages[3:] for head in entry.heads] == kept
    assert all(entry.meta["interrupted"] for entry in end.session.messages[3:])
    assert all(entry.blocks for entry in end.session.messages)
    assert {link.state for link in threads(end.session).links} == {"ok"}
    if not kept:
        assert end.session is SESSION
    if isinstance(end, Failed):
        assert end.can_retry
        assert end.retry_after == (17 if "429" in name else None)
    assert KEY not in repr(end)


def test_a_broken_off_answer_is_a_branch_when_the_call_is_tried_again() -> None:
    with RawServer(stream(*HALF)).running() as url, Client(custom(url), retries=0) as client:
        *_, end = run(SESSION, client)
    again = retried(end.session)
    assert again.messages == SESSION.messages
    assert [(b.name, [m.text for m in b.messages]) for b in again.branches] == [
        ("broken-off answer", ["Half an ans"])
    ]
    assert retried(SESSION) is SESSION
    assert retried(again) is again


def test_a_slow_first_byte_is_waited_for() -> None:
    server = HoldingServer()
    with server.running() as url, Client(custom(url), retries=0) as client:
        *_, end = run(SESSION, client, limits=Limits(seconds=0.5))
    assert isinstance(end, Ended)
    assert (end.reason, end.session) == ("seconds", SESSION)


def test_an_answer_streams_in_and_ends() -> None:
    closing = [
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}},
        {"type": "message_stop"},
    ]
    with RawServer(stream(*HALF, *closing)).running() as url, Client(custom(url)) as client:
        events = list(run(SESSION, client))
    assert any(isinstance(event, Streamed) for event in events)
    end = events[-1]
    assert isinstance(end, Ended)
    assert (end.reason, end.session.messages[-1].text) == ("end_turn", "Half an ans")
    assert end.session.calls[-1].usage is not None
    assert end.session.calls[-1].usage.output == 2


@pytest.mark.parametrize("status", [429, 529, 500])
def test_what_may_pass_is_tried_again_before_it_is_told(status: int) -> None:
    server = RawServer(errors(status, "overloaded_error", "busy", "retry-after-ms: 1"))
    with server.running() as url, Client(custom(url), retries=2) as client:
        *_, end = run(SESSION, client)
    assert isinstance(end, Failed)
    assert len(server.requests) == 3


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413])
def test_what_is_wrong_in_itself_is_not_tried_again(status: int) -> None:
    server = RawServer(errors(status, "invalid_request_error", "no"))
    with server.running() as url, Client(custom(url), retries=2) as client:
        *_, end = run(SESSION, client)
    assert isinstance(end, Refused)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("delta", "reason"),
    [
        ({"stop_reason": "max_tokens"}, "max_tokens"),
        ({"stop_reason": "refusal"}, "refusal"),
        ({"stop_reason": "model_context_window_exceeded"}, "model_context_window_exceeded"),
        ({"stop_reason": "stop_sequence"}, "stop_sequence"),
        ({"stop_reason": "something_new"}, "something_new"),
        ({}, "end_turn"),
    ],
)
def test_every_stop_reason_ends_the_run_by_its_name(delta: dict[str, str], reason: str) -> None:
    closing = [
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": delta},
        {"type": "message_stop"},
    ]
    with RawServer(stream(*HALF, *closing)).running() as url, Client(custom(url)) as client:
        *_, end = run(SESSION, client)
    assert isinstance(end, Ended)
    assert end.reason == reason
    assert len(end.session.messages) == 4


def test_no_key_reaches_another_address_or_a_message() -> None:
    server = RawServer(errors(401, "authentication_error", json.dumps({"sent": KEY})))
    with server.running() as url, Client(custom(url), retries=0) as client:
        *_, end = run(SESSION, client)
    assert isinstance(end, Refused)
    assert not re.search(KEY, server.requests[0].decode("latin-1"))

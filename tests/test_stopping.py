"""A run that is stopped ends at once, whatever it waits for, and leaves nothing half-done in the session."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from tape.agent import (
    Ended,
    Event,
    Limits,
    MessageComplete,
    Streamed,
    ToolFinished,
    ToolStarted,
    open_calls,
    run,
)
from tape.assembly import InputPiece, TextPiece
from tape.client import Client, custom, embedded
from tape.model import Session, ToolUse
from tape.tools.base import Outcome, Work
from tape.wire import request
from tests.loopback import HoldingServer, response
from tests.strategies import assistant, call, session, user
from tests.test_client import HALF, START, sse

QUESTION = session(user("2+2?"))
HEAD = b"HTTP/1.1 200 X\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
LONG = 8.0
"""Seconds: far less than any timeout, far more than a busy machine needs for what takes a tenth."""


def chunk(data: bytes) -> bytes:
    """A piece of a body whose end is not told."""
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


def ended(events: list[Event]) -> Ended:
    """The last event, which is the only one of its kind."""
    assert [type(e) for e in events if isinstance(e, Ended)] == [type(events[-1])]
    last = events[-1]
    assert isinstance(last, Ended)
    return last


@pytest.mark.parametrize(
    ("first", "kept"),
    [
        (b"", []),
        (HEAD, []),
        (HEAD + chunk(sse(START)), []),
        (HEAD + chunk(sse(*HALF)), ["Half an ans"]),
    ],
    ids=["no first byte", "headers only", "message begun", "half a text"],
)
def test_a_stop_ends_a_silent_call_and_closes_its_connection(first: bytes, kept: list[str]) -> None:
    server = HoldingServer(first)
    seen: list[Event] = []

    def stop() -> bool:
        come = [e for e in seen if isinstance(e, Streamed) and isinstance(e.piece, TextPiece)]
        return server.asked.is_set() and len(come) >= len(kept)

    with server.running() as url, Client(custom(url)) as client:
        begun = time.monotonic()
        for event in run(QUESTION, client, stop=stop):
            seen.append(event)
        end = ended(seen)
        assert time.monotonic() - begun < LONG
        assert server.closed.wait(LONG), "the connection is still open"
    assert end.reason == "stopped"
    assert [message.text for message in end.session.messages[1:]] == kept
    assert all(message.meta["interrupted"] for message in end.session.messages[1:])
    assert server.connections == 1


def test_a_stop_on_a_connection_that_was_used_before_closes_it_too() -> None:
    answered = HEAD + chunk(sse(START, *_whole("Hello."))) + b"0\r\n\r\n"
    server = HoldingServer(answered)
    stopped = threading.Event()
    with server.running() as url, Client(custom(url)) as client:
        assert ended(list(run(QUESTION, client))).reason == "end_turn"
        threading.Timer(0.3, stopped.set).start()
        assert ended(list(run(QUESTION, client, stop=stopped.is_set))).reason == "stopped"
        assert server.closed.wait(LONG)
    assert server.connections == 1


def _whole(text: str) -> list[dict[str, object]]:
    return [
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
        {"type": "message_stop"},
    ]


def test_time_that_runs_out_ends_a_silent_call() -> None:
    server = HoldingServer()
    with server.running() as url, Client(custom(url)) as client:
        assert ended(list(run(QUESTION, client, limits=Limits(seconds=0.3)))).reason == "seconds"
        assert server.closed.wait(LONG)


def test_a_run_that_nobody_reads_on_closes_its_connection() -> None:
    server = HoldingServer(HEAD + chunk(sse(*HALF)))
    with server.running() as url, Client(custom(url)) as client:
        events = run(QUESTION, client)
        while not isinstance(next(events), Streamed):
            continue
        events.close()
        assert server.closed.wait(LONG)


def test_an_unfinished_input_is_neither_carried_out_nor_sent() -> None:
    half = [
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "I look."}},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "content_block_start",
            "index": 1,
            "content_block": {"type": "tool_use", "id": "toolu_1", "name": "read_file", "input": {}},
        },
        {
            "type": "content_block_delta",
            "index": 1,
            "delta": {"type": "input_json_delta", "partial_json": '{"pa'},
        },
    ]
    seen: list[Event] = []
    with HoldingServer(HEAD + chunk(sse(START, *half))).running() as url, Client(custom(url)) as client:

        def stop() -> bool:
            return any(isinstance(e, Streamed) and isinstance(e.piece, InputPiece) for e in seen)

        for event in run(QUESTION, client, stop=stop):
            seen.append(event)
    end = ended(seen)
    assert end.reason == "stopped"
    assert not open_calls(end.session)
    assert request(end.session)["messages"][1]["content"] == [{"type": "text", "text": "I look."}]
    assert not any(isinstance(event, ToolStarted) for event in seen)


class Slow:
    """A source whose work lasts until it is cancelled; ``done`` counts works that were begun."""

    def __init__(self, result: Callable[[], Outcome] | None = None) -> None:
        self.cancelled = threading.Event()
        self.begun = threading.Semaphore(0)
        self.result = result

    def take(self, call: ToolUse) -> Work:
        def work() -> Outcome:
            self.begun.release()
            self.cancelled.wait(30)
            return Outcome("late", False, "workspace", "slow")

        return self.result or work

    def cancel(self) -> None:
        self.cancelled.set()


CALLS = session(user("go"), assistant(call("a", "one"), call("b", "two"), call("c", "three")))


def test_a_stop_ends_tools_and_leaves_their_calls_open() -> None:
    slow, stopped = Slow(), threading.Event()
    threading.Timer(0.2, stopped.set).start()
    with Client(embedded(pace=0)) as client:
        begun = time.monotonic()
        end = ended(list(run(CALLS, client, [slow], resume=True, stop=stopped.is_set)))
    assert time.monotonic() - begun < LONG
    assert (end.reason, end.session) == ("stopped", CALLS)
    assert [c.id for c in open_calls(end.session)] == ["a", "b", "c"]
    assert slow.cancelled.is_set()


def test_tools_that_take_too_long_get_an_honest_error() -> None:
    slow = Slow()
    with Client(embedded(pace=0)) as client:
        events = list(run(CALLS, client, [slow], Limits(calls=1, tool_seconds=0.2), resume=True))
    results = request(ended(events).session)["messages"][2]["content"]
    assert [result["tool_use_id"] for result in results] == ["a", "b", "c"]
    assert {result["is_error"] for result in results} == {True}
    assert results[1]["content"] == "two did not finish within 0.2 seconds; it was given up."


class Together:
    """A source whose works end only when all three are under way at the same time."""

    def __init__(self) -> None:
        self.barrier = threading.Barrier(3)

    def take(self, call: ToolUse) -> Work:
        def work() -> Outcome:
            self.barrier.wait(20)
            if call.name == "two":
                raise OSError("disk on fire")
            return Outcome(f"result of {call.name}", False, "workspace", "together")

        return work


def test_calls_of_one_answer_run_side_by_side_and_are_answered_in_call_order() -> None:
    with Client(embedded(pace=0)) as client:
        events = list(run(CALLS, client, [Together()], Limits(calls=1), resume=True))
    kinds = [type(event) for event in events]
    assert kinds[:6] == [ToolStarted] * 3 + [ToolFinished] * 3
    results = request(ended(events).session)["messages"][2]["content"]
    assert [(r["tool_use_id"], r["content"], r.get("is_error")) for r in results] == [
        ("a", "result of one", None),
        ("b", "two failed: OSError: disk on fire", True),
        ("c", "result of three", None),
    ]


def test_each_result_says_where_it_comes_from() -> None:
    with Client(embedded(pace=0)) as client:
        events = list(run(CALLS, client, [Together()], Limits(calls=1), resume=True))
    results = ended(events).session.messages[2]
    assert results.provenance.origin == "workspace"
    assert [results.meta["results"][head.uid] for head in results.heads] == [
        ("workspace", "together"),
        ("loop", "the tool raised"),
        ("workspace", "together"),
    ]


def test_streamed_text_comes_piece_by_piece() -> None:
    with Client(embedded(pace=0.01)) as client:
        events = list(run(QUESTION, client))
    pieces = [e.piece for e in events if isinstance(e, Streamed) and isinstance(e.piece, TextPiece)]
    assert len(pieces) > 1
    assert "".join(piece.text for piece in pieces) == ended(events).session.messages[-1].text
    assert isinstance(events[-2], MessageComplete)


def test_a_broken_answer_leaves_the_session_as_it_was() -> None:
    whole: Session = QUESTION
    raw = response(200, sse(START), kind="text/event-stream")
    with HoldingServer(raw[:40]).running() as url, Client(custom(url), retries=0) as client:
        end = ended(list(run(whole, client, limits=Limits(seconds=0.5))))
    assert (end.session, end.reason) == (whole, "seconds")

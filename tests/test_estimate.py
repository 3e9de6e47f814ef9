"""What a run would cost, before it is made; and the caps that end it."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal

import pytest

from tape.agent import LIVE_LIMITS, Ended, Limits, RequestSent, run
from tape.client import Client, custom, embedded
from tape.estimate import estimate
from tape.growth import continuation, open_calls
from tape.model import Session
from tape.wire import request
from tests.loopback import RawServer, response
from tests.strategies import answer, assistant, call, session, text, user
from tests.test_client import sse

PRICED, UNPRICED = "claude-opus-5-5", "llama-of-mine"


def asked(model: str, **params: object) -> Session:
    """A question to a model."""
    return replace(session(user("What is it? " * 50)), params={"model": model, "max_tokens": 1000, **params})


def test_an_estimate_says_tokens_and_usd_with_and_without_the_answer() -> None:
    found = estimate(asked(PRICED))
    assert 100 < found.prompt_tokens < 1000
    assert found.usd is not None
    assert found.most_usd is not None
    assert Decimal(0) < found.usd < found.most_usd
    assert found.sentence.startswith(f"About {found.prompt_tokens:,} tokens, $0.00")
    assert found.sentence.endswith("with the answer (estimated).")


def test_an_unknown_price_is_unknown_and_not_zero() -> None:
    found = estimate(asked(UNPRICED))
    assert (found.usd, found.most_usd) == (None, None)
    assert "the price of llama-of-mine is not known" in found.sentence
    assert "which model answers is not known" in estimate(replace(session(user("hi")), params={})).sentence


def answering(model: str, tokens: int, *blocks: dict[str, object], reason: str = "end_turn") -> bytes:
    """A stream that says which model answers and what it used."""
    usage = {"input_tokens": tokens, "output_tokens": tokens}
    start = {"type": "message_start", "message": {"id": "msg_1", "model": model, "usage": usage}}
    body = [
        event
        for index, block in enumerate(blocks)
        for event in (
            {"type": "content_block_start", "index": index, "content_block": block},
            {"type": "content_block_stop", "index": index},
        )
    ]
    end = {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage}
    return response(200, sse(start, *body, end, {"type": "message_stop"}), kind="text/event-stream")


ASKS = {"type": "tool_use", "id": "toolu_1", "name": "anything", "input": {}}


def calls_until(limits: Limits, model: str, tokens: int) -> tuple[int, str]:
    """How many calls a run makes whose model always asks for a tool, and why it ends."""
    server = RawServer(answering(model, tokens, ASKS, reason="tool_use"))
    with server.running() as url, Client(custom(url), retries=0) as client:
        *_, end = run(asked(model), client, (), limits)
    assert isinstance(end, Ended)
    return len(server.requests), end.reason


def test_the_cap_in_usd_ends_a_run_between_two_calls() -> None:
    made, reason = calls_until(Limits(usd=0.50), PRICED, 8_000)
    assert reason == "usd"
    assert 1 <= made < 20
    more, _ = calls_until(Limits(usd=1.00), PRICED, 8_000)
    assert more > made


def test_a_call_that_alone_would_go_over_the_cap_is_not_made() -> None:
    assert calls_until(Limits(usd=0.000001), PRICED, 1) == (0, "usd")


def test_where_no_price_is_known_tokens_are_capped() -> None:
    assert calls_until(Limits(usd=0.50, unpriced_tokens=10_000), UNPRICED, 3_000) == (2, "unpriced_tokens")
    assert calls_until(Limits(calls=3, usd=0.50), UNPRICED, 3_000) == (3, "calls")


def test_the_limits_of_a_live_run_are_half_a_dollar_and_a_bound_without_prices() -> None:
    assert (LIVE_LIMITS.usd, LIVE_LIMITS.calls) == (0.50, 20)
    assert LIVE_LIMITS.unpriced_tokens is not None


def test_the_estimate_is_told_before_a_live_call_and_not_on_the_embedded_endpoint() -> None:
    server = RawServer(answering(PRICED, 5, {"type": "text", "text": "Hi."}))
    with server.running() as url, Client(custom(url)) as client:
        first = next(run(asked(PRICED), client))
    assert isinstance(first, RequestSent)
    assert first.estimate == estimate(asked(PRICED))
    with Client(embedded(pace=0)) as client:
        own = next(run(asked(PRICED), client, (), Limits(usd=0.000001)))
    assert isinstance(own, RequestSent)
    assert own.estimate is None


def test_an_answer_that_was_cut_off_can_be_gone_on_with() -> None:
    server = RawServer(answering(PRICED, 5, {"type": "text", "text": "Half"}, reason="max_tokens"))
    with server.running() as url, Client(custom(url)) as client:
        *_, end = run(asked(PRICED), client)
    assert isinstance(end, Ended)
    assert end.reason == "max_tokens"
    further = continuation(end.session)
    assert further is not None
    assert [entry.role for entry in further.messages] == ["user", "assistant", "user"]
    assert further.messages[:2] == end.session.messages
    assert json.dumps(request(further)["messages"][-1]).count("go on") == 1


def test_a_cut_behind_a_whole_call_goes_on_with_its_result() -> None:
    cut = session(user("go"), assistant(text("I look."), call("a", "ls")))
    assert continuation(cut) is cut
    assert open_calls(cut)
    assert continuation(session(user("go"))) is None
    assert continuation(session(user("go"), assistant(call("a", "ls")), user(answer("a")))) is None


@pytest.mark.parametrize("scripted", [True, False])
def test_a_script_behind_a_base_url_costs_nothing(scripted: bool) -> None:
    raw = answering(PRICED, 10_000_000, ASKS, reason="tool_use")
    if scripted:
        raw = raw.replace(b"Connection: close", b"Connection: close\r\nTapedeck-Scripted: true")
    server = RawServer(raw)
    with server.running() as url, Client(custom(url), retries=0) as client:
        *_, end = run(asked(PRICED), client, (), Limits(calls=3, usd=0.50))
    assert isinstance(end, Ended)
    assert end.reason == ("calls" if scripted else "usd")

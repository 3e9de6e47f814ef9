"""The count of an endpoint: asked for over HTTP, said to be the endpoint's, and a refusal is one sentence."""

from __future__ import annotations

import json

import pytest

from components.endpoint_count import counted_by
from tape.client import CallFailed, custom
from tape.endpoint.app import create_app
from tape.errors import UserError
from tests.loopback import RawServer, response, serving
from tests.strategies import assistant, call, session, user

ARRAY = session(user("go"), assistant("done"), user("and now?"), model="claude-opus-5-5")


def test_the_endpoint_counts_the_whole_next_call() -> None:
    server = RawServer(response(200, b'{"input_tokens": 4321}'))
    with server.running() as address:
        found = counted_by(custom(address), ARRAY)
    assert (found.tokens, found.where) == (4321, address)
    head, _, body = server.requests[0].partition(b"\r\n\r\n")
    assert head.startswith(b"POST /v1/messages/count_tokens ")
    assert [one["role"] for one in json.loads(body)["messages"]] == ["user", "assistant", "user"]


def test_a_broken_array_is_refused_in_one_sentence() -> None:
    broken = session(user("go"), assistant(call("a")), user("no result"), model="claude-opus-5-5")
    with serving(create_app()) as address, pytest.raises(CallFailed) as caught:
        counted_by(custom(address), broken)
    assert caught.value.sentence


def test_without_a_model_nothing_is_sent() -> None:
    with pytest.raises(UserError, match="none is named"):
        counted_by(custom("http://127.0.0.1:9"), session(user("go")))

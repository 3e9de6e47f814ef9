"""The endpoint over HTTP, driven in process: status codes, error bodies, usage, and its limits."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from hypothesis import given, settings

from tape.endpoint.app import LARGEST_BODY, create_app
from tape.endpoint.embedded import EmbeddedTransport
from tests.endpoint.asking import READING, body
from tests.strategies import answer, arrays, assistant, call, user

APP = create_app(pace=0)


@pytest.fixture
def http() -> Iterator[httpx2.Client]:
    """A client of the endpoint."""
    with connected() as client:
        yield client


def connected() -> httpx2.Client:
    """A client of the endpoint, in process."""
    return httpx2.Client(transport=EmbeddedTransport(APP), base_url="http://embedded.invalid")


def refused(response: httpx2.Response) -> tuple[int, str, str]:
    """Status, error type and message of an error answer, whose envelope is checked."""
    told = response.json()
    assert told["type"] == "error"
    assert told["request_id"] == response.headers["request-id"]
    return response.status_code, told["error"]["type"], told["error"]["message"]


def test_an_answer_is_a_message(http: httpx2.Client) -> None:
    message = http.post("/v1/messages", json=body(user("2+2?"), model="whatever-model")).json()
    assert message["content"] == [{"type": "text", "text": "2 + 2 = 4."}]
    assert {key: message[key] for key in ("type", "role", "model", "stop_reason", "stop_sequence")} == {
        "type": "message",
        "role": "assistant",
        "model": "whatever-model",
        "stop_reason": "end_turn",
        "stop_sequence": None,
    }


def test_every_answer_says_that_it_is_scripted(http: httpx2.Client) -> None:
    response = http.post("/v1/messages", json=body(user("hi")))
    assert response.headers["tapedeck-scripted"] == "true"
    assert response.headers["request-id"].startswith("req_")


def test_a_refusal_has_the_api_s_own_form(http: httpx2.Client) -> None:
    status, kind, message = refused(
        http.post("/v1/messages", json=body(user("a"), assistant(call("toolu_1")), user("b")))
    )
    assert (status, kind) == (400, "invalid_request_error")
    assert message.startswith("messages.1: `tool_use` ids were found without `tool_result` blocks")
    assert "toolu_1" in message


def test_a_refusal_comes_before_a_stream_begins(http: httpx2.Client) -> None:
    response = http.post("/v1/messages", json=body(stream=True))
    assert refused(response) == (400, "invalid_request_error", "messages: at least one message is required")


@pytest.mark.parametrize(
    "raw", [b"", b"hello", b'{"model": ', b"\xff\xfe", b'{"a": "\\ud800"}', b"[" * 100_000]
)
def test_what_is_no_json_is_refused(http: httpx2.Client, raw: bytes) -> None:
    status, kind, message = refused(http.post("/v1/messages", content=raw))
    assert (status, kind) == (400, "invalid_request_error")
    assert message.startswith("The request body is not valid JSON: ")


@pytest.mark.parametrize("depth", [200, 900, 960, 1000, 1015])
def test_a_body_that_is_nested_deeply_is_answered_or_refused(http: httpx2.Client, depth: int) -> None:
    nested = '{"a":' * depth + "1" + "}" * depth
    text = json.dumps(body(user("a"), assistant(call("t", input="here")), user(answer("t"))))
    response = http.post("/v1/messages", content=text.replace('"here"', nested))
    if response.status_code == 400:
        assert refused(response)[2].endswith(("nested too deeply", "recursion limit exceeded"))
    else:
        assert response.json()["type"] == "message"


@pytest.mark.parametrize(
    "path", ["/v1/complete", "/", "/v1/messages/batches", "/v1/messages/../../etc/passwd"]
)
def test_other_addresses_are_not_found(http: httpx2.Client, path: str) -> None:
    assert refused(http.post(path, json={}))[:2] == (404, "not_found_error")


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/v1/messages"), ("DELETE", "/v1/messages"), ("POST", "/v1/models")]
)
def test_other_methods_are_not_allowed(http: httpx2.Client, method: str, path: str) -> None:
    told = refused(http.request(method, path))
    assert told == (405, "invalid_request_error", "Method Not Allowed")


def test_a_body_over_32_mb_is_too_large(http: httpx2.Client) -> None:
    status, kind, message = refused(http.post("/v1/messages", content=b" " * (LARGEST_BODY + 1)))
    assert (status, kind) == (413, "request_too_large")
    assert message == "Request exceeds the maximum size"


def test_a_model_is_listed_and_any_name_is_known(http: httpx2.Client) -> None:
    listed = http.get("/v1/models").json()
    assert [model["id"] for model in listed["data"]] == ["tapedeck-scripted"]
    assert http.get("/v1/models/org/any-name").json()["id"] == "org/any-name"


@settings(max_examples=30)
@given(arrays())
def test_the_count_is_what_the_answer_reports_and_streams_agree(array: list[Any]) -> None:
    with connected() as http:
        request = body(*array, tools=READING, system="Be brief.")
        response = http.post("/v1/messages", json=request)
        counted = http.post("/v1/messages/count_tokens", json=request)
        assert counted.status_code == response.status_code
        if response.status_code == 200:
            message = response.json()
            assert message["usage"]["input_tokens"] == counted.json()["input_tokens"]
            assert message["usage"]["output_tokens"] >= 1
            streamed = http.post("/v1/messages", json={**request, "stream": True}).text
            assert f'"id":"{message["id"]}"' in streamed
        else:
            assert refused(response)[0] == 400


def test_a_longer_array_costs_more(http: httpx2.Client) -> None:
    def count(*array: Any) -> int:
        return http.post("/v1/messages/count_tokens", json=body(*array)).json()["input_tokens"]

    assert count(user("hi")) < count(user("hi"), assistant("Hello."), user("hi"))


def test_an_error_of_the_app_reaches_the_caller() -> None:
    async def broken(scope: Any, receive: Any, send: Any) -> None:
        raise ZeroDivisionError

    async def silent(scope: Any, receive: Any, send: Any) -> None:
        return None

    with httpx2.Client(transport=EmbeddedTransport(broken)) as http, pytest.raises(ZeroDivisionError):
        http.get("http://embedded.invalid/")
    with (
        httpx2.Client(transport=EmbeddedTransport(silent)) as http,
        pytest.raises(RuntimeError, match="no response"),
    ):
        http.get("http://embedded.invalid/")


def test_a_stream_is_handed_on_while_it_is_made() -> None:
    read_on = threading.Event()
    waited: list[bool] = []

    async def gated(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"one", "more_body": True})
        waited.append(await asyncio.to_thread(read_on.wait, 5))
        await send({"type": "http.response.body", "body": b"two"})

    http = httpx2.Client(transport=EmbeddedTransport(gated))
    with http, http.stream("GET", "http://embedded.invalid/") as response:
        chunks = response.iter_bytes()
        assert next(chunks) == b"one"
        read_on.set()
        assert list(chunks) == [b"two"]
    assert waited == [True]


def test_closing_a_stream_early_ends_the_app() -> None:
    gone: list[str] = []

    async def endless(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"x", "more_body": True})
        gone.append((await receive())["type"])

    with httpx2.Client(transport=EmbeddedTransport(endless)) as http:
        with http.stream("GET", "http://embedded.invalid/") as response:
            assert next(response.iter_bytes()) == b"x"
        assert gone == ["http.disconnect"]

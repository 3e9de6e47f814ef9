"""The client against real endpoints: in process, on the loopback address, and against broken ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import anthropic
import pytest

from tape.assembly import Answer, InputPiece, Opened, TextPiece, ThinkingPiece
from tape.client import CallFailed, Client, Target, claude_api, custom, embedded
from tape.endpoint.app import Refusal, create_app
from tape.endpoint.embedded import EmbeddedTransport
from tape.errors import UserError
from tests.endpoint.asking import READING, body
from tests.loopback import RawServer, response, serving
from tests.strategies import assistant, call, user

QUESTION = user("Is the add function in calc.py correct?")
KEY = "sk-test-1234567890"


def last(target: Target, request: dict[str, Any]) -> Answer:
    """The whole answer of one call."""
    with Client(target) as client:
        *_, answer = client.call(request)
    assert isinstance(answer, Answer)
    return answer


def failure(target: Target, request: dict[str, Any] | None = None) -> CallFailed:
    """How a call fails."""
    with Client(target, retries=0) as client, pytest.raises(CallFailed) as caught:
        list(client.call(request or body(user("hi"))))
    return caught.value


def sse(*events: dict[str, Any]) -> bytes:
    """Events as a server sends them."""
    return b"".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n".encode() for e in events)


START = {"type": "message_start", "message": {"id": "msg_1", "model": "m", "usage": {"input_tokens": 3}}}
HALF = [
    START,
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Half an ans"}},
]


def test_the_embedded_endpoint_streams_an_answer() -> None:
    request = body(QUESTION, tools=READING, thinking={"type": "adaptive"}, model="claude-opus-5-5")
    with Client(embedded(pace=0)) as client:
        pieces = list(client.call(request))
    assert pieces[0] == Opened(pieces[0].id, "claude-opus-5-5", scripted=True)  # type: ignore[union-attr]
    kinds = [type(piece) for piece in pieces]
    assert list(dict.fromkeys(kinds)) == [Opened, ThinkingPiece, TextPiece, InputPiece, Answer]
    answer = pieces[-1]
    assert isinstance(answer, Answer)
    assert [block["type"] for block in answer.content] == ["thinking", "text", "tool_use"]
    assert list(answer.content[2]) == ["type", "id", "name", "input"]
    assert answer.content[2]["input"] == {"path": "calc.py"}
    said = "".join(piece.text for piece in pieces if isinstance(piece, TextPiece))
    assert said == answer.content[1]["text"]
    assert (answer.stop_reason, answer.scripted, answer.complete) == ("tool_use", True, True)


def test_usage_is_what_counting_says() -> None:
    request = body(QUESTION, tools=READING)
    with Client(embedded(pace=0)) as client:
        *_, answer = client.call(request)
        assert isinstance(answer, Answer)
        assert answer.usage is not None
        assert answer.usage.input == client.count_tokens(request)
        assert client.models() == ("tapedeck-scripted",)


def test_a_broken_array_is_sent_as_it_stands_and_refused() -> None:
    refused = failure(embedded(pace=0), body(user("a"), assistant(call("toolu_1")), user("b")))
    assert (refused.status, refused.kind, refused.partial) == (400, "invalid_request_error", None)
    assert refused.message.startswith("messages.1: `tool_use` ids were found without `tool_result` blocks")
    assert refused.sentence.startswith("The endpoint refuses this request (400). It says: messages.1:")


def test_the_profile_decides_what_is_refused() -> None:
    twice = body(user("2+2?"), user("times 3?"))
    assert last(embedded("anthropic", pace=0), twice).complete
    assert failure(embedded("strict", pace=0), twice).status == 400


@pytest.mark.parametrize("over_loopback", [False, True])
def test_the_sdk_itself_raises_its_own_errors(over_loopback: bool) -> None:
    app = create_app(pace=0)

    def check(sdk: anthropic.Anthropic) -> None:
        with pytest.raises(anthropic.BadRequestError, match="at least one message is required") as caught:
            sdk.messages.create(model="any", max_tokens=10, messages=[])
        assert caught.value.request_id
        assert caught.value.type == "invalid_request_error"
        with pytest.raises(anthropic.ContentTooLargeError):
            sdk.messages.create(model="any", max_tokens=10, messages=[], extra_body={"x": "y" * 34_000_000})
        question: list[anthropic.types.MessageParam] = [{"role": "user", "content": "2+2?"}]
        whole = sdk.messages.create(model="any", max_tokens=50, messages=question)
        with sdk.messages.stream(model="any", max_tokens=50, messages=question) as stream:
            assert list(stream.text_stream) == ["2 ", "+ ", "2 ", "= ", "4."]
            streamed = stream.get_final_message()
        assert [b.to_dict() for b in streamed.content] == [b.to_dict() for b in whole.content]
        assert streamed.usage == whole.usage
        assert (
            sdk.messages.count_tokens(model="any", messages=question).input_tokens == whole.usage.input_tokens
        )
        assert [model.id for model in sdk.models.list()] == ["tapedeck-scripted"]

    if over_loopback:
        with serving(app) as url, anthropic.Anthropic(api_key="any", base_url=url, max_retries=0) as sdk:
            check(sdk)
    else:
        http = anthropic.DefaultHttpxClient(transport=EmbeddedTransport(app))
        with anthropic.Anthropic(api_key="any", base_url="http://x.invalid", http_client=http) as sdk:
            check(sdk)


def test_a_custom_base_url_reaches_a_server_and_says_that_it_is_scripted() -> None:
    with serving(create_app(pace=0)) as url:
        answer = last(custom(f"{url}/v1/"), body(user("2+2?")))
    assert answer.content == ({"type": "text", "text": "2 + 2 = 4."},)
    assert answer.scripted


def errors(status: int, kind: str, message: str, *headers: str) -> bytes:
    """An error answer in the API's form."""
    envelope = {"type": "error", "error": {"type": kind, "message": message}}
    return response(status, json.dumps(envelope).encode(), *headers)


GARBAGE = b'event: message_start\ndata: {"type": oops\n\n'


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (errors(401, "authentication_error", "invalid key"), "The endpoint does not accept the key (401)."),
        (errors(402, "billing_error", "no credit"), "The account has no credit left (402)."),
        (errors(403, "permission_error", "no"), "The key may not do this (403)."),
        (errors(404, "not_found_error", "model: x"), "The endpoint knows no such model or address (404)."),
        (response(413, b"<html>Too large</html>", kind="text/html"), "The request is larger than"),
        (
            errors(429, "rate_limit_error", "slow", "retry-after: 7"),
            "The endpoint asks to slow down (429). It says: slow. It asks to wait 7 seconds",
        ),
        (errors(500, "api_error", "oops"), "The endpoint failed (500). It says: oops"),
        (
            errors(529, "overloaded_error", "busy"),
            "The endpoint is overloaded (529). It says: busy. Nothing is lost",
        ),
        (response(307, b"", "Location: http://127.0.0.1:9/v1"), "The endpoint redirects to another address"),
        (response(200, b"hello", kind="text/plain"), "The connection was closed before"),
        (
            response(200, GARBAGE, kind="text/event-stream"),
            "The endpoint answered with something that is no message.",
        ),
        (b"", "Nothing answers at http://127.0.0.1:"),
    ],
)
def test_every_error_is_one_sentence(answer: bytes, sentence: str) -> None:
    with RawServer(answer).running() as url:
        failed = failure(custom(url, KEY))
    assert failed.sentence.startswith(sentence)
    assert str(failed) == failed.sentence
    assert failed.partial is None


def test_nobody_listening_is_said_so() -> None:
    failed = failure(custom("http://127.0.0.1:9"))
    assert (failed.status, failed.kind) == (None, "connection")
    assert failed.sentence.startswith("Nothing answers at http://127.0.0.1:9")


def test_b37_an_error_inside_a_stream_is_an_error() -> None:
    overloaded = {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}
    with RawServer(response(200, sse(START, overloaded), kind="text/event-stream")).running() as url:
        failed = failure(custom(url))
    assert (failed.status, failed.kind, failed.partial) == (200, "overloaded_error", None)
    assert failed.sentence.startswith("The endpoint broke the answer off with an error. It says: busy. ")


@pytest.mark.parametrize("headers", [(), ("Content-Length: 99999",)])
def test_a_cut_connection_keeps_the_text_that_had_come(headers: tuple[str, ...]) -> None:
    answer = response(200, sse(*HALF), *headers, kind="text/event-stream")
    with RawServer(answer).running() as url:
        failed = failure(custom(url))
    assert failed.partial is not None
    assert failed.partial.content == ({"type": "text", "text": "Half an ans"},)
    assert not failed.partial.complete


def test_a_call_can_be_stopped_between_events() -> None:
    seen: list[Any] = []
    with Client(embedded(pace=0)) as client:
        for piece in client.call(body(user("hello")), stop=lambda: len(seen) >= 3):
            seen.append(piece)
    answer = seen[-1]
    assert isinstance(answer, Answer)
    assert not answer.complete
    assert 0 < len(answer.content[0]["text"]) < 30


def test_silence_ends_in_a_timeout() -> None:
    async def silent(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await receive()
        await receive()

    with (
        serving(silent) as url,
        Client(custom(url), retries=0) as client,
        pytest.raises(CallFailed) as caught,
    ):
        list(client.call(body(user("hi")), timeout=0.2))
    assert caught.value.sentence.startswith("The endpoint did not answer in time. ")


@pytest.mark.parametrize("make", [lambda url: custom(url), lambda url: custom(url, "own-key")])
def test_a_key_of_the_environment_never_goes_to_another_address(
    make: Callable[[str], Target], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", KEY)
    monkeypatch.setenv(
        "ANTHROPIC_CUSTOM_HEADERS", f"Authorization: Bearer {KEY}\nX-Secret: {KEY}\nx-api-key: {KEY}"
    )
    server = RawServer(errors(400, "invalid_request_error", "no"))
    with server.running() as url:
        target = make(url)
        failure(target)
        with Client(target) as client, pytest.raises(CallFailed):
            client.models()
    assert len(server.requests) == 2
    for request in server.requests:
        assert KEY.encode() not in request
        assert f"authorization: bearer {target.key or 'no-key'}\r\n".encode() in request.lower()


@pytest.mark.parametrize("asked", [False, True])
def test_what_is_a_beta_says_so_in_a_header(asked: bool) -> None:
    server = RawServer(errors(400, "invalid_request_error", "no"))
    thinking = {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "drop_block"}}
    with server.running() as url:
        failure(custom(url), body(user("hi"), **({"thinking": thinking} if asked else {})))
    (request,) = server.requests
    assert (b"anthropic-beta: thinking-binding-controls-2026-08-01\r\n" in request.lower()) == asked


def test_errors_can_be_raised_on_by_others() -> None:
    for error in (CallFailed("It failed.", 400, "x", "y"), Refusal(400, "x", "y")):
        error.__traceback__ = None
        error.__cause__ = ValueError()
        assert {error} == {error}


def test_a_redirect_takes_no_key_along() -> None:
    elsewhere = RawServer(errors(400, "invalid_request_error", "no"))
    with elsewhere.running() as other:
        moved = RawServer(response(307, b"", f"Location: {other}/v1/messages"))
        with moved.running() as url:
            failed = failure(custom(url, KEY))
    assert failed.status == 307
    assert elsewhere.requests == []


def test_a_key_is_never_shown() -> None:
    with RawServer(errors(401, "authentication_error", f"bad key {KEY}")).running() as url:
        failed = failure(custom(url, KEY))
    assert "It says: bad key [key]." in failed.sentence
    assert KEY not in repr(failed)
    assert KEY not in repr(custom("http://127.0.0.1:9", KEY))


def test_the_claude_api_takes_its_key_from_the_field_or_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(UserError, match="needs a key"):
        claude_api("  ")
    assert claude_api(KEY).key == KEY
    monkeypatch.setenv("ANTHROPIC_API_KEY", "from-environment")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    target = claude_api()
    assert (target.key, target.base_url) == ("from-environment", "https://api.anthropic.com")


@pytest.mark.parametrize(
    "address",
    ["", "localhost:8080", "ftp://x", "http://", "file:///etc/passwd", "http://[::1", "http://u:p@x"],
)
def test_what_is_no_base_url_is_said_so(address: str) -> None:
    with pytest.raises(UserError):
        custom(address)

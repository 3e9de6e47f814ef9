"""The embedded endpoint refuses what the rules refuse, as a user of the SDK sees it: in process and over
loopback, whole, streamed and when counting.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anthropic
import pytest

from tape.endpoint.app import create_app
from tape.endpoint.embedded import EmbeddedTransport
from tape.endpoint.validation import JUDGED_AS
from tape.rules import lint
from tape.wire import session_of
from tests.loopback import serving
from tests.strategies import assistant, call, user

SITUATIONS = Path(__file__).parents[1] / "rules" / "situations"
PAIR = (
    "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1. Each "
    "`tool_use` block must have a corresponding `tool_result` block in the next message."
)
BROKEN = [user("a"), assistant(call("toolu_1")), user("b")]


@pytest.fixture(scope="module", params=["in process", "over loopback"])
def sdk(request: pytest.FixtureRequest) -> Iterator[anthropic.Anthropic]:
    """A client of the real SDK for the endpoint with the rules of the Claude API."""
    app = create_app(pace=0)
    if request.param == "over loopback":
        with serving(app) as url, anthropic.Anthropic(api_key="any", base_url=url, max_retries=0) as client:
            yield client
        return
    http = anthropic.DefaultHttpxClient(transport=EmbeddedTransport(app))
    with anthropic.Anthropic(api_key="any", base_url="http://x.invalid", http_client=http) as client:
        yield client


def said(error: anthropic.BadRequestError) -> str:
    """The message of a refusal, its envelope being the API's."""
    body = error.body
    assert isinstance(body, dict)
    assert (error.status_code, body["type"]) == (400, "error")
    assert body["error"].keys() >= {"type", "message"}
    assert body["error"]["type"] == "invalid_request_error"
    return str(body["error"]["message"])


def test_a_broken_pair_is_refused_when_it_is_sent(sdk: anthropic.Anthropic) -> None:
    with pytest.raises(anthropic.BadRequestError) as caught:
        sdk.messages.create(model="any", max_tokens=10, messages=BROKEN)  # type: ignore[arg-type]
    assert said(caught.value) == PAIR


def test_a_broken_pair_is_refused_before_a_stream_begins(sdk: anthropic.Anthropic) -> None:
    with (
        pytest.raises(anthropic.BadRequestError) as caught,
        sdk.messages.stream(model="any", max_tokens=10, messages=BROKEN),  # type: ignore[arg-type]
    ):
        pytest.fail("a stream began")
    assert said(caught.value) == PAIR


def test_counting_refuses_the_same_arrays(sdk: anthropic.Anthropic) -> None:
    with pytest.raises(anthropic.BadRequestError) as caught:
        sdk.messages.count_tokens(model="any", messages=BROKEN)  # type: ignore[arg-type]
    assert said(caught.value) == PAIR


def refused() -> list[Any]:
    """Every situation that the Claude API refuses and that can be sent as it is."""
    found = []
    for file in sorted(SITUATIONS.glob("*.json")):
        situation = json.loads(file.read_text("utf-8"))
        if (situation["endpoint"], situation["severity"]) == ("anthropic", "refused"):
            found.append(pytest.param(situation["body"], id=file.stem))
    return found


@pytest.mark.parametrize("body", refused())
def test_the_first_finding_speaks(sdk: anthropic.Anthropic, body: dict[str, Any]) -> None:
    request = {"model": JUDGED_AS, "max_tokens": 9, **body}
    (first, *_) = lint(session_of(request), sending=True)
    assert first.severity == "refused"
    with pytest.raises(anthropic.BadRequestError) as caught:
        sdk.post("/v1/messages", body=request, cast_to=object)
    # Of an unknown type the endpoint goes on to list those it knows.
    assert said(caught.value).partition(": 'compaction'")[0] == (first.vendor_text or first.text)


def test_the_strict_profile_keeps_the_classic_rules() -> None:
    http = anthropic.DefaultHttpxClient(transport=EmbeddedTransport(create_app("strict", pace=0)))
    with anthropic.Anthropic(api_key="any", base_url="http://x.invalid", http_client=http) as client:
        with pytest.raises(anthropic.BadRequestError, match="roles must alternate"):
            client.messages.create(
                model="any",
                max_tokens=10,
                messages=[{"role": "user", "content": "a"}, {"role": "user", "content": "b"}],
            )
        with pytest.raises(anthropic.BadRequestError, match='first message must use the "user" role'):
            client.messages.create(
                model="any",
                max_tokens=10,
                messages=[{"role": "assistant", "content": "a"}, {"role": "user", "content": "b"}],
            )

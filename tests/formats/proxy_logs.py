"""Small proxy logs for tests: the same exchanges as every recorder keeps them; all of it invented."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable
from typing import Any

import yaml

Exchange = tuple[str, dict[str, Any], Any]
ANTHROPIC = "https://api.anthropic.com/v1/messages?beta=true"
OPENAI = "https://api.openai.com/v1/chat/completions"
TOOLS = [{"name": "ls", "description": "", "input_schema": {"type": "object"}}]
CALL = {"type": "tool_use", "id": "toolu_1", "name": "ls", "input": {"path": "é", "depth": 5e-06}}
RESULT = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "a.txt"}
QUESTION = {"role": "user", "content": "What is here?"}
ASKED = [QUESTION, {"role": "assistant", "content": [CALL]}, {"role": "user", "content": [RESULT]}]


def sent(messages: list[Any], system: str = "You list files.", **more: Any) -> dict[str, Any]:
    """The body of a request to the Messages API."""
    head = {"model": "claude-test-1", "max_tokens": 50, "system": system, "tools": TOOLS}
    return {**head, **more, "messages": messages}


def got(id: str, *content: Any, output: int = 5) -> dict[str, Any]:
    """The body of its answer."""
    usage = {"input_tokens": 10, "cache_read_input_tokens": 30, "output_tokens": output}
    head = {"id": id, "type": "message", "role": "assistant", "model": "claude-test-1"}
    return {**head, "content": list(content), "stop_reason": "end_turn", "usage": usage}


def text(words: str) -> dict[str, Any]:
    """A text block."""
    return {"type": "text", "text": words}


def stream(*events: dict[str, Any]) -> str:
    """The text of a stream."""
    return "".join(f"event: {one.get('type')}\ndata: {json.dumps(one)}\n\n" for one in events)


STREAMED = stream(
    {"type": "message_start", "message": {**got("msg_2"), "content": []}},
    {"type": "content_block_start", "index": 0, "content_block": text("")},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "One file."}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 7}},
    {"type": "message_stop"},
)
FIRST: Exchange = (ANTHROPIC, sent(ASKED[:1]), got("msg_1", CALL))
SECOND: Exchange = (ANTHROPIC, sent(ASKED), got("msg_2", text("One file."), output=7))
TWO: list[Exchange] = [FIRST, SECOND]
TITLE: Exchange = (
    ANTHROPIC,
    {"model": "claude-test-0", "max_tokens": 20, "messages": [{"role": "user", "content": "Name it"}]},
    got("msg_t", text("Files")),
)
COUNTED: Exchange = (f"{ANTHROPIC.partition('?')[0]}/count_tokens", sent(ASKED), {"input_tokens": 40})
PAGE: Exchange = ("https://example.org/", {"q": "no call of a model"}, {"ok": True})
KEY = "sk-ant-" + "x" * 24


def claude_trace(exchanges: list[Exchange]) -> bytes:
    """Lines of claude-trace."""
    return b"".join(
        json.dumps(
            {
                "request": {
                    "timestamp": 1,
                    "method": "POST",
                    "url": url,
                    "headers": {"x-api-key": KEY},
                    "body": asked,
                },
                "response": {
                    "status_code": 200,
                    "headers": {},
                    ("body_raw" if isinstance(given, str) else "body"): given,
                },
                "logged_at": "2026-02-03T04:05:06Z",
            }
        ).encode()
        + b"\n"
        for url, asked, given in exchanges
    )


def claude_tap(exchanges: list[Exchange]) -> bytes:
    """Lines of claude-tap; a stream is kept as its events."""
    lines = []
    for turn, (url, asked, given) in enumerate(exchanges, 1):
        told = (
            [json.loads(line[6:]) for line in given.split("\n") if line.startswith("data: ")]
            if isinstance(given, str)
            else None
        )
        events = (
            {"sse_events": [{"event": one["type"], "data": one} for one in told]} if told else {"body": given}
        )
        request = {"method": "POST", "path": "/" + url.split("/", 3)[-1], "headers": {}, "body": asked}
        lines.append(
            {
                "id": f"r{turn}",
                "turn": turn,
                "transport": "http",
                "request": request,
                "response": {"status": 200, **events},
            }
        )
    return "".join(f"{json.dumps(line)}\n" for line in lines).encode()


def har(exchanges: list[Exchange]) -> bytes:
    """A HAR document with bodies as strings, indented as browsers write it."""
    entries = [
        {
            "startedDateTime": "2026-02-03T04:05:06.000Z",
            "time": 12.50,
            "request": {
                "method": "POST",
                "url": url,
                "postData": {"mimeType": "application/json", "text": json.dumps(asked)},
            },
            "response": {
                "status": 200,
                "content": {"size": 1, "text": given if isinstance(given, str) else json.dumps(given)},
            },
        }
        for url, asked, given in exchanges
    ]
    return json.dumps({"log": {"version": "1.2", "entries": entries}}, indent=2).encode()


def packed_har(exchanges: list[Exchange]) -> bytes:
    """A HAR document with answers in base64."""
    document = json.loads(har(exchanges))
    for entry in document["log"]["entries"]:
        content = entry["response"]["content"]
        content.update(text=base64.b64encode(content["text"].encode()).decode(), encoding="base64")
    return json.dumps(document).encode()


def nock(exchanges: list[Exchange]) -> bytes:
    """A nock recording."""
    return json.dumps(
        [
            {
                "scope": "https://" + url.split("/")[2],
                "method": "POST",
                "path": "/" + url.split("/", 3)[-1],
                "body": asked,
                "status": 200,
                "response": given,
            }
            for url, asked, given in exchanges
        ],
        indent="\t",
    ).encode()


def packed_nock(exchanges: list[Exchange]) -> bytes:
    """A nock recording with answers as pieces of packed bytes in hexadecimal."""
    document = json.loads(nock(exchanges))
    for call in document:
        words = call["response"] if isinstance(call["response"], str) else json.dumps(call["response"])
        hexed = gzip.compress(words.encode()).hex()
        call["response"] = [hexed[:40], hexed[40:]]
    return json.dumps(document).encode()


def _cassette(exchanges: list[Exchange], side: Callable[[Any, bool], dict[str, Any]]) -> dict[str, Any]:
    return {
        "interactions": [
            {
                "request": {
                    "method": "POST",
                    "uri": url,
                    "headers": {"x-api-key": [KEY]},
                    **side(asked, True),
                },
                "response": {"status": {"code": 200, "message": "OK"}, **side(given, False)},
            }
            for url, asked, given in exchanges
        ],
        "version": 1,
    }


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def vcr(exchanges: list[Exchange]) -> bytes:
    """A cassette of vcrpy in YAML."""

    def side(value: Any, request: bool) -> dict[str, Any]:
        return {"body": _as_text(value) if request else {"string": _as_text(value)}}

    return b"# recorded\n" + yaml.safe_dump(_cassette(exchanges, side), allow_unicode=True).encode()


def vcr_json(exchanges: list[Exchange]) -> bytes:
    """A cassette of vcrpy in JSON."""

    def side(value: Any, request: bool) -> dict[str, Any]:
        return {"body": _as_text(value) if request else {"string": _as_text(value)}}

    return json.dumps(_cassette(exchanges, side), indent=1).encode()


def vcr_parsed(exchanges: list[Exchange]) -> bytes:
    """A cassette of Pydantic AI: bodies as YAML objects."""

    def side(value: Any, request: bool) -> dict[str, Any]:
        return {"body": value} if isinstance(value, str) else {"parsed_body": value}

    return yaml.safe_dump(json.loads(json.dumps(_cassette(exchanges, side)))).encode()


def vcr_packed(exchanges: list[Exchange]) -> bytes:
    """A cassette whose answers are packed bytes."""

    def side(value: Any, request: bool) -> dict[str, Any]:
        if request:
            return {"body": _as_text(value)}
        return {"body": {"string": gzip.compress(_as_text(value).encode())}}

    return yaml.safe_dump(_cassette(exchanges, side)).encode()


WRITERS: dict[str, tuple[str, Callable[[list[Exchange]], bytes]]] = {
    "claude-trace": ("claude-proxy", claude_trace),
    "claude-tap": ("claude-proxy", claude_tap),
    "har": ("har", har),
    "har-packed": ("har", packed_har),
    "nock": ("nock", nock),
    "nock-packed": ("nock", packed_nock),
    "vcr": ("vcr", vcr),
    "vcr-json": ("vcr", vcr_json),
    "vcr-parsed": ("vcr", vcr_parsed),
    "vcr-packed": ("vcr", vcr_packed),
}

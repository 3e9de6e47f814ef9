"""The ASGI app: ``POST /v1/messages`` (JSON and events), token counting and the list of models.

It holds no state between requests. Refusals have the status codes and bodies of the Messages API. The
answers come from ``tape.endpoint.scripted``, whatever model a request names, and a header says so.
"""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import orjson
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from tape.endpoint import tokens
from tape.endpoint.scripted import answer, response_id
from tape.endpoint.stream import encode, events
from tape.endpoint.validation import Profile, refusal

LARGEST_BODY = 32 * 1024 * 1024
"""Bytes of a request body, as for the Messages API."""
LARGEST_TAKEN_IN = 8 * LARGEST_BODY
MODEL = "tapedeck-scripted"
SCRIPTED_HEADER = "tapedeck-scripted"


@dataclass(eq=False)
class Refusal(Exception):
    """An error answer: HTTP status, the API's error type, and its message."""

    status: int
    kind: str
    message: str


def create_app(profile: Profile = "anthropic", pace: float = 0.015) -> Starlette:
    """The app. ``profile`` is whose rules refuse an array, ``pace`` the seconds between streamed pieces."""
    endpoint = _Endpoint(profile, pace)
    return Starlette(
        routes=[
            Route("/v1/messages", endpoint.messages, methods=["POST"]),
            Route("/v1/messages/count_tokens", endpoint.count_tokens, methods=["POST"]),
            Route("/v1/models", endpoint.models, methods=["GET"]),
            Route("/v1/models/{name:path}", endpoint.model, methods=["GET"]),
        ],
        exception_handlers={Refusal: _refuse, HTTPException: _refuse_http, Exception: _own_fault},
    )


@dataclass(frozen=True, slots=True)
class _Endpoint:
    profile: Profile
    pace: float

    async def messages(self, request: Request) -> Response:
        body = await self._accepted(request, counting=False)
        message = await run_in_threadpool(_respond, body)
        if body.get("stream"):
            return StreamingResponse(
                _paced(message, self.pace), media_type="text/event-stream", headers=_headers()
            )
        return _json(message)

    async def count_tokens(self, request: Request) -> Response:
        body = await self._accepted(request, counting=True)
        return _json({"input_tokens": await run_in_threadpool(tokens.prompt, body)})

    async def models(self, request: Request) -> Response:
        return _json({"data": [_model(MODEL)], "has_more": False, "first_id": MODEL, "last_id": MODEL})

    async def model(self, request: Request) -> Response:
        return _json(_model(request.path_params["name"]))

    async def _accepted(self, request: Request, *, counting: bool) -> dict[str, Any]:
        """The request's body, once nothing speaks against it. Raises ``Refusal``."""
        body = _parsed(await _read(request))
        try:
            reason = await run_in_threadpool(_reason, body, self.profile, counting)
        except RecursionError:
            reason = "The request body is nested too deeply"
        if reason is not None:
            raise Refusal(400, "invalid_request_error", reason)
        return body


def _reason(body: Any, profile: Profile, counting: bool) -> str | None:
    """Why the body is refused, or ``None``. Raises ``RecursionError`` for one too deep to be answered."""
    json.dumps(body)
    return refusal(body, profile, counting=counting)


def _respond(body: dict[str, Any]) -> dict[str, Any]:
    given = answer(body)
    return {
        "id": response_id(body),
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": list(given.content),
        "stop_reason": given.stop_reason,
        "stop_sequence": given.stop_sequence,
        "usage": {
            "input_tokens": tokens.prompt(body),
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens": tokens.output(given.content),
            "output_tokens_details": {"thinking_tokens": tokens.thinking(given.content)},
        },
    }


async def _paced(message: dict[str, Any], pace: float) -> AsyncIterator[bytes]:
    for event in events(message):
        if event["type"] == "content_block_delta":
            await asyncio.sleep(pace)
        yield encode(event)


async def _read(request: Request) -> bytes:
    """The body, of which no more than its limit is kept. Raises ``Refusal``.

    A larger one is still taken in, up to a second limit: a client that is cut off while it sends would
    see a broken connection instead of the refusal.
    """
    kept = bytearray()
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size <= LARGEST_BODY:
            kept += chunk
        elif size > LARGEST_TAKEN_IN:
            break
    if size > LARGEST_BODY:
        raise Refusal(413, "request_too_large", "Request exceeds the maximum size")
    return bytes(kept)


def _parsed(raw: bytes) -> Any:
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        reason = f"The request body is not valid JSON: {error}"
        raise Refusal(400, "invalid_request_error", reason) from error


def _model(name: str) -> dict[str, Any]:
    return {
        "type": "model",
        "id": name,
        "display_name": "Scripted model (a script, not a language model)",
        "created_at": "1970-01-01T00:00:00Z",
        "lifecycle": "active",
    }


def _refuse(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refusal)
    headers = _headers()
    body = {"type": "error", "error": {"type": error.kind, "message": error.message}}
    return _json({**body, "request_id": headers["request-id"]}, error.status, headers)


def _refuse_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    kinds = {404: "not_found_error", 405: "invalid_request_error"}
    messages = {404: f"Not found: {request.url.path}", 405: "Method Not Allowed"}
    kind = kinds.get(error.status_code, "api_error")
    return _refuse(request, Refusal(error.status_code, kind, messages.get(error.status_code, error.detail)))


def _own_fault(request: Request, error: Exception) -> Response:
    """The answer to a defect of ours; the error itself still reaches the server's log."""
    return _refuse(request, Refusal(500, "api_error", "Internal server error"))


def _json(value: dict[str, Any], status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(orjson.dumps(value), status, headers or _headers(), "application/json")


def _headers() -> dict[str, str]:
    return {"request-id": f"req_{uuid.uuid4().hex[:24]}", SCRIPTED_HEADER: "true"}

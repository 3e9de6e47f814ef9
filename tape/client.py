"""One call to an endpoint through the ``anthropic`` SDK: a stream of pieces, then the whole answer.

The only file that knows the SDK. A target holds a base URL together with the key for it, and a client is
made for one target, so that a key is never sent anywhere else; what is not the Claude API gets a stand-in
key unless it was given one of its own. Errors become one sentence; a key is never part of it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit

import anthropic
import httpx2

from tape.assembly import Answer, Assembly, Piece
from tape.call_faults import CUT_OFF, fault_sentence
from tape.connections import Connections
from tape.endpoint.app import MODEL, SCRIPTED_HEADER, create_app
from tape.endpoint.embedded import EmbeddedTransport
from tape.endpoint.validation import Profile
from tape.errors import UserError

CLAUDE_API = "https://api.anthropic.com"
EMBEDDED = "http://embedded.invalid"
BINDING_BETA = "thinking-binding-controls-2026-08-01"
NO_KEY = "no-key"
"""Sent where a target has no key, so that the SDK does not look for one in the environment."""


@dataclass(frozen=True, slots=True)
class Target:
    """An endpoint and the key that belongs to it. Made by ``embedded``, ``claude_api`` or ``custom``."""

    kind: Literal["embedded", "claude-api", "custom"]
    base_url: str
    key: str | None = field(default=None, repr=False)
    profile: Profile = "anthropic"
    pace: float = 0.0


@dataclass(frozen=True, slots=True)
class Connection:
    """Whether a target answers, the models it lists, and what to tell people about it in one sentence."""

    ok: bool
    models: tuple[str, ...]
    sentence: str


@dataclass(eq=False)
class CallFailed(Exception):
    """A call that gave no complete answer.

    ``sentence`` is for people. ``status`` is the HTTP status (``None`` when there was no response; 200 when
    the error came in the middle of a stream), ``kind`` the endpoint's error type or a word of ours,
    ``message`` the endpoint's own words, ``partial`` what had arrived, ``retry_after`` the seconds the server
    asks to wait.
    """

    sentence: str
    status: int | None
    kind: str
    message: str
    partial: Answer | None = None
    retry_after: float | None = None

    def __str__(self) -> str:
        return self.sentence


def embedded(profile: Profile = "anthropic", pace: float = 0.015) -> Target:
    """The embedded endpoint, in this process. ``pace`` is the seconds between two streamed pieces."""
    return Target("embedded", EMBEDDED, profile=profile, pace=pace)


def claude_api(key: str | None = None) -> Target:
    """The Claude API, with this key or that in ``ANTHROPIC_API_KEY``. Raises ``UserError`` without one."""
    key = (key or os.environ.get("ANTHROPIC_API_KEY") or "").strip()
    if not key:
        raise UserError("The Claude API needs a key.", do="Enter one, or set ANTHROPIC_API_KEY.")
    return Target("claude-api", CLAUDE_API, key)


def custom(base_url: str, key: str | None = None) -> Target:
    """Any server that speaks ``/v1/messages``; a trailing ``/v1`` is taken off. Raises ``UserError``.

    The environment's key is not used here, even for the Claude API's own address.
    """
    url = base_url.strip().rstrip("/").removesuffix("/v1").rstrip("/")
    try:
        parts = urlsplit(url)
        named = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        named = False
    if not named:
        raise UserError("This is no base URL.", do="Give one like http://localhost:11434.")
    if parts.username or parts.password:
        raise UserError("A base URL must not hold a password.", do="Give the key in its own field.")
    return Target("custom", url, (key or "").strip() or None)


def try_connection(target: Target, seconds: float = 10.0) -> Connection:
    """Asks a target for its models, which costs nothing; ``seconds`` is the longest wait. Never raises.

    A server may speak ``/v1/messages`` without listing models: then it is there, and that is all one knows.
    """
    with Client(target, retries=0) as client:
        try:
            models = client.models(timeout=seconds)
        except CallFailed as failure:
            if failure.status in (404, 405, 501):
                return Connection(True, (), "A server answers. It lists no models: enter the model's name.")
            return Connection(False, (), failure.sentence)
    if not models:
        return Connection(True, (), "The server answers and lists no models.")
    return Connection(True, models, f"The server answers and lists {_models(len(models))}.")


def _models(count: int) -> str:
    return "1 model" if count == 1 else f"{count} models"


class Client:
    """Calls one target. Close it, or use it in a ``with``.

    ``retries`` is how often a call is made again that was answered with 408, 409, 429, 5xx or not at all.
    """

    def __init__(self, target: Target, *, retries: int = 2) -> None:
        self.target = target
        key = target.key or NO_KEY
        transport = (
            EmbeddedTransport(create_app(target.profile, target.pace)) if target.kind == "embedded" else None
        )
        self._connections = Connections()
        own = [] if target.kind == "claude-api" else [_Own(key)]
        self._http = anthropic.DefaultHttpxClient(
            transport=transport,
            follow_redirects=False,
            trust_env=target.kind != "embedded",
            event_hooks={"request": [self._connections.watch, *own]},
        )
        self._sdk = anthropic.Anthropic(
            api_key=key,
            base_url=target.base_url,
            http_client=self._http,
            max_retries=0 if target.kind == "embedded" else retries,
        )

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._sdk.close()

    def call(
        self,
        request: Mapping[str, Any],
        *,
        timeout: float | None = None,
        stop: Callable[[], bool] = lambda: False,
    ) -> Iterator[Piece | Answer]:
        """Send a request body as it stands, broken or not; gives pieces as they arrive, the ``Answer`` last.

        ``timeout`` is the longest silence in seconds. ``stop`` is asked ten times a second, also while the
        endpoint is silent; once it says yes the connection is closed and the answer is what had come, not
        ``complete``. Raises ``CallFailed``.
        """
        assembly = Assembly()
        with self._connections.beside(lambda: self._events(request, timeout, assembly)) as events:
            try:
                for event in events.until(stop):
                    piece = assembly.feed(event)
                    if piece is not None:
                        yield piece
                    if assembly.ended:
                        break
            except (anthropic.AnthropicError, httpx2.HTTPError, httpx2.StreamError, ValueError) as error:
                raise self._failed(error, assembly) from None
            if not assembly.ended and not events.cut:
                raise CallFailed(CUT_OFF, 200, "interrupted", "", _partial(assembly))
        yield assembly.answer()

    def _events(
        self, request: Mapping[str, Any], timeout: float | None, assembly: Assembly
    ) -> Iterator[Mapping[str, Any]]:
        # The whole body goes through `extra_body`: the SDK would warn about the models it holds for old.
        with self._sdk.messages.create(
            model="",
            max_tokens=0,
            messages=[],
            stream=True,
            extra_body={**request, "stream": True},
            extra_headers=_betas(request),
            timeout=timeout if timeout is not None else anthropic.NOT_GIVEN,
        ) as stream:
            assembly.scripted = self.is_scripted(stream.response.headers)
            for event in stream:
                yield event.to_dict(mode="json")

    def count_tokens(self, request: Mapping[str, Any]) -> int:
        """The endpoint's own count of a request's prompt tokens. Raises ``CallFailed``."""
        body = {k: v for k, v in request.items() if k not in ("max_tokens", "stream", "metadata")}
        try:
            counted = self._sdk.messages.count_tokens(
                model="", messages=[], extra_body=body, extra_headers=_betas(request)
            )
            return counted.input_tokens
        except (anthropic.AnthropicError, httpx2.HTTPError, ValueError) as error:
            raise self._failed(error, Assembly()) from None

    def models(self, *, timeout: float | None = None) -> tuple[str, ...]:
        """The ids of the models that the endpoint lists, at most a hundred. Raises ``CallFailed``.

        ``timeout`` is the longest silence in seconds.
        """
        try:
            # The SDK would make models of whatever stands in the list; other servers put other things there.
            listed = self._sdk.models.with_raw_response.list(
                limit=100, timeout=timeout if timeout is not None else anthropic.NOT_GIVEN
            )
            return _ids(json.loads(listed.text()))
        except (anthropic.AnthropicError, httpx2.HTTPError, ValueError) as error:
            raise self._failed(error, Assembly()) from None

    def is_scripted(self, headers: Mapping[str, str]) -> bool:
        """Whether a response says that a script gave it. The Claude API's never does."""
        return self.target.kind != "claude-api" and headers.get(SCRIPTED_HEADER) == "true"

    def _failed(self, error: Exception, assembly: Assembly) -> CallFailed:
        status, kind, message, wait = _told(error)
        message = self._without_key(message)
        sentence = fault_sentence(status, kind, message, self.target.base_url, wait)
        return CallFailed(sentence, status, kind, message, _partial(assembly), wait)

    def _without_key(self, text: str) -> str:
        return text.replace(self.target.key, "[key]") if self.target.key else text


def _ids(listed: object) -> tuple[str, ...]:
    """The ids in a list of models."""
    data = listed.get("data") if isinstance(listed, dict) else None
    entries = [entry for entry in data if isinstance(entry, dict)] if isinstance(data, list) else []
    return tuple(entry["id"] for entry in entries if isinstance(entry.get("id"), str))[:100]


def _betas(request: Mapping[str, Any]) -> dict[str, str]:
    """The header that a request needs for what is not in general use yet."""
    thinking = request.get("thinking")
    bound = isinstance(thinking, Mapping) and "block_binding" in thinking
    return {"anthropic-beta": BINDING_BETA} if bound else {}


class _Own:
    """Puts a target's own key on a request, and takes off what ``ANTHROPIC_CUSTOM_HEADERS`` added.

    Those headers may hold a credential for another address.
    """

    def __init__(self, key: str) -> None:
        self._key = key
        lines = os.environ.get("ANTHROPIC_CUSTOM_HEADERS", "").split("\n")
        self._foreign = [name.strip() for name, colon, _ in (line.partition(":") for line in lines) if colon]

    def __call__(self, request: httpx2.Request) -> None:
        for name in self._foreign:
            if name in request.headers:
                del request.headers[name]
        request.headers["Authorization"] = f"Bearer {self._key}"
        request.headers["X-Api-Key"] = self._key


def _told(error: Exception) -> tuple[int | None, str, str, float | None]:
    """Status, kind, the endpoint's words and the seconds to wait, from any error of a call."""
    if isinstance(error, anthropic.APIStatusError):
        page = error.body if isinstance(error.body, str) else ""
        # A page of a proxy in between says nothing that the status does not.
        said = error.api_message or page
        message = "" if said.lstrip().startswith("<") else said
        wait = error.response.headers.get("retry-after", "")
        seconds = float(wait) if wait.replace(".", "", 1).isdigit() else None
        return error.status_code, error.type or "", " ".join(message.split())[:2000], seconds
    if isinstance(error, anthropic.APITimeoutError | httpx2.TimeoutException):
        return None, "timeout", "", None
    if isinstance(error, anthropic.APIConnectionError | httpx2.TransportError | httpx2.StreamError):
        return None, "connection", str(error.__cause__ or error), None
    return None, "unreadable", str(error)[:500], None


def _partial(assembly: Assembly) -> Answer | None:
    answer = assembly.answer()
    return answer if answer.content else None


__all__ = [
    "MODEL",
    "CallFailed",
    "Client",
    "Connection",
    "Target",
    "claude_api",
    "custom",
    "embedded",
    "try_connection",
]

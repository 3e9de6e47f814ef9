"""Reaches an ASGI app from synchronous code without a socket, and hands its answer on as it is made.

An HTTP transport for the SDK's own client: every request runs the app in a thread with an event loop of
its own. Closing a response early tells the app that its client has gone.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from typing import Any

import httpx2

Scope = MutableMapping[str, Any]
App = Callable[[Any, Any, Any], Awaitable[None]]


class EmbeddedTransport(httpx2.BaseTransport):
    """Sends requests to ``app``. Holds nothing open between them."""

    def __init__(self, app: App) -> None:
        self._app = app

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """The app's response; its body is read as the app produces it."""
        exchange = _Exchange(self._app, _scope(request), request.read())
        status, headers = exchange.head()
        return httpx2.Response(status, headers=headers, stream=exchange)


class _Exchange(httpx2.SyncByteStream):
    """One request and its response, the app running in a thread."""

    def __init__(self, app: App, scope: Scope, body: bytes) -> None:
        self._app, self._scope, self._body = app, scope, body
        self._sent: queue.SimpleQueue[Scope | BaseException | None] = queue.SimpleQueue()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._gone: asyncio.Event | None = None
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._work, name="embedded endpoint", daemon=True)
        self._thread.start()
        self._started.wait()

    def head(self) -> tuple[int, list[tuple[bytes, bytes]]]:
        """Status and headers, once the app has sent them. Raises what the app raised before that."""
        message = self._next()
        if message is None or message["type"] != "http.response.start":
            raise RuntimeError("the app sent no response")
        return message["status"], list(message.get("headers", ()))

    def __iter__(self) -> Iterator[bytes]:
        while (message := self._next()) is not None:
            if message.get("body"):
                yield message["body"]
            if not message.get("more_body"):
                return

    def close(self) -> None:
        """Tell the app that nobody reads on, and wait for it to end."""
        if self._loop is not None and self._gone is not None and self._thread.is_alive():
            try:
                self._loop.call_soon_threadsafe(self._gone.set)
            except RuntimeError:  # the loop ended between the two lines
                return
            self._thread.join(timeout=5)

    def _next(self) -> Scope | None:
        message = self._sent.get()
        if isinstance(message, BaseException):
            raise message
        return message

    def _work(self) -> None:
        try:
            asyncio.run(self._drive())
        except BaseException as error:  # handed to the thread that reads, which raises it
            self._sent.put(error)
        else:
            self._sent.put(None)
        finally:
            self._started.set()

    async def _drive(self) -> None:
        self._loop, self._gone = asyncio.get_running_loop(), asyncio.Event()
        self._started.set()
        bodies = [self._body]

        async def receive() -> Scope:
            if bodies:
                return {"type": "http.request", "body": bodies.pop(), "more_body": False}
            assert self._gone is not None
            await self._gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: Scope) -> None:
            self._sent.put(message)

        await self._app(self._scope, receive, send)


def _scope(request: httpx2.Request) -> Scope:
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "headers": [(key.lower(), value) for key, value in request.headers.raw],
        "scheme": request.url.scheme,
        "path": request.url.path,
        "raw_path": request.url.raw_path.split(b"?")[0],
        "query_string": request.url.query,
        "server": (request.url.host, request.url.port or 80),
        "client": ("127.0.0.1", 0),
        "root_path": "",
    }

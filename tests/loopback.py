"""Small HTTP servers on the loopback address: the embedded endpoint, and ones that misbehave on purpose."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import uvicorn


@contextmanager
def serving(app: object) -> Iterator[str]:
    """Serve an ASGI app on a free port for the length of a ``with``; gives its base URL."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", lifespan="off"))  # type: ignore[arg-type]
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)
        listening.close()


@dataclass
class RawServer:
    """Answers every connection with the same bytes and closes it; keeps the requests it got."""

    answer: bytes
    requests: list[bytes] = field(default_factory=list)

    def _serve(self, listening: socket.socket) -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(5)
                self.requests.append(self._request(connection))
                connection.sendall(self.answer)

    def _request(self, connection: socket.socket) -> bytes:
        got = b""
        while b"\r\n\r\n" not in got:
            got += connection.recv(65536)
        head, _, body = got.partition(b"\r\n\r\n")
        lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
        length = int(lengths[0].split(b":")[1]) if lengths else 0
        while len(body) < length:
            body += connection.recv(65536)
        return head + b"\r\n\r\n" + body

    @contextmanager
    def running(self) -> Iterator[str]:
        """Serve for the length of a ``with``; gives the base URL."""
        listening = socket.socket()
        listening.bind(("127.0.0.1", 0))
        listening.listen(8)
        thread = threading.Thread(target=self._serve, args=(listening,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            # Closing alone does not wake a thread that waits in accept.
            listening.shutdown(socket.SHUT_RDWR)
            listening.close()
            thread.join(10)


def response(status: int, body: bytes, *headers: str, kind: str = "application/json") -> bytes:
    """A raw HTTP response that ends with its connection."""
    lines = [f"HTTP/1.1 {status} X", f"Content-Type: {kind}", "Connection: close", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


@dataclass
class HoldingServer:
    """Sends some bytes and then nothing, and holds the connection open until the client closes it.

    ``asked`` is set when a request has come, ``closed`` when its client has gone.
    """

    first: bytes = b""
    asked: threading.Event = field(default_factory=threading.Event)
    closed: threading.Event = field(default_factory=threading.Event)
    connections: int = 0

    def _serve(self, listening: socket.socket) -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            self.connections += 1
            with connection:
                connection.settimeout(20)
                connection.recv(1_000_000)
                connection.sendall(self.first)
                self.asked.set()
                try:
                    while connection.recv(65536):
                        continue
                except ConnectionError:
                    self.closed.set()
                except TimeoutError:
                    return
                else:
                    self.closed.set()

    @contextmanager
    def running(self) -> Iterator[str]:
        """Serve for the length of a ``with``; gives the base URL."""
        listening = socket.socket()
        listening.bind(("127.0.0.1", 0))
        listening.listen(8)
        thread = threading.Thread(target=self._serve, args=(listening,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            listening.close()
            thread.join(30)

"""Reads a stream in a thread of its own, so that it can be left at once and its connection closed.

A read that waits for a silent server cannot be interrupted in Python; shutting its socket down can. Knows
sockets and threads, nothing of what is read.
"""

from __future__ import annotations

import queue
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

import httpx2

POLL_SECONDS = 0.1
Event = Mapping[str, Any]


class Connections:
    """The open connections of one HTTP client, and whether the call they serve was given up."""

    def __init__(self) -> None:
        self.here = threading.local()
        self._sockets: list[socket.socket] = []

    def beside(self, read: Callable[[], Iterator[Event]]) -> Beside:
        """Starts reading in a thread; leave the ``with`` to give it up."""
        return Beside(read, self)

    def watch(self, request: httpx2.Request) -> None:
        """A hook for every request: notes the sockets that it opens. Refuses one whose call was given up."""
        call: Beside | None = getattr(self.here, "call", None)
        if call is None:
            return
        if call.left.is_set():
            raise httpx2.RequestError("the call was given up", request=request)
        request.extensions["trace"] = self._trace

    def shut(self) -> None:
        """Shuts every connection, which ends what waits for one."""
        while self._sockets:
            with suppress(OSError):
                self._sockets.pop().shutdown(socket.SHUT_RDWR)

    def _trace(self, name: str, info: Mapping[str, Any]) -> None:
        """Is told by the transport what happens to a connection."""
        if name.endswith((".connect_tcp.complete", ".start_tls.complete", ".connect_unix_socket.complete")):
            opened = info["return_value"].get_extra_info("socket")
            if isinstance(opened, socket.socket):
                self._sockets = [*(one for one in self._sockets if one.fileno() >= 0), opened]
                if self.here.call.left.is_set():
                    self.shut()


class Beside:
    """One stream that is read in a thread. ``cut`` says that it was given up before its end."""

    def __init__(self, read: Callable[[], Iterator[Event]], connections: Connections) -> None:
        self.cut = False
        self.left = threading.Event()
        self._read, self._connections = read, connections
        self._got: queue.SimpleQueue[Event | BaseException | None] = queue.SimpleQueue()
        # A daemon: while a name is looked up or a server connected to, nothing can be shut down yet.
        self._thread = threading.Thread(target=self._work, name="tapedeck call", daemon=True)

    def __enter__(self) -> Beside:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        if not self.cut:  # its last bytes may be on their way, and the connection good for another call
            self._thread.join(POLL_SECONDS)
        self.left.set()
        if self._thread.is_alive():
            self._connections.shut()

    def until(self, stop: Callable[[], bool]) -> Iterator[Event]:
        """What is read, until its end or until ``stop`` says so. Raises what reading raised."""
        while True:
            try:
                got = self._got.get(timeout=POLL_SECONDS)
            except queue.Empty:
                if stop():
                    self.cut = True
                    return
                continue
            if got is None:
                return
            if isinstance(got, BaseException):
                raise got
            yield got
            if stop():
                self.cut = True
                return

    def _work(self) -> None:
        self._connections.here.call = self
        try:
            for event in self._read():
                self._got.put(event)
                if self.left.is_set():
                    return
        except BaseException as error:  # handed to the thread that waits, which raises it
            self._got.put(error)
        else:
            self._got.put(None)

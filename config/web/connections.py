"""The connections of this process: deadlines for clients, and which one to drop when there is no room.

gunicorn's ASGI worker limits neither, whatever its settings: it waits for a head, a body or a reader without end, and
an ASGI application sees a connection only after a complete head. So the event loop puts our own protocol in front of
gunicorn's, which passes every call on. Both sides use asyncio's documented interface.
"""

from __future__ import annotations

import asyncio
import os
import resource
import socket
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from typing import Any, cast

import uvloop
from django.conf import settings
from gunicorn.workers.gasgi import ASGIWorker

from foundation.pages.client_address import network

SWEEP_SECONDS = 0.5  # between two checks of all deadlines
LINGER_SECONDS = 2  # seconds for a client to read its last response, and to finish its request when the server stops
MIN_BYTES_PER_SECOND = 500  # minimum rate of a body or a response
MAX_BODY_SECONDS = 600  # for a whole body, at whatever rate
SPARE_FILES = 256  # for everything except connections
MAX_AHEAD_BYTES = 64 * 1024  # bytes the client of a stream may send
MIN_CHECKED_LINES = 256  # lines of a chunked body before they are compared with its length
MIN_BYTES_PER_LINE = 32  # on average; a one-byte chunk has three. The parser takes 4 µs per chunk
REQUEST_TIMEOUT = (
    b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: 56\r\n\r\n"
    b"Your request took too long to arrive. Please try again.\n"
)
BAD_REQUEST = b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


def room_for(connections: int) -> int:
    """How many connections fit into the process's file limit: one file each, and one for a body kept on disk.

    The soft limit, often 1,024, is raised as far as the system allows.
    """
    wanted = 2 * connections + SPARE_FILES
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    soft, hard = (wanted if most == resource.RLIM_INFINITY else min(most, wanted) for most in limits)
    if soft < hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, limits[1]))
    return max(1, min(connections, (hard - SPARE_FILES) // 2))


class Connection(asyncio.Protocol):
    """One client, between the event loop and gunicorn's protocol."""

    transport: asyncio.Transport

    def __init__(self, protocol: asyncio.Protocol, connections: Connections):
        self.protocol, self.connections = protocol, connections
        self.network = ""
        self.deadline = self.latest = 0.0  # `latest` is for the whole body
        self.has_begun = False  # part of the next request has arrived
        self.is_receiving = self.is_sending = self.is_lost = False
        self.is_chunked = False
        self.size = self.lines = 0  # of a chunked body
        self.requests = 0
        self.on_lost: Callable[[], None] | None = None  # only while a stream is open
        self.ahead = 0  # bytes sent by the client of a stream

    # --- asyncio's interface ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.network = network(str((transport.get_extra_info("peername") or ("",))[0]))
        self._set(socket.IPPROTO_TCP, "TCP_USER_TIMEOUT", 1000 * settings.REQUEST_SECONDS)
        CURRENT.set(self)  # gunicorn's task for this connection starts below, and inherits it
        self.deadline = self._allowed()
        self.connections.add(self)
        self.protocol.connection_made(transport)

    def data_received(self, data: bytes) -> None:
        if self.is_receiving:
            seconds = len(data) / MIN_BYTES_PER_SECOND
            self.deadline = min(self.deadline + seconds, self._allowed(), self.latest)
        elif self.requests and not self.has_begun:
            self.deadline = self._allowed()
        self.has_begun = True
        if self.on_lost:
            self.ahead += len(data)
        elif self.is_chunked or (not self.is_receiving and b"chunked" in data.lower()):
            self.is_chunked = True
            self.size += len(data)
            self.lines += data.count(b"\r\n")
        if self.ahead > MAX_AHEAD_BYTES:
            self.end("stream")
        elif self.lines > MIN_CHECKED_LINES and self.lines * MIN_BYTES_PER_LINE > self.size:
            self.end("request", BAD_REQUEST)
        else:
            self.protocol.data_received(data)

    def eof_received(self) -> bool | None:
        return self.protocol.eof_received()

    def pause_writing(self) -> None:
        self.protocol.pause_writing()

    def resume_writing(self) -> None:
        self.protocol.resume_writing()

    def connection_lost(self, error: Exception | None) -> None:
        self.is_lost = True
        self.connections.remove(self)
        self.protocol.resume_writing()  # nothing is left to write, so release whatever is waiting for that
        self.protocol.connection_lost(error)
        if self.on_lost:
            self.on_lost()

    # --- called by the application ---

    def begin_request(self, is_chunked: bool) -> None:
        """The head has arrived; the body has a deadline, too."""
        self.requests += 1
        self.is_receiving, self.is_chunked = True, is_chunked
        self.deadline, self.latest = self._allowed(), self._allowed(MAX_BODY_SECONDS)

    def work(self) -> None:
        """Not waiting for the client: a thread makes the response, or a stream is open."""
        self.is_receiving = False
        self.connections.waiting.pop(self, None)

    def begin_sending(self, seconds: float) -> None:
        """A piece of the response, which the client must read in time."""
        self.is_sending, self.deadline = True, self._allowed(seconds)
        self._wait()

    def end_request(self) -> None:
        """The response was handed over. Reading the rest of it has a deadline, and then the next request."""
        self.has_begun = self.is_receiving = self.is_sending = self.is_chunked = False
        self.size = self.lines = 0
        self.deadline = self._allowed()
        self._wait()

    def limit_buffer(self, size: int) -> None:
        """Limit the send buffer: the system would keep megabytes for a client that does not read."""
        self._set(socket.SOL_SOCKET, "SO_SNDBUF", size)

    # --- closing it ---

    @property
    def is_idle(self) -> bool:
        """Between two requests. gunicorn closes it after its `keepalive`."""
        return bool(self.requests) and not (self.has_begun or self.is_sending or self.transport.get_write_buffer_size())

    def expire(self) -> None:
        if self.transport.get_write_buffer_size():
            self.end("answer")
        elif self.has_begun and not self.is_sending and not self.transport.is_closing():
            self.end("request", REQUEST_TIMEOUT)
        else:
            self.transport.abort()

    def end(self, reason: str, last: bytes = b"") -> None:
        """Count the reason, and close; if there is a last response, after it was read or a short delay."""
        count_ended(reason)
        if last:
            self.transport.write(last)
            self.transport.close()
            self.deadline = self._allowed(LINGER_SECONDS)
        else:
            self.transport.abort()

    def _allowed(self, seconds: float | None = None) -> float:
        """The moment so many seconds from now; by default as many as a client may take over anything."""
        return self.connections.clock() + (settings.REQUEST_SECONDS if seconds is None else seconds)

    def _wait(self) -> None:
        if not self.is_lost:
            self.connections.waiting[self] = None

    def _set(self, level: int, name: str, value: int) -> None:
        """Not every system or kind of socket supports every option."""
        with suppress(OSError, AttributeError):
            self.transport.get_extra_info("socket").setsockopt(level, getattr(socket, name), value)


CURRENT: ContextVar[Connection] = ContextVar("connection")


class Connections:
    """All connections of a process."""

    def __init__(
        self,
        most: int,
        is_stopping: Callable[[], bool] = lambda: False,
        clock: Callable[[], float] = time.monotonic,
    ):
        self.most, self.is_stopping, self.clock = most, is_stopping, clock
        self.count = 0
        self.waiting: dict[Connection, None] = {}  # waiting for their clients, longest first
        self.stopping_since: float | None = None

    def add(self, connection: Connection) -> None:
        self.count += 1
        if self.count > self.most:
            self.make_room()
        self.waiting[connection] = None

    def remove(self, connection: Connection) -> None:
        self.count -= 1
        self.waiting.pop(connection, None)

    def make_room(self) -> None:
        """Make room for one more by dropping those that have waited longest, from the network with most waiting.

        A stream does not wait for its client, so it is never dropped: a whole hall may share one network.
        """
        crowds = Counter(each.network for each in self.waiting).most_common(1)
        longest = [each for each in self.waiting if crowds and each.network == crowds[0][0]]
        for each in longest[: max(1, self.most // 20)]:
            self.waiting.pop(each)
            each.end("no room")

    def sweep(self) -> None:
        now = self.clock()
        if self.stopping_since is None and self.is_stopping():
            self.stopping_since = now
        for each in [each for each in self.waiting if self._must_go(each, now)]:
            each.expire()

    def _must_go(self, each: Connection, now: float) -> bool:
        """When the server stops, idle connections are closed at once, and unfinished requests get a moment."""
        if each.is_idle:
            return self.stopping_since is not None
        if self.stopping_since is None or each.is_sending:
            return each.deadline <= now
        return now >= min(each.deadline, self.stopping_since + LINGER_SECONDS)


class Loop(uvloop.Loop):
    """uvloop's event loop, whose servers put a `Connection` in front of every protocol.

    With asyncio's own, a page takes 5 per cent more processor time, and 6 to 14 on a new connection.
    """

    def __init__(self, connections: Connections):
        super().__init__()
        self.connections = connections

    async def create_server(self, protocol_factory: Any, *arguments: Any, **options: Any) -> Any:
        """As many clients may wait to be accepted as may be connected."""

        def connection() -> Connection:
            return Connection(protocol_factory(), self.connections)

        return await super().create_server(connection, *arguments, **options | {"backlog": self.connections.most})


class Worker(ASGIWorker):
    """gunicorn's worker, on an event loop that limits connections."""

    loop: asyncio.AbstractEventLoop

    def init_signals(self) -> None:
        """Replaces the loop here, because handling signals is the first thing a process uses it for."""
        self.loop.close()
        self.loop = Loop(Connections(self.cfg.worker_connections, self.is_stopping))
        asyncio.set_event_loop(self.loop)
        super().init_signals()

    def is_stopping(self) -> bool:
        """Also stops if the server itself is gone, because the next one waits for our place."""
        if os.getppid() != self.ppid:
            self.handle_exit_signal()
        return not self.alive


def count_ended(reason: str) -> None:
    from operations.upkeep import metrics

    metrics.CONNECTIONS_ENDED.labels(reason).inc()

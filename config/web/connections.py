"""The connections of this process: how long a client may take, and who goes when there is no room for one more.

gunicorn's ASGI worker limits neither, and an ASGI application sees a connection only once it has sent a whole head. So
the event loop puts a protocol of ours in front of gunicorn's, which passes every call on. It is asyncio's documented
interface that both sides use.
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

from django.conf import settings
from gunicorn.workers.gasgi import ASGIWorker

from pages.client_address import network

SWEEP_SECONDS = 0.5  # between two looks at all deadlines
LINGER_SECONDS = 2  # seconds for a client to read its last response, and to finish its request when the server stops
MIN_BYTES_PER_SECOND = 500  # by which a body or a response must come forward
SPARE_FILES = 256  # for everything that is not a connection
MAX_AHEAD_BYTES = 64 * 1024  # bytes that the client of a stream may send
MIN_CHECKED_LINES = 256  # from here on the lines of a chunked body are compared with its length
MIN_BYTES_PER_LINE = 32  # at least, on average; a one-byte chunk has three. The parser takes 4 µs for each chunk
REQUEST_TIMEOUT = (
    b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: 56\r\n\r\n"
    b"Your request took too long to arrive. Please try again.\n"
)
BAD_REQUEST = b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


def room_for(connections: int) -> int:
    """How many connections fit into the files a process may open: one each, and one for a body kept on disk.

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
        self.deadline = 0.0
        self.has_begun = False  # something of the next request has arrived
        self.is_receiving = self.is_sending = self.is_lost = False
        self.is_chunked = False
        self.size = self.lines = 0  # of a body in chunks
        self.requests = 0
        self.on_lost: Callable[[], None] | None = None  # only while a stream is open
        self.ahead = 0  # bytes sent by the client of a stream

    # --- asyncio's interface ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.network = network(str((transport.get_extra_info("peername") or ("",))[0]))
        self._set(socket.IPPROTO_TCP, "TCP_USER_TIMEOUT", 1000 * settings.REQUEST_SECONDS)
        CURRENT.set(self)  # gunicorn's task for this connection begins below, and inherits it
        self.connections.add(self)
        self.protocol.connection_made(transport)

    def data_received(self, data: bytes) -> None:
        self.has_begun = True
        self.deadline += len(data) / MIN_BYTES_PER_SECOND if self.is_receiving else 0
        if self.on_lost:
            self.ahead += len(data)
        elif self.is_chunked or (not self.is_receiving and b"chunked" in data.lower()):
            self._count_lines(data)
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
        self.protocol.resume_writing()  # nothing is left to be written, and whoever waited for that need not any more
        self.protocol.connection_lost(error)
        if self.on_lost:
            self.on_lost()

    # --- what the application says of its request ---

    def begin_request(self, is_chunked: bool) -> None:
        """The head has arrived; the body must come in time, too."""
        self.requests += 1
        self.is_receiving, self.is_chunked = True, is_chunked
        self.deadline = time.monotonic() + settings.REQUEST_SECONDS

    def work(self) -> None:
        """Nobody waits for the client: a thread makes the response, or a stream is open."""
        self.is_receiving = False
        self.connections.waiting.pop(self, None)

    def begin_sending(self, seconds: float) -> None:
        """A piece of the response, which its client must read in time."""
        self.is_sending, self.deadline = True, time.monotonic() + seconds
        self._wait()

    def end_request(self) -> None:
        """The response was handed over. What is left of it must be read, and the next request come, in time."""
        self.has_begun = self.is_receiving = self.is_sending = self.is_chunked = False
        self.size = self.lines = 0
        self.deadline = time.monotonic() + settings.REQUEST_SECONDS
        self._wait()

    def limit_buffer(self, size: int) -> None:
        """What the system keeps for a client: megabytes, otherwise, for one that does not read."""
        self._set(socket.SOL_SOCKET, "SO_SNDBUF", size)

    # --- ending it ---

    def expire(self) -> None:
        if self.transport.get_write_buffer_size():
            self.end("answer")
        elif self.has_begun and not self.is_sending and not self.transport.is_closing():
            self.end("request", REQUEST_TIMEOUT)
        else:
            self.transport.abort()

    def end(self, reason: str, last: bytes = b"") -> None:
        """Count the reason, and close; with some last words only after those were read, or soon."""
        count_ended(reason)
        if last:
            self.transport.write(last)
            self.transport.close()
            self.deadline = time.monotonic() + LINGER_SECONDS
        else:
            self.transport.abort()

    def _wait(self) -> None:
        if not self.is_lost:
            self.connections.waiting[self] = None

    def _count_lines(self, data: bytes) -> None:
        self.is_chunked = True
        self.size += len(data)
        self.lines += data.count(b"\r\n")

    def _set(self, level: int, name: str, value: int) -> None:
        """Not every system has every option, nor every kind of socket."""
        with suppress(OSError, AttributeError):
            self.transport.get_extra_info("socket").setsockopt(level, getattr(socket, name), value)


CURRENT: ContextVar[Connection] = ContextVar("connection")


class Connections:
    """All connections of a process."""

    def __init__(self, most: int, is_stopping: Callable[[], bool] = lambda: False):
        self.most, self.is_stopping = most, is_stopping
        self.count = 0
        self.waiting: dict[Connection, None] = {}  # for their clients; who has waited longest comes first
        self.stopping_since: float | None = None

    def add(self, connection: Connection) -> None:
        self.count += 1
        if self.count > self.most:
            self.make_room()
        connection.deadline = time.monotonic() + settings.REQUEST_SECONDS
        self.waiting[connection] = None

    def remove(self, connection: Connection) -> None:
        self.count -= 1
        self.waiting.pop(connection, None)

    def make_room(self) -> None:
        """There is always room for one more: those go who have waited longest, of the network with most waiting.

        A stream waits for nothing from its client, so it is never its turn: a hall is one network.
        """
        crowds = Counter(each.network for each in self.waiting).most_common(1)
        longest = [each for each in self.waiting if crowds and each.network == crowds[0][0]]
        for each in longest[: max(1, self.most // 20)]:
            self.waiting.pop(each)
            each.end("no room")

    def sweep(self) -> None:
        now = time.monotonic()
        if self.stopping_since is None and self.is_stopping():
            self.stopping_since = now
        for each in [each for each in self.waiting if self._must_go(each, now)]:
            each.expire()

    def _must_go(self, each: Connection, now: float) -> bool:
        """When the server stops, who has nothing under way goes at once, and half a request has a moment left."""
        if self.stopping_since is None or each.is_sending:
            return each.deadline <= now
        is_idle = each.requests and not each.has_begun and not each.transport.get_write_buffer_size()
        return bool(is_idle) or now >= min(each.deadline, self.stopping_since + LINGER_SECONDS)


class Loop(asyncio.SelectorEventLoop):
    """asyncio's event loop, whose servers put a `Connection` in front of every protocol."""

    def __init__(self, connections: Connections):
        super().__init__()
        self.connections = connections

    async def create_server(self, protocol_factory: Any, *arguments: Any, **options: Any) -> Any:
        """asyncio accepts as many connections in one go as it lets wait, and so one process would take all that come
        at once. Here it accepts one at a time, so that the other processes get some, and still lets many wait."""

        def protocol() -> Connection:
            return Connection(protocol_factory(), self.connections)

        server = await super().create_server(protocol, *arguments, **options | {"backlog": 1})
        options["sock"].listen(self.connections.most)
        return server


class Worker(ASGIWorker):
    """gunicorn's own, on an event loop that limits connections."""

    loop: asyncio.AbstractEventLoop

    def init_signals(self) -> None:
        """The first thing a process does with its loop is to listen to signals."""
        self.loop.close()
        self.loop = Loop(Connections(self.cfg.worker_connections, self.is_stopping))
        asyncio.set_event_loop(self.loop)
        super().init_signals()

    def is_stopping(self) -> bool:
        """Without the server nobody is served any longer than a stop takes: the next one waits for our place."""
        if os.getppid() != self.ppid:
            self.handle_exit_signal()
        return not self.alive


def count_ended(reason: str) -> None:
    from upkeep.monitoring import (
        metrics,  # only in a process that serves: what is counted before the fork belongs to nobody
    )

    metrics.CONNECTIONS_ENDED.labels(reason).inc()

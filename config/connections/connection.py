"""One client: what has arrived of its request, and what is left of its answer."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from gunicorn.http.body import ChunkedReader
from gunicorn.http.errors import LimitRequestHeaders

from .arriving import PIECE, Arrived, Chunks, Length, TooLarge
from .framing import Asked
from .outgoing import Outgoing

MOST_HEAD = 64 * 1024  # bytes of a request before its body
MOST_BODY = 16 * 1024**2  # a list of voters may have 5 MB; a little more gets a sentence on its page
LEAST_RATE = 500  # bytes a second by which a body or an answer must come forward
LINGER = 2  # seconds for the client to read its last answer, and to send its last request when the server stops


class Connection:
    """What has arrived of a client's request, what is left of its answer, and how long it may take."""

    def __init__(self, client_socket: socket.socket, client: Any, server: Any, cfg: Any):
        self.sock = Outgoing(client_socket)
        self.client, self.server, self.cfg = client, server, cfg
        self.requests = 0
        self.ahead: bytes | None = None  # what came after the request; without it the connection ends with the answer
        self.stream: Any = None  # of an answer that stays open
        self.then: Callable[[Connection], None] | None = None  # what the loop does when the socket is ready
        self.is_trusted: bool | None = None  # to speak for others, once that was asked
        self.watched = 0  # the events for which the loop watches the socket
        self.deadline = self.since = 0.0
        self.counted = 0  # bytes since then
        self.delivered = 0  # bytes of its answers until then
        self.begin()

    def begin(self) -> None:
        """A new request; nothing of it is there."""
        self.head = bytearray()
        self.request: Asked | None = None
        self.arrived: Arrived | None = None
        self.body: Length | Chunks = Length(0)

    @property
    def has_begun(self) -> bool:
        return bool(self.head) or self.request is not None

    def take(self, data: bytes) -> bool:
        """Add what has arrived; whether the request is whole. Raises what gunicorn says of a wrong one."""
        if self.request is None:
            searched = max(0, len(self.head) - 3)
            self.head += data
            end = self.head.find(b"\r\n\r\n", searched)
            if (end if end >= 0 else len(self.head)) > MOST_HEAD:
                raise LimitRequestHeaders("limit request head size")
            if end < 0:
                return False
            data = self._read_head()
        self.counted += len(data)
        if self.counted > MOST_BODY + PIECE:
            raise TooLarge
        self.arrived.keep(data)  # type: ignore[union-attr]
        return self.body.ends_with(data)

    def _read_head(self) -> bytes:
        """Let gunicorn read the head; answers what came after it."""
        self.requests += 1
        self.arrived = Arrived(bytes(self.head))
        self.request = Asked(self)
        self.head.clear()
        reader = self.request.body.reader
        self.body = Chunks() if isinstance(reader, ChunkedReader) else Length(reader.length)
        if isinstance(self.body, Length) and self.body.missing > MOST_BODY:
            raise TooLarge
        self.since, self.counted = time.monotonic(), 0
        return self.arrived.take_buffered()

    def encourage(self) -> None:
        """`100 Continue`, once, to a client that waits for it before it sends the body."""
        if self.request is not None and self.request._expected_100_continue:
            self.request._expected_100_continue = False
            self.sock.send(b"HTTP/1.1 100 Continue\r\n\r\n")

    def read_ahead(self) -> bytes | None:
        """What the client sent after this request; `None` if where that begins cannot be told."""
        try:
            while self.request.body.read(PIECE):  # type: ignore[union-attr]
                pass
        except Exception:
            return None
        return self.arrived.rest()  # type: ignore[union-attr]

    def forget_request(self) -> None:
        if self.arrived:
            self.arrived.close()
        self.begin()

    def close(self) -> None:
        self.forget_request()
        self.sock.forget()
        with suppress(OSError):
            self.sock.close()

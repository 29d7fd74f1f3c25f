"""Push streams: one coroutine each, which sends what any thread passes it until its client or the server ends it."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from typing import Any

from django.conf import settings

from foundation.pages.streams import EVENT_STREAM, Callback, Listener

from .connections import LINGER_SECONDS, Connection
from .requests import CHUNK_BYTES, Message, Response

# seconds of silence before a heartbeat, so that proxies wait and dead clients are noticed
HEARTBEAT_SECONDS = 15
STILL_HERE = b": \n\n"  # a comment, in an event stream
MAX_BEHIND_BYTES = 256 * 1024  # bytes a client has not read; one further behind should reconnect
MAX_STREAMS_SHARE = 0.8  # of all connections, so that there is always room for pages

Send = Callable[[Message], Awaitable[None]]
log = logging.getLogger(__name__)


class Offer:
    """Tells a view, through its request, that its response may stay open."""

    first: bytes
    begin: Callback
    end: Callback

    def __init__(self) -> None:
        self.is_taken = False

    def hold(self, first: bytes, begin: Callback, end: Callback) -> None:
        self.first, self.begin, self.end, self.is_taken = first, begin, end, True

    def is_for(self, response: Response) -> bool:
        """An error page in place of the stream is an ordinary page."""
        is_stream = (b"Content-Type", EVENT_STREAM.encode()) in response.headers
        return self.is_taken and response.status == 200 and is_stream


class Stream(Listener):
    """One client. Except for `is_open`, only the event loop touches it."""

    def __init__(self, outlet: Streams, connection: Connection):
        super().__init__(outlet)
        self.connection = connection
        self.pieces: list[bytes] = []
        self.behind = 0
        self.is_ending = False
        self.waiter: asyncio.Future[None] | None = None
        self.quiet_since = time.monotonic()

    def add(self, data: bytes | None) -> None:
        """Queue data to be sent; `None` is the end."""
        if self.is_ending:
            return
        if data is None:
            self.is_open, self.is_ending = False, True
        else:
            self.pieces.append(data)
            self.behind += len(data)
        if self.behind > MAX_BEHIND_BYTES and self.waiter is None:
            self.connection.end("stream")
        self.wake()

    def wake(self) -> None:
        if self.waiter is not None and not self.waiter.done():
            self.waiter.set_result(None)

    async def run(self, send: Send) -> None:
        """Runs until the stream was ended or the client has gone."""
        while not self.connection.is_lost:
            if self.pieces:
                data = self.pieces[0] if len(self.pieces) == 1 else b"".join(self.pieces)
                self.pieces.clear()
                await self.send_now(send, data)
                self.behind = sum(map(len, self.pieces))
            elif self.is_ending:
                await send({"type": "http.response.body", "body": b""})
                return
            else:
                self.waiter = asyncio.get_running_loop().create_future()
                try:
                    await self.waiter
                finally:
                    self.waiter = None

    async def send_now(self, send: Send, data: bytes) -> None:
        self.quiet_since = time.monotonic()
        await send({"type": "http.response.body", "body": data, "more_body": True})


class Streams:
    """All streams of a process."""

    def __init__(self, threads: Executor):
        self.threads = threads
        self.loop: asyncio.AbstractEventLoop | None = None
        self.open: set[Stream] = set()
        self.stopping_since: float | None = None
        self._undelivered: list[tuple[Listener, bytes | None]] = []
        self._lock = threading.Lock()
        self._counted = 0

    # --- in any thread ---

    def take(self, pieces: list[tuple[Listener, bytes | None]]) -> None:
        with self._lock:
            is_awake = bool(self._undelivered)
            self._undelivered += pieces
        if not is_awake and self.loop and not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self._deliver)

    def begin(self, offer: Offer, connection: Connection) -> Stream:
        """In the request's thread: what the view sends from now on follows the first piece."""
        stream = Stream(self, connection)
        try:
            offer.begin(stream)
        except Exception:
            log.exception("A stream could not begin.")
            stream.close()
        return stream

    # --- in the event loop ---

    def has_room(self, most: int) -> bool:
        return self.stopping_since is None and len(self.open) < MAX_STREAMS_SHARE * most

    def _deliver(self) -> None:
        with self._lock:
            pieces, self._undelivered = self._undelivered, []
        for stream, data in pieces:
            stream.add(data)  # type: ignore[attr-defined]

    async def serve(self, stream: Stream, offer: Offer, headers: list[tuple[bytes, bytes]], send: Send) -> None:
        """Send the first piece, however long, and then everything that is queued."""
        connection = stream.connection
        self.open.add(stream)
        connection.on_lost = stream.wake
        connection.limit_buffer(CHUNK_BYTES)
        try:
            headers = [each for each in headers if each[0].lower() != b"content-length"]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            for at in range(0, len(offer.first), CHUNK_BYTES):
                await stream.send_now(send, offer.first[at : at + CHUNK_BYTES])
            await stream.run(send)
        finally:
            stream.is_open, stream.is_ending, connection.on_lost = False, True, None
            self.open.discard(stream)
            self.threads.submit(_end, offer.end, stream)  # as the view may block

    def sweep(self, is_stopping: bool) -> None:
        """Send heartbeats to quiet streams. When the server stops, all end at once, and their clients reconnect."""
        now = time.monotonic()
        if is_stopping:
            self.stopping_since = self.stopping_since or now
            for stream in list(self.open):
                stream.add(None)
                if now - self.stopping_since > LINGER_SECONDS:
                    stream.connection.transport.abort()
        for stream in list(self.open):
            quiet = now - stream.quiet_since
            if stream.waiter is None and quiet > settings.REQUEST_SECONDS:
                stream.connection.end("stream")  # it has not read what was sent
            elif stream.waiter is not None and quiet > HEARTBEAT_SECONDS:
                stream.add(STILL_HERE)
        if self._counted != len(self.open):
            from operations.upkeep import metrics  # only in serving processes

            self._counted = len(self.open)
            metrics.OPEN_STREAMS.set(self._counted)


def _end(end: Callback, stream: Any) -> None:
    try:
        end(stream)
    except Exception:
        log.exception("The end of a stream could not be told.")

"""The ASGI application: reads whole requests, lets Django answer them in threads, and keeps streams open."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import IO, Any

from django.conf import settings

from foundation.pages.streams import CLIENT_GONE, OPEN_STREAM

from .connections import CURRENT, LINGER_SECONDS, MIN_BYTES_PER_SECOND, SWEEP_SECONDS, Connection
from .requests import (
    CHUNK_BYTES,
    MAX_BODY_BYTES,
    WSGI,
    Gone,
    Message,
    NoRoom,
    Receive,
    Response,
    Scope,
    TooLarge,
    environ_of,
    read_body,
)
from .streams import Offer, Send, Stream, Streams

NO_ROOM = 503, "There is no room for this at the moment, and nothing was changed. Please try later."
TOO_LARGE = 413, f"That is too large: a request has at most {MAX_BODY_BYTES // 1024**2} MB."
log = logging.getLogger(__name__)


class Application:
    def __init__(self, wsgi: WSGI):
        self.wsgi = wsgi
        self.threads = ThreadPoolExecutor(settings.WEB_THREADS, "request")
        self.streams = Streams(self.threads)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._http(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        else:
            await send({"type": "websocket.close"})  # there is none here

    # --- lifespan of the process ---

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        await receive()
        self.streams.loop = asyncio.get_running_loop()
        sweeping = asyncio.create_task(self._sweep())
        await send({"type": "lifespan.startup.complete"})
        await receive()
        sweeping.cancel()
        await send({"type": "lifespan.shutdown.complete"})

    async def _sweep(self) -> None:
        connections = asyncio.get_running_loop().connections  # type: ignore[attr-defined]
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            connections.sweep()
            self.streams.sweep(connections.is_stopping())

    # --- a request ---

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        connection, headers = CURRENT.get(), dict(scope["headers"])
        connection.begin_request(b"transfer-encoding" in headers)
        try:
            body = await read_body(headers, receive)
            await self._answer(connection, scope, body, send)
        except Gone:
            return
        except TooLarge:
            await refuse(connection, receive, send, *TOO_LARGE)
        except NoRoom as error:
            log.error("A request could not be kept: %s.", error)
            await refuse(connection, receive, send, *NO_ROOM)
        finally:
            connection.end_request()

    async def _answer(self, connection: Connection, scope: Scope, body: IO[bytes], send: Send) -> None:
        """A thread reads the next piece of a file once the last one was taken."""
        offer = Offer() if self.streams.has_room(connection.connections.most) else None
        connection.work()
        response, stream = await self._in_thread(self._make, connection, scope, body, offer)
        if stream and offer:
            await self.streams.serve(stream, offer, response.headers, send)
            return
        await send({"type": "http.response.start", "status": response.status, "headers": response.headers})
        has_body = scope["method"] != "HEAD"
        data, is_whole = (response.first, response.is_whole) if has_body else (b"", True)
        try:
            while not is_whole and not connection.is_lost:
                await send_slowly(connection, send, data, more=True)
                data, is_whole = await self._in_thread(response.read)
            await send_slowly(connection, send, data, more=False)
        finally:
            if not response.is_whole:
                await self._in_thread(response.close)

    def _make(
        self, connection: Connection, scope: Scope, body: IO[bytes], offer: Offer | None
    ) -> tuple[Response, Stream | None]:
        """In a thread: everything Django does for a request."""
        with body:
            environ = environ_of(scope, body)
            environ[CLIENT_GONE] = lambda: connection.is_lost
            if offer:
                environ[OPEN_STREAM] = offer
            response = Response(self.wsgi, environ)
        if offer and offer.is_for(response) and scope["method"] != "HEAD":
            return response, self.streams.begin(offer, connection)
        return response, None

    def _in_thread(self, function: Callable[..., Any], *arguments: Any) -> Awaitable[Any]:
        return asyncio.get_running_loop().run_in_executor(self.threads, function, *arguments)


async def send_slowly(connection: Connection, send: Send, data: bytes, more: bool) -> None:
    """In pieces, each with a deadline; a client that misses it is disconnected."""
    for at in range(0, len(data) or 1, CHUNK_BYTES):
        piece = data[at : at + CHUNK_BYTES]
        connection.begin_sending(settings.REQUEST_SECONDS + len(piece) / MIN_BYTES_PER_SECOND)
        await send({"type": "http.response.body", "body": piece, "more_body": more or at + CHUNK_BYTES < len(data)})


async def refuse(connection: Connection, receive: Receive, send: Send, status: int, sentence: str) -> None:
    """Respond without a thread. The client may still be sending, and closing at once could discard the response."""
    text = f"{sentence}\n".encode()
    headers = [(b"connection", b"close"), (b"content-type", b"text/plain"), (b"content-length", b"%d" % len(text))]
    connection.begin_sending(LINGER_SECONDS)
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": text})
    message: Message = {"type": "http.request"}
    ignored = 0
    while message["type"] == "http.request" and ignored < MAX_BODY_BYTES:
        message = await receive()
        ignored += len(message.get("body", b""))

"""Answers that stay open: their clients wait in the loop, and whatever any thread says to them leaves through it."""

from __future__ import annotations

import selectors
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from django.conf import settings

from pages.streams import EVENT_STREAM, OPEN_STREAM, Listener, Step

from .arriving import PIECE
from .connection import LEAST_RATE, LINGER, Connection

if TYPE_CHECKING:
    from .worker import PatientWorker

HEARTBEAT = 15  # seconds of silence after which something is said, so that proxies wait and the dead are noticed
STILL_HERE = b": \n\n"  # a comment, in an event stream
LAST = b"0\r\n\r\n"  # of the chunks of an answer
MOST_BEHIND = 256 * 1024  # bytes that a client has not taken; who is further behind does better to begin anew
KEPT_BY_SYSTEM = 64 * 1024  # bytes, else it keeps megabytes for who does not read, and nobody learns of it
AT_ONCE = 64  # pieces in one call of the system
SHARE = 0.8  # of all connections: there is room for pages, however many streams there are

WSGI = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class Offer:
    """What a view finds in its request: that its answer may stay open."""

    first: bytes
    begin: Step
    end: Step

    def __init__(self, environ: dict[str, Any], start_response: Any):
        self.response = start_response.__self__  # gunicorn's own, which knows how it frames a body
        self.sock = environ["gunicorn.socket"]
        self.is_for_head = environ["REQUEST_METHOD"] == "HEAD"
        self.is_taken = self.is_open = self.in_chunks = False

    def hold(self, first: bytes, begin: Step, end: Step) -> None:
        self.first, self.begin, self.end, self.is_taken = first, begin, end, True

    def start_response(self, status: str, headers: list[tuple[str, str]], error: Any = None) -> Any:
        """An error page in place of the stream is a page like any other."""
        if self.is_taken and status.startswith("200 ") and ("Content-Type", EVENT_STREAM) in headers:
            headers = [each for each in headers if each[0].lower() != "content-length"]
            self.is_open = not self.is_for_head
        return self.response.start_response(status, headers, error)

    def send_head(self) -> None:
        """And keep gunicorn from saying that the answer ends here."""
        self.response.force_close()
        self.response.send_headers()
        self.in_chunks, self.response.chunked = self.response.chunked, False
        self.sock.offer = self


class Stream(Listener):
    """What a client has not taken yet of its open answer. But for `is_open`, only the loop looks at it."""

    def __init__(self, outlet: Streams, conn: Connection, offer: Offer):
        super().__init__(outlet)
        self.conn, self.in_chunks, self.end = conn, offer.in_chunks, offer.end
        self.pieces: deque[bytes | memoryview] = deque()
        self.behind = self.taken = 0
        self.most = MOST_BEHIND
        self.is_ending = self.is_over = self.is_awaited = False

    def add(self, piece: bytes) -> None:
        self.pieces.append(piece)
        self.behind += len(piece)

    def finish(self) -> None:
        """After all that was added before."""
        self.is_open, self.is_ending = False, True
        if self.in_chunks:
            self.add(LAST)

    def push(self) -> None:
        """Send as much as the client takes now; how much it did not take, `behind` says."""
        with suppress(BlockingIOError):
            while self.pieces:
                self._took(self.conn.sock.socket.sendmsg(islice(self.pieces, AT_ONCE)))

    def _took(self, count: int) -> None:
        self.behind, self.taken = self.behind - count, self.taken + count
        while count:
            piece = self.pieces.popleft()
            if len(piece) > count:
                self.pieces.appendleft(memoryview(piece)[count:])
            count -= min(count, len(piece))


class Streams:
    """All open answers of a process."""

    def __init__(self, worker: PatientWorker):
        self.worker = worker
        self.open: set[Stream] = set()
        self.turn = threading.Lock()
        self.said: list[tuple[Listener, bytes | None]] = []

    # --- in any thread ---

    def take(self, said: list[tuple[Listener, bytes | None]]) -> None:
        with self.turn:
            is_awake = bool(self.said)
            self.said += said
        if not is_awake:
            self.worker.method_queue.defer(self.say)

    # --- in the thread of the request ---

    def around(self, application: WSGI) -> WSGI:
        """The application, to which we offer to hold its answers open while there is room."""

        def respond(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
            if not self.worker.alive or len(self.open) >= SHARE * self.worker.worker_connections:
                return application(environ, start_response)
            offer = environ[OPEN_STREAM] = Offer(environ, start_response)
            answer = application(environ, offer.start_response)
            if offer.is_open:
                offer.send_head()
            return answer

        return respond

    def begin(self, conn: Connection) -> None:
        """Send head and first piece, and tell the view. What it says from now on waits for the loop."""
        offer, conn.sock.offer = conn.sock.offer, None
        stream = Stream(self, conn, offer)
        if offer.first:
            conn.sock.sendall(in_chunk(offer.first) if stream.in_chunks else offer.first)
        conn.sock.flush()
        conn.stream = stream
        try:
            offer.begin(stream)
        except Exception:
            self.worker.log.exception("A stream could not begin.")
            stream.close()

    # --- in the loop ---

    def adopt(self, conn: Connection, stream: Stream) -> None:
        """The thread is free, and nothing of the request is kept."""
        conn.forget_request()
        conn.counted = 0
        if left := conn.sock.take_left():
            stream.pieces.appendleft(left)
            stream.behind += len(left)
            stream.most += len(left)  # the first piece may be as long as it likes
        _limit(conn.sock.socket)
        self.open.add(stream)
        self.worker.wait(conn, selectors.EVENT_READ, self.ready, 0)
        self.flush(stream)

    def say(self) -> None:
        """What any thread has said since the last turn."""
        with self.turn:
            said, self.said = self.said, []
        heard: dict[Any, None] = {}
        last, chunk = b"", b""
        for stream, data in said:
            if data is not None and data is not last:
                last, chunk = data, in_chunk(data)
            self._add(stream, data, chunk)
            heard[stream] = None
        for stream in heard:
            if stream in self.open:  # who is not yet, is soon; and who is no longer hears nothing
                self.flush(stream)

    def _add(self, stream: Any, data: bytes | None, chunk: bytes) -> None:
        if stream.is_ending or stream.is_over:
            return
        if data is None:
            stream.finish()
        else:
            stream.add(chunk if stream.in_chunks else data)

    def flush(self, stream: Stream) -> None:
        """Send what the client takes, and see how long it may take over the rest."""
        try:
            stream.push()
        except OSError:
            self.worker.drop(stream.conn)
            return
        if stream.behind > stream.most:
            self.worker.lose(stream.conn, "stream")
        elif stream.behind:
            self._await(stream)
        elif stream.is_ending:
            conn = stream.conn
            self.over(conn)
            self.worker.part(conn)
        else:
            self._rest(stream)

    def _await(self, stream: Stream) -> None:
        """As any answer that its client does not take at once."""
        conn = stream.conn
        if not stream.is_awaited:
            stream.is_awaited, stream.taken, conn.since = True, 0, time.monotonic()
            self.worker.watch(conn, selectors.EVENT_READ | selectors.EVENT_WRITE)
        conn.deadline = conn.since + settings.REQUEST_SECONDS + stream.taken / LEAST_RATE

    def _rest(self, stream: Stream) -> None:
        if stream.is_awaited:
            stream.is_awaited, stream.most = False, MOST_BEHIND
            self.worker.watch(stream.conn, selectors.EVENT_READ)
        stream.conn.deadline = time.monotonic() + HEARTBEAT

    def ready(self, conn: Connection) -> None:
        """The client takes more, or has gone. What it says does not matter, unless it is much."""
        with suppress(BlockingIOError):
            data = conn.sock.recv(PIECE)
            conn.counted += len(data)
            if not data or conn.counted > PIECE:
                self.worker.drop(conn)
                return
        if conn.stream.behind:
            self.flush(conn.stream)

    def due(self, conn: Connection) -> None:
        """It has been quiet for long enough, or was given enough time."""
        stream = conn.stream
        if stream.behind or not self.worker.alive:
            self.worker.lose(conn, "stream")
        else:
            stream.add(in_chunk(STILL_HERE) if stream.in_chunks else STILL_HERE)
            self.flush(stream)

    def stop(self) -> None:
        """All end at once when the server does; their clients ask the next one."""
        self.say()
        for stream in list(self.open):
            if not stream.is_ending:
                stream.finish()
                self.flush(stream)
                stream.conn.deadline = min(stream.conn.deadline, time.monotonic() + LINGER)

    def over(self, conn: Connection) -> None:
        """Nobody listens any longer. The view is told in a thread: it may wait for something."""
        stream, conn.stream = conn.stream, None
        stream.is_open, stream.is_over = False, True
        stream.pieces.clear()
        self.open.discard(stream)
        self.worker.tpool.submit(partial(self._tell, stream))

    def _tell(self, stream: Stream) -> None:
        try:
            stream.end(stream)
        except Exception:
            self.worker.log.exception("The end of a stream could not be told.")


def in_chunk(data: bytes) -> bytes:
    return b"%X\r\n%b\r\n" % (len(data), data)


def _limit(client: socket.socket) -> None:
    """What the system keeps for a client, and for how long: a phone that is gone says nothing."""
    with suppress(OSError):
        client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, KEPT_BY_SYSTEM)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 1000 * settings.REQUEST_SECONDS)

"""A worker of gunicorn in which the slow wait at nobody's expense.

gunicorn's own threads read the request and write the answer, so that a client that sends or reads a byte a second holds
one for as long as it likes, and as many such clients as there are threads stop the site. Here a connection gets its
thread when the whole request has arrived, and gives it back when the answer is made: bytes come and go in the one loop,
which never waits for anybody. gunicorn's parser stays the only judge of what a request is.

TLS is a proxy's. What is large is kept in unnamed temporary files.
"""

from __future__ import annotations

import errno
import os
import resource
import selectors
import socket
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from tempfile import SpooledTemporaryFile
from typing import Any

from django.conf import settings
from gunicorn.http.body import ChunkedReader
from gunicorn.http.errors import LimitRequestHeaders, NoMoreData
from gunicorn.http.message import Request
from gunicorn.http.unreader import Unreader
from gunicorn.workers.gthread import ThreadWorker

from pages.addresses import network

MOST_HEAD = 64 * 1024  # bytes of a request before its body
MOST_BODY = 16 * 1024**2  # a list of voters may have 5 MB; a little more gets a sentence on its page
MOST_LEFT = 64 * 1024**2  # of an answer that its client does not read; from there on its thread waits
IN_MEMORY = 128 * 1024  # of a body or an answer, before a file is used
PIECE = 64 * 1024  # is read or sent at a time
LEAST_RATE = 500  # bytes a second by which a body or an answer must come forward
LEAST_RATE_OF_A_THREAD = 64 * 1024  # and while a thread waits for it
LINGER = 2  # seconds for the client to read its last answer, and to send its last request when the server stops
SPARE_FILES = 256  # for everything that is not a connection

TOO_LATE = 408, "Request Timeout", "Your request took too long to arrive. Please try again."
TOO_LARGE = 413, "Content Too Large", f"That is too large: a request has at most {MOST_BODY // 1024**2} MB."


class TooLarge(Exception):
    """A body that is longer than any of our pages could use."""


def room_for(connections: int) -> int:
    """How many connections fit into the files a process may open: one each, and one for what it keeps.

    The soft limit, often 1,024, is raised as far as the system allows.
    """
    wanted = 2 * connections + SPARE_FILES
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    soft, hard = (wanted if most == resource.RLIM_INFINITY else min(most, wanted) for most in limits)
    if soft < hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, limits[1]))
    return max(1, min(connections, (hard - SPARE_FILES) // 2))


# --- what arrives ---


class Length:
    """A body of so many bytes."""

    def __init__(self, missing: int):
        self.missing = missing

    def ends_with(self, data: bytes) -> bool:
        """Whether the body is whole now that this has arrived."""
        self.missing -= len(data)
        return self.missing <= 0


class Chunks:
    """A body in chunks. It follows their sizes to the end; what cannot be followed is left to gunicorn to refuse."""

    def __init__(self) -> None:
        self.line = bytearray()
        self.to_skip = 0  # of the chunk at hand
        self.in_chunk = self.in_trailers = False

    def ends_with(self, data: bytes) -> bool:
        at = 0
        while at < len(data):
            step = min(self.to_skip, len(data) - at)
            at, self.to_skip = at + step, self.to_skip - step
            end = data.find(b"\n", at) + 1 or len(data)
            self.line += data[at:end]
            at = end
            if self._ends_with_line():
                return True
        return len(self.line) > PIECE

    def _ends_with_line(self) -> bool:
        if not self.line.endswith(b"\n"):
            return False
        line = bytes(self.line).strip()
        self.line.clear()
        if self.in_trailers:
            return not line
        if self.in_chunk:  # this is its end
            self.in_chunk = False
            return bool(line)
        try:
            size = int(line.partition(b";")[0], 16)
        except ValueError:
            return True
        self.in_chunk, self.in_trailers, self.to_skip = size > 0, size == 0, max(0, size)
        return size < 0


class Arrived(Unreader):
    """What gunicorn's parser reads from: all that has arrived and then nothing, so that it never waits."""

    def __init__(self, head: bytes):
        super().__init__()
        self.buf.write(head)
        self.kept: Any = None

    def keep(self, data: bytes) -> None:
        if data and self.kept is None:
            self.kept = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - closed with the connection
        if data:
            self.kept.write(data)

    def rewind(self) -> None:
        if self.kept:
            self.kept.seek(0)

    def chunk(self, size_hint: int | None = None) -> bytes:
        return self.kept.read(size_hint or PIECE) if self.kept else b""

    def rest(self) -> bytes:
        """What nobody has read: it belongs to the next request."""
        return self.take_buffered() + (self.kept.read() if self.kept else b"")

    def close(self) -> None:
        if self.kept:
            self.kept.close()


# --- what leaves ---


class Outgoing:
    """The socket as gunicorn writes to it: what the client does not take at once is kept until it does."""

    def __init__(self, client: socket.socket):
        self.socket = client
        self.held = bytearray()  # what is made in one go leaves in one go
        self.kept: Any = None
        self.sent = self.left = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.socket, name)

    def setblocking(self, flag: bool) -> None:
        """It never blocks."""

    def sendall(self, data: bytes) -> None:
        self.held += data
        if len(self.held) >= PIECE:
            self.flush()

    def sendfile(self, file: Any, offset: int = 0, count: int = 0) -> None:
        file.seek(offset)
        while count > 0 and (piece := file.read(min(count, PIECE))):
            self.sendall(piece)
            count -= len(piece)

    def flush(self) -> None:
        """Send as much as the client takes; how much it did not take, `left` says."""
        if self.held:
            data, self.held = bytes(self.held), bytearray()
            self._give(data)

    def send_more(self) -> bool:
        """Send what the client takes now; whether that was all."""
        if self.left:
            self.kept.seek(self.sent)
            taken = self._try(self.kept.read(PIECE))
            self.sent, self.left = self.sent + taken, self.left - taken
        if not self.left:
            self._empty()
        return not self.left

    def forget(self) -> None:
        """Nobody is there to send it to."""
        self.held.clear()
        self._empty()

    def _empty(self) -> None:
        if self.kept:
            self.kept.close()
        self.kept, self.sent, self.left = None, 0, 0

    def _give(self, data: bytes) -> None:
        taken = self._try(data) if not self.left or self.send_more() else 0
        if taken < len(data):
            self._keep(data[taken:])

    def _try(self, data: bytes) -> int:
        try:
            return self.socket.send(data)
        except BlockingIOError:
            return 0

    def _keep(self, data: bytes) -> None:
        if self.kept is None:
            self.kept = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - closed with the connection
        self.kept.seek(0, os.SEEK_END)
        self.kept.write(data)
        self.left += len(data)
        if self.left > MOST_LEFT:
            self._wait()

    def _wait(self) -> None:
        """In the thread that makes the answer: no more of it than `MOST_LEFT` is kept for whoever reads slowly."""
        start, had = time.monotonic(), self.sent
        with selectors.DefaultSelector() as selector:
            selector.register(self.socket, selectors.EVENT_WRITE)
            while self.left > MOST_LEFT // 2:
                late = start + settings.REQUEST_SECONDS + (self.sent - had) / LEAST_RATE_OF_A_THREAD - time.monotonic()
                if not selector.select(max(0, late)):
                    raise BrokenPipeError(errno.EPIPE, "The client does not read its answer.")
                self.send_more()


# --- one client ---


class Connection:
    """What has arrived of a client's request, what is left of its answer, and how long it may take."""

    def __init__(self, client_socket: socket.socket, client: Any, server: Any, cfg: Any):
        self.sock = Outgoing(client_socket)
        self.client, self.server, self.cfg = client, server, cfg
        self.requests = 0
        self.ahead: bytes | None = None  # what came after the request; without it the connection ends with the answer
        self.then: Callable[[Connection], None] | None = None  # what the loop does when the socket is ready
        self.deadline = self.since = 0.0
        self.counted = 0  # bytes since then
        self.begin()

    def begin(self) -> None:
        """A new request; nothing of it is there."""
        self.head = bytearray()
        self.request: Request | None = None
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
        self.request = Request(self.cfg, self.arrived, self.client, self.requests)
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


class PatientWorker(ThreadWorker):
    """Whatever waits for a client waits in `waiting`; whatever is in a thread is in nobody's hands but the thread's."""

    def __init__(self, *arguments: Any, **words: Any):
        super().__init__(*arguments, **words)
        self.waiting: dict[Connection, None] = {}  # who has waited longest comes first
        self.next_look = 0.0

    # --- in the loop ---

    def accept(self, listener: Any) -> None:
        try:
            client_socket, client = listener.accept()
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                self.make_room()
            elif error.errno not in (errno.EAGAIN, errno.ECONNABORTED, errno.EWOULDBLOCK):
                raise
            return
        client_socket.setblocking(False)
        self.nr_conns += 1
        if self.nr_conns >= self.worker_connections:
            self.make_room()
        conn = Connection(client_socket, client, listener.getsockname(), self.cfg)
        self.await_request(conn, settings.REQUEST_SECONDS)
        self.wake(conn)  # the request comes right behind, more often than not

    def await_request(self, conn: Connection, seconds: float) -> None:
        conn.since = time.monotonic()
        self.wait(conn, selectors.EVENT_READ, self.read, conn.since + seconds)

    def wait(self, conn: Connection, event: int, then: Callable[[Connection], None], deadline: float) -> None:
        conn.then, conn.deadline = then, deadline
        self.waiting[conn] = None
        self.poller.register(conn.sock.socket, event, partial(self.wake, conn))

    def leave(self, conn: Connection) -> None:
        if conn in self.waiting:
            del self.waiting[conn]
            self.poller.unregister(conn.sock.socket)

    def wake(self, conn: Connection, _socket: Any = None) -> None:
        """The socket is ready, unless something in this very turn has ended the connection."""
        if conn in self.waiting:
            try:
                conn.then(conn)  # type: ignore[misc]
            except BlockingIOError:
                pass
            except OSError:
                self.drop(conn)

    def read(self, conn: Connection) -> None:
        had_begun = conn.has_begun
        data = conn.sock.recv(PIECE)
        if not data:
            self.drop(conn)
            return
        if not had_begun:
            conn.since = time.monotonic()
        self.take(conn, data)

    def take(self, conn: Connection, data: bytes) -> None:
        try:
            whole = conn.take(data)
        except TooLarge:
            self.refuse(conn, *TOO_LARGE)
        except (NoMoreData, StopIteration):
            self.drop(conn)
        except Exception as error:
            self.handle_error(None, conn.sock, conn.client, error)
            self.part(conn)
        else:
            if whole:
                self.leave(conn)
                self.enqueue_req(conn)
            else:
                conn.encourage()
                body = conn.counted / LEAST_RATE if conn.request else 0
                conn.deadline = conn.since + settings.REQUEST_SECONDS + body

    def finish_request(self, conn: Connection, made: Future[Any]) -> None:
        """The thread is free again; the answer is sent, or what is left of it now is."""
        if made.cancelled() or made.exception() or not made.result() or not self.alive:
            conn.ahead = None
        conn.since = time.monotonic()
        try:
            if conn.sock.left:
                self.wait(conn, selectors.EVENT_WRITE, self.send, conn.since + settings.REQUEST_SECONDS)
            else:
                self.answered(conn)
        except OSError:
            self.drop(conn)

    def send(self, conn: Connection) -> None:
        if conn.sock.send_more():
            self.leave(conn)
            self.answered(conn)
        else:
            conn.deadline = conn.since + settings.REQUEST_SECONDS + conn.sock.sent / LEAST_RATE

    def answered(self, conn: Connection) -> None:
        ahead = conn.ahead
        conn.forget_request()
        if ahead is None:
            self.part(conn)
        else:
            self.await_request(conn, self.cfg.keepalive)
            if ahead:
                self.take(conn, ahead)

    def refuse(self, conn: Connection, status: int, reason: str, sentence: str) -> None:
        """Answer without a thread: the client may still be sending."""
        text = f"{sentence}\n"
        head = f"HTTP/1.1 {status} {reason}\r\nConnection: close\r\nContent-Type: text/plain\r\n"
        conn.sock.sendall(f"{head}Content-Length: {len(text)}\r\n\r\n{text}".encode())
        self.part(conn)

    def part(self, conn: Connection) -> None:
        """Say that nothing more comes, and let the client read its answer: to close at once could take it away."""
        self.leave(conn)
        try:
            conn.sock.flush()
            conn.sock.shutdown(socket.SHUT_WR)
        except OSError:
            self.drop(conn)
            return
        conn.counted = 0
        self.wait(conn, selectors.EVENT_READ, self.ignore, time.monotonic() + LINGER)
        self.wake(conn)

    def ignore(self, conn: Connection) -> None:
        data = conn.sock.recv(PIECE)
        conn.counted += len(data)
        if not data or conn.counted > MOST_BODY:
            self.drop(conn)

    def drop(self, conn: Connection) -> None:
        self.leave(conn)
        self.nr_conns -= 1
        conn.close()

    # --- who has to go ---

    def murder_keepalived(self, force: bool = False) -> None:
        """Called after every turn of the loop. It looks at everybody's deadline, but not more than twice a second."""
        now = time.monotonic()
        if now < self.next_look and not force:
            return
        self.next_look = now + 0.5
        for conn in list(self.waiting):
            if force or conn.deadline <= now:
                self.end(conn)
            elif not self.alive and conn.then == self.read:
                is_idle = conn.requests and not conn.has_begun
                conn.deadline = min(conn.deadline, now if is_idle else now + LINGER)

    def end(self, conn: Connection) -> None:
        late_request = conn.then == self.read and conn.has_begun
        if late_request or conn.then == self.send:
            _count_ended("request" if late_request else "answer")
        if late_request:
            self.refuse(conn, *TOO_LATE)
        else:
            self.drop(conn)

    def make_room(self) -> None:
        """There is always room for one more: those go who have waited longest, of the network that has most waiting."""
        if not self.waiting:
            return
        networks = {conn: network(str(conn.client[0])) for conn in self.waiting}
        ((crowd, _number),) = Counter(networks.values()).most_common(1)
        longest = [conn for conn in self.waiting if networks[conn] == crowd]
        for conn in longest[: max(1, self.worker_connections // 20)]:
            _count_ended("no room")
            self.drop(conn)

    # --- in a thread ---

    def handle(self, conn: Connection) -> bool:
        """Make the answer to a whole request; whether the connection stays."""
        request = conn.request
        conn.arrived.rewind()  # type: ignore[union-attr]
        try:
            return self._answer(conn, request)
        except (NoMoreData, StopIteration):
            conn.sock.forget()  # the answer broke off
        except OSError as error:
            conn.sock.forget()  # the client went away
            if error.errno not in (errno.EPIPE, errno.ECONNRESET, errno.ENOTCONN):
                self.log.exception("Socket error processing request.")
        except Exception as error:
            self.handle_error(request, conn.sock, conn.client, error)
            conn.sock.flush()
        return False

    def _answer(self, conn: Connection, request: Any) -> bool:
        stays = self.handle_request(request, conn)
        conn.sock.flush()
        conn.ahead = conn.read_ahead() if stays else None
        return conn.ahead is not None


def _count_ended(why: str) -> None:
    from upkeep import metrics  # only in the process that serves: what is counted before the fork belongs to nobody

    metrics.CONNECTIONS_ENDED.labels(why).inc()

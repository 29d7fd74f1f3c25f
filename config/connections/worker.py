"""The loop that reads and writes for all connections, and gives whole requests to threads."""

from __future__ import annotations

import errno
import resource
import selectors
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any

from django.conf import settings
from gunicorn.http.errors import NoMoreData
from gunicorn.http.wsgi import FileWrapper, create
from gunicorn.workers.gthread import ThreadWorker

from pages.addresses import network

from .arriving import PIECE, TooLarge
from .connection import LEAST_RATE, LINGER, MOST_BODY, Connection
from .framing import Answer, Settled
from .shares import Shares
from .streams import Streams
from .threads import Threads

A_SIGN = 0.25  # seconds between two signs that we live, of which the server misses none for less than `timeout`
A_HEAD_START = 0.001  # seconds for whoever has fewer connections
SPARE_FILES = 256  # for everything that is not a connection

SHARES = Shares()  # made before any process is

TOO_LATE = 408, "Request Timeout", "Your request took too long to arrive. Please try again."
NO_ROOM = (
    503,
    "Service Unavailable",
    "There is no room for this at the moment, and nothing was changed. Please try later.",
)
TOO_LARGE = 413, "Content Too Large", f"That is too large: a request has at most {MOST_BODY // 1024**2} MB."


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


class PatientWorker(ThreadWorker):
    """Whatever waits for a client waits in `waiting`; whatever is in a thread is in nobody's hands but the thread's.

    A client waits for its answer before it asks again, more often than not. So its socket stays watched meanwhile, and
    the thread gives the connection back without a word to the loop: it finds it in `given_back` when the socket has
    something to say. Only if that was too early it stops watching, and is told when the thread is done.
    """

    alive: bool  # until it is told to stop
    cfg: Any  # gunicorn's settings
    wsgi: Any  # the application

    def __init__(self, *arguments: Any, **words: Any):
        super().__init__(*arguments, **words)
        self.cfg = Settled(self.cfg)
        self.place = SHARES.enter()  # given in the server, which then becomes two
        self.waiting: dict[Connection, None] = {}  # who has waited longest comes first
        self.whole: list[Connection] = []  # whose requests are given to threads at the end of this turn
        self.given_back: list[Connection] = []  # who waits for a next request, as threads have left them
        self.turn = threading.Lock()  # of whoever changes that list
        self.streams = Streams(self)
        self.streams_told = -1
        self.next_look = self.next_sign = 0.0

    def get_thread_pool(self) -> Threads:
        return Threads(self.cfg.threads)

    def init_process(self) -> None:
        """However it ends, it does not wait for threads that have nothing to do."""
        try:
            super().init_process()
        finally:
            self.tpool.shutdown(wait=False)

    def load_wsgi(self) -> None:
        super().load_wsgi()
        self.wsgi = self.streams.around(self.wsgi)

    # --- in the loop ---

    def accept(self, listener: Any) -> None:
        """Whoever comes, unless a process that has fewer is there in a moment and takes them."""
        if SHARES.has_more(self.place):
            time.sleep(A_HEAD_START)
        try:
            client_socket, client = listener.accept()
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                self.make_room()
            elif error.errno not in (errno.EAGAIN, errno.ECONNABORTED, errno.EWOULDBLOCK):
                raise
            return
        client_socket.setblocking(False)
        self.count(+1)
        if self.nr_conns >= self.worker_connections:
            self.make_room()
        conn = Connection(client_socket, client, listener.getsockname(), self.cfg)
        self.await_request(conn, settings.REQUEST_SECONDS)
        self.wake(conn)  # the request comes right behind, more often than not

    def is_parent_alive(self) -> bool:
        """Without the server nobody is served any longer than a stop takes: the next one waits for our place."""
        if not super().is_parent_alive():
            self.alive = False
        return self.alive

    def notify(self) -> None:
        """That we live is worth a sign now and then, not one for every request."""
        now = time.monotonic()
        if now >= self.next_sign:
            self.next_sign = now + A_SIGN
            super().notify()

    def wait_for_and_dispatch_events(self, timeout: float) -> None:
        """A thread that is woken finds the loop asleep: two at once would only be in each other's way."""
        whole, self.whole = self.whole, []
        for conn in whole:
            self.tpool.submit(partial(self.work, conn))
        super().wait_for_and_dispatch_events(timeout)

    def take_back(self) -> None:
        """Whom threads have given back."""
        with self.turn:
            given_back, self.given_back = self.given_back, []
        for conn in given_back:
            self.waiting[conn] = None

    def await_request(self, conn: Connection, seconds: float) -> None:
        conn.since = time.monotonic()
        self.wait(conn, selectors.EVENT_READ, self.read, conn.since + seconds)

    def wait(self, conn: Connection, event: int, then: Callable[[Connection], None], deadline: float) -> None:
        conn.then, conn.deadline = then, deadline
        self.waiting[conn] = None
        self.watch(conn, event)

    def watch(self, conn: Connection, event: int) -> None:
        """For something, for something else, or for nothing any longer."""
        if conn.watched == event:
            return
        if not event:
            self.poller.unregister(conn.sock.socket)
        elif conn.watched:
            self.poller.modify(conn.sock.socket, event, partial(self.wake, conn))
        else:
            self.poller.register(conn.sock.socket, event, partial(self.wake, conn))
        conn.watched = event

    def leave(self, conn: Connection) -> None:
        self.waiting.pop(conn, None)
        self.watch(conn, 0)

    def wake(self, conn: Connection, _socket: Any = None) -> None:
        """The socket is ready, unless something in this very turn has ended the connection."""
        if conn not in self.waiting and conn.watched:
            self.look_for(conn)
        if conn in self.waiting:
            try:
                conn.then(conn)  # type: ignore[misc]
            except BlockingIOError:
                pass
            except OSError:
                self.drop(conn)

    def look_for(self, conn: Connection) -> None:
        """Its thread has given it back; if not, what comes is left alone until it does."""
        with self.turn:
            if conn not in self.given_back:
                self.watch(conn, 0)
        self.take_back()

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
        except OSError as error:
            self.log.error("A request could not be kept: %s.", error.strerror)
            self.refuse(conn, *NO_ROOM)
        except Exception as error:
            self.handle_error(None, conn.sock, conn.client, error)
            self.part(conn)
        else:
            if whole:
                del self.waiting[conn]
                self.whole.append(conn)
            else:
                conn.encourage()
                body = conn.counted / LEAST_RATE if conn.request else 0
                conn.deadline = conn.since + settings.REQUEST_SECONDS + body

    def finish_request(self, conn: Connection) -> None:
        """The thread is free again; the answer is sent, or what is left of it now is, or it stays open."""
        if not self.alive:
            conn.ahead = None
        conn.since = time.monotonic()
        try:
            if conn.stream:
                self.streams.adopt(conn, conn.stream)
            elif conn.sock.left:
                conn.delivered = conn.sock.delivered()
                self.wait(conn, selectors.EVENT_WRITE, self.send, conn.since + settings.REQUEST_SECONDS)
            else:
                self.answered(conn)
        except OSError:
            self.drop(conn)

    def send(self, conn: Connection) -> None:
        if conn.sock.send_more():
            del self.waiting[conn]
            self.answered(conn)

    def gets_more_time(self, conn: Connection) -> bool:
        """Whoever takes their answer fast enough."""
        if conn.then == self.send:
            taken = conn.sock.delivered() - conn.delivered
            conn.deadline = conn.since + settings.REQUEST_SECONDS + taken / LEAST_RATE
        return conn.deadline > time.monotonic()

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

    def lose(self, conn: Connection, why: str) -> None:
        _count_ended(why)
        self.drop(conn)

    def drop(self, conn: Connection) -> None:
        if conn.stream:
            self.streams.over(conn)
        self.leave(conn)
        self.count(-1)
        conn.close()

    def count(self, by: int) -> None:
        self.nr_conns += by
        SHARES.tell(self.place, self.nr_conns)

    # --- who has to go ---

    def handle_exit(self, signal_number: int, frame: Any) -> None:
        super().handle_exit(signal_number, frame)
        self.method_queue.defer(self.streams.stop)

    def murder_keepalived(self, force: bool = False) -> None:
        """Called after every turn of the loop. It looks at everybody's deadline, but not more than twice a second."""
        if not self.alive:
            self.streams.stop()
        if self.given_back:
            self.take_back()
        now = time.monotonic()
        if now < self.next_look and not force:
            return
        self.next_look = now + 0.5
        self.tell_streams()
        for conn in list(self.waiting):
            if force or (conn.deadline <= now and not self.gets_more_time(conn)):
                self.end(conn)
            elif not self.alive and conn.then == self.read:
                is_idle = conn.requests and not conn.has_begun
                conn.deadline = min(conn.deadline, now if is_idle else now + LINGER)

    def tell_streams(self) -> None:
        """How many are open, if that has changed."""
        if self.streams_told != len(self.streams.open):
            self.streams_told = len(self.streams.open)
            _tell_open(self.streams_told)

    def end(self, conn: Connection) -> None:
        if conn.stream:
            self.streams.due(conn)
            return
        late_request = conn.then == self.read and conn.has_begun
        if late_request or conn.then == self.send:
            _count_ended("request" if late_request else "answer")
        if late_request:
            self.refuse(conn, *TOO_LATE)
        else:
            self.drop(conn)

    def make_room(self) -> None:
        """There is always room for one more: those go who have waited longest, of the network that has most waiting.

        Who listens to a stream waits for us and not we for them, so it is never their turn: a hall is one network, and
        streams leave room for pages by themselves.
        """
        self.take_back()
        networks = {conn: network(str(conn.client[0])) for conn in self.waiting if not conn.stream}
        if not networks:
            return
        ((crowd, _number),) = Counter(networks.values()).most_common(1)
        longest = [conn for conn, each in networks.items() if each == crowd]
        for conn in longest[: max(1, self.worker_connections // 20)]:
            self.lose(conn, "no room")

    # --- in a thread ---

    def work(self, conn: Connection) -> None:
        """Make the answer, and give the connection back: to nobody in particular if all is said and done."""
        conn.ahead = None
        try:
            self.handle(conn)
        finally:
            if conn.stream or conn.sock.left or conn.ahead != b"" or not self.give_back(conn):
                self.method_queue.defer(self.finish_request, conn)

    def give_back(self, conn: Connection) -> bool:
        """To wait for a next request; not if the loop has had to look away."""
        conn.forget_request()
        conn.since = time.monotonic()
        conn.then, conn.deadline = self.read, conn.since + self.cfg.keepalive
        with self.turn:
            if self.alive and conn.watched:
                self.given_back.append(conn)
                return True
        return False

    def handle(self, conn: Connection) -> None:
        """Make the answer to a whole request; `ahead` says whether the connection stays."""
        request = conn.request
        conn.arrived.rewind()  # type: ignore[union-attr]
        try:
            self._answer(conn, request)
        except (NoMoreData, StopIteration):
            conn.sock.forget()  # the answer broke off
        except OSError as error:
            conn.sock.forget()  # the client went away
            if error.errno not in (errno.EPIPE, errno.ECONNRESET, errno.ENOTCONN):
                self.log.exception("Socket error processing request.")
        except Exception as error:
            self.handle_error(request, conn.sock, conn.client, error)
            conn.sock.flush()

    def _answer(self, conn: Connection, request: Any) -> None:
        stays = self.handle_request(request, conn)
        if conn.sock.offer:
            self.streams.begin(conn)
            return
        ahead = conn.read_ahead() if stays else None
        conn.sock.flush()
        conn.ahead = ahead

    def handle_request(self, request: Any, conn: Connection) -> bool:
        """Ask the application, and frame its answer; whether the connection may stay."""
        answer, environ = create(request, conn.sock, conn.client, conn.server, self.cfg, Answer)
        environ["wsgi.multithread"] = True
        self.nr += 1
        if self.nr >= self.max_requests:
            self.alive = False  # another process takes our place
        if not self.alive or not self.cfg.keepalive:
            answer.force_close()
        begun = datetime.now()
        try:
            _fill(answer, self.wsgi(environ, answer.start_response))
        except OSError:
            raise
        except (Exception, SystemExit):
            if answer.headers_sent:  # what was said cannot be taken back
                self.log.exception("Error handling request")
                raise StopIteration from None
            raise
        finally:
            self.log.access(answer, request, environ, datetime.now() - begun)
        return not answer.should_close()


def _fill(answer: Answer, content: Any) -> None:
    try:
        if isinstance(content, FileWrapper):
            answer.write_file(content)
        else:
            for piece in content:
                answer.write(piece)
        answer.close()
    finally:
        if hasattr(content, "close"):
            content.close()


def _count_ended(why: str) -> None:
    from upkeep import metrics  # only in the process that serves: what is counted before the fork belongs to nobody

    metrics.CONNECTIONS_ENDED.labels(why).inc()


def _tell_open(streams: int) -> None:
    from upkeep import metrics

    metrics.OPEN_STREAMS.set(streams)

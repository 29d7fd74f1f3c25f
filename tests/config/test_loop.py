"""Who has a connection at hand, the loop or a thread. Here the loop is turned by hand, and the thread told to go on."""

from __future__ import annotations

import selectors
import socket
import threading
from contextlib import closing

import pytest
from gunicorn.config import Config
from gunicorn.glogging import Logger

from config.connections.connection import Connection
from config.connections.worker import PatientWorker

PATIENCE = 120  # seconds for a machine that is busy with other things
REQUEST = b"GET /%d HTTP/1.1\r\nHost: localhost\r\n\r\n"


class Turned(PatientWorker):
    """A worker without a process of its own, whose application waits until it may answer."""

    def __init__(self) -> None:
        cfg = Config()
        super().__init__(1, 1, [], None, 30, cfg, Logger(cfg))
        self.tpool, self.poller = self.get_thread_pool(), selectors.DefaultSelector()
        self.method_queue.init()
        self.poller.register(self.method_queue.fileno(), selectors.EVENT_READ, self.method_queue.run_callbacks)
        self.wsgi = self.streams.around(self.answer)
        self.may_answer, self.asked = threading.Semaphore(0), []

    def answer(self, environ, start_response):
        assert self.may_answer.acquire(timeout=PATIENCE)
        self.asked.append(environ["PATH_INFO"])
        start_response("200 OK", [("Content-Length", "2")])
        return [b"ok"]

    def turn_loop(self) -> None:
        self.wait_for_and_dispatch_events(0)

    def turn_until(self, is_so) -> None:
        pause = threading.Event()
        for _ in range(PATIENCE * 100):
            if is_so():
                return
            self.turn_loop()
            pause.wait(0.01)
        raise AssertionError("It did not come to that.")

    def end_all(self) -> None:
        self.may_answer.release(100)
        self.tpool.shutdown(wait=False)
        self.poller.close()
        self.method_queue.close()
        self.tmp.close()


@pytest.fixture
def worker():
    worker = Turned()
    yield worker
    worker.end_all()


@pytest.fixture
def client(worker):
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    theirs.settimeout(PATIENCE)
    worker.nr_conns += 1
    worker.await_request(Connection(ours, ("127.0.0.1", 1), ("127.0.0.1", 80), worker.cfg), 600)
    with closing(theirs):
        yield theirs


@pytest.fixture
def conn(worker, client):
    """The connection of a client whose request is in a thread."""
    (conn,) = worker.waiting
    client.sendall(REQUEST % 1)
    worker.turn_loop()
    assert (worker.whole, list(worker.waiting)) == ([conn], [])
    worker.turn_loop()
    assert (worker.whole, worker.tpool.count) == ([], 1)
    return conn


def given_back(worker, conn):
    """The thread is done; the loop has heard nothing of it."""
    worker.may_answer.release()
    pause = threading.Event()
    for _ in range(PATIENCE * 100):
        with worker.turn:
            if conn in worker.given_back:
                return
        pause.wait(0.01)
    raise AssertionError("It was not given back.")


def test_who_waits_for_the_answer_is_given_back_without_a_word(worker, client, conn):
    given_back(worker, conn)
    assert client.recv(65536).endswith(b"ok")
    assert worker.poller.select(0) == [], "nobody woke the loop"
    worker.murder_keepalived()
    assert list(worker.waiting) == [conn]
    client.sendall(REQUEST % 2)
    worker.may_answer.release()
    worker.turn_until(lambda: worker.asked == ["/1", "/2"])


def test_and_is_found_when_the_next_request_comes(worker, client, conn):
    given_back(worker, conn)
    client.sendall(REQUEST % 2)
    worker.turn_loop()
    assert (worker.whole, worker.given_back) == ([conn], [])


def test_who_speaks_too_early_is_left_alone_until_the_answer_is_made(worker, client, conn):
    client.sendall(REQUEST % 2)
    worker.turn_loop()
    assert conn.watched == 0
    assert worker.poller.select(0) == [], "the loop does not turn for nothing"
    worker.may_answer.release(2)
    worker.turn_until(lambda: worker.asked == ["/1", "/2"])


def test_who_leaves_before_the_answer_is_made_is_let_go_afterwards(worker, client, conn):
    client.close()
    worker.turn_loop()
    assert (conn.watched, worker.nr_conns) == (0, 1)
    worker.may_answer.release()
    worker.turn_until(lambda: worker.nr_conns == 0)
    assert (list(worker.waiting), conn.sock.socket.fileno()) == ([], -1)


def test_who_was_given_back_and_is_silent_has_to_go(worker, client, conn):
    given_back(worker, conn)
    conn.deadline = 0
    worker.murder_keepalived()
    assert (worker.nr_conns, worker.given_back, conn.sock.socket.fileno()) == (0, [], -1)
    assert client.recv(65536).endswith(b"ok")
    assert client.recv(65536) == b""


def test_and_goes_first_where_there_is_no_room(worker, client, conn):
    given_back(worker, conn)
    worker.make_room()
    assert worker.nr_conns == 0


def test_when_the_server_stops_nobody_is_given_back(worker, client, conn):
    worker.alive = False
    worker.may_answer.release()
    worker.turn_until(lambda: worker.waiting)
    assert worker.given_back == []
    assert client.recv(65536).endswith(b"ok")
    assert client.recv(65536) == b"", "it hears that nothing more comes"


def test_what_has_no_end_to_tell_of_ends_the_connection(worker, client, conn):
    """An answer without a length, to a client that cannot read chunks, ends with its connection."""
    given_back(worker, conn)
    worker.wsgi = lambda environ, start_response: (start_response("200 OK", []), [b"all"])[1]
    client.recv(65536)
    client.sendall(b"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
    worker.turn_until(lambda: conn.then == worker.ignore)
    said = b"".join(iter(lambda: client.recv(65536), b""))
    assert said.endswith(b"\r\n\r\nall")
    assert b"Connection: close" in said


def test_an_answer_that_breaks_off_is_not_followed_by_another(worker, client, conn):
    given_back(worker, conn)
    client.recv(65536)

    def breaking(environ, start_response):
        start_response("200 OK", [("Content-Length", "9")])
        yield b"half"
        raise ValueError

    worker.wsgi, worker.log.exception = breaking, lambda *words: None
    client.sendall(REQUEST % 2)
    worker.turn_until(lambda: conn.then == worker.ignore)
    assert client.recv(65536) == b""


def test_an_application_that_fails_says_so(worker, client, conn):
    given_back(worker, conn)
    client.recv(65536)

    def failing(environ, start_response):
        raise ValueError

    worker.wsgi, worker.log.exception = failing, lambda *words: None
    client.sendall(REQUEST % 2)
    worker.turn_until(lambda: conn.then == worker.ignore)
    assert client.recv(65536).startswith(b"HTTP/1.1 500 ")


def test_after_so_many_requests_another_process_takes_our_place(worker, client, conn):
    given_back(worker, conn)
    client.recv(65536)
    worker.max_requests = 2
    worker.may_answer.release()
    client.sendall(REQUEST % 2)
    worker.turn_until(lambda: conn.then == worker.ignore)
    assert not worker.alive
    assert b"Connection: close" in client.recv(65536)

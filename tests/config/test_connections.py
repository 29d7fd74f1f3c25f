"""Slow clients wait at nobody's expense, and what HTTP/1.1 promises still holds: with real servers and raw sockets.

The servers here have one process with one thread: whoever is answered shows that nobody holds it.
"""

from __future__ import annotations

import hashlib
import os
import resource
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from config.gunicorn import limit_request_fields, limit_request_line
from config.settings import BASE_DIR
from config.web.connections import room_for
from config.web.requests import MAX_BODY_BYTES
from tests.ports import free_port
from tests.slow_clients import not_reading, silent, slow_body, slow_clients, slow_head
from tests.upkeep.test_serve import read, running

from . import echo

TIMEOUT_SECONDS = 120  # seconds for a machine that is busy with other things
ONE_THREAD = {"WEB_PROCESSES": "1", "WEB_THREADS": "1"}


def echoing(folder, **variables):
    """A server of the small application; its port is the process's attribute."""
    port = free_port()
    command = [sys.executable, "-m", "gunicorn", "--config", "python:tests.config.echo_server", "tests.config.echo"]
    folders = {"DATA_DIR": str(folder), "METRICS_DIR": str(folder / "metrics")}
    settings = {**folders, "WORKER": "apart", "PORT": str(port), "REQUEST_SECONDS": "600", **ONE_THREAD, **variables}
    return running(command, f"http://127.0.0.1:{port}/", **settings), port


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """The port of one that is patient."""
    serving, port = echoing(tmp_path_factory.mktemp("patient"))
    with serving:
        yield port


@pytest.fixture(scope="module")
def strict(tmp_path_factory):
    """The port of one that waits a second."""
    serving, port = echoing(tmp_path_factory.mktemp("strict"), REQUEST_SECONDS="1")
    with serving:
        yield port


def connected(port, first=b"", buffer=None):
    connection = socket.socket()
    if buffer:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    connection.settimeout(TIMEOUT_SECONDS)
    connection.connect(("127.0.0.1", port))
    connection.sendall(first)
    return closing(connection)


def answer(connection, head_only=False):
    """The next answer: its status and body."""
    file = connection.makefile("rb", buffering=0)  # what belongs to the answer after this one stays in the socket
    lines = []
    while (line := file.readline()) not in (b"\r\n", b""):
        lines.append(line.decode().strip())
    if not lines:
        return None, b""
    headers = dict(line.lower().split(": ", 1) for line in lines[1:])
    pieces, left = [], 0 if head_only else int(headers.get("content-length", 0))
    while left and (piece := file.read(left)):
        pieces.append(piece)
        left -= len(piece)
    return int(lines[0].split()[1]), b"".join(pieces)


def until_end(connection):
    """All that still comes."""
    pieces = []
    try:
        while piece := connection.recv(65536):
            pieces.append(piece)
    except ConnectionResetError:
        pass
    return b"".join(pieces)


def request(path="/", method="GET", body=b"", *headers):
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", *headers]
    if body:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode() + body


def echoed(body, method="POST"):
    return f"{method} {len(body)} {hashlib.sha256(body).hexdigest()}".encode()


def is_answered(port):
    with connected(port, request()) as connection:
        return answer(connection) == (200, echoed(b"", "GET"))


# --- the slow ---


@pytest.mark.deep
def test_a_page_is_answered_while_hundreds_of_clients_are_slow(tmp_path):
    port = free_port()
    variables = {"DATA_DIR": str(tmp_path), "PORT": str(port), "REQUEST_SECONDS": "600", **ONE_THREAD}
    command = [sys.executable, "manage.py", "serve", "--no-demo"]
    with running(command, f"http://127.0.0.1:{port}/healthz", **variables), slow_clients(port, 300, 20) as clients:
        assert "Plenum" in read(port)
        assert "Plenum" in read(port, "/sign-in/")
        for client in clients[:300]:
            with pytest.raises(BlockingIOError):  # it is still there, and nothing was said to it
                client.recv(1)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("kind", "last_word"), [(silent, b""), (slow_head, b"HTTP/1.1 408 "), (slow_body, b"HTTP/1.1 408 ")]
)
def test_who_sends_too_slowly_is_ended(strict, kind, last_word):
    with connected(strict, kind(1)) as connection:
        said = until_end(connection)
    assert said.startswith(last_word)
    assert bool(said) == bool(last_word)


def test_sending_a_byte_now_and_then_gives_no_more_time(strict):
    with slow_clients(strict, 30, 0) as clients:
        for client in clients:
            client.settimeout(TIMEOUT_SECONDS)
            until_end(client)


def test_a_body_sent_fast_buys_no_time_to_stand_still(strict):
    with connected(strict, request("/", "POST", bytes(4_000_000))[:2_000_000]) as connection:
        assert until_end(connection).startswith(b"HTTP/1.1 408 ")


@pytest.mark.deep
def test_who_does_not_read_is_ended(strict):
    with connected(strict, request("/large"), buffer=4096) as connection:
        waited = time.monotonic() + TIMEOUT_SECONDS
        while time.monotonic() < waited and not _is_reset(connection):
            assert is_answered(strict)
        assert len(until_end(connection)) < echo.LARGE_BODY_BYTES


def _is_reset(connection):
    """The server has closed: it hears no more of what is sent to it."""
    try:
        connection.send(b"x")
    except OSError:
        return True
    return False


@pytest.mark.deep
def test_an_answer_waits_for_a_slow_reader_and_the_thread_does_not(server):
    with connected(server, request("/large"), buffer=4096) as connection:
        assert is_answered(server)
        status, body = answer(connection)
    assert status == 200
    assert hashlib.sha256(body).digest() == hashlib.sha256(echo.large()).digest()


@pytest.mark.deep
def test_there_is_always_room_for_one_more(tmp_path):
    serving, port = echoing(tmp_path, WEB_CONNECTIONS="16")
    with serving, ExitStack() as open_ones:
        waiting = [open_ones.enter_context(connected(port, request()[:-2])) for _ in range(60)]
        assert is_answered(port)
        assert until_end(waiting[0]) == b"", "who has waited longest goes"
        waiting[-1].sendall(b"\r\n")
        assert answer(waiting[-1])[0] == 200, "who came last is there"


# --- HTTP/1.1 ---


def test_a_connection_is_kept(server):
    with connected(server) as connection:
        for body in (b"one", b"two" * 50_000, b""):
            connection.sendall(request("/", "POST", body))
            assert answer(connection) == (200, echoed(body))


def test_an_idle_connection_is_kept_longer_than_a_request_may_take(strict):
    with connected(strict, request()) as connection:
        assert answer(connection)[0] == 200
        for _ in range(3):  # one after another, each is ended for taking longer than a request may take
            with connected(strict, slow_head(1)) as another:
                until_end(another)
        connection.sendall(request())
        assert answer(connection) == (200, echoed(b"", "GET"))
        connection.sendall(request()[:-2])
        assert until_end(connection).startswith(b"HTTP/1.1 408 "), "the next request has its deadline again"


@pytest.mark.parametrize("words", [("Connection: close",), ()])
def test_a_connection_is_closed_for_whom_that_is_right(server, words):
    version = b"HTTP/1.1" if words else b"HTTP/1.0"
    with connected(server, request("/", "GET", b"", *words).replace(b"HTTP/1.1", version)) as connection:
        assert answer(connection)[0] == 200
        assert until_end(connection) == b""


def test_requests_sent_ahead_are_answered_in_their_order(server):
    chunked = b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
    several = request() + request("/", "POST", b"one") + chunked + request("/ignore", "POST", b"two") + request()
    with connected(server, several) as connection:
        bodies = [answer(connection)[1] for _ in range(5)]
    assert bodies == [echoed(b"", "GET"), echoed(b"one"), echoed(b"abc"), b"not read", echoed(b"", "GET")]


def test_a_body_in_chunks_may_come_in_any_pieces(server):
    body = b"5\r\nabcde\r\nA;some=thing\r\n0123456789\r\n0\r\nX-Trailer: 1\r\n\r\n"
    head = b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    with connected(server, head) as connection:
        for byte in body:
            connection.send(bytes([byte]))
        assert answer(connection) == (200, echoed(b"abcde0123456789"))
        connection.sendall(request())
        assert answer(connection)[0] == 200


def test_a_large_body_is_kept_in_a_file_and_not_by_the_thread(server):
    body = os.urandom(6 * 1024**2)
    head = request("/", "POST", b"", f"Content-Length: {len(body)}")
    with connected(server, head + body[:-1]) as connection:
        assert is_answered(server)
        connection.sendall(body[-1:])
        assert answer(connection) == (200, echoed(body))


def test_who_asks_whether_to_send_the_body_is_told_once(server):
    with connected(server, request("/", "POST", b"", "Content-Length: 3", "Expect: 100-continue")) as connection:
        assert answer(connection)[0] == 100
        connection.sendall(b"abc")
        assert answer(connection) == (200, echoed(b"abc"))


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (request("/", "POST", b"", f"Content-Length: {MAX_BODY_BYTES + 1}"), 413),
        (request("/", "POST", b"", f"Content-Length: {MAX_BODY_BYTES + 1}", "Expect: 100-continue"), 413),
        (request("/", "GET", b"", f"X-Long: {'x' * 8190}"), 431),
        (request("/", "GET", b"", *(f"X-{n}: x" for n in range(limit_request_fields))), 431),
        (b"nonsense\r\n\r\n", 400),
        (request("/", "POST", b"", "Content-Length: 3", "Content-Length: 4"), 400),
        (request("/", "POST", b"", "Content-Length: 3", "Transfer-Encoding: chunked"), 400),
        (request("/", "POST", b"", "Transfer-Encoding: chunked") + b"zz\r\n", 400),
        (request("/", "POST", b"", "Transfer-Encoding: chunked") + b"-5\r\n", 400),
        (request("/", "POST", b"", "Transfer-Encoding: chunked") + b"3\r\nabcdef\r\n0\r\n\r\n", 400),
    ],
)
def test_what_is_wrong_is_refused_and_ends_the_connection(server, sent, status):
    with connected(server, sent) as connection:
        assert answer(connection)[0] == status
        assert until_end(connection) == b""
    assert is_answered(server)


CHUNKED = request("/", "POST", b"", "Transfer-Encoding: chunked")
SMUGGLED = request("/ignore")
AMBIGUOUS = [
    request("/", "POST", b"", "Content-Length: 3", "Transfer-Encoding: chunked") + b"0\r\n\r\n",
    request("/", "POST", b"", "Transfer-Encoding: chunked", "Content-Length: 3") + b"0\r\n\r\n",
    request("/", "POST", b"", "Content-Length: 0", f"Content-Length: {len(SMUGGLED)}"),
    request("/", "POST", b"", "Content-Length: +0"),
    request("/", "POST", b"", "Content-Length: -1"),
    request("/", "POST", b"", "Content-Length: 0, 0x10"),
    request("/", "POST", b"", "Content-Length : 0"),
    request("/", "POST", b"", "Transfer-Encoding: identity, chunked, identity"),
    request("/", "POST", b"", "Transfer-Encoding: xchunked"),
    request("/", "POST", b"", "Transfer-Encoding : chunked") + b"0\r\n\r\n",
    request("/", "POST", b"", "X: 1", " Transfer-Encoding: chunked") + b"0\r\n\r\n",
    request("/", "POST", b"", "Host: elsewhere"),
    b"POST / HTTP/1.1\nHost: localhost\nContent-Length: 0\n\n",
    b"POST / HTTP/1.1\r\nHost: localhost\rContent-Length: 0\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: localhost\r\nX: \0\r\n\r\n",
    b"POST  / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    CHUNKED + b"0x0\r\n\r\n",
    CHUNKED + b" 0\r\n\r\n",
    CHUNKED + b"1\r\nab\r\n0\r\n\r\n",
    CHUNKED + b"1\nx\n0\n\n",
    CHUNKED + b"1;a\rb\r\nx\r\n0\r\n\r\n",
    CHUNKED + b"0\r\nContent-Length: 3\r\n\r\n",
]


@pytest.mark.parametrize("ambiguous", AMBIGUOUS)
def test_what_two_servers_could_read_differently_is_refused_and_nothing_behind_it_is_answered(server, ambiguous):
    with connected(server, ambiguous + SMUGGLED) as connection:
        said = until_end(connection)
    assert said[9:12] in (b"400", b"501")
    assert said.count(b"HTTP/1.1 ") == 1


def test_a_flood_of_tiny_chunks_is_cut_off_before_it_is_parsed(server):
    """Their parser takes seconds of the one event loop for what a client sends in one."""
    flood = CHUNKED + b"1\r\nx\r\n" * 10_000
    with ExitStack() as open_ones:
        clients = [open_ones.enter_context(connected(server, flood)) for _ in range(20)]
        assert is_answered(server)
        for each in clients:
            assert until_end(each)[:12] in (b"HTTP/1.1 400", b"")


def test_also_one_that_is_sent_ahead(server, tmp_path):
    with connected(server, request(f"/hold?{tmp_path}")) as connection:
        _wait_for(tmp_path / "began")
        connection.sendall(CHUNKED + b"1\r\nx\r\n" * 10_000)
        until_end(connection)
        (tmp_path / "go").touch()
    assert is_answered(server)


def test_the_length_of_what_was_sent_in_chunks_is_known(server):
    sent = CHUNKED.replace(b"POST / ", b"POST /length ") + b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
    with connected(server, sent) as connection:
        assert answer(connection) == (200, b"5")


def test_a_whole_address_in_the_request_line_names_its_path(server):
    with connected(server, request("http://elsewhere.example/ignore?x")) as connection:
        assert answer(connection) == (200, b"not read")


def test_there_are_no_web_sockets(server):
    words = ("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13")
    key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
    with connected(server, request("/", "GET", b"", *words, key)) as connection:
        assert answer(connection)[0] == 403


def test_a_body_in_chunks_has_an_end(server):
    piece = b"10000\r\n" + bytes(0x10000) + b"\r\n"
    with connected(server, request("/", "POST", b"", "Transfer-Encoding: chunked")) as connection:
        for _ in range(MAX_BODY_BYTES // 0x10000 + 3):
            try:
                connection.sendall(piece)
            except OSError:
                break
        assert answer(connection)[0] == 413


def test_asking_for_the_head_brings_the_head(server):
    with connected(server, request("/", "HEAD") + request()) as connection:
        assert answer(connection, head_only=True) == (200, b"")
        assert answer(connection) == (200, echoed(b"", "GET"))


@pytest.mark.parametrize(
    "sent", [b"", request()[:-5], request("/", "POST", b"", "Content-Length: 9") + b"abc", request("/large")]
)
def test_who_leaves_early_leaves_nothing_behind(server, sent):
    for _ in range(5):
        with connected(server, sent):
            pass
        assert is_answered(server)


def test_a_page_may_ask_whether_its_client_is_still_there(server, tmp_path):
    with connected(server, request(f"/left?{tmp_path}")):
        pass
    _wait_for(tmp_path / "left")


# --- stopping ---


@pytest.mark.deep
def test_answers_are_not_cut_off_when_the_server_stops(tmp_path):
    serving, port = echoing(tmp_path)
    with (
        serving as process,
        connected(port, request(f"/hold?{tmp_path}")) as connection,
        connected(port, request()[:-2]) as half,
    ):
        _wait_for(tmp_path / "began")
        process.terminate()
        (tmp_path / "go").touch()
        status, body = answer(connection)
        assert (status, len(body)) == (200, echo.LARGE_BODY_BYTES)
        assert until_end(connection) == b""
        until_end(half)  # a request that never becomes whole keeps nobody from stopping
        assert process.wait(timeout=TIMEOUT_SECONDS) == 0


def _wait_for(path):
    until = time.monotonic() + TIMEOUT_SECONDS
    while not path.exists():
        assert time.monotonic() < until, path
        time.sleep(0.01)


@pytest.mark.deep
def test_a_process_that_hangs_is_replaced(tmp_path):
    serving, port = echoing(tmp_path, GUNICORN_CMD_ARGS="--timeout 2")
    with serving as process:
        (child,) = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        os.kill(int(child), signal.SIGSTOP)
        assert is_answered(port)


# --- how many ---


@pytest.mark.deep
def test_files_are_allowed_for_all_connections(tmp_path):
    script = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_NOFILE, (64, int(sys.argv[1])));"
        "from config.web.connections import room_for;"
        "print(room_for(1000), resource.getrlimit(resource.RLIMIT_NOFILE)[0])"
    )
    environment = {"PATH": os.environ["PATH"], "DATA_DIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "config.settings"}

    def asked(hard):
        command = [sys.executable, "-c", script, str(hard)]
        run = subprocess.run(command, check=True, env=environment, cwd=BASE_DIR, capture_output=True, text=True)
        return tuple(map(int, run.stdout.split()))

    assert asked(4000) == (1000, 2256), "the soft limit is raised"
    assert asked(656) == (200, 656), "where that is not allowed, there are fewer connections"


def test_files_that_are_there_are_left(monkeypatch):
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert room_for(16) == 16
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == before


@pytest.mark.deep
def test_those_who_do_not_read_ask_for_more_than_a_socket_holds():
    assert not_reading(0).count(b"GET ") > 20


@pytest.mark.deep
def test_the_longest_address_that_our_pages_have_is_answered(server):
    """Two names of 200 emoji, escaped, and escaped once more behind a sign-in (tests/test_largest_values.py)."""
    path = "/" + "x" * (limit_request_line - len("GET / HTTP/1.1"))
    with connected(server, request(path)) as connection:
        assert answer(connection)[0] != 414
    with connected(server, request(path + "x")) as connection:
        assert answer(connection)[0] == 414

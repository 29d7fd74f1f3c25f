"""Answers that stay open: with a real server of one process and one thread, and raw sockets."""

from __future__ import annotations

import signal
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from config.web import streams
from tests.upkeep.test_serve import children

from . import echo
from .test_connections import TIMEOUT_SECONDS, answer, connected, echoing, is_answered, request, until_end


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    serving, port = echoing(tmp_path_factory.mktemp("streams"), WEB_CONNECTIONS="300")
    with serving:
        yield port


@pytest.fixture(scope="module")
def strict(tmp_path_factory):
    """One that waits a second, and says something to the quiet much sooner (`echo_server.py`)."""
    serving, port = echoing(tmp_path_factory.mktemp("strict"), REQUEST_SECONDS="1")
    with serving:
        yield port


def ask(port, path, body=b""):
    with connected(port, request(path, "POST", body)) as connection:
        return answer(connection)[1].decode()


def listening(port, name, version=b"HTTP/1.1", **words):
    return connected(port, request(f"/stream?{name}").replace(b"HTTP/1.1", version), **words)


def hears(connection, words):
    """All that comes until these words have come."""
    heard = bytearray()
    while not heard.endswith(words):
        piece = connection.recv(65536)
        assert piece, heard
        heard += piece
    return bytes(heard)


def chunk(data):
    return b"%x\r\n%b\r\n" % (len(data), data)


def unchunked(body):
    pieces = []
    while body:
        size, _, body = body.partition(b"\r\n")
        pieces.append(body[: int(size, 16)])
        body = body[int(size, 16) + 2 :]
    return b"".join(pieces)


BEGUN, LAST_CHUNK = chunk(b"data: begun\n\n"), b"0\r\n\r\n"


def wait_until(condition):
    until = time.monotonic() + TIMEOUT_SECONDS
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


def was_told(port, name, times=1):
    """It does not listen any longer, and the view was told so, once."""
    listen, told = ask(port, "/who").split(";")
    return name not in listen.split() and f"{name}={times}" in told.split()


def test_an_answer_stays_open_and_more_is_said(server):
    with listening(server, "ada") as connection:
        head, _, body = hears(connection, BEGUN).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 OK\r\n")
        assert b"transfer-encoding: chunked" in head.lower()
        assert b"content-length" not in head.lower()
        assert body == chunk(b"data: ada\n\n") + BEGUN
        for piece in (b"data: 1\n\n", b"data: " + b"x" * 100_000 + b"\n\n"):
            assert ask(server, "/say", piece) == "said"
            assert hears(connection, b"\n\n\r\n") == chunk(piece)
        assert "ada" in ask(server, "/who").split(";")[0].split()
        wait_until(lambda: "\nplenum_open_streams 1.0\n" in ask(server, "/figures"))
    wait_until(lambda: was_told(server, "ada"))
    wait_until(lambda: "\nplenum_open_streams 0.0\n" in ask(server, "/figures"))


def test_it_ends_after_all_that_was_said_and_nothing_comes_after_it(server):
    with listening(server, "bob") as connection:
        hears(connection, BEGUN)
        assert ask(server, "/close?bob") == "closed"
        assert hears(connection, LAST_CHUNK) == chunk(b"data: last\n\n") + LAST_CHUNK
    wait_until(lambda: was_told(server, "bob"))


def test_who_speaks_an_older_language_hears_the_same(server):
    with listening(server, "eve", b"HTTP/1.0") as connection:
        head, _, body = hears(connection, b"begun\n\n").partition(b"\r\n\r\n")
        assert b"chunked" not in head.lower()
        assert body == b"data: eve\n\ndata: begun\n\n"
        ask(server, "/close?eve")
        assert until_end(connection) == b"data: last\n\n"


def test_asking_for_the_head_brings_the_head_and_opens_nothing(server):
    with connected(server, request("/stream?head", "HEAD") + request()) as connection:
        assert answer(connection, head_only=True) == (200, b"")
        assert answer(connection)[0] == 200
    assert "head" not in ask(server, "/who")


def test_an_error_page_in_place_of_a_stream_is_a_page_like_any_other(server):
    with connected(server, request("/stream?instead") + request()) as connection:
        assert answer(connection) == (200, b"an error page")
        assert answer(connection)[0] == 200
    assert "instead" not in ask(server, "/who")


def test_a_view_that_fails_when_it_begins_has_ended(server):
    with listening(server, "fails") as connection:
        assert hears(connection, LAST_CHUNK).endswith(b"data: fails\n\n\r\n" + BEGUN + LAST_CHUNK)
    wait_until(lambda: was_told(server, "fails"))


@pytest.mark.deep
def test_a_first_piece_may_be_long(server):
    with listening(server, "long") as connection:
        assert is_answered(server)
        _head, _, body = hears(connection, BEGUN).partition(b"\r\n\r\n")
        assert unchunked(body.removesuffix(BEGUN)) == echo.large()


def test_pages_are_answered_while_hundreds_listen_and_room_is_left_for_them(server):
    most = int(300 * streams.MAX_STREAMS_SHARE)
    with ExitStack() as stack:
        listeners = [stack.enter_context(listening(server, f"n{number}")) for number in range(most)]
        for each in listeners:
            hears(each, BEGUN)
        assert answer(stack.enter_context(listening(server, "one-more"))) == (200, b"no room")
        with connected(server) as kept:
            for _ in range(3):
                kept.sendall(request())
                assert answer(kept)[0] == 200
        idle = [stack.enter_context(connected(server)) for _ in range(200)]
        assert is_answered(server)
        assert until_end(idle[0]) == b"", "room is made among those who only wait"
        ask(server, "/say", b"data: all\n\n")
        for each in listeners:
            assert hears(each, b"all\n\n\r\n") == chunk(b"data: all\n\n")
    wait_until(lambda: all(was_told(server, f"n{number}") for number in (0, most - 1)))


def test_who_never_reads_is_dropped_when_too_much_waits_and_nobody_else_is(server):
    with listening(server, "deaf", buffer=4096) as deaf, listening(server, "reader") as reader:
        hears(reader, BEGUN)
        wait_until(lambda: {"deaf", "reader"} <= set(ask(server, "/who").split(";")[0].split()))
        piece, said = b"data: " + b"x" * 50_000 + b"\n\n", 0
        while not was_told(server, "deaf"):
            ask(server, "/say", piece)
            assert hears(reader, b"\n\n\r\n") == chunk(piece)
            said += len(piece)
            assert said < 2 * 1024**2
        assert len(until_end(deaf)) < said
        assert "reader" in ask(server, "/who").split(";")[0].split()


@pytest.mark.deep
def test_who_stays_behind_is_dropped_when_its_time_is_over_and_the_quiet_are_not(strict):
    with listening(strict, "deaf", buffer=4096) as deaf, listening(strict, "quiet") as quiet:
        hears(quiet, BEGUN)
        wait_until(lambda: {"deaf", "quiet"} <= set(ask(strict, "/who").split(";")[0].split()))
        ask(strict, "/say", b"x" * 250_000)
        hears(quiet, b"x\r\n")
        wait_until(lambda: was_told(strict, "deaf"))
        for _ in range(3):
            hears(quiet, chunk(streams.STILL_HERE))
        assert len(until_end(deaf)) < 250_000


@pytest.mark.deep
def test_who_says_much_instead_of_listening_is_dropped(server):
    with listening(server, "loud") as connection:
        hears(connection, BEGUN)
        connection.sendall(b"y" * 200_000)
        wait_until(lambda: was_told(server, "loud"))


@pytest.mark.deep
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_all_streams_end_at_once_when_the_server_stops_or_is_killed(tmp_path, how):
    serving, port = echoing(tmp_path)
    with serving as process, ExitStack() as stack:
        listeners = [stack.enter_context(listening(port, f"n{number}")) for number in range(20)]
        for each in listeners:
            hears(each, BEGUN)
        (child,) = children(process.pid)
        process.send_signal(how)
        for each in listeners:
            assert until_end(each) == b"0\r\n\r\n"
        assert process.wait(timeout=TIMEOUT_SECONDS) == (0 if how == signal.SIGTERM else -how)
        wait_until(lambda: not Path(f"/proc/{child}").exists())

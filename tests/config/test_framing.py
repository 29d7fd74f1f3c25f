"""What is left out of gunicorn's steps changes nothing: requests are read and refused, and answers framed, as there."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from gunicorn.config import Config
from gunicorn.http.message import Request
from gunicorn.http.wsgi import Response
from hypothesis import example, given
from hypothesis import strategies as some

from config.connections.arriving import Arrived
from config.connections.framing import Answer, Asked, Settled

ASKED = SimpleNamespace(method="GET", version=(1, 1), should_close=lambda: False)


def outcome(act):
    """What it answers, or how it fails and with which words."""
    try:
        return act()
    except Exception as error:
        return type(error), str(error)


# --- answers ---

NAMES = some.one_of(
    some.sampled_from(["Content-Length", "content-length", "Vary", "Set-Cookie", "Server", "Date", "Connection"]),
    some.sampled_from(["Upgrade", "Transfer-Encoding", "TE", "X-Request-ID", "X: y", "", "Vary ", "Ü", "a\r\nb"]),
    some.text(max_size=5),
)
VALUES = some.one_of(
    some.sampled_from(["12", " 7\t", "-1", "x", "upgrade", "websocket", "close", "a, b", "ü", "a\r\nB: c", "a\nb", ""]),
    some.text(max_size=8),
)


def said(kind, headers, status="200 OK"):
    """What becomes of these headers, and all that follows from them."""
    sent = []
    response = kind(ASKED, SimpleNamespace(sendall=sent.append), Config())
    response.start_response(status, headers)
    response.send_headers()
    lines = [line for line in b"".join(sent).split(b"\r\n") if not line.startswith(b"Date: ")]
    return lines, response.headers, response.response_length, response.chunked, response.upgrade


@given(some.lists(some.tuples(NAMES, VALUES), max_size=6), some.sampled_from(["200 OK", "204 No Content", "304 x"]))
@example([("Vary", "Cookie"), ("Content-Length", "3"), ("content-length", "4")], "200 OK")
@example([("Vary", "Cookie"), ("X-Said", "a\r\nSet-Cookie: b")], "200 OK")
@example([("X: y", "z")], "200 OK")
def test_an_answer_has_the_headers_that_gunicorn_would_send_or_is_refused_as_there(headers, status):
    ours, theirs = (outcome(lambda kind=kind: said(kind, headers, status)) for kind in (Answer, Response))
    assert ours == theirs


@pytest.mark.parametrize("wrong", [("Vary", 5), ("Vary", b"x"), (5, "x"), (b"Vary", "x")])
def test_what_is_no_text_is_refused(wrong):
    for kind in (Answer, Response):
        with pytest.raises(TypeError):
            said(kind, [wrong])


# --- requests ---

HEADS = some.one_of(
    some.sampled_from(["Host: here", "X-Forwarded-Proto: https", "X-Forwarded-Proto: http", "X-Forwarded-Ssl: on"]),
    some.sampled_from(["Content-Length: 3", "Content-Length: 4", "Transfer-Encoding: chunked", "Expect: 100-continue"]),
    some.sampled_from(
        ["SCRIPT_NAME: /x", "X_Y: 1", "Connection: close", "Host : there", " folded", "Cookie: a=b", "x"]
    ),
    some.text(max_size=10),
)
LINES = some.sampled_from(
    ["GET / HTTP/1.1", "POST /a?b HTTP/1.0", "get / HTTP/1.1", "GET  / HTTP/1.1", "GET * HTTP/1.1"]
)
CLIENTS = some.sampled_from([("127.0.0.1", 1), ("10.1.2.3", 2), ("::1", 3, 0, 0), ("no address", 4), ""])


def read(request):
    body = type(request.body.reader), getattr(request.body.reader, "length", None)
    asked = request.method, request.uri, request.path, request.query, request.version, request.headers
    return *asked, request.scheme, request._expected_100_continue, request.must_close, request.should_close(), body


@given(LINES, some.lists(HEADS, max_size=6), CLIENTS, some.booleans())
def test_a_request_is_read_or_refused_as_gunicorn_does_it_also_the_second_of_a_connection(
    line, lines, client, everybody
):
    cfg = Config()
    cfg.set("forwarded_allow_ips", "*" if everybody else "127.0.0.1,::1")
    head = "\r\n".join([line, *lines, "", ""]).encode("latin-1", "replace")
    theirs = outcome(lambda: read(Request(cfg, Arrived(head), client)))
    conn = SimpleNamespace(cfg=Settled(cfg), client=client, requests=1, is_trusted=None)
    for _time in range(2):
        conn.arrived = Arrived(head)
        assert outcome(lambda: read(Asked(conn))) == theirs


def test_who_may_speak_for_others_is_asked_once_and_of_each_connection():
    cfg = Config()
    head = b"GET / HTTP/1.1\r\nX-Forwarded-Proto: https\r\n\r\n"

    def schemes(address):
        conn = SimpleNamespace(cfg=Settled(cfg), client=(address, 1), requests=1, is_trusted=None)
        for _time in range(2):
            conn.arrived = Arrived(head)
            yield Asked(conn).scheme

    assert list(schemes("127.0.0.1")) == ["https", "https"]
    assert list(schemes("10.1.2.3")) == ["http", "http"]


def test_settings_are_those_of_gunicorn():
    cfg = Config()
    settled = Settled(cfg)
    for name in cfg.settings:
        assert getattr(settled, name) is getattr(cfg, name) or getattr(settled, name) == getattr(cfg, name)
    assert settled.is_ssl == cfg.is_ssl
    assert not hasattr(settled, "nothing_of_this_name")

"""A server between the adapter and an engine that does to requests and replies what networks and AWS do to them."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = tuple[int, bytes]
Act = Callable[["Between", dict[str, Any], Callable[[], Reply]], Reply | None]  # None: hang up without a word


class Between:
    """Passes requests on to the engine behind it, except those for which an act is waiting. Keeps all requests."""

    def __init__(self, port: int, behind: str | None) -> None:
        self.endpoint = f"http://127.0.0.1:{port}"
        self.behind = behind
        self.begin_anew()

    def begin_anew(self) -> None:
        """Nothing has been asked, and all that will be is passed on."""
        self.acts: deque[Act] = deque()
        self.always: Act = passed_on
        self.requests: list[dict[str, Any]] = []

    def answer(self, headers: dict[str, str], body: bytes) -> Reply | None:
        self.requests.append(json.loads(body))
        act = self.acts.popleft() if self.acts else self.always
        return act(self, json.loads(body), lambda: self._forward(headers, body))

    def _forward(self, headers: dict[str, str], body: bytes) -> Reply:
        assert self.behind is not None
        request = urllib.request.Request(self.behind, body, {k: v for k, v in headers.items() if k.lower() != "host"})
        try:
            with urllib.request.urlopen(request, timeout=10) as reply:
                return reply.status, reply.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()


# --- acts -----------------------------------------------------------------------------------------------------------


def passed_on(between: Between, asked: dict[str, Any], forward: Callable[[], Reply]) -> Reply:
    return forward()


def lost_reply(between: Between, asked: dict[str, Any], forward: Callable[[], Reply]) -> None:
    """The engine does what it is asked, but nobody hears of it."""
    forward()


def lost_request(between: Between, asked: dict[str, Any], forward: Callable[[], Reply]) -> None:
    """The engine never hears of it."""


def said(status: int, body: Any) -> Act:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return lambda between, asked, forward: (status, content)


def failed(code: str, message: str = "", status: int = 400, **more: Any) -> Act:
    return said(status, {"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": message} | more)


def cancelled(*codes: str, message: str = "") -> Act:
    reasons = [{"Code": code} | ({"Message": message} if code != "None" else {}) for code in codes]
    return failed("TransactionCanceledException", "Transaction cancelled", CancellationReasons=reasons)


# --- the server -----------------------------------------------------------------------------------------------------


@contextmanager
def between(behind: str | None = None) -> Iterator[Between]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.between = Between(server.server_port, behind)  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server.between  # type: ignore[attr-defined]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        reply = self.server.between.answer(dict(self.headers), body)  # type: ignore[attr-defined]
        if reply is None:
            self.close_connection = True
            return
        status, content = reply
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Says nothing."""

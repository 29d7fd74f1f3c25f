"""Responses that stay open: a view sends the first piece, and any thread can send more when something changes.

The server offers this in a request's environ, as an `Opening` under `OPEN_STREAM`. Ours does while it has room
(`config/web/streams.py`); `runserver` and Django's test client do not, and pages fall back to polling. For tests,
`tests/streams.py` has a `Recorder` that replaces the server: `client.get(address, **{OPEN_STREAM: recorder})`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from django.http import HttpRequest, HttpResponse

OPEN_STREAM = "plenum.open_stream"
CLIENT_GONE = "plenum.client_gone"  # also in the environ: a function that tells whether the client has left
EVENT_STREAM = "text/event-stream"
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}  # makes nginx pass each piece on at once


class Outlet(Protocol):
    """Delivers to listeners through a process's event loop. It takes data without blocking; `None` is the end."""

    def take(self, pieces: list[tuple[Listener, bytes | None]]) -> None: ...


class Listener:
    """The client of one open response."""

    def __init__(self, outlet: Outlet):
        self.outlet = outlet
        self.is_open = True  # until it has gone, was too slow, or the stream ended

    def send(self, data: bytes) -> None:
        """From any thread. Never blocks or fails; a client that has gone gets nothing."""
        send_all([(self, data)])

    def close(self) -> None:
        """End the stream, after everything sent before."""
        if self.is_open:
            self.is_open = False
            self.outlet.take([(self, None)])


Callback = Callable[[Listener], None]


class Opening(Protocol):
    """The server's offer to a view to keep its response open."""

    def hold(self, first: bytes, begin: Callback, end: Callback) -> None: ...


def send_all(pairs: Iterable[tuple[Listener, bytes]]) -> None:
    """To many at once: each loop is woken once, and an object shared by several listeners is prepared once."""
    by_outlet: dict[Outlet, list[tuple[Listener, bytes | None]]] = {}
    for listener, data in pairs:
        if listener.is_open and data:
            by_outlet.setdefault(listener.outlet, []).append((listener, data))
    for outlet, pieces in by_outlet.items():
        outlet.take(pieces)


def can_stream(request: HttpRequest) -> bool:
    """Whether this server can keep a response open, and has room for one more."""
    return OPEN_STREAM in request.META


def open_answer(request: HttpRequest, first: bytes, begin: Callback, end: Callback) -> HttpResponse:
    """An event stream that starts with `first` and stays open. Requires `can_stream`.

    `begin` is called in the request's thread when the head and the first piece are on their way; it must send what has
    changed since the first piece was made. `end` is called once for every `begin`, in some thread, when the client has
    gone, was too slow, or the server stops. Neither is called for a HEAD request. Both are kept as long as the stream
    is open, so they should not hold on to the request. The server sends the comment lines that keep a quiet stream
    alive.
    """
    request.META[OPEN_STREAM].hold(first, begin, end)
    return HttpResponse(content_type=EVENT_STREAM, headers=HEADERS)  # empty, so that nothing on the way compresses it

"""Answers that stay open: a view says the first piece, and whoever changes something says more later, from any thread.

The server offers it in the environ of a request, as an `Opening` under `OPEN_STREAM`. Our own does while it has room
(`config/web/streams.py`); `runserver` and Django's test client do not, and then a page asks again and again.
For tests `tests/streams.py` has a `Recorder` in the server's place: `client.get(address, **{OPEN_STREAM: recorder})`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from django.http import HttpRequest, HttpResponse

OPEN_STREAM = "plenum.open_stream"
CLIENT_GONE = "plenum.client_gone"  # also in the environ: a function that says whether the client has left
EVENT_STREAM = "text/event-stream"
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}  # nginx passes each piece on at once


class Outlet(Protocol):
    """Where listeners are reached: the loop of a process. It takes what is said without waiting; `None` is the end."""

    def take(self, said: list[tuple[Listener, bytes | None]]) -> None: ...


class Listener:
    """The client of one open answer."""

    def __init__(self, outlet: Outlet):
        self.outlet = outlet
        self.is_open = True  # until it has gone, was too slow, or nothing more comes

    def send(self, data: bytes) -> None:
        """From any thread. It never waits and never fails; who is not there any longer hears nothing."""
        send_all([(self, data)])

    def close(self) -> None:
        """Say that nothing more comes, after all that was sent before."""
        if self.is_open:
            self.is_open = False
            self.outlet.take([(self, None)])


Step = Callable[[Listener], None]


class Opening(Protocol):
    """What the server offers a view: that its answer stays open."""

    def hold(self, first: bytes, begin: Step, end: Step) -> None: ...


def send_all(pairs: Iterable[tuple[Listener, bytes]]) -> None:
    """To many at once: each loop is woken once, and what is the same object for several is made ready once."""
    by_outlet: dict[Outlet, list[tuple[Listener, bytes | None]]] = {}
    for listener, data in pairs:
        if listener.is_open and data:
            by_outlet.setdefault(listener.outlet, []).append((listener, data))
    for outlet, said in by_outlet.items():
        outlet.take(said)


def can_stream(request: HttpRequest) -> bool:
    """Whether this server holds an answer open, and has room for one more."""
    return OPEN_STREAM in request.META


def open_answer(request: HttpRequest, first: bytes, begin: Step, end: Step) -> HttpResponse:
    """An event stream that begins with `first` and stays open. Only where `can_stream`.

    `begin` is called in the thread of the request, when head and first piece are on their way: what has changed since
    the first piece was made is for it to send. `end` is called once for every `begin`, in some thread, when the client
    has gone, was too slow, or the server stops. Neither is called if only the head was asked for. Both are kept for as
    long as the stream is open, so they had better not hold the request. The comment lines that keep a quiet stream
    alive come from the server.
    """
    request.META[OPEN_STREAM].hold(first, begin, end)
    return HttpResponse(content_type=EVENT_STREAM, headers=HEADERS)  # empty, so that nothing on its way compresses it

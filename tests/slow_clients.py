"""Clients that send little or nothing, or do not read what they asked for."""

from __future__ import annotations

import selectors
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PAGE = "/healthz"
LARGE = "/static/django_htmx/htmx-2.js"


def silent(number: int) -> bytes:
    return b""


def slow_head(number: int) -> bytes:
    return f"GET {PAGE} HTTP/1.1\r\nHost: localhost\r\nX-Slow: {number}".encode()


def slow_body(number: int) -> bytes:
    return b"POST /sign-in/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\nname="


def not_reading(number: int) -> bytes:
    """More answers than a socket holds."""
    return f"GET {LARGE} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode() * 25


SENDING = (silent, slow_head, slow_body)


@contextmanager
def slow_clients(port: int, count: int, not_readers: int = 20) -> Iterator[list[socket.socket]]:
    """So many that send nothing, or a byte a second of a head or of a body; and, besides, some that do not read."""
    kinds = [SENDING[number % len(SENDING)] for number in range(count)] + [not_reading] * not_readers
    connections = [_slow_client(port, kind, number) for number, kind in enumerate(kinds)]
    dripping = [each for each, kind in zip(connections, kinds, strict=True) if kind in (slow_head, slow_body)]
    stopped = threading.Event()
    tap = threading.Thread(target=_drip, args=(dripping, stopped))
    tap.start()
    try:
        yield connections
    finally:
        stopped.set()
        tap.join()
        for each in connections:
            each.close()


def _slow_client(port: int, kind: Callable[[int], bytes], number: int) -> socket.socket:
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect(("127.0.0.1", port))
    connection.setblocking(False)
    with selectors.DefaultSelector() as selector:
        selector.register(connection, selectors.EVENT_WRITE)
        selector.select()
    if first := kind(number):
        connection.send(first)
    return connection


def _drip(connections: list[socket.socket], stopped: threading.Event) -> None:
    going = list(connections)
    while not stopped.wait(1):
        going = [each for each in going if _takes_a_byte(each)]


def _takes_a_byte(connection: socket.socket) -> bool:
    try:
        connection.send(b"x")
    except OSError:
        return False
    return True

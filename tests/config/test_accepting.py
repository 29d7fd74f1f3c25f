"""Processes share connections: each accepts one at a time, and the later the more it has."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator

import pytest

from config.web import connections
from config.web.connections import Connections, Loop

CLIENTS = 5
TRANSPORTS: list[asyncio.BaseTransport] = []


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as made:
        made.setblocking(False)
        yield made


class Stopping(asyncio.Protocol):
    """Ends the loop when it has enough connections."""

    def __init__(self, loop: Loop, enough: int):
        self.loop, self.enough = loop, enough

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        TRANSPORTS.append(transport)
        if self.loop.connections.count == self.enough:
            self.loop.stop()


def serve(loop: Loop, listener: socket.socket, enough: int) -> asyncio.Server:
    made: asyncio.Server = loop.run_until_complete(
        loop.create_server(lambda: Stopping(loop, enough), sock=listener, start_serving=True)
    )
    return made


def finish(loop: Loop) -> None:
    while TRANSPORTS:
        TRANSPORTS.pop().close()
    loop.run_until_complete(asyncio.sleep(0.01))  # connections that were closed end
    loop.close()


def connect(listener: socket.socket) -> socket.socket:
    return socket.create_connection(listener.getsockname(), timeout=60)


def test_all_that_arrive_together_are_accepted(listener):
    loop = Loop(Connections(CLIENTS))
    server = serve(loop, listener, CLIENTS)
    clients = [connect(listener) for _ in range(CLIENTS)]
    loop.run_forever()
    assert loop.connections.count == CLIENTS
    server.close()
    assert listener.fileno() == -1
    for client in clients:
        client.close()
    finish(loop)


def test_a_process_without_connections_is_first(listener, monkeypatch):
    monkeypatch.setattr(connections, "ACCEPT_DELAY_SECONDS", 3600.0)
    monkeypatch.setattr(connections, "MAX_ACCEPT_DELAY_SECONDS", 3600.0)
    busy, idle = Loop(Connections(CLIENTS)), Loop(Connections(CLIENTS))
    busy.connections.count = 1
    serve(busy, listener, 2)
    serve(idle, listener, 1)
    with connect(listener):
        busy.run_until_complete(asyncio.sleep(0.1))  # it has noticed the client, and leaves it to others
        idle.run_forever()
        assert (busy.connections.count, idle.connections.count) == (1, 1)
    for loop in (busy, idle):
        finish(loop)

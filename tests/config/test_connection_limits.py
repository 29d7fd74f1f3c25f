"""Limits of connections that need no server, and no waiting."""

from __future__ import annotations

import asyncio
from typing import cast

from config.web.connections import MAX_BODY_SECONDS, Connection, Connections


class Transport(asyncio.Transport):
    """Remembers that it was closed, and what was written last."""

    closed, last = False, b""

    def get_extra_info(self, name: str, default: object = None) -> object:
        return default

    def get_write_buffer_size(self) -> int:
        return 0

    def is_closing(self) -> bool:
        return self.closed

    def write(self, data: object) -> None:
        self.last = bytes(cast(bytes, data))

    def close(self) -> None:
        self.closed = True


def test_a_body_gets_ten_minutes_however_steadily_it_comes():
    moment, transport = [0.0], Transport()
    connections = Connections(1, clock=lambda: moment[0])
    connection = Connection(asyncio.Protocol(), connections)
    connection.connection_made(transport)
    connection.data_received(b"POST / HTTP/1.1\r\n\r\n")
    connection.begin_request(is_chunked=False)
    while not transport.closed and moment[0] < 2 * MAX_BODY_SECONDS:
        moment[0] += 10
        connection.data_received(bytes(10_000))  # twice the least rate
        connections.sweep()
    assert moment[0] == MAX_BODY_SECONDS
    assert transport.last.startswith(b"HTTP/1.1 408 ")

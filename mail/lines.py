"""A line to somebody else's server, which is cut when something takes too long in all.

A socket's timeout limits each wait. A server that sends one byte before each wait is over would keep us for ever.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Line:
    def __init__(self) -> None:
        self._held: socket.socket | None = None
        self.was_cut = False

    def hold(self, made: socket.socket) -> None:
        """By a handle of its own: it is the same line, whatever is wrapped around the socket later."""
        self._held = made.dup()

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Inside, the line is cut when the time is over; whoever waits for it then wakes up."""
        timer = threading.Timer(seconds, self._cut)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _cut(self) -> None:
        self.was_cut = True
        if self._held is not None:
            with suppress(OSError):
                self._held.shutdown(socket.SHUT_RDWR)

    def release(self) -> None:
        if self._held is not None:
            self._held.close()
            self._held = None

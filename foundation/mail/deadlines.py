"""A deadline for a whole exchange over a socket, which is disconnected when it passes.

A socket's timeout limits each wait only: a server that sends a byte before each timeout could hold us for ever.
"""

from __future__ import annotations

import math
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class SocketDeadline:
    """Enforced by a watcher thread, which sleeps while nothing can be late."""

    def __init__(self) -> None:
        self.was_exceeded = False
        self._socket: socket.socket | None = None
        self._changed = threading.Condition()
        self._deadline = self._wakes_at = math.inf  # of the current exchange; of the watcher
        self._watcher: threading.Thread | None = None
        self._is_released = False

    def watch(self, made: socket.socket) -> None:
        """Duplicates the handle, which stays valid whatever is wrapped around the socket later."""
        with self._changed:
            self._socket = socket.socket(fileno=os.dup(made.fileno()))  # a TLS socket has no dup()
            if self.was_exceeded:
                self._disconnect()

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Disconnects the socket when the time is up, which also interrupts pending reads."""
        self._watch_until(time.monotonic() + seconds)
        try:
            yield
        finally:
            self._deadline = math.inf

    def release(self) -> None:
        with self._changed:
            self._is_released = True
            self._changed.notify()
            if self._socket is not None:
                self._socket.close()
                self._socket = None

    # --- watching ---

    def _watch_until(self, ends: float) -> None:
        with self._changed:
            self._deadline = ends
            if self._watcher is None:
                self._watcher = threading.Thread(target=self._watch, name="deadline", daemon=True)
                self._watcher.start()
            elif ends < self._wakes_at:
                self._changed.notify()

    def _watch(self) -> None:
        with self._changed:
            while not self._is_released:
                self._wakes_at = ends = self._deadline
                if ends <= time.monotonic():
                    self._disconnect()
                    return
                self._changed.wait(ends - time.monotonic() if ends < math.inf else None)

    def _disconnect(self) -> None:
        self.was_exceeded = True
        if self._socket is not None:
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)

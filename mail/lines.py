"""A line to somebody else's server, which is cut when something takes too long in all.

A socket's timeout limits each wait. A server that sends one byte before each wait is over would keep us for ever.
"""

from __future__ import annotations

import math
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Line:
    """Is watched by a thread of its own, which sleeps for as long as nothing can be late."""

    def __init__(self) -> None:
        self.was_cut = False
        self._held: socket.socket | None = None
        self._changed = threading.Condition()
        self._ends = self._wakes = math.inf  # when what is under way has to be over; when the watcher looks again
        self._watcher: threading.Thread | None = None
        self._is_released = False

    def hold(self, made: socket.socket) -> None:
        """By a handle of its own: it is the same line, whatever is wrapped around the socket later."""
        with self._changed:
            self._held = socket.socket(fileno=os.dup(made.fileno()))  # an encrypted one has no dup() of its own
            if self.was_cut:
                self._cut()

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Inside, the line is cut when the time is over; whoever waits for it then wakes up."""
        self._watch_until(time.monotonic() + seconds)
        try:
            yield
        finally:
            self._ends = math.inf

    def release(self) -> None:
        with self._changed:
            self._is_released = True
            self._changed.notify()
            if self._held is not None:
                self._held.close()
                self._held = None

    # --- watching ---

    def _watch_until(self, ends: float) -> None:
        with self._changed:
            self._ends = ends
            if self._watcher is None:
                self._watcher = threading.Thread(target=self._watch, name="line", daemon=True)
                self._watcher.start()
            elif ends < self._wakes:
                self._changed.notify()

    def _watch(self) -> None:
        with self._changed:
            while not self._is_released:
                self._wakes = ends = self._ends
                if ends <= time.monotonic():
                    self._cut()
                    return
                self._changed.wait(ends - time.monotonic() if ends < math.inf else None)

    def _cut(self) -> None:
        self.was_cut = True
        if self._held is not None:
            with suppress(OSError):
                self._held.shutdown(socket.SHUT_RDWR)

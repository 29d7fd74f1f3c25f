"""What leaves: an answer waits for its client, and the thread that made it does not."""

from __future__ import annotations

import errno
import fcntl
import selectors
import socket
import struct
import termios
import time
from contextlib import suppress
from io import BytesIO
from tempfile import TemporaryFile
from typing import Any

from django.conf import settings

from .arriving import IN_MEMORY, PIECE

MOST_LEFT = 64 * 1024**2  # of an answer that its client does not read; from there on its thread waits
LEAST_RATE_OF_A_THREAD = 64 * 1024  # and while a thread waits for it


class Outgoing:
    """The socket as gunicorn writes to it: what the client does not take at once is kept until it does."""

    def __init__(self, client: socket.socket):
        self.socket = client
        self.held = bytearray()  # what is made in one go leaves in one go
        self.kept: Any = None
        self.sent = self.left = 0
        self.given = 0  # to the system, by which it comes to the client
        self.offer: Any = None  # that the answer stays open, once a view has taken it

    def __getattr__(self, name: str) -> Any:
        return getattr(self.socket, name)

    def setblocking(self, flag: bool) -> None:
        """It never blocks."""

    def sendall(self, data: bytes) -> None:
        self.held += data
        if len(self.held) >= PIECE:
            self.flush()

    def sendfile(self, file: Any, offset: int = 0, count: int = 0) -> None:
        file.seek(offset)
        while count > 0 and (piece := file.read(min(count, PIECE))):
            self.sendall(piece)
            count -= len(piece)

    def flush(self) -> None:
        """Send as much as the client takes; how much it did not take, `left` says."""
        if self.held:
            data, self.held = bytes(self.held), bytearray()
            self._give(data)

    def send_more(self) -> bool:
        """Send what the client takes now; whether that was all."""
        if self.left:
            self.kept.seek(self.sent)
            taken = self._try(self.kept.read(PIECE))
            self.sent, self.left = self.sent + taken, self.left - taken
        if not self.left:
            self._empty()
        return not self.left

    def delivered(self) -> int:
        """How many bytes the client has: the system takes millions, whether or not anybody reads them."""
        return self.given - _kept_by_system(self.socket)

    def take_left(self) -> bytes:
        """What is left, which somebody else will send."""
        if not self.left:
            return b""
        self.kept.seek(self.sent)
        data: bytes = self.kept.read(self.left)
        self._empty()
        return data

    def forget(self) -> None:
        """Nobody is there to send it to."""
        self.held.clear()
        self._empty()

    def _empty(self) -> None:
        if self.kept:
            with suppress(OSError):
                self.kept.close()
        self.kept, self.sent, self.left = None, 0, 0

    def _give(self, data: bytes) -> None:
        taken = self._try(data) if not self.left or self.send_more() else 0
        if taken < len(data):
            self._keep(data[taken:])

    def _try(self, data: bytes) -> int:
        try:
            taken = self.socket.send(data)
        except BlockingIOError:
            return 0
        self.given += taken
        return taken

    def _keep(self, data: bytes) -> None:
        try:
            self._store(data)
        except OSError:  # the disk has no room: then the thread waits, as for somebody who reads too slowly
            self._wait(0)
            self.kept, self.sent, self.left = BytesIO(data), 0, len(data)
            self._wait(0)
        if self.left > MOST_LEFT:
            self._wait(MOST_LEFT // 2)

    def _store(self, data: bytes) -> None:
        """Behind what is kept already, which stays whole if there is no room for more."""
        kept, end = self.kept or BytesIO(), self.sent + self.left
        if isinstance(kept, BytesIO) and end + len(data) > IN_MEMORY:
            kept = _on_disk(kept.getvalue())
        kept.seek(end)
        kept.write(data)
        kept.flush()
        self.kept, self.left = kept, self.left + len(data)

    def _wait(self, most: int) -> None:
        """In the thread that makes the answer, until no more than this is left: it is not all kept for slow readers."""
        start, had = time.monotonic(), self.sent
        with selectors.DefaultSelector() as selector:
            selector.register(self.socket, selectors.EVENT_WRITE)
            while self.left > most:
                late = start + settings.REQUEST_SECONDS + (self.sent - had) / LEAST_RATE_OF_A_THREAD - time.monotonic()
                if not selector.select(max(0, late)):
                    raise BrokenPipeError(errno.EPIPE, "The client does not read its answer.")
                self.send_more()


def _kept_by_system(client: socket.socket) -> int:
    """Bytes that were sent and have not arrived."""
    try:
        (count,) = struct.unpack("i", fcntl.ioctl(client, termios.TIOCOUTQ, bytes(4)))
    except OSError:  # some systems do not tell
        return 0
    return int(count)


def _on_disk(data: bytes) -> Any:
    file = TemporaryFile()  # noqa: SIM115 - closed with the connection
    try:
        file.write(data)
        file.flush()
    except OSError:
        with suppress(OSError):
            file.close()
        raise
    return file

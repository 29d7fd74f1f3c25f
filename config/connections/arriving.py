"""What arrives: when a body is whole, and what gunicorn's parser reads of it."""

from __future__ import annotations

from contextlib import suppress
from tempfile import SpooledTemporaryFile
from typing import Any

from gunicorn.http.unreader import Unreader

IN_MEMORY = 128 * 1024  # of a body or an answer, before a file is used
PIECE = 64 * 1024  # is read or sent at a time


class TooLarge(Exception):
    """A body that is longer than any of our pages could use."""


class Length:
    """A body of so many bytes."""

    def __init__(self, missing: int):
        self.missing = missing

    def ends_with(self, data: bytes) -> bool:
        """Whether the body is whole now that this has arrived."""
        self.missing -= len(data)
        return self.missing <= 0


class Chunks:
    """A body in chunks. It follows their sizes to the end; what cannot be followed is left to gunicorn to refuse."""

    def __init__(self) -> None:
        self.line = bytearray()
        self.to_skip = 0  # of the chunk at hand
        self.in_chunk = self.in_trailers = False

    def ends_with(self, data: bytes) -> bool:
        at = 0
        while at < len(data):
            step = min(self.to_skip, len(data) - at)
            at, self.to_skip = at + step, self.to_skip - step
            end = data.find(b"\n", at) + 1 or len(data)
            self.line += data[at:end]
            at = end
            if self._ends_with_line():
                return True
        return len(self.line) > PIECE

    def _ends_with_line(self) -> bool:
        if not self.line.endswith(b"\n"):
            return False
        line = bytes(self.line).strip()
        self.line.clear()
        if self.in_trailers:
            return not line
        if self.in_chunk:  # this is its end
            self.in_chunk = False
            return bool(line)
        try:
            size = int(line.partition(b";")[0], 16)
        except ValueError:
            return True
        self.in_chunk, self.in_trailers, self.to_skip = size > 0, size == 0, max(0, size)
        return size < 0


class Arrived(Unreader):
    """What gunicorn's parser reads from: all that has arrived and then nothing, so that it never waits."""

    def __init__(self, head: bytes):
        super().__init__()
        self.buf.write(head)
        self.kept: Any = None

    def keep(self, data: bytes) -> None:
        if data and self.kept is None:
            self.kept = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - closed with the connection
        if data:
            self.kept.write(data)
            self.kept.flush()  # that the disk is full is noticed here, where it can be said

    def rewind(self) -> None:
        if self.kept:
            self.kept.seek(0)

    def chunk(self, size_hint: int | None = None) -> bytes:
        return self.kept.read(size_hint or PIECE) if self.kept else b""

    def rest(self) -> bytes:
        """What nobody has read: it belongs to the next request."""
        return self.take_buffered() + (self.kept.read() if self.kept else b"")

    def close(self) -> None:
        if self.kept:
            with suppress(OSError):
                self.kept.close()

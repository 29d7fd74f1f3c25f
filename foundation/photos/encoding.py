"""Re-encodes an upload in another process (foundation/photos/child.py), whose limits the kernel enforces.

Uploads are decoded by large C libraries, in which vulnerabilities are found every year. So they are decoded where there
is nothing to steal: in a fresh program that has no secrets, opens no files, and ends when its time or memory is used
up.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from threading import BoundedSemaphore, Timer
from typing import Any

from . import child
from .child import MAX_PHOTO_BYTES, MAX_UPLOAD_BYTES, WIDTHS
from .rules import CONTENT_TYPES, Photo, no_picture

ENCODING_SLOTS = BoundedSemaphore(2)  # pictures encoded at once per process, so that pages take precedence
MAX_QUEUE_SECONDS = 10.0
TIMEOUT_SECONDS = child.MAX_SECONDS + 5.0  # wall-clock time; the child's own alarm comes first
MAX_OUTPUT_BYTES = 4096 + len(WIDTHS) * MAX_PHOTO_BYTES  # read from the child's output
PROGRAM = (sys.executable, "-I", "-X", "utf8", str(Path(child.__file__).resolve()))


@dataclass(frozen=True, slots=True)
class Encoded:
    """A picture ready to be stored: its metadata, and its bytes by width."""

    photo: Photo
    parts: tuple[bytes, ...]  # in the order of `photo.widths`


def new_id() -> str:
    return secrets.token_hex(16)


def encoded(raw: bytes, alt: str, photo_id: str | None = None) -> Encoded:
    """Re-encodes a picture in all widths without any metadata; raises a refusal with a message."""
    if len(raw) > MAX_UPLOAD_BYTES:
        raise no_picture("large")
    with encoding_slot():
        return read(run_child(raw), alt, photo_id or new_id())


@contextmanager
def encoding_slot() -> Iterator[None]:
    if not ENCODING_SLOTS.acquire(timeout=MAX_QUEUE_SECONDS):
        raise no_picture("busy")
    try:
        yield
    finally:
        ENCODING_SLOTS.release()


# --- child process ---


def run_child(raw: bytes, program: tuple[str, ...] = PROGRAM, seconds: float = TIMEOUT_SECONDS) -> bytes:
    """The child's output, limited in both time and size."""
    try:
        process = subprocess.Popen(  # noqa: S603 - our own program, without user input in its arguments
            program,
            cwd="/",
            env={},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:  # no resources for another process
        raise no_picture("busy") from None
    clock = Timer(seconds, _end, [process])
    clock.daemon = True
    clock.start()
    try:
        output = _communicate(process, raw)
    finally:
        clock.cancel()
        clock.join()
        _end(process)
        process.wait()
    if b"\n" in output and len(output) <= MAX_OUTPUT_BYTES:
        return output
    was_ended = process.returncode in (-signal.SIGXCPU, -signal.SIGALRM, -signal.SIGKILL)
    raise no_picture("long" if was_ended and not output else "broken")


def _communicate(process: subprocess.Popen[bytes], raw: bytes) -> bytes:
    """Ends at the latest when the child is killed, because that closes the pipes."""
    assert process.stdin
    assert process.stdout
    with process.stdin, process.stdout, suppress(BrokenPipeError):
        with suppress(BrokenPipeError):  # it was killed while reading
            process.stdin.write(raw)
            process.stdin.close()
        return process.stdout.read(MAX_OUTPUT_BYTES + 1)
    return b""


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kills the whole process group."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


# --- child output ---


def read(output: bytes, alt: str, photo_id: str) -> Encoded:
    """Validates the output as untrusted, because the child has processed untrusted input."""
    line, _, rest = output.partition(b"\n")
    try:
        return _read(json.loads(line), rest, alt, photo_id)
    except (IndexError, KeyError, TypeError, ValueError):
        raise no_picture("broken") from None


def _read(header: dict[str, Any], rest: bytes, alt: str, photo_id: str) -> Encoded:
    if "refused" in header:
        raise no_picture(header["refused"])
    sizes = [(int(each["wide"]), int(each["high"]), int(each["bytes"])) for each in header["pictures"]]
    widths, parts = tuple(wide for wide, _high, _bytes in sizes), _parts(rest, [each for _, _, each in sizes])
    wide, high, _bytes = sizes[-1]
    if (
        header["kind"] not in CONTENT_TYPES
        or list(widths) != sorted({*widths})
        or not 0 < widths[0] <= wide <= WIDTHS[-1]
    ):
        raise ValueError("These are not the widths of a picture.")
    digests = tuple(sha256(part).hexdigest() for part in parts)
    return Encoded(Photo(photo_id, alt, wide, high, widths, header["kind"], digests), parts)


def _parts(rest: bytes, sizes: list[int]) -> tuple[bytes, ...]:
    if not sizes or sum(sizes) != len(rest) or not all(0 < size < MAX_PHOTO_BYTES for size in sizes):
        raise ValueError("These are not the bytes of a picture.")
    ends = list(accumulate(sizes))
    return tuple(rest[end - size : end] for end, size in zip(ends, sizes, strict=True))

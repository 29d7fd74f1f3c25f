"""Runs counts within a request without letting them take down the site.

The cost of a count is estimated first (foundation/tally/cost.py), and one that is too expensive is refused. Small
counts run inline. All others run in a process of their own, a few at a time, under a CPU limit enforced by the kernel
in case the estimate was wrong. A count is also stopped when its client disconnects.

The process is a new program rather than a fork: a fork of a process with threads may hang on a lock that one of them
held, and would know the site's secrets.
"""

from __future__ import annotations

import selectors
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from threading import BoundedSemaphore
from typing import Protocol, TypeVar

from django.http import HttpRequest
from django.utils.translation import gettext as _

from foundation.acts.refusals import Refusal
from foundation.pages.streams import CLIENT_GONE
from foundation.tally import cost
from foundation.tally.cost import Size

MAX_STEPS = 3_000_000  # per request; about three seconds
MAX_INLINE_STEPS = 60_000  # steps that are done before a process has begun: that takes about as long
COUNTING_SLOTS = BoundedSemaphore(2)  # counts that are made apart for this process; the site's own pages come first
MAX_QUEUE_SECONDS = 2.0
RETRY_AFTER_SECONDS = 5  # seconds, for those who waited in line in vain
ROOT = Path(__file__).parent.parent
PROGRAM = (
    sys.executable,
    "-S",
    "-X",
    "utf8",
    "-m",
    "foundation.tally.count_job",
)  # -S: installed packages are not needed
CHUNK_BYTES = 1 << 16
CHECK_INTERVAL_SECONDS = 0.25  # seconds between checks whether the client is still connected


Outcome = TypeVar("Outcome", covariant=True)


class Job(Protocol[Outcome]):
    """A job of foundation/tally/count_job.py."""

    @property
    def size(self) -> Size: ...

    def cost(self, size: Size) -> int: ...

    def run(self) -> Outcome: ...

    def as_json(self) -> str: ...

    def parse_outcome(self, text: str) -> Outcome: ...


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a counting subprocess; the first to be reached ends it."""

    processor_seconds: int = 4
    megabytes: int = 512
    seconds: float = 30.0  # by the clock, on a machine that has much else to do


LIMITS = Limits()


class TooExpensive(Refusal):
    """The count would cost, or has cost, too much."""


class Busy(Refusal):
    """All counting slots are taken."""


class ClientGone(Refusal):
    """The client has disconnected."""


# --- billing ---


def check(size: Size, cost_of: Callable[[Size], int]) -> None:
    """Refuse counts that cost too much before they start."""
    dear = cost.limiting_factor(size, MAX_STEPS, cost_of)
    if dear == "seats":
        raise TooExpensive(_("This takes too long to count here: too many seats for so many candidates."))
    if dear == "equals":
        raise TooExpensive(_("This takes too long to count here: too many candidates are ranked equally."))
    if dear:
        raise TooExpensive(_("This takes too long to count here: too many candidates on too many long rankings."))


# --- counting ---


def run_job(job: Job[Outcome], request: HttpRequest | None = None, *, waits: bool = True) -> Outcome:
    """Run a small job here, any other in a subprocess, after waiting for a slot unless `waits` is false."""
    size = job.size
    check(size, job.cost)
    if job.cost(size) <= MAX_INLINE_STEPS:
        return job.run()
    has_left = request.META.get(CLIENT_GONE) if request else None  # not every server reports it
    with counting_slot() if waits else nullcontext():
        return run_in_subprocess(job, has_left or (lambda: False), LIMITS)


@contextmanager
def counting_slot() -> Iterator[None]:
    if not COUNTING_SLOTS.acquire(timeout=MAX_QUEUE_SECONDS):
        raise _busy()
    try:
        yield
    finally:
        COUNTING_SLOTS.release()


def _busy() -> Busy:
    return Busy(_("The server is busy with other counts. Please try again in a moment."))


def run_in_subprocess(job: Job[Outcome], has_left: Callable[[], bool], limits: Limits) -> Outcome:
    """Count in a subprocess, within the limits and while the client waits."""
    arguments = [*PROGRAM, type(job).__name__, str(limits.processor_seconds), str(limits.megabytes)]
    try:
        process = subprocess.Popen(  # noqa: S603 - our own program, and numbers
            arguments, cwd=ROOT, env={}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
    except OSError:  # no room for another process
        raise _busy() from None
    try:
        output = _conversation(process, job.as_json().encode(), has_left, time.monotonic() + limits.seconds)
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):
                pipe and pipe.close()
    if process.returncode:
        raise TooExpensive(_("This count was stopped because it took too long."))
    return job.parse_outcome(output.decode())


def _conversation(process: subprocess.Popen[bytes], sent: bytes, has_left: Callable[[], bool], until: float) -> bytes:
    """Hand the job over and wait for the answer, or until it is too late."""
    assert process.stdin
    assert isinstance(process.stdout, BufferedReader)
    pieces: list[bytes] = []
    with suppress(BrokenPipeError):  # it was stopped while it read
        process.stdin.write(sent)
        process.stdin.close()
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while (left := until - time.monotonic()) > 0:
            if has_left():
                raise ClientGone(_("This count was cancelled because nobody was waiting for it."))
            if selector.select(min(left, CHECK_INTERVAL_SECONDS)):
                if not (piece := process.stdout.read1(CHUNK_BYTES)):
                    break
                pieces.append(piece)
    with suppress(subprocess.TimeoutExpired):
        process.wait(max(0.0, until - time.monotonic()))
    return b"".join(pieces)

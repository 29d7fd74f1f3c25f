"""The one server of a DATA_DIR, and the worker it starts and watches over."""

from __future__ import annotations

import fcntl
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from subprocess import Popen

from django.conf import settings

LOCK = "server.lock"
MIN_RESTART_SECONDS, MAX_RESTART_SECONDS = 1.0, 60.0  # seconds between the end of a worker and the start of the next
STARTED_WELL_SECONDS = 60.0  # seconds after which a worker counts as having started well
CHECK_INTERVAL_SECONDS = 0.5  # seconds between two looks


# --- one server ---


class Taken(Exception):
    """The folder cannot be ours; the words say why."""


def take(folder: Path) -> int:
    """Make the folder ours until this process ends, or say whose it is. The number is that of the lock's file."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise Taken(f"DATA_DIR {folder} cannot be written: {error.strerror}.") from None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.read(file, 20).decode(errors="replace").strip() or "unknown"
        os.close(file)
        raise Taken(
            f"A server is at work on DATA_DIR {folder} already (process {holder}). "
            "Stop it first, or give this one a DATA_DIR of its own."
        ) from None
    with suppress(OSError):  # on a full disk nobody learns who we are, but we are alone all the same
        os.ftruncate(file, 0)
        os.pwrite(file, str(os.getpid()).encode(), 0)
    return file


# --- its worker ---

NAME = "plenum worker"  # by which `top` tells it from the processes that serve, once it has begun


STARTING = threading.Lock()  # held while a worker is started or a process is forked: never both at once


def start_worker() -> Popen[bytes]:
    """A program of its own, which shares nothing with this process, not even its open files.

    A process forked meanwhile would keep the pipe open by which `Popen` learns that the program runs, and it would wait
    for as long as that process lives.
    """
    manage = settings.BASE_DIR / "manage.py"
    with STARTING:
        return Popen([sys.executable, manage, "worker", "--beside", str(os.getpid())])  # noqa: S603 - our own program


def is_worker(pid: int) -> bool:
    """Whether that process is one of these, by its command."""
    return b"\0worker\0--beside\0" in Path(f"/proc/{pid}/cmdline").read_bytes()


class WorkerKeeper:
    """Starts a worker, and another whenever it has ended, as long as `goes_on` says so.

    A thread of the server itself: whatever else watched over the worker would need somebody who watches over it.
    """

    def __init__(
        self,
        goes_on: Callable[[], bool],
        say: Callable[[str], None],
        start: Callable[[], Popen[bytes]] = start_worker,
        ticking: Callable[[], float] = time.monotonic,
        rest: Callable[[float], None] = time.sleep,
    ):
        self.goes_on, self.say, self.start = goes_on, say, start
        self.ticking, self.rest = ticking, rest

    def go(self) -> None:
        release = STARTING.release
        os.register_at_fork(before=STARTING.acquire, after_in_parent=release, after_in_child=release)
        threading.Thread(target=self.keep, name="worker keeper", daemon=True).start()

    def keep(self) -> None:
        pause = MIN_RESTART_SECONDS / 2
        while self.goes_on():
            begun = self.ticking()
            if not self._outlived(self._started()):
                return
            pause = (
                MIN_RESTART_SECONDS
                if self.ticking() - begun >= STARTED_WELL_SECONDS
                else min(MAX_RESTART_SECONDS, 2 * pause)
            )
            self.say(f"The worker has ended; another is started in {pause:.0f} s.")
            self._wait(pause)

    def _started(self) -> Popen[bytes] | None:
        try:
            return self.start()
        except OSError as error:  # no memory for another process, most likely
            self.say(f"The worker could not be started: {error.strerror}.")
            return None

    def _outlived(self, worker: Popen[bytes] | None) -> bool:
        """Wait for the worker's end; whether the server goes on. One that gunicorn has reaped has ended, too."""
        while worker and worker.poll() is None:
            if not self.goes_on():
                return False
            self.rest(CHECK_INTERVAL_SECONDS)
        return self.goes_on()

    def _wait(self, seconds: float) -> None:
        until = self.ticking() + seconds
        while self.goes_on() and self.ticking() < until:
            self.rest(CHECK_INTERVAL_SECONDS)

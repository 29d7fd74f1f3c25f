"""Locks DATA_DIR for one server, and starts and supervises its worker process."""

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
from typing import Protocol

from django.conf import settings
from django.core.management import CommandError, call_command

LOCK = "server.lock"
MIN_RESTART_SECONDS, MAX_RESTART_SECONDS = 1.0, 60.0  # between the end of a worker and the start of the next
STARTED_WELL_SECONDS = 60.0  # after which a worker counts as having started well
CHECK_INTERVAL_SECONDS = 0.5


# --- one server ---


class FolderTaken(Exception):
    """The folder cannot be locked; the message says why."""


def lock_folder(folder: Path) -> int:
    """Lock the folder until this process ends; returns the lock's file descriptor."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise FolderTaken(f"DATA_DIR {folder} cannot be written: {error.strerror}.") from None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.read(file, 20).decode(errors="replace").strip() or "unknown"
        os.close(file)
        raise FolderTaken(
            f"Another server is using DATA_DIR {folder} (process {holder}). "
            "Stop it first, or give this one its own DATA_DIR."
        ) from None
    with suppress(OSError):  # on a full disk the process id is not written, but the lock holds
        os.ftruncate(file, 0)
        os.pwrite(file, str(os.getpid()).encode(), 0)
    return file


# --- its worker ---

NAME = "plenum worker"  # its process title, once it runs
STARTING = threading.Lock()  # never start a worker and fork a process at once


class Process(Protocol):
    def poll(self) -> int | None:
        """Its exit status, once it has ended."""


class Forked:
    """A process that was forked from this one."""

    def __init__(self, pid: int):
        self.pid = pid

    def poll(self) -> int | None:
        try:
            ended, status = os.waitpid(self.pid, os.WNOHANG)
        except ChildProcessError:  # gunicorn, which waits for all children, was first
            return 0
        return os.waitstatus_to_exitcode(status) if ended else None


def fork_worker(leave: Callable[[], None]) -> Forked:
    """The first worker, which shares the memory of what is loaded: a program of its own would load it again, 45 MB.

    Only for a process with one thread. The worker calls `leave` first, and never returns from here.
    """
    server = os.getpid()
    if pid := os.fork():
        return Forked(pid)
    leave()
    try:
        call_command("worker", beside=server)
    except CommandError as error:
        sys.exit(str(error))
    sys.exit()


def start_worker() -> Popen[bytes]:
    """The next worker: a program of its own, because a fork would inherit whatever lock another thread holds by now.

    A process forked meanwhile would keep open the pipe by which `Popen` learns that the program runs, so that it would
    wait for that process.
    """
    manage = settings.BASE_DIR / "manage.py"
    with STARTING:
        return Popen([sys.executable, manage, "worker", "--beside", str(os.getpid())])  # noqa: S603 - our own program


class WorkerSupervisor:
    """Restarts the worker whenever it ends, while `goes_on` is true, in a thread of the server."""

    def __init__(
        self,
        goes_on: Callable[[], bool],
        say: Callable[[str], None],
        start: Callable[[], Process] = start_worker,
        ticking: Callable[[], float] = time.monotonic,
        rest: Callable[[float], None] = time.sleep,
    ):
        self.goes_on, self.say, self.start = goes_on, say, start
        self.ticking, self.rest = ticking, rest

    def start_thread(self, first: Process) -> None:
        release = STARTING.release
        os.register_at_fork(before=STARTING.acquire, after_in_parent=release, after_in_child=release)
        threading.Thread(target=self.supervise, args=(first,), name="worker supervisor", daemon=True).start()

    def supervise(self, first: Process | None = None) -> None:
        pause = MIN_RESTART_SECONDS / 2
        while self.goes_on():
            begun = self.ticking()
            worker, first = first or self._started(), None
            if not self._outlived(worker):
                return
            pause = (
                MIN_RESTART_SECONDS
                if self.ticking() - begun >= STARTED_WELL_SECONDS
                else min(MAX_RESTART_SECONDS, 2 * pause)
            )
            self.say(f"The worker has ended and restarts in {pause:.0f} s.")
            until = self.ticking() + pause
            while self.goes_on() and self.ticking() < until:
                self.rest(CHECK_INTERVAL_SECONDS)

    def _started(self) -> Process | None:
        try:
            return self.start()
        except OSError as error:  # no memory for another process, most likely
            self.say(f"The worker could not be started: {error.strerror}.")
            return None

    def _outlived(self, worker: Process | None) -> bool:
        """Wait for the worker's end, even if gunicorn has reaped it; whether the server goes on."""
        while worker and worker.poll() is None:
            if not self.goes_on():
                return False
            self.rest(CHECK_INTERVAL_SECONDS)
        return self.goes_on()

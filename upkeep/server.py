"""The one server of a DATA_DIR, and the worker it starts and watches over."""

from __future__ import annotations

import fcntl
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from django.conf import settings
from django.core.management import execute_from_command_line

from store.connect import connect

LOCK = "server.lock"
SHORTEST, LONGEST = 1.0, 60.0  # seconds between the end of a worker and the start of the next
WELL_AFTER = 60.0  # seconds after which a worker counts as having started well
A_LOOK = 0.5  # seconds between two looks


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

NAME = "plenum worker"  # by which `ps` and `top` tell it from the processes that serve


class Child:
    """A process that was forked from this one, for a command of ours."""

    def __init__(self, pid: int):
        self.pid = pid

    def poll(self) -> int | None:
        """What it ended with, if it has. Gunicorn waits for all children of its process, and may have been first."""
        try:
            ended, status = os.waitpid(self.pid, os.WNOHANG)
        except ChildProcessError:
            return 0
        return os.waitstatus_to_exitcode(status) if ended else None

    def wait(self) -> int:
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def start_worker(leave_server: Callable[[], None]) -> Child:
    return run_beside("worker", "--beside", str(os.getpid()), leave=leave_server)


def run_beside(*words: str, leave: Callable[[], None] = lambda: None) -> Child:
    """Forked, and not a program of its own: so it shares with this process what is loaded. No signal is lost to it, and
    none is answered by it as this process does: they wait until it has left what is not its own."""
    usual = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        pid = os.fork()
        if not pid:
            _run_until_the_end(words, leave, usual)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, usual)
    return Child(pid)


def _run_until_the_end(words: Sequence[str], leave: Callable[[], None], usual: Iterable[int]) -> NoReturn:
    """Whatever happens, the process ends here: what called this belongs to another."""
    code = 1
    try:
        leave()
        _answer_signals_as_a_program_does()
        signal.pthread_sigmask(signal.SIG_SETMASK, usual)
        with suppress(OSError):  # where there is no /proc
            Path("/proc/self/comm").write_text(f"plenum {words[0]}")
        execute_from_command_line(["manage.py", *words])
        connect(settings.STORE_URL).close()
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        with suppress(OSError, ValueError):  # nobody reads it any more
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _answer_signals_as_a_program_does() -> None:
    for each in signal.valid_signals():
        if callable(signal.getsignal(each)):
            signal.signal(each, signal.SIG_DFL)


class WorkerKeeper:
    """Starts a worker, and another whenever it has ended, as long as `goes_on` says so.

    A thread of the server itself: whatever else watched over the worker would need somebody who watches over it.
    """

    def __init__(
        self,
        goes_on: Callable[[], bool],
        say: Callable[[str], None],
        start: Callable[[], Child],
        ticking: Callable[[], float] = time.monotonic,
        rest: Callable[[float], None] = time.sleep,
    ):
        self.goes_on, self.say, self.start = goes_on, say, start
        self.ticking, self.rest = ticking, rest

    def go(self) -> None:
        """The first worker is forked before the server has a second thread."""
        threading.Thread(target=self.keep, args=(self._started(),), name="worker keeper", daemon=True).start()

    def keep(self, first: Child | None = None) -> None:
        pause = SHORTEST / 2
        while self.goes_on():
            begun = self.ticking()
            worker, first = first or self._started(), None
            if not self._outlived(worker):
                return
            pause = SHORTEST if self.ticking() - begun >= WELL_AFTER else min(LONGEST, 2 * pause)
            self.say(f"The worker has ended; another is started in {pause:.0f} s.")
            self._wait(pause)

    def _started(self) -> Child | None:
        try:
            return self.start()
        except OSError as error:  # no memory for another process, most likely
            self.say(f"The worker could not be started: {error.strerror}.")
            return None

    def _outlived(self, worker: Child | None) -> bool:
        """Wait for the worker's end; whether the server goes on. One that gunicorn has reaped has ended, too."""
        while worker and worker.poll() is None:
            if not self.goes_on():
                return False
            self.rest(A_LOOK)
        return self.goes_on()

    def _wait(self, seconds: float) -> None:
        until = self.ticking() + seconds
        while self.goes_on() and self.ticking() < until:
            self.rest(A_LOOK)

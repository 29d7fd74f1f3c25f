"""Waking the worker on this machine when there is work, so that the work does not wait for its next poll.

A named pipe in DATA_DIR carries the name of the job. This only saves time: work is found by its mark in the store, so a
lost wakeup costs no more than the wait for the next poll.
"""

from __future__ import annotations

import os
import selectors
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from django.conf import settings

SEALING_JOB = "ballots"  # the job that seals closed elections
READ_BYTES = 4096  # job names are short; one that is cut in two is found at the next poll


def pipe_path() -> Path:
    return Path(settings.DATA_DIR) / "worker.bell"


def wake_worker(job: str) -> bool:
    """Wake the worker for this job; whether one is listening."""
    try:
        file = os.open(pipe_path(), os.O_WRONLY | os.O_NONBLOCK)
    except OSError:  # no worker has ever listened, or none does now
        return False
    try:
        os.write(file, f"{job}\n".encode())
    except OSError:  # full: the worker is about to read the earlier wakeups
        pass
    finally:
        os.close(file)
    return True


# --- in the worker ---


@contextmanager
def listening(called: Callable[[str], None]) -> Iterator[None]:
    """Call `called` with the name of each job that is woken, in a thread of its own. Where no pipe can be made, the
    worker only polls."""
    try:
        with suppress(FileExistsError):
            os.mkfifo(pipe_path(), 0o600)
        # for writing too, so that it does not end when the processes that wake us close it
        bell = os.open(pipe_path(), os.O_RDWR | os.O_NONBLOCK)
    except OSError:
        yield
        return
    ended, end = os.pipe()
    listener = threading.Thread(target=_listen, args=(bell, ended, called), name="bell", daemon=True)
    listener.start()
    try:
        yield
    finally:
        os.close(end)
        listener.join()
        os.close(ended)
        os.close(bell)


def _listen(bell: int, ended: int, called: Callable[[str], None]) -> None:
    with selectors.DefaultSelector() as selector:  # `select` itself is limited to about a thousand file descriptors
        for file in (bell, ended):
            selector.register(file, selectors.EVENT_READ)
        while ended not in (key.fd for key, _events in selector.select()):
            with suppress(BlockingIOError):  # another worker was quicker
                for job in dict.fromkeys(os.read(bell, READ_BYTES).decode(errors="replace").split()):
                    called(job)

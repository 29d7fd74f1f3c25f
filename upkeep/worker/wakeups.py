"""Listens for wakeups, the worker's end of acts/wakeups.py."""

from __future__ import annotations

import os
import selectors
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from acts import wakeups

READ_BYTES = 4096  # job names are short; one that is cut in two is found at the next poll


@contextmanager
def listening(called: Callable[[str], None]) -> Iterator[None]:
    """Call `called` with the name of each job that is woken, in a thread of its own. Where no pipe can be made, the
    worker only polls."""
    try:
        bell = _opened()
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


def _opened() -> int:
    """Opened for writing too, so that it does not end when the processes that wake us close it."""
    with suppress(FileExistsError):
        os.mkfifo(wakeups.pipe_path(), 0o600)
    return os.open(wakeups.pipe_path(), os.O_RDWR | os.O_NONBLOCK)


def _listen(bell: int, ended: int, called: Callable[[str], None]) -> None:
    with selectors.DefaultSelector() as selector:  # `select` itself is limited to about a thousand file descriptors
        for file in (bell, ended):
            selector.register(file, selectors.EVENT_READ)
        while ended not in (key.fd for key, _events in selector.select()):
            with suppress(BlockingIOError):  # another worker was quicker
                for job in dict.fromkeys(os.read(bell, READ_BYTES).decode(errors="replace").split()):
                    called(job)

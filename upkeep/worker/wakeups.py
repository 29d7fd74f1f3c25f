"""The worker's end of acts/wakeups.py."""

from __future__ import annotations

import os
import selectors
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from acts import wakeups

READ_BYTES = 4096  # bytes; names of jobs are short, and what is cut in two is found at the next look


@contextmanager
def listening(called: Callable[[str], None]) -> Iterator[None]:
    """Inside, `called` is told the name of each job that somebody rings for, in a thread of its own. Where there can be
    no pipe there is no ringing, and all goes by the looks."""
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
    """Both ends of the pipe are ours: so it has no end when those who ring close theirs."""
    with suppress(FileExistsError):
        os.mkfifo(wakeups.pipe_path(), 0o600)
    return os.open(wakeups.pipe_path(), os.O_RDWR | os.O_NONBLOCK)


def _listen(bell: int, ended: int, called: Callable[[str], None]) -> None:
    with selectors.DefaultSelector() as selector:  # `select` itself knows no file numbers beyond a thousand
        for file in (bell, ended):
            selector.register(file, selectors.EVENT_READ)
        while ended not in (key.fd for key, _events in selector.select()):
            with suppress(BlockingIOError):  # another worker was quicker
                for job in dict.fromkeys(os.read(bell, READ_BYTES).decode(errors="replace").split()):
                    called(job)

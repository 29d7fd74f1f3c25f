"""The queue of processes that want to write the file."""

from __future__ import annotations

import fcntl
import threading
from collections.abc import Callable


class Queue:
    """A lock on a file, which the kernel hands on to those who have waited for it.

    The kernel does not let anybody wait with patience that ends. So where another process holds the lock, a thread
    stands in line, and writes what waits when it gets there; whoever asked for that may go away meanwhile.
    """

    def __init__(self, path: str):
        self.file = open(path, "w")  # noqa: SIM115 - held as long as the connection
        self._change = threading.Condition()
        self._stands_in_line = False

    def enter(self) -> bool:
        """Whether the lock is ours, because nobody else was there; one of us who stands in line is somebody else."""
        with self._change:
            if self._stands_in_line:
                return False
            try:
                fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            return True

    def leave(self) -> None:
        fcntl.flock(self.file, fcntl.LOCK_UN)

    def send(self, act: Callable[[], None], is_wanted: Callable[[], bool]) -> None:
        """Let somebody stand in line and act, and again as long as there is more to do; unless somebody does so."""
        with self._change:
            if not self._stands_in_line:
                threading.Thread(target=self._stand_in_line, args=(act, is_wanted), daemon=True).start()
                self._stands_in_line = True

    def wait(self, is_done: Callable[[], bool], seconds: float | None = None) -> bool:
        with self._change:
            return self._change.wait_for(is_done, seconds)

    def close(self) -> bool:
        """Whether it is closed: it is not while somebody of us stands in line."""
        with self._change:
            if not self._stands_in_line:
                self.file.close()
            return self.file.closed

    def _stand_in_line(self, act: Callable[[], None], is_wanted: Callable[[], bool]) -> None:
        goes_on = True
        while goes_on:
            fcntl.flock(self.file, fcntl.LOCK_EX)
            goes_on = False
            try:
                if is_wanted():
                    act()
                goes_on = True
            finally:  # should acting have failed in some unforeseen way, then whoever comes next sends somebody else
                self.leave()
                with self._change:
                    self._stands_in_line = goes_on = goes_on and is_wanted()
                    self._change.notify_all()

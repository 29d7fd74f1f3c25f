"""The threads that make answers. Each waits at a door of its own, so that for one request one thread wakes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from threading import Lock, Thread

Act = Callable[[], object]


class Place:
    """Where a thread waits until it is told what to do."""

    __slots__ = ("act", "door")

    def __init__(self) -> None:
        self.act: Act | None = None
        self.door = Lock()
        self.door.acquire()


class Threads:
    """So many at most. Who has just finished is the next to be asked: what it needs is at hand.

    In place of an executor, which wakes a second thread to look whether there is more, and keeps a promise for each
    act that nobody here asks about.
    """

    def __init__(self, most: int):
        self.most, self.count = most, 0
        self.turn = Lock()
        self.idle: list[Place] = []  # who finished last is the last of them
        self.to_do: deque[Act] = deque()  # while all are busy
        self.is_over = False

    def submit(self, act: Act) -> None:
        with self.turn:
            place = self.idle.pop() if self.idle else None
            if place is None and self.count == self.most:
                self.to_do.append(act)
                return
            self.count += place is None
        if place is None:
            Thread(target=self._work, args=(act,)).start()
        else:
            place.act = act
            place.door.release()

    def shutdown(self, wait: bool = True) -> None:
        """What was asked for is still done; and then they end."""
        with self.turn:
            self.is_over, idle, self.idle = True, self.idle, []
        for place in idle:
            place.act = None
            place.door.release()

    def _work(self, act: Act | None) -> None:
        place = Place()
        while act is not None:
            with suppress(BaseException):  # what can be said of it was said where it happened
                act()
            act = None  # nothing of it is held while the thread waits
            act = self._next(place)

    def _next(self, place: Place) -> Act | None:
        with self.turn:
            if self.to_do:
                return self.to_do.popleft()
            if self.is_over:
                self.count -= 1
                return None
            self.idle.append(place)
        place.door.acquire()
        act, place.act = place.act, None
        return act

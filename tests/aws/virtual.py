"""Time that passes only when everybody waits: threads run one at a time, and the clock jumps to whoever is next.

A thread goes on until it waits: for a while, for a lock, for another thread. Then the one whose moment comes first goes
on; of two at the same moment the one who began to wait first. So a minute of a busy site takes as long as its work
takes, and everything comes in the same order each time.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextvars import copy_context
from functools import partial
from heapq import heappop, heappush
from typing import Any


class Stuck(Exception):
    """Everybody waits for somebody else."""


class Task:
    """Somebody who does something: a thread, and what came of it."""

    def __init__(self, time: VirtualTime, act: Callable[[], Any]) -> None:
        self.time = time
        self.turn = threading.Lock()
        self.turn.acquire()
        self.waits = 0  # how often it has waited: who was to wake it from an earlier wait comes too late
        self.joined: list[Task] = []
        self.answer: Any = None
        self.error: BaseException | None = None
        self.is_over = False
        self._thread = threading.Thread(target=self._run, args=(act,), daemon=True)

    def go(self) -> None:
        """It is its turn: to begin, or to go on."""
        if self._thread.ident is None:
            self._thread.start()
        else:
            self.turn.release()

    def _run(self, act: Callable[[], Any]) -> None:
        self.time.mine.task = self
        try:
            self.answer = act()
        except BaseException as error:
            self.error = error
        self.is_over = True
        for each in self.joined:
            self.time.wake(each)
        self.time.hand_over()

    def result(self) -> Any:
        while not self.is_over:
            self.joined.append(self.time.current())
            self.time.park()
        if self.error is not None:
            raise self.error
        return self.answer


class VirtualTime:
    """A clock, and everybody who lives by it. Outside of `run` there is only one, for whom time just passes."""

    def __init__(self) -> None:
        self.now = 0.0
        self.mine = threading.local()
        self.waiting: list[tuple[float, int, int, Task]] = []
        self.entries = 0
        self.over = threading.Event()
        self.alive = 0

    def __call__(self) -> float:
        return self.now

    def run(self, *acts: Callable[[], Any]) -> list[Any]:
        """Do all of these, beginning now, and whatever they begin; answers what each of them answered."""
        tasks = [self.begin(act) for act in acts]
        self.over.clear()
        self.hand_over(ended=False)
        self.over.wait()
        if self.alive:
            raise Stuck(f"{self.alive} wait for each other at {self.now:.3f}.")
        return [each.result() for each in tasks]

    def begin(self, act: Callable[[], Any], after: float = 0.0) -> Task:
        """Somebody does this, so many seconds from now, knowing what is known here."""
        task = Task(self, partial(copy_context().run, act))
        self.alive += 1
        self.wake(task, after)
        return task

    def sleep(self, seconds: float) -> None:
        if (task := self.current_or_none()) is None:
            self.now += seconds
            return
        self.wake(task, seconds)
        self.park()

    def run_parallel(self, acts: Sequence[Callable[[], Any]]) -> list[Any]:
        """As `Table.run_parallel`: the first by whoever asks, the others beside it."""
        if self.current_or_none() is None or not acts:
            return [act() for act in acts]
        first, *others = acts
        beside = [self.begin(act) for act in others]
        answer = first()
        return [answer, *(each.result() for each in beside)]

    # --- who goes on ---

    def current_or_none(self) -> Task | None:
        return getattr(self.mine, "task", None)

    def current(self) -> Task:
        task = self.current_or_none()
        if task is None:
            raise Stuck("Whoever is alone waits in vain.")
        return task

    def wake(self, task: Task, after: float = 0.0) -> None:
        """Let it go on, so many seconds from now, from what it waits for or is about to wait for."""
        self.entries += 1
        heappush(self.waiting, (self.now + after, self.entries, task.waits, task))

    def park(self) -> None:
        """Wait until woken."""
        task = self.current()
        if (following := self._next()) is not task:
            self._go(following)
            task.turn.acquire()

    def hand_over(self, ended: bool = True) -> None:
        """Let the next one go on, and do not wait."""
        self.alive -= int(ended)
        self._go(self._next())

    def _go(self, task: Task | None) -> None:
        if task is None:
            self.over.set()
        else:
            task.go()

    def _next(self) -> Task | None:
        while self.waiting:
            when, _, waits, task = heappop(self.waiting)
            if waits == task.waits and not task.is_over:
                task.waits += 1
                self.now = max(self.now, when)
                return task
        return None


class VirtualThreading:
    """In the place of the module `threading` where code waits for others; all else of it is the module's own."""

    def __init__(self, time: VirtualTime) -> None:
        self.Lock = self.RLock = partial(VirtualLock, time)
        self.Condition = partial(VirtualCondition, time)
        self.Event = partial(VirtualEvent, time)

    def __getattr__(self, name: str) -> Any:
        return getattr(threading, name)


class VirtualLock:
    """For one holder, who may take it again."""

    def __init__(self, time: VirtualTime) -> None:
        self.time = time
        self.holder: Task | None = None
        self.times = 0
        self.waiting: deque[Task] = deque()

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        task = self.time.current_or_none()
        while self.times and self.holder is not task:
            if not blocking:
                return False
            self.waiting.append(self.time.current())
            self.time.park()
        self.holder = task
        self.times += 1
        return True

    def release(self) -> None:
        self.times -= 1
        if not self.times and self.waiting:
            self.time.wake(self.waiting.popleft())

    def locked(self) -> bool:
        return self.times > 0

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()


class VirtualCondition:
    def __init__(self, time: VirtualTime, lock: VirtualLock | None = None) -> None:
        self.time = time
        self.lock = lock or VirtualLock(time)
        self.acquire, self.release = self.lock.acquire, self.lock.release
        self.waiting: deque[Task] = deque()

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()

    def wait(self, timeout: float | None = None) -> bool:
        task = self.time.current()
        self.waiting.append(task)
        if timeout is not None:
            self.time.wake(task, timeout)
        self.release()
        self.time.park()
        self.acquire()
        if was_forgotten := task in self.waiting:
            self.waiting.remove(task)
        return not was_forgotten

    def wait_for(self, is_so: Callable[[], Any], timeout: float | None = None) -> Any:
        until = None if timeout is None else self.time.now + timeout
        while not (found := is_so()) and (until is None or self.time.now < until):
            self.wait(None if until is None else until - self.time.now)
        return found

    def notify(self, count: int = 1) -> None:
        for _ in range(min(count, len(self.waiting))):
            self.time.wake(self.waiting.popleft())

    def notify_all(self) -> None:
        self.notify(len(self.waiting))


class VirtualEvent:
    def __init__(self, time: VirtualTime) -> None:
        self.condition = VirtualCondition(time)
        self.flag = False

    def is_set(self) -> bool:
        return self.flag

    def set(self) -> None:
        self.flag = True
        self.condition.notify_all()

    def clear(self) -> None:
        self.flag = False

    def wait(self, timeout: float | None = None) -> bool:
        with self.condition:
            return bool(self.condition.wait_for(self.is_set, timeout))

"""Long work on what is marked: a step of each in its turn, so that nobody small waits for somebody large, and on a
distant store at a pace that leaves others their share."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator
from contextlib import closing

from store.table import Crowded, Item, Key, Span, Unavailable

from .queues import SomeFailed, complain
from .site import table

Work = Generator[float, None, int]  # after each step, how many units of one partition it has written; in the end, what
# is done by it

UNITS_PER_SECOND = 250  # a quarter of what one partition of a distant store takes; the log's is everybody's
RECHECK_SECONDS = 2.0  # seconds after which it is looked in a distant store for what was marked meanwhile
WAIT_SECONDS = 0.5  # seconds after which somebody who waits looks whether to go on
MAX_ATTEMPTS = 5  # tries of a write in a crowd


def always() -> bool:
    return True


class Pace:
    """What was written is waited for afterwards: a little costs nobody anything, and much takes its time."""

    def __init__(
        self,
        a_second: float = UNITS_PER_SECOND,
        ticking: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ):
        self.a_second, self.ticking, self.sleep = a_second, ticking, sleep
        self._free_at = ticking()

    def spend(self, units: float) -> None:
        self._free_at = max(self._free_at, self.ticking()) + units / self.a_second

    def wait(self, goes_on: Callable[[], bool] = always) -> None:
        while (left := self._free_at - self.ticking()) > 0 and goes_on():
            self.sleep(min(left, WAIT_SECONDS))


def take_turns(
    marks: Span,
    begin: Callable[[Item], Work],
    *,
    goes_on: Callable[[], bool] = always,
    pace: Pace | None = None,
    ticking: Callable[[], float] = time.monotonic,
) -> int:
    """Work on each mark, also on those that come meanwhile, whatever becomes of the others; answers how much was done,
    or raises `SomeFailed` in the end. What is not done when `goes_on` says so is taken up by its mark.

    The embedded store needs no pace: whoever waits to write there has their turn between any two steps. And a look
    costs little there: so whatever is marked meanwhile begins after the step at hand.
    """
    is_distant = table().is_distant
    pace, patience = pace or (Pace() if is_distant else None), RECHECK_SECONDS if is_distant else 0.0
    with closing(_Turns(marks, begin)) as turns:
        looked = ticking()
        turns.look()
        while turns.at_work and goes_on():
            units = turns.step()
            if pace:
                pace.spend(units)
                pace.wait(goes_on)
            if ticking() - looked >= patience:
                turns.look()
                looked = ticking()
    if turns.failed:
        raise SomeFailed(f"{turns.failed} of what waited went wrong.")
    return turns.done


class _Turns:
    """What is under way."""

    def __init__(self, marks: Span, begin: Callable[[Item], Work]):
        self.marks, self.begin = marks, begin
        self.at_work: deque[Work] = deque()
        self.done = self.failed = 0
        self._known: set[Key] = set()

    def look(self) -> None:
        """Begin with what is new; what went wrong has its next try in the next round."""
        for mark in list(table().each(self.marks)):
            place = Key(mark["PK"], mark["SK"])
            if place not in self._known:
                self._known.add(place)
                self.at_work.append(self.begin(mark))

    def step(self) -> float:
        """A store that is in trouble, or a site that is paused, is nobody's fault here, and ends it for all."""
        work = self.at_work.popleft()
        try:
            units = next(work)
        except StopIteration as end:
            self.done += end.value or 0
            return 0
        except Unavailable:
            raise
        except Exception as error:
            complain(error)
            self.failed += 1
            return 0
        self.at_work.append(work)
        return units

    def close(self) -> None:
        for work in self.at_work:
            work.close()


def at_once(work: Work) -> int:
    """All of it without a pause, for somebody who waits: so it must be little."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value or 0


def patiently(write: Callable[[], None], units: float) -> Generator[float, None, None]:
    """A step that writes. In a crowd nothing was written: then it is tried again, a pause later each time."""
    for left in reversed(range(MAX_ATTEMPTS)):
        try:
            write()
        except Crowded:
            if not left:
                raise
            yield units
            continue
        break
    yield units

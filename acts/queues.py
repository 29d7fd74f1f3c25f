"""Processing a queue of work: one bad item stops none of the others, and every failure is logged.

`process_each` takes items one after the other. `process_in_turns` does long work on marked items round robin, so that a
small item never waits for a large one, and on a distant store it limits its write rate.
"""

from __future__ import annotations

import logging
import time
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from typing import TypeVar

from acts.storage import table
from store.table import Conflict, Crowded, Invalid, Item, Key, Span, Unavailable

T = TypeVar("T")
Progress = Callable[[int, int], None]  # called with how many of how many are done
Work = Generator[float, None, int]  # yields the units each step wrote to one partition, and returns how much was done

MAX_REASONS = 5  # in one message
UNITS_PER_SECOND = 250  # a quarter of what one partition of a distant store takes; the log's is shared by everyone
RECHECK_SECONDS = 2.0  # between two looks for new marks in a distant store
WAIT_SECONDS = 0.5  # between two checks of `goes_on` while waiting
MAX_ATTEMPTS = 5  # of a throttled write

_log = logging.getLogger("plenum.queues")


class ExplainedError(Exception):
    """A failure whose message quotes no personal data, so that logs and the system page may show it."""


class SomeFailed(ExplainedError):
    """Some items of a queue failed, as the log says; all others were processed."""


SAFE_ERRORS = (ExplainedError, Invalid, Unavailable, Conflict)


def process_each(items: Iterable[T], act: Callable[[T], int | None]) -> int:
    """Act on each item, whatever becomes of the others; returns how much was done, or raises `SomeFailed` in the end.

    An unavailable store or a paused site is no item's fault and ends the round.
    """
    done, failed, reasons = 0, 0, list[str]()
    for item in items:
        try:
            done += act(item) or 0
        except Unavailable:
            raise
        except Exception as error:
            log_failure(error)
            failed += 1
            reasons.append(failure_reason(error))
    if failed:
        raise SomeFailed(f"{failed} of what waited went wrong. {' '.join(dict.fromkeys(reasons[:MAX_REASONS]))}")
    return done


def safe_message(error: BaseException | None) -> str:
    """An error's message if it quotes no personal data, else nothing."""
    return str(error) if isinstance(error, SAFE_ERRORS) else ""


def failure_reason(error: BaseException) -> str:
    """For administrators: the error's message, or else its class."""
    return safe_message(error) or f"{type(error).__name__}."


def log_failure(error: Exception) -> None:
    """Log an error's class, traceback and, if it quotes no personal data, its message."""
    if isinstance(error, SomeFailed):
        return  # each of them is in the log already
    where = "".join(traceback.format_tb(error.__traceback__))
    _log.error("failure", extra={"error": type(error).__name__, "words": safe_message(error), "where": where})


def no_progress(done: int, of: int) -> None:
    """The default: progress is not reported."""


def always() -> bool:
    return True


class Pace:
    """Limits a rate by waiting after each write, so that a little work is not delayed at all."""

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


def process_in_turns(
    marks: Span,
    begin: Callable[[Item], Work],
    *,
    goes_on: Callable[[], bool] = always,
    pace: Pace | None = None,
    ticking: Callable[[], float] = time.monotonic,
) -> int:
    """Work on each mark round robin, including those added meanwhile; returns how much was done, or raises `SomeFailed`
    in the end. What is unfinished when `goes_on` says stop is found by its mark next time.

    The embedded store needs no pace, because other writers get in between any two steps, and looking for new marks is
    cheap there, so it happens after every step.
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
    """The work under way, and how it went."""

    def __init__(self, marks: Span, begin: Callable[[Item], Work]):
        self.marks, self.begin = marks, begin
        self.at_work: deque[Work] = deque()
        self.done = self.failed = 0
        self._known: set[Key] = set()

    def look(self) -> None:
        """Begin work on new marks; what has failed is retried in the next round."""
        for mark in list(table().each(self.marks)):
            place = Key(mark["PK"], mark["SK"])
            if place not in self._known:
                self._known.add(place)
                self.at_work.append(self.begin(mark))

    def step(self) -> float:
        """One step of the next work in line. An unavailable store or a paused site ends the round."""
        work = self.at_work.popleft()
        try:
            units = next(work)
        except StopIteration as end:
            self.done += end.value or 0
            return 0
        except Unavailable:
            raise
        except Exception as error:
            log_failure(error)
            self.failed += 1
            return 0
        self.at_work.append(work)
        return units

    def close(self) -> None:
        for work in self.at_work:
            work.close()


def run_to_end(work: Work) -> int:
    """Do all of it without pausing, because a person is waiting; only for small amounts of work."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value or 0


def retry_when_crowded(write: Callable[[], None], units: float) -> Generator[float, None, None]:
    """A step that writes, retried after a pause if the store throttles it; a throttled write changes nothing."""
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

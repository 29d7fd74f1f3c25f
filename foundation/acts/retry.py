"""Retrying after a concurrent write got in the way, and doing once what is asked for several times: a form that is sent
again, and what several threads of a process ask for at the same moment.

- `retry_lost_race`, `retried`: the condition of a write did not hold, so read and decide anew.
- `retry_on_conflict`: a transaction overlapped with another, or was throttled, so send it again after a backoff.
- `write_each`: many independent writes, such as those of all gates, each retried until all have happened.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import partial, wraps
from typing import Generic, ParamSpec, TypeVar

from foundation.acts.refusals import LostRace, Refusal
from foundation.acts.storage import table
from foundation.store import keys
from foundation.store.log import Repeated
from foundation.store.parallel import copy_of, run_parallel
from foundation.store.splitting import TRANSACTION_WRITES, by_count
from foundation.store.table import Conflict, Crowded, Refused, Table, Write

MAX_RACES = 5
MAX_CONFLICTS = 12
FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 0.01, 1.0  # all pauses add up to less than seven seconds
MAX_NUMBERED_SUFFIX = 5  # of a name; each suffix costs a transaction
RANDOM_SUFFIXES = 3  # after that, so that the thousandth of a name costs no more than the sixth

P = ParamSpec("P")
T = TypeVar("T")


def retry_lost_race(act: Callable[[], T], tries: int = MAX_RACES) -> T:
    """Run an act that reads, decides and writes, again from the start each time its write is refused."""
    for _attempt in range(tries):
        try:
            return act()
        except Refused:
            continue
    raise LostRace


def retried(act: Callable[P, T]) -> Callable[P, T]:
    """Decorates an act that `retry_lost_race` runs."""

    @wraps(act)
    def run(*arguments: P.args, **options: P.kwargs) -> T:
        return retry_lost_race(lambda: act(*arguments, **options))

    return run


def retry_on_conflict(act: Callable[[], T], sleep: Callable[[float], None] = time.sleep) -> T:
    """Retry with exponential backoff while other transactions conflict or the store throttles."""
    for number in range(MAX_CONFLICTS - 1):
        try:
            return act()
        except (Conflict, Crowded):
            sleep(_pause(number))
    return act()


def write_each(writes: Iterable[Write], sleep: Callable[[float], None] = time.sleep) -> None:
    """Make each of these writes, however busy the items are; one that is refused was superseded and is dropped.

    A distant store gets each write alone and all at once, so that one that conflicts delays none of the others; the
    embedded store has one writer at a time and gets batches. Raises `Conflict` if some are left after many rounds.
    """
    here, left = table(), list(writes)
    for number in range(MAX_CONFLICTS):
        batches = list(by_count(left, 1 if here.is_distant else TRANSACTION_WRITES))
        unwritten = run_parallel(here, *(partial(_write_batch, here, each) for each in batches))
        left = [write for each in unwritten for write in each]
        if not left:
            return
        sleep(_pause(number))
    raise Conflict("Others kept getting in the way of some of the writes.")


def _pause(number: int) -> float:
    return min(MAX_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2**number)


def _write_batch(here: Table, writes: Sequence[Write]) -> list[Write]:
    """Returns the writes to retry."""
    try:
        here.write(*writes)
    except Refused as refused:
        return [write for part, write in enumerate(writes) if part not in refused.parts]
    except (Conflict, Crowded):
        return list(writes)
    return []


def run_once(mark: str, act: Callable[[], T], before: T) -> T:
    """Carry out a form, or return `before` if it has already been carried out, perhaps concurrently: our reads are not
    a snapshot, so a form must not be refused because of its own earlier effect."""
    try:
        return act()
    except Repeated:
        return before
    except Refusal:
        if table().get(keys.once(mark)) is None:
            raise
        return before


def unique_suffixes() -> Iterator[str]:
    """To try until a name or address is free: first none, then a few numbers, which read well, then random ones."""
    yield ""
    yield from map(str, range(2, MAX_NUMBERED_SUFFIX + 1))
    yield from (secrets.token_hex(4) for _attempt in range(RANDOM_SUFFIXES))


# --- at the same moment ---


class _Call(Generic[T]):
    def __init__(self) -> None:
        self.done = threading.Event()
        self.result: T
        self.error: BaseException | None = None


class SingleFlight(Generic[T]):
    """Concurrent calls for the same key in one process share one execution and its result."""

    def __init__(self) -> None:
        self._lock, self._under_way = threading.Lock(), dict[Hashable, _Call[T]]()

    def run(self, key: Hashable, act: Callable[[], T]) -> T:
        """Run the act, or wait for the thread that is running it for this key. The result may have been read before the
        call, so the act must be about something that only moves forwards."""
        with self._lock:
            is_first = key not in self._under_way
            call = self._under_way.setdefault(key, _Call())
        if not is_first:
            call.done.wait()
        else:
            try:
                call.result = act()
            except BaseException as error:
                call.error = error
            finally:
                with self._lock:
                    del self._under_way[key]
                call.done.set()
        if call.error is not None:
            raise copy_of(call.error)
        return call.result

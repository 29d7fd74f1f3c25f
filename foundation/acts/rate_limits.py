"""Rate limits: attempts are counted atomically in items that expire, without storing who made them."""

from __future__ import annotations

import math
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from django.utils.crypto import salted_hmac
from django.utils.translation import ngettext

from foundation.store import keys
from foundation.store.parallel import run_parallel
from foundation.store.table import Delete, Equals, Item, Key, StoreError

from .refusals import Refusal
from .storage import table, try_write

TEN_MINUTES_IN_SECONDS, SECONDS_PER_HOUR, SECONDS_PER_DAY = 600, 3600, 24 * 3600
MAX_MINUTES = 120  # of a wait; longer ones are told in hours


class TooOften(Refusal):
    """Tried too often; the message says when to try again."""

    def __init__(self, seconds: int):
        self.seconds = seconds
        minutes, hours = max(1, -(-seconds // 60)), -(-seconds // SECONDS_PER_HOUR)
        sentence = (
            ngettext(
                "That was tried too often. Please try again in %(minutes)d minute.",
                "That was tried too often. Please try again in %(minutes)d minutes.",
                minutes,
            )
            if minutes <= MAX_MINUTES
            else ngettext(
                "That was tried too often. Please try again in %(hours)d hour.",
                "That was tried too often. Please try again in %(hours)d hours.",
                hours,
            )
        )
        super().__init__(sentence % {"minutes": minutes, "hours": hours})


@dataclass(frozen=True, slots=True)
class Limit:
    """At most so many attempts in so many seconds."""

    kind: str
    most: int
    seconds: int


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt, in the window it was counted in."""

    place: Key
    ends: int
    tries: int


def count(limit: Limit, who: str, now: float | None = None) -> Attempt:
    """Count one attempt, and refuse it if it is one too many."""
    now = time.time() if now is None else now
    counted = _count(limit, who, now)
    if counted.tries > limit.most:
        raise TooOften(math.ceil(counted.ends - now))
    return counted


def count_each(*limits: tuple[Limit, str]) -> list[Attempt]:
    """As `count`, for several limits at once; what one refuses is not counted for the others, and leaves nothing there:
    otherwise a flood of made-up names would leave a counter for each."""
    now = time.time()
    counted = list(run_parallel(table(), *(partial(_count, limit, who, now) for limit, who in limits)))
    for place, ((limit, _who), each) in enumerate(zip(limits, counted, strict=True)):
        if each.tries > limit.most:
            uncount([*counted[:place], *counted[place + 1 :]], forget=True)
            raise TooOften(math.ceil(each.ends - now))
    return counted


def key_of(limit: Limit, who: str) -> Key:
    """Where attempts are counted now, to read it along with other items."""
    return _window(limit, who, time.time())[0]


def check_attempts_left(limit: Limit, item: Item | None) -> None:
    """Refuse if all attempts are used up, without counting one; `item` is what is stored at `key_of`."""
    if item is not None and item["tries"] >= limit.most:
        raise TooOften(math.ceil(item["ttl"] - time.time()))


def try_count(limit: Limit, who: str) -> bool:
    """Count one attempt; whether it is allowed."""
    return count_beyond(limit, who) == 0


def count_beyond(limit: Limit, who: str) -> int:
    """Count one attempt; by how many there are now too many."""
    return max(0, _count(limit, who, time.time()).tries - limit.most)


def _count(limit: Limit, who: str, now: float) -> Attempt:
    place, ends = _window(limit, who, now)
    return Attempt(place, ends, table().increment(place, "tries", setting={"ttl": ends}))


def _window(limit: Limit, who: str, now: float) -> tuple[Key, int]:
    """The key of the current window, and its end."""
    window = int(now // limit.seconds)
    mark = salted_hmac("accounts.throttle", f"{limit.kind} {keys.fold(who)}", algorithm="sha256").hexdigest()
    return keys.throttle(mark, window), (window + 1) * limit.seconds


def uncount(tries: list[Attempt], *, forget: bool = False) -> None:
    """Take attempts back. If the store refuses, the count stays until it expires. With `forget`, nothing is left by
    which one could tell that there was an attempt."""

    def give(each: Attempt) -> None:
        with suppress(StoreError):
            if table().increment(each.place, "tries", -1, setting={"ttl": each.ends}) <= 0 and forget:
                try_write(Delete(each.place, when=Equals("tries", 0)))

    run_parallel(table(), *(partial(give, each) for each in tries))

"""Writes that belong together but need not happen at one moment, such as those of many gates: each by itself, until all
have happened.

Where every write is a journey, each of them goes alone and all set out at once: one that meets somebody else's
transaction is left for the next round, and keeps none of the others waiting. In the embedded store, which has one
writer at a time, nobody is ever in the way, and they go in batches.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TypeVar

from store.splitting import TRANSACTION_WRITES, by_count
from store.table import Conflict, Crowded, Refused, Table, Write
from store.together import together

from .site import table

MAX_ATTEMPTS = 12
FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 0.01, 1.0  # seconds; all pauses together are less than seven

T = TypeVar("T")


def get_through(act: Callable[[], T], sleep: Callable[[float], None] = time.sleep) -> T:
    """Try for as long as others are in the way, or the store is crowded, and nothing was written; but not for ever."""
    for number in range(MAX_ATTEMPTS - 1):
        try:
            return act()
        except (Conflict, Crowded):
            sleep(_pause(number))
    return act()


def follow(writes: Iterable[Write], sleep: Callable[[float], None] = time.sleep) -> None:
    """Each of these, however busy the items are. One that is refused was overtaken by a later one, and stays away.

    Raises `Conflict` if some are still left after many rounds.
    """
    left = list(writes)
    for number in range(MAX_ATTEMPTS):
        left = _those_left(table(), left)
        if not left:
            return
        sleep(_pause(number))
    raise Conflict("Others kept getting in the way of some of the writes.")


def _pause(number: int) -> float:
    return min(MAX_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2**number)


def _those_left(here: Table, writes: Sequence[Write]) -> list[Write]:
    """One round; answers what is to be tried again."""
    some = list(by_count(writes, 1 if here.is_distant else TRANSACTION_WRITES))
    left = together(here, *(partial(_left_of, here, each) for each in some))
    return [write for each in left for write in each]


def _left_of(here: Table, writes: Sequence[Write]) -> list[Write]:
    try:
        here.write(*writes)
    except Refused as refused:
        return [write for part, write in enumerate(writes) if part not in refused.parts]
    except (Conflict, Crowded):
        return list(writes)
    return []

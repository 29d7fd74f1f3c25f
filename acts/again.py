"""Trying again what somebody else got in the way of."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from store.table import Refused

from .refusals import OVERTAKEN, Overtaken

TRIES = 5

T = TypeVar("T")


def try_again(act: Callable[[], T], tries: int = TRIES) -> T:
    """Look, decide and write; whoever is overtaken looks again and decides anew, and after some tries gives up.

    The act reads what it decides on each time, and raises `Overtaken`, or lets the store's `Refused` rise, if what it
    read was no longer so.
    """
    for _attempt in range(tries):
        try:
            return act()
        except (Refused, Overtaken):
            continue
    raise Overtaken(OVERTAKEN)

"""Trying again what somebody else got in the way of."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from store.table import Refused

from .refusals import LostRace

MAX_ATTEMPTS = 5
MAX_REFUSALS = 50  # in a row, after which it is no chance that others are always faster

T = TypeVar("T")


def try_again(act: Callable[[], T], tries: int = MAX_ATTEMPTS) -> T:
    """Look, decide and write; whoever loses the race looks again and decides anew, and after some tries gives up.

    The act reads what it decides on each time, and raises `LostRace`, or lets the store's `Refused` rise, of which it
    is a kind, if what it read was no longer so.
    """
    for _attempt in range(tries):
        try:
            return act()
        except Refused:
            continue
    raise LostRace


def go_on(step: Callable[[], T | None], refusals: int = MAX_REFUSALS) -> T:
    """Take step after step of a long work, until one answers something. Any number may work on the same: a step that
    the store refuses was taken by another, and is looked at again. When nothing but refusals comes, something is wrong
    that no waiting mends, so this fails instead of going round for ever; the next turn of the worker tries again.
    """
    refused = 0
    while refused < refusals:
        try:
            if (done := step()) is not None:
                return done
            refused = 0
        except Refused:
            refused += 1
    raise LostRace

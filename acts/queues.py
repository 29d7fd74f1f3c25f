"""Work that waits in a queue: one bad item stops none of the others, and yet nothing goes wrong in silence."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Iterable
from typing import TypeVar

from store.table import Unavailable

Item = TypeVar("Item")

_log = logging.getLogger("plenum.queues")


class SomeFailed(Exception):
    """Some items of a queue went wrong, and the log says where; all others have had their turn."""


def take_each(items: Iterable[Item], act: Callable[[Item], int | None]) -> int:
    """Act on each item, whatever becomes of the others; answers how much was done, or raises `SomeFailed` in the end.

    A store that is in trouble, or a site that is paused, is no item's fault, and ends the round for all.
    """
    done, failed = 0, 0
    for item in items:
        try:
            done += act(item) or 0
        except Unavailable:
            raise
        except Exception as error:
            complain(error)
            failed += 1
    if failed:
        raise SomeFailed(f"{failed} of what waited went wrong.")
    return done


def complain(error: Exception) -> None:
    """Into the log, with its kind and where it was raised; never its words, which may quote a person."""
    if isinstance(error, SomeFailed):
        return  # each of them is in the log already
    where = "".join(traceback.format_tb(error.__traceback__))
    _log.error("failure", extra={"error": type(error).__name__, "where": where})

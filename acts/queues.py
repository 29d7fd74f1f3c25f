"""Work that waits in a queue: one bad item stops none of the others, and yet nothing goes wrong in silence."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Iterable
from typing import TypeVar

from store.table import Conflict, Invalid, Unavailable

Item = TypeVar("Item")

MAX_REASONS = 5  # reasons that are given together

_log = logging.getLogger("plenum.queues")


class Explained(Exception):
    """Why something went wrong, in words that quote nobody: logs and the system page may show them."""


class SomeFailed(Explained):
    """Some items of a queue went wrong, and the log says where; all others have had their turn."""


QUOTE_NOBODY = (Explained, Invalid, Unavailable, Conflict)


def take_each(items: Iterable[Item], act: Callable[[Item], int | None]) -> int:
    """Act on each item, whatever becomes of the others; answers how much was done, or raises `SomeFailed` in the end.

    A store that is in trouble, or a site that is paused, is no item's fault, and ends the round for all.
    """
    done, failed, reasons = 0, 0, list[str]()
    for item in items:
        try:
            done += act(item) or 0
        except Unavailable:
            raise
        except Exception as error:
            complain(error)
            failed += 1
            reasons.append(reason_of(error))
    if failed:
        raise SomeFailed(f"{failed} of what waited went wrong. {' '.join(dict.fromkeys(reasons[:MAX_REASONS]))}")
    return done


def words_of(error: BaseException | None) -> str:
    """What an error says, if that quotes nobody; the words of all others may name a person, and are left out."""
    return str(error) if isinstance(error, QUOTE_NOBODY) else ""


def reason_of(error: BaseException) -> str:
    """For whoever looks after the site: the words of an error, or else its kind."""
    return words_of(error) or f"{type(error).__name__}."


def complain(error: Exception) -> None:
    """Into the log, with its kind, where it was raised, and its words if they quote nobody."""
    if isinstance(error, SomeFailed):
        return  # each of them is in the log already
    where = "".join(traceback.format_tb(error.__traceback__))
    _log.error("failure", extra={"error": type(error).__name__, "words": words_of(error), "where": where})

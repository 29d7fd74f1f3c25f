"""Processing a list of work: one bad item stops none of the others, and every failure is logged."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Iterable
from typing import TypeVar

from foundation.store.table import Conflict, Invalid, Unavailable

T = TypeVar("T")
Progress = Callable[[int, int], None]  # called with how many of how many are done

MAX_REASONS = 5  # in one message

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

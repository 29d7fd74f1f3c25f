"""When DynamoDB does not answer at all, most requests are turned away at once, and one after the other tries whether it
is back: threads that all wait for the same silence would leave nobody to answer anything.

Only requests that lost all their patience on a store that said nothing count. A refusal, a conflict, a throttle are
answers, and any answer ends it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

MAX_CONSECUTIVE_FAILURES = 5  # requests that waited in vain, with no answer to anybody in between
SHEDDING_SECONDS = 1.5  # for which all are turned away, before one tries again

_LOG = logging.getLogger(__name__)


class Shedding:
    """Of one process. `ticking` is a clock that nobody sets."""

    def __init__(self, ticking: Callable[[], float]) -> None:
        self._ticking = ticking
        self._lock = threading.Lock()
        self._in_vain = 0
        self._again_at = 0.0
        self._is_tried = False

    def admits(self) -> bool:
        """Whether to ask at all. Who is let in while others are turned away tries it for all of them, and has to say
        what came of it: `answered` or `unanswered`."""
        if self._in_vain < MAX_CONSECUTIVE_FAILURES:
            return True
        with self._lock:
            if self._in_vain < MAX_CONSECUTIVE_FAILURES:
                return True
            if self._is_tried or self._ticking() < self._again_at:
                return False
            self._is_tried = True
            return True

    def answered(self) -> None:
        if self._in_vain:
            with self._lock:
                was_shedding = self._in_vain >= MAX_CONSECUTIVE_FAILURES
                self._in_vain, self._is_tried = 0, False
            if was_shedding:
                _LOG.warning("DynamoDB answers again.")

    def unanswered(self) -> None:
        """One try, of which there may be more."""
        if self._in_vain >= MAX_CONSECUTIVE_FAILURES:
            with self._lock:
                self._is_tried, self._again_at = False, self._ticking() + SHEDDING_SECONDS

    def in_vain(self) -> None:
        """A request has waited as long as it may."""
        with self._lock:
            self._in_vain += 1
            begins = self._in_vain == MAX_CONSECUTIVE_FAILURES
            if begins:
                self._again_at = self._ticking() + SHEDDING_SECONDS
        if begins:
            _LOG.warning("DynamoDB does not answer: requests are turned away until it does.")

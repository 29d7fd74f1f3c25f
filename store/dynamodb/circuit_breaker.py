"""A circuit breaker for DynamoDB: while it does not answer at all, requests fail at once and one at a time probes it.

Otherwise all threads would wait for the same silence. Only requests that spent their whole wait budget without any
reply count. A refusal, a conflict or a throttle is a reply, and any reply closes the circuit.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

MAX_CONSECUTIVE_FAILURES = 5  # requests that timed out with no reply to any request in between
SHEDDING_SECONDS = 1.5  # for which all requests fail before one probes

_LOG = logging.getLogger(__name__)


class CircuitBreaker:
    """One for each process; `ticking` is a monotonic clock."""

    def __init__(self, ticking: Callable[[], float]) -> None:
        self._ticking = ticking
        self._lock = threading.Lock()
        self._timeouts = 0
        self._retry_at = 0.0
        self._is_probing = False

    def allows_request(self) -> bool:
        """Whether to send the request. One that is let through an open circuit is the probe, and must report its
        outcome: `record_answer` or `record_no_answer`."""
        if self._timeouts < MAX_CONSECUTIVE_FAILURES:
            return True
        with self._lock:
            if self._timeouts < MAX_CONSECUTIVE_FAILURES:
                return True
            if self._is_probing or self._ticking() < self._retry_at:
                return False
            self._is_probing = True
            return True

    def record_answer(self) -> None:
        if self._timeouts:
            with self._lock:
                was_open = self._timeouts >= MAX_CONSECUTIVE_FAILURES
                self._timeouts, self._is_probing = 0, False
            if was_open:
                _LOG.warning("DynamoDB answers again.")

    def record_no_answer(self) -> None:
        """An attempt got no reply; more may follow."""
        if self._timeouts >= MAX_CONSECUTIVE_FAILURES:
            with self._lock:
                self._is_probing, self._retry_at = False, self._ticking() + SHEDDING_SECONDS

    def record_timeout(self) -> None:
        """A request has spent its whole wait budget."""
        with self._lock:
            self._timeouts += 1
            begins = self._timeouts == MAX_CONSECUTIVE_FAILURES
            if begins:
                self._retry_at = self._ticking() + SHEDDING_SECONDS
        if begins:
            _LOG.warning("DynamoDB does not answer: requests are turned away until it does.")

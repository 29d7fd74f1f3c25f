"""Round trips to DynamoDB with retries and a circuit breaker: one client for each process."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from random import SystemRandom
from typing import Any, TypeVar

from foundation.store import round_trips, wait_budget
from foundation.store.parallel import capture

from ..table import Conflict, Crowded, InDoubt, Invalid, Refused, StoreError, Unavailable
from . import wire
from .errors import FAILURES, OVER, SHED, TOO_BUSY, NotAsked, is_silence, translated

MAX_CONFLICT_ATTEMPTS = 8  # after a conflict or a throttle
MAX_SILENCE_ATTEMPTS = 4  # without a reply
FIRST_PAUSE_SECONDS = 0.02
MAX_PAUSE_SECONDS = 1.0
MAX_INSISTENT_PAUSE_SECONDS = 0.25  # of an insisting request, which is only one among many, and of a counter
MAX_COUNTER_ATTEMPTS = 40  # to increment a counter, perhaps for many waiting acts, until the wait budget is spent
COUNTING = "increment"  # the operation of this name
USUAL_REPLY_SECONDS = 0.25  # a faster reply costs no wait budget
ANSWERS = (Refused, Invalid, Conflict, Crowded)  # errors that prove DynamoDB is there
EXTRA_THREADS_PER_THREAD = 3  # for each thread that serves requests
EXTRA_THREAD_NAME = "plenum-beside"  # name of these threads
MAX_CONSECUTIVE_FAILURES = 5  # requests that timed out with no reply to any request in between
SHEDDING_SECONDS = 1.5  # for which all requests fail before one probes

T = TypeVar("T")
_LOG = logging.getLogger(__name__)
_RANDOM = SystemRandom()  # processes forked from one another must not pause for the same times


class Connection:
    """A connection to DynamoDB in one region or at one endpoint. `tables` names ours, for error messages."""

    def __init__(
        self,
        region: str,
        endpoint: str | None,
        threads: int,
        sleep: Callable[[float], None],
        tables: str,
        ticking: Callable[[], float] = time.monotonic,
    ) -> None:
        self._region = region
        self._endpoint = endpoint
        self._threads = threads
        self._sleep = sleep
        self._tables = tables
        self._ticking = ticking
        self._own_client: tuple[int, Any] | None = None
        self._extra_threads: tuple[int, ThreadPoolExecutor] | None = None
        self._own_breaker: tuple[int, CircuitBreaker] = os.getpid(), CircuitBreaker(ticking)
        self._locks: dict[int, threading.Lock] = {}

    def ask(self, operation: str, method: str, **request: Any) -> dict[str, Any]:
        """One request and its reply, retried while that may help and the wait budget lasts.

        The SDK sends it once only, so that retries do not multiply. All attempts of a write share its token; if one got
        no reply, the write is in doubt, whatever later attempts returned.
        """
        before: StoreError | None = None  # the outcome of the attempts so far, which is what is reported in the end
        tried = 0
        while True:
            tried += 1
            try:
                return self._ask_once(operation, method, request)
            except (Conflict, Unavailable) as error:
                if before is None or not (isinstance(before, InDoubt) or isinstance(error, NotAsked)):
                    before = error
                if not self._is_worth_another(error, tried, operation):
                    self._tell_of_vain_waiting(before)
                    if before is error:
                        raise
                    raise before from error
                round_trips.retried(_reason(error))
                self.pause(tried, error, MAX_INSISTENT_PAUSE_SECONDS if operation == COUNTING else MAX_PAUSE_SECONDS)

    def _ask_once(self, operation: str, method: str, request: dict[str, Any]) -> dict[str, Any]:
        """One round trip, unless the wait budget is spent or the circuit breaker is open; its outcome informs that."""
        if wait_budget.left() < wire.CONNECT_TIMEOUT_SECONDS + USUAL_REPLY_SECONDS:
            raise NotAsked(OVER)
        if wait_budget.current() is not None and not self._breaker().allows_request():
            raise NotAsked(SHED)
        start = self._ticking()
        error: BaseException | None = None
        try:
            return self._sent(operation, method, request)
        except BaseException as raised:
            error = raised
            raise
        finally:
            if (seconds := self._ticking() - start) > USUAL_REPLY_SECONDS:
                wait_budget.spend(seconds)
            if error is None or isinstance(error, ANSWERS):
                self._breaker().record_answer()
            else:
                self._breaker().record_no_answer()

    def _sent(self, operation: str, method: str, request: dict[str, Any]) -> dict[str, Any]:
        """DynamoDB reports the cost, unless it refuses."""
        charged = {"ReturnConsumedCapacity": "TOTAL"} if method in wire.CHARGED else {}
        with round_trips.round_trip(operation):
            try:
                answer: dict[str, Any] = getattr(self.client(), method)(**request, **charged)
            except FAILURES as error:
                writes = wire.CHARGED.get(method) == wire.WRITE
                raise translated(error, request.get("TableName", self._tables), writes) from error
        for kind, units in wire.charges(method, answer):
            round_trips.consumed(kind, units)
        return answer

    def _is_worth_another(self, error: StoreError, tried: int, operation: str) -> bool:
        if self._insists(error):
            return True
        most = (
            (MAX_COUNTER_ATTEMPTS if operation == COUNTING else MAX_CONFLICT_ATTEMPTS)
            if isinstance(error, Conflict | Crowded)
            else MAX_SILENCE_ATTEMPTS
            if is_silence(error)
            else 1
        )
        return tried < most and wait_budget.left() >= wire.CONNECT_TIMEOUT_SECONDS + USUAL_REPLY_SECONDS

    def _insists(self, error: StoreError | None) -> bool:
        waiting = wait_budget.current()
        return waiting is not None and isinstance(error, Conflict | Crowded) and waiting.insists(self._ticking())

    def _tell_of_vain_waiting(self, error: StoreError) -> None:
        """Reports a timeout to the circuit breaker, once per request."""
        waiting = wait_budget.current()
        if (
            waiting
            and not waiting.was_unanswered
            and is_silence(error)
            and waiting.left < wire.CONNECT_TIMEOUT_SECONDS + USUAL_REPLY_SECONDS
        ):
            waiting.was_unanswered = True
            self._breaker().record_timeout()

    def _breaker(self) -> CircuitBreaker:
        """The breaker of this process; a forked child gets a new one."""
        if self._own_breaker[0] != (process := os.getpid()):
            self._own_breaker = process, CircuitBreaker(self._ticking)
        return self._own_breaker[1]

    def answers(self, operation: str, method: str, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """The replies to one request after another, until there are no more pages."""
        while True:
            answer = self.ask(operation, method, **request)
            yield answer
            if not (last := answer.get("LastEvaluatedKey")):
                return
            request = request | {"ExclusiveStartKey": last}

    def pause(self, tried: int, error: StoreError | None = None, most: float = MAX_PAUSE_SECONDS) -> None:
        """Wait before retrying after this error. An insisting request's pauses are not charged to its budget."""
        if self._insists(error):
            self._sleep(_RANDOM.uniform(0, min(MAX_INSISTENT_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2**tried)))
            return
        seconds = _RANDOM.uniform(0, min(most, FIRST_PAUSE_SECONDS * 2**tried))
        seconds = max(0.0, min(seconds, wait_budget.left() - wire.CONNECT_TIMEOUT_SECONDS))
        wait_budget.spend(seconds)
        self._sleep(seconds)

    def send_until_done(self, waiting: list[T], send: Callable[[list[T]], list[T]]) -> None:
        """Send a batch, then again what DynamoDB has left unprocessed, with a longer pause after each attempt in a row
        that achieved nothing."""
        fruitless = 0
        while waiting and (left := send(waiting)):
            fruitless = fruitless + 1 if len(left) == len(waiting) else 0
            crowded = Crowded(TOO_BUSY)
            if fruitless >= MAX_CONFLICT_ATTEMPTS and not self._insists(crowded):
                raise crowded
            round_trips.retried("unprocessed")
            self.pause(fruitless, crowded)
            waiting = left

    def run_parallel(self, asks: Sequence[Callable[[], Any]]) -> list[Any]:
        """In threads of this process. The caller runs what no thread has begun, so that nested calls never deadlock."""
        if len(asks) < 2:
            return [ask() for ask in asks]
        first, *others = asks
        pool = self._thread_pool()
        waiting = [(pool.submit(ask), ask) for ask in others]
        answers = [capture(first), *(capture(ask if begun.cancel() else begun.result) for begun, ask in waiting)]
        return [answer() for answer in answers]

    def _thread_pool(self) -> ThreadPoolExecutor:
        """The pool of this process: threads do not survive a fork."""
        process = os.getpid()
        with self._locks.setdefault(process, threading.Lock()):
            if self._extra_threads is None or self._extra_threads[0] != process:
                self._extra_threads = (
                    process,
                    ThreadPoolExecutor(self._threads * EXTRA_THREADS_PER_THREAD, thread_name_prefix=EXTRA_THREAD_NAME),
                )
            return self._extra_threads[1]

    def client(self) -> Any:
        """The client of this process: one opened before a fork would share its sockets with the parent."""
        process = os.getpid()
        if (own := self._own_client) is not None and own[0] == process:
            return own[1]
        with self._locks.setdefault(process, threading.Lock()):
            own = self._own_client
            if own is None or own[0] != process:
                self._own_client = own = (process, self._connect())
            return own[1]

    def patient_client(self) -> Any:
        """A separate client for creating and describing tables, with the SDK's own retries."""
        return self._connect(wire.MAX_SDK_ATTEMPTS)

    def _connect(self, attempts: int = 1) -> Any:
        # A page makes up to four requests at once: one in its own thread, the others in extra threads.
        most_at_once = self._threads * (1 + EXTRA_THREADS_PER_THREAD)
        try:
            return wire.client(self._region, self._endpoint, most_at_once, attempts)
        except ValueError as error:
            raise Unavailable(f"DynamoDB cannot be reached in {self._region} at {self._endpoint}: {error}") from error

    def close(self) -> None:
        own, self._own_client = self._own_client, None
        if own is not None and own[0] == os.getpid():
            own[1].close()


def _reason(error: StoreError) -> str:
    return "conflict" if isinstance(error, Conflict) else "throttled" if isinstance(error, Crowded) else "unanswered"


class CircuitBreaker:
    """While DynamoDB does not answer at all, requests fail at once and one at a time probes it: otherwise all threads
    would wait for the same silence.

    Only requests that spent their whole wait budget without any reply count. A refusal, a conflict or a throttle is a
    reply, and any reply closes the circuit. There is one for each process; `ticking` is a monotonic clock.
    """

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

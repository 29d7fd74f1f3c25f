"""Round trips to DynamoDB: one client for each process, asked again when others were in the way."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from random import SystemRandom
from typing import Any, TypeVar

from .. import trips
from ..table import Conflict, Crowded, Unavailable
from ..together import settled
from . import wire
from .errors import FAILURES, translated

TRIES = 8
FIRST_PAUSE = 0.02
LONGEST_PAUSE = 1.0
BESIDE = "plenum-beside"  # how threads are called that ask beside the one they ask for

_RANDOM = SystemRandom()  # two processes forked from one must not pause for the same times
_Answer = TypeVar("_Answer")


class Connection:
    """To DynamoDB in one region or at one endpoint. `tables` names ours, for sentences about a failure."""

    def __init__(
        self, region: str, endpoint: str | None, threads: int, sleep: Callable[[float], None], tables: str
    ) -> None:
        self._region = region
        self._endpoint = endpoint
        self._threads = threads
        self._sleep = sleep
        self._tables = tables
        self._held: tuple[int, Any] | None = None
        self._beside: tuple[int, ThreadPoolExecutor] | None = None
        self._locks: dict[int, threading.Lock] = {}

    def ask(self, operation: str, method: str, **request: Any) -> dict[str, Any]:
        """One round trip; DynamoDB says what it costs, unless it refuses."""
        if method in wire.CHARGED:
            request["ReturnConsumedCapacity"] = "TOTAL"
        with trips.trip(operation):
            try:
                answer: dict[str, Any] = getattr(self.client(), method)(**request)
            except FAILURES as error:
                raise translated(error, request.get("TableName", self._tables)) from error
        for kind, units in wire.charges(method, answer):
            trips.consumed(kind, units)
        return answer

    def answers(self, operation: str, method: str, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """One round trip after the other, until nothing is left."""
        while True:
            answer = self.ask(operation, method, **request)
            yield answer
            if not (last := answer.get("LastEvaluatedKey")):
                return
            request = request | {"ExclusiveStartKey": last}

    def persist(self, ask: Callable[[], _Answer]) -> _Answer:
        """Ask again when other transactions were in the way: the SDK does not, and nothing was written."""
        for tried in range(1, TRIES):
            try:
                return ask()
            except (Conflict, Crowded) as error:
                trips.retried("conflict" if isinstance(error, Conflict) else "throttled")
                self.pause(tried)
        return ask()

    def pause(self, tried: int) -> None:
        self._sleep(_RANDOM.uniform(0, min(LONGEST_PAUSE, FIRST_PAUSE * 2**tried)))

    def at_once(self, asks: Sequence[Callable[[], Any]]) -> list[Any]:
        """In threads of this process. What no thread has begun by then, whoever waits for it asks: so questions within
        questions never wait for each other."""
        if len(asks) < 2:
            return [ask() for ask in asks]
        first, *others = asks
        beside = self._threads_beside()
        waiting = [(beside.submit(ask), ask) for ask in others]
        answers = [settled(first), *(settled(ask if begun.cancel() else begun.result) for begun, ask in waiting)]
        return [answer() for answer in answers]

    def _threads_beside(self) -> ThreadPoolExecutor:
        """Of this process: threads do not outlive a fork."""
        process = os.getpid()
        with self._locks.setdefault(process, threading.Lock()):
            if self._beside is None or self._beside[0] != process:
                self._beside = process, ThreadPoolExecutor(self._threads, thread_name_prefix=BESIDE)
            return self._beside[1]

    def client(self) -> Any:
        """The client of this process: one that was open before a fork shares its sockets with the parent."""
        process = os.getpid()
        if (held := self._held) is not None and held[0] == process:
            return held[1]
        with self._locks.setdefault(process, threading.Lock()):
            held = self._held
            if held is None or held[0] != process:
                self._held = held = (process, self._connect())
            return held[1]

    def _connect(self) -> Any:
        try:
            return wire.client(self._region, self._endpoint, self._threads)
        except ValueError as error:
            raise Unavailable(f"DynamoDB cannot be reached in {self._region} at {self._endpoint}: {error}") from error

    def close(self) -> None:
        held, self._held = self._held, None
        if held is not None and held[0] == os.getpid():
            held[1].close()

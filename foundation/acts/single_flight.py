"""Single flight: concurrent calls for the same key in one process share one execution and its result."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from foundation.store.parallel import copy_of

T = TypeVar("T")


class _Call(Generic[T]):
    def __init__(self) -> None:
        self.done = threading.Event()
        self.result: T
        self.error: BaseException | None = None


class SingleFlight(Generic[T]):
    def __init__(self) -> None:
        self._lock, self._under_way = threading.Lock(), dict[Hashable, _Call[T]]()

    def run(self, key: Hashable, act: Callable[[], T]) -> T:
        """Run the act, or wait for the thread that is running it for this key. The result may have been read before the
        call, so the act must be about something that only moves forwards."""
        with self._lock:
            leads = key not in self._under_way
            call = self._under_way.setdefault(key, _Call())
        if leads:
            self._lead(key, call, act)
        call.done.wait()
        if call.error is not None:
            raise copy_of(call.error)
        return call.result

    def _lead(self, key: Hashable, call: _Call[T], act: Callable[[], T]) -> None:
        try:
            call.result = act()
        except BaseException as error:
            call.error = error
        finally:
            with self._lock:
                del self._under_way[key]
            call.done.set()

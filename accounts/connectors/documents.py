"""JSON documents of a provider, cached in the process: its description and its public keys."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from .configuration import Provider
from .protocol import OutOfReach

FRESH_SECONDS = 3600
RETRY_SECONDS = 10  # after a failure; meanwhile nobody waits for the provider
REFRESH_SECONDS = 60  # between two reloads asked for by tokens with unknown keys
Content = TypeVar("Content")


@dataclass
class Document(Generic[Content]):
    """Loaded when it is first needed. One that is out of date is better than none, if the provider does not answer."""

    provider: Provider
    load: Callable[[], Content]
    clock: Callable[[], float] = time.monotonic
    _content: Content | None = None
    _trouble: str = ""
    _next_load: float = float("-inf")
    _next_refresh: float = float("-inf")
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def get(self) -> Content:
        with self._lock:
            if self.clock() >= self._next_load:
                self._reload()
            return self._known()

    def refresh(self) -> Content:
        """Load it again before its time, at a bounded rate: anybody can send a token that names an unknown key."""
        with self._lock:
            if self.clock() >= self._next_refresh:
                self._next_refresh = self.clock() + REFRESH_SECONDS
                self._reload()
            return self._known()

    def _reload(self) -> None:
        try:
            self._content, seconds = self.load(), FRESH_SECONDS
        except OutOfReach as trouble:
            self._trouble, seconds = trouble.reason, RETRY_SECONDS
        self._next_load = self.clock() + seconds

    def _known(self) -> Content:
        if self._content is None:
            raise OutOfReach(self.provider, self._trouble)
        return self._content

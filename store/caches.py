"""Bounded caches in a process's memory: values by size (least recently used goes first), and parsed items."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

from .table import Item

T = TypeVar("T")


class SizedCache(Generic[T]):
    """An LRU cache bounded by the total weight of its values. A value of more than a quarter of that is not cached,
    because it would push out all the others."""

    def __init__(self, most: int, weigh: Callable[[T], int]):
        self.most, self.weigh, self.weight = most, weigh, 0
        self._lock, self._kept = Lock(), OrderedDict[Hashable, tuple[T, int]]()

    def get(self, question: Hashable, find: Callable[[], T]) -> T:
        """The cached value, else what `find` returns; two threads at the same moment may both call it."""
        with self._lock:
            if (kept := self._kept.get(question)) is not None:
                self._kept.move_to_end(question)
                return kept[0]
        answer = find()
        self.put(question, answer)
        return answer

    def peek(self, question: Hashable) -> T | None:
        """The cached value, if any."""
        with self._lock:
            if (kept := self._kept.get(question)) is None:
                return None
            self._kept.move_to_end(question)
            return kept[0]

    def put(self, question: Hashable, answer: T) -> None:
        weight = self.weigh(answer)
        with self._lock:
            _before, lighter = self._kept.pop(question, (answer, 0))
            self.weight -= lighter
            if weight > self.most // 4:
                return
            self._kept[question] = answer, weight
            self.weight += weight
            while self.weight > self.most:
                _question, (_gone, freed) = self._kept.popitem(last=False)
                self.weight -= freed


class ParseCache(Generic[T]):
    """Parses items, but not one equal to the last one under its key: comparing takes a tenth as long."""

    def __init__(self, read: Callable[[Item], T], most: int = 1000):
        self.read, self.most = read, most
        self._seen: dict[tuple[str, str], tuple[Item, T]] = {}

    def __call__(self, item: Item) -> T:
        place = item.get("PK", ""), item.get("SK", "")
        seen = self._seen.get(place)
        if seen is None or seen[0] != item:
            if len(self._seen) >= self.most:
                self._seen.clear()
            seen = self._seen[place] = dict(item), self.read(item)
        return seen[1]

"""What a process remembers so as not to ask, read or count again: never more than so much."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

from .table import Item

T = TypeVar("T")


class Memory(Generic[T]):
    """Answers by their questions, `most` in weight together; those that nobody has asked for longest make room.

    One that alone would take up more than a quarter is handed out, but not kept: it would push out all the others.
    """

    def __init__(self, most: int, weigh: Callable[[T], int]):
        self.most, self.weigh, self.weight = most, weigh, 0
        self._lock, self._kept = Lock(), OrderedDict[Hashable, tuple[T, int]]()

    def get(self, question: Hashable, find: Callable[[], T]) -> T:
        """What is kept, or what is found; two who ask at the same moment may both look for it."""
        with self._lock:
            if (kept := self._kept.get(question)) is not None:
                self._kept.move_to_end(question)
                return kept[0]
        answer = find()
        self.keep(question, answer)
        return answer

    def known(self, question: Hashable) -> T | None:
        """What is kept, without looking for it."""
        with self._lock:
            if (kept := self._kept.get(question)) is None:
                return None
            self._kept.move_to_end(question)
            return kept[0]

    def keep(self, question: Hashable, answer: T) -> None:
        """In the place of what was kept."""
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


class LastSeen(Generic[T]):
    """Reads values from items. One that is as it was when it was last seen in its place is not read again: to compare
    it takes a tenth of the time."""

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

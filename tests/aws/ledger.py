"""Who was charged what: units by partition, and how many a second one partition may have."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

READ, WRITE = "read", "write"


class Partition(NamedTuple):
    """One partition key of a table, or of its index."""

    table: str
    pk: str
    index: bool = False

    def __str__(self) -> str:
        return f"{self.table}{'/GSI1' if self.index else ''} {self.pk}"


class Warmth(NamedTuple):
    """What a partition was charged: altogether, and in the second that was the worst."""

    partition: Partition
    kind: str
    units: float
    peak: float


@dataclass
class Ledger:
    """Units by kind, partition and second."""

    seconds: dict[tuple[str, Partition], Counter[int]] = field(default_factory=lambda: defaultdict(Counter))

    def charge(self, kind: str, partition: Partition, units: float, now: float) -> None:
        self.seconds[kind, partition][int(now)] += units  # type: ignore[assignment]

    def total(self, kind: str, partition: Partition | None = None) -> float:
        wanted = [self.seconds[kind, partition]] if partition else self._of(kind)
        return float(sum(sum(each.values()) for each in wanted))

    def taken(self) -> dict[tuple[str, Partition], float]:
        """What was charged since this was asked last, by kind and partition."""
        every = {each: float(sum(seconds.values())) for each, seconds in self.seconds.items()}
        self.seconds.clear()
        return every

    def _of(self, kind: str) -> Iterable[Counter[int]]:
        return [seconds for (each, _), seconds in self.seconds.items() if each == kind]

    def hottest(self, kind: str, count: int = 5) -> list[Warmth]:
        found = [
            Warmth(partition, each, sum(seconds.values()), max(seconds.values()))
            for (each, partition), seconds in self.seconds.items()
            if each == kind and seconds
        ]
        return sorted(found, key=lambda warmth: -warmth.units)[:count]


@dataclass
class Bucket:
    """So many units a second, of which those not used for a short while can be had later.

    A request is let through while any are left, and pays afterwards what it has cost: so it is possible to owe.
    """

    rate: float
    room: float
    level: float
    at: float

    def has_some(self, now: float) -> bool:
        self._fill(now)
        return self.level > 0

    def pay(self, units: float, now: float) -> None:
        self._fill(now)
        self.level -= units

    def _fill(self, now: float) -> None:
        self.level = min(self.room, self.level + (now - self.at) * self.rate)
        self.at = now

"""Who can be reached from whom in a growing graph, as sets of bits: bit j of a number stands for candidate j."""

from __future__ import annotations

from collections.abc import Iterator


def bits(number: int) -> Iterator[int]:
    """Which bits are set, the lowest first."""
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest


class Reach:
    """The reachability of a graph to which edges are added; everybody reaches themselves.

    Both directions are known, so that an edge only visits candidates for whom it changes something: all edges together
    cost at most one step for every two candidates, however many edges there are.
    """

    def __init__(self, size: int) -> None:
        self.onward = [1 << i for i in range(size)]  # [i]: whom i reaches
        self.back = list(self.onward)  # [j]: who reaches j

    def copy(self) -> Reach:
        same = Reach(0)
        same.onward, same.back = list(self.onward), list(self.back)
        return same

    def has(self, start: int, end: int) -> bool:
        return bool(self.onward[start] >> end & 1)

    def add(self, start: int, end: int) -> list[tuple[int, int]]:
        """With an edge from start to end, who reaches more than before, and the set of whom."""
        if self.has(start, end):
            return []
        # Whoever reaches the end already reaches all that lies beyond it; the same holds the other way round.
        sources, targets = self.back[start] & ~self.back[end], self.onward[end] & ~self.onward[start]
        ahead, behind = self.onward[end], self.back[start]
        new = [(each, ahead & ~self.onward[each]) for each in bits(sources)]
        for each in bits(sources):
            self.onward[each] |= ahead
        for each in bits(targets):
            self.back[each] |= behind
        return new

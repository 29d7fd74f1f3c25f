"""How many connections each process of the server has, where all of them can see it.

Whichever process is the quickest takes a connection that comes. A browser, and a proxy all the more, then keeps it: so
one process could end up with nearly all of them, and the others would have nothing to do.
"""

from __future__ import annotations

from mmap import mmap

GONE = 2**31 - 1  # more than anybody has: nobody waits for a process that is not there
MOST = 256  # processes; further ones share the last place


class Shares:
    def __init__(self, most: int = MOST):
        self.counts = memoryview(mmap(-1, 4 * most)).cast("i")
        for place in range(most):
            self.leave(place)

    def enter(self) -> int:
        """A place for a process that is about to begin. Only the server gives them."""
        place = next((place for place, count in enumerate(self.counts) if count == GONE), len(self.counts) - 1)
        self.counts[place] = 0
        return place

    def leave(self, place: int) -> None:
        self.counts[place] = GONE

    def tell(self, place: int, count: int) -> None:
        self.counts[place] = count

    def has_more(self, place: int) -> bool:
        """Whether some other process has fewer."""
        return self.counts[place] > min(self.counts)

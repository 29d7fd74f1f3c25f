"""Gates: what every vote passes and is counted by, so that no two voters need wait for each other.

An election or a poll has several. A vote passes any one of them, so that it meets few others; closing shuts them all.
What all of them have counted together is the turnout.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from store.table import Check, Condition, Equals, Greater, Item, Key, Update, Write


@dataclass(frozen=True, slots=True)
class Gates:
    """So many gates, and where those of something lie."""

    count: int
    place: Callable[[str, int], Key]

    def keys(self, name: str) -> list[Key]:
        return [self.place(name, number) for number in range(self.count)]

    def moved(self, name: str, *, open_: bool, until: str | None, **also: int) -> list[Write]:
        """Open or shut all of them, or move the end; they keep what they have counted."""
        return [Update(place, set={"open": open_, "until": until, **also}) for place in self.keys(name)]

    def passed(self, name: str, number: int, now: str, counted: Mapping[str, int], *also: Condition) -> Write:
        """One gate lets a vote through and counts it. Refused if it is shut, or from the closing moment on."""
        place, when = self.place(name, number), Equals("open", True) & (Equals("until", None) | Greater("until", now))
        for condition in also:
            when = when & condition
        changed = {each: by for each, by in counted.items() if by}
        return Update(place, add=changed, when=when) if changed else Check(place, when)

    def any(self) -> int:
        return random.randrange(self.count)  # noqa: S311 - only to spread the load

    def in_any_order(self) -> list[int]:
        return random.sample(range(self.count), self.count)


def voted(gates: Iterable[Item]) -> int:
    """How many votes have come through these gates."""
    return sum(gate.get("voted", 0) for gate in gates)

"""Gates: what every vote passes and is counted by, so that no two voters need wait for each other.

An election or a poll has several. A vote passes any one of them, so that it meets few others; closing shuts them all,
one after the other and never all at once (acts/closing.py): in a distant store, where whoever passes a gate holds it
for a moment, all of them are free together almost never. What all of them have counted together is the turnout.

A gate knows whether it is open, and not until when. Whoever votes has read the end in the thing itself, and looked at
the clock: so moving the end needs no gate at all. It knows as of when it was moved last, so that whoever comes late
with a move, after a halt, changes nothing that was decided since.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from store.table import Check, Condition, Equals, Item, Key, Less, Missing, Update, Write

# gates that open in the transaction that opens what they belong to; further ones open before it
MAX_GATES_PER_TRANSACTION = 16


@dataclass(frozen=True, slots=True)
class Gates:
    """So many gates, and where those of something lie."""

    count: int
    key: Callable[[str, int], Key]

    def keys(self, name: str) -> list[Key]:
        return [self.key(name, number) for number in range(self.count)]

    def opening(self, name: str, as_of: str, **also: int) -> list[Write]:
        """Make all of them, or open them again; they keep what they have counted."""
        moved = {"open": True, "as_of": as_of, **also}
        return [Update(place, set=moved, when=is_not_later(as_of)) for place in self.keys(name)]

    def shutting(self, name: str, as_of: str) -> list[Write]:
        """Nobody passes any more. Refused, each, if it was moved since then, or is gone."""
        earlier = Less("as_of", as_of)
        return [Update(place, set={"open": False, "as_of": as_of}, when=earlier) for place in self.keys(name)]

    def passing(self, name: str, number: int, counted: Mapping[str, int], *also: Condition) -> Write:
        """One gate lets a vote through and counts it. Refused if it is shut."""
        place, when = self.key(name, number), _all_of(Equals("open", True), *also)
        changed = {each: by for each, by in counted.items() if by}
        return Update(place, add=changed, when=when) if changed else Check(place, when)

    def pick(self) -> int:
        return random.randrange(self.count)  # noqa: S311 - only to spread the load


def _all_of(first: Condition, *others: Condition) -> Condition:
    for each in others:
        first = first & each
    return first


def as_of(made: str, version: int) -> str:
    """The state of a thing whose gates are moved: later ones compare as greater, also those of a later thing that has
    its name."""
    return f"{made}#{version:010d}"


def is_not_later(as_of: str) -> Condition:
    """That a gate was last moved as of this state, or of one before."""
    return Missing("as_of") | Less("as_of", as_of) | Equals("as_of", as_of)


def count_votes(gates: Iterable[Item]) -> int:
    """How many votes have come through these gates."""
    return sum(gate.get("voted", 0) for gate in gates)

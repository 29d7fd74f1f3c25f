"""How many have voted, and when: what the gates of an election have counted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from acts.site import table
from store.table import Item

from .places import Known, gates_of, name_of
from .rules import Election, takes_names

BY_THE_HOUR = timedelta(days=31)  # elections that end sooner count by the hour, longer ones by the day
HOUR, DAY = 3600, 24 * 3600
TELLING = 3  # with fewer votes in a secret election, who has voted would tell how


@dataclass(frozen=True, slots=True)
class Turnout:
    voted: int
    paper: int
    steps: tuple[tuple[datetime, int], ...]  # by the hour or the day: how many had voted at its end

    def percent(self, voters: int) -> int:
        return round(100 * self.voted / voters) if voters else 0

    def curve(self, voters: int, now: datetime) -> str:
        """The points of a line, 100 wide and 40 high, from the first vote until now; the top is everybody, or the
        most that ever had voted."""
        if not self.steps:
            return ""
        first, last = self.steps[0][0] - timedelta(hours=1), max(now, self.steps[-1][0])
        top = max(voters, *(count for _moment, count in self.steps)) or 1
        points = [(first, 0), *self.steps, (last, self.steps[-1][1])]
        span = (last - first).total_seconds()
        return " ".join(
            f"{100 * (moment - first).total_seconds() / span:.1f},{40 - 40 * count / top:.1f}"
            for moment, count in points
        )


def bucket(election: Election, now: datetime) -> str:
    """The name under which a gate counts the votes of this hour, or of this day."""
    seconds = int(now.timestamp())
    soon = election.ends is not None and election.ends - now < BY_THE_HOUR
    return f"h{seconds // HOUR}" if soon else f"d{seconds // DAY}"


def turnout(election: Known) -> Turnout:
    """In one round trip, whatever the number of voters."""
    return turnouts(election)[0]


def turnouts(*elections: Known) -> list[Turnout]:
    """Of several elections, in one round trip, too."""
    gates = [gates_of(each).keys(name_of(each)) for each in elections]
    found = table().get_many(place for each in gates for place in each)
    return [_counted(found[place] for place in each if place in found) for each in gates]


def _counted(gates: Iterable[Item]) -> Turnout:
    voted = paper = 0
    steps: dict[int, int] = {}
    for gate in gates:
        voted += gate.get("voted", 0)
        paper += gate.get("paper", 0)
        for name, count in gate.items():
            if (end := _end_of(name)) is not None:
                steps[end] = steps.get(end, 0) + count
    return Turnout(voted, paper, _summed(steps))


def _end_of(name: str) -> int | None:
    if not name[1:].isdigit():
        return None
    length = {"h": HOUR, "d": DAY}.get(name[0])
    return (int(name[1:]) + 1) * length if length else None


def _summed(steps: dict[int, int]) -> tuple[tuple[datetime, int], ...]:
    total, summed = 0, []
    for end in sorted(steps):
        total += steps[end]
        summed.append((datetime.fromtimestamp(end, UTC), total))
    return tuple(summed)


def tells_names(election: Election, voted: int) -> bool:
    """Whether it may be shown who is on the roll by name: where everybody here may vote, votes bring names onto it."""
    return takes_names(election) or tells_who(election, voted)


def tells_who(election: Election, voted: int) -> bool:
    """Whether it may be shown who has voted: in a secret election not while so few have that it would tell how."""
    return not election.secret_ballot or voted >= TELLING

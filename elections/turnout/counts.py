"""Turnout: votes counted at the gates, and their times counted from the log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import accumulate

from acts.caches import Cacheable, SizedCache, get_cached
from acts.storage import log, table
from elections.rules import Election, State, takes_names
from elections.sharding import Known, gates_of, name_of
from store import keys
from store.table import Item

from . import times as voting_times

MIN_SECRET_VOTES = 3  # with fewer votes in a secret election, who voted would reveal how


@dataclass(frozen=True, slots=True)
class Turnout:
    voted: int
    paper: int
    steps: tuple[tuple[datetime, int], ...]  # by the hour or the day: how many had voted at its end, as far as counted
    withdrawn: int = 0  # ballots of a secret election: the roll still says that their voters have voted
    extra: int = 0  # votes beyond one for each ballot, by the weights of voters

    @property
    def votes(self) -> int:
        return self.voted + self.extra

    def percent(self, voters: int) -> int:
        return round(100 * self.voted / voters) if voters else 0

    def curve(self, voters: int, now: datetime) -> str:
        """Points of a line, 100 wide and 40 high, from the first vote until now."""
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


def turnout(election: Known) -> Turnout:
    """In one round trip, whatever the number of voters. The times of the latest votes may lag by seconds."""
    return turnouts(election)[0]


def turnouts(*elections: Known, to_show: bool = False) -> list[Turnout]:
    """Of several elections, also in one round trip. With `to_show`, they may be a second old."""
    gates = [gates_of(each).keys(name_of(each)) for each in elections]
    times = [keys.turnout(name_of(each)) for each in elections]
    places = [*times, *(place for each in gates for place in each)]
    found = get_cached(Cacheable(places)) if to_show else table().get_many(places)
    return [
        _counted([found[place] for place in own if place in found], found.get(when))
        for own, when in zip(gates, times, strict=True)
    ]


def votes_of(election: Election) -> int:
    """How many have voted; cached once the election is closed."""
    if election.stored_state != State.CLOSED:
        return turnout(election).voted
    end = election.name, election.created_at, election.closed_at
    return _known_votes.get(end, lambda: turnout(election).voted)


_known_votes = SizedCache[int](10_000, lambda votes: 1)  # elections


def final_turnout(election: Election) -> Turnout:
    """Of a closed election, completed from the log if the worker has not counted it all yet.

    How far the log was followed is read before the item, which has then counted everything up to there.
    """
    place, gates = keys.turnout(election.name), gates_of(election).keys(election.name)
    found = table().get_many([place, *gates])
    times = found.get(place)
    if times is not None and not times.get("closed"):
        followed = (table().get(keys.FIGURES) or {}).get("last_event_id", 0)
        times = table().get(place) or times
        times = voting_times.with_events(times, log().since(max(followed, times["counted"])))
    return _counted([found[gate] for gate in gates if gate in found], times)


def _counted(gates: Sequence[Item], times: Item | None) -> Turnout:
    counts = {name: sum(gate.get(name, 0) for gate in gates) for name in ("voted", "paper", "withdrawn", "extra")}
    steps: dict[int, int] = {}
    for name, count in (times or {}).items():
        if (end := voting_times.end_of(name)) is not None:
            steps[end] = steps.get(end, 0) + count
    ends = sorted(steps)
    totals = accumulate(steps[end] for end in ends)
    moments = (datetime.fromtimestamp(end, UTC) for end in ends)
    return Turnout(**counts, steps=tuple(zip(moments, totals, strict=True)))


def tells_names(election: Election, voted: int) -> bool:
    """Whether names on the roll may be shown: where every member may vote, it is voting that adds them."""
    return takes_names(election) or tells_who(election, voted)


def tells_who(election: Election, voted: int) -> bool:
    """Whether it may be shown who voted: in a secret election, not while so few have that it would reveal how; nor
    where votes have weights, as a ballot shows its weight, and few of those who have it may have voted."""
    return not election.secret_ballot or (voted >= MIN_SECRET_VOTES and not election.extra_votes)

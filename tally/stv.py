"""What the two STV counts share: the order in which people were elected, and the result that says so.

- Places: the elected in the order in which they reached their seats, those of one stage by their votes in it; then
  those still in when the last seat was filled, by their votes in the last stage; then the excluded, the last to go
  first. Equals share a place.
- If all ballots are blank there is nothing to count: no one is elected, unless there are seats for all.
"""

from __future__ import annotations

from collections.abc import Mapping

from .ballots import Ballots
from .lots import TieBreaker
from .result import Result, Round, Tie, ballot_fields, places_of


class NoSeats(ValueError):
    pass


def check_seats(seats: int) -> None:
    if seats < 1:
        raise NoSeats("There must be at least one seat to fill.")


def decimal_text(units: int, digits: int) -> str:
    """A number of units of the last decimal place, as text: 123456 with 5 digits is 1.23456."""
    whole, rest = divmod(units, 10**digits)
    return f"{whole}.{rest:0{digits}d}"


class Standings:
    """Who is still in, and who was elected and who was excluded, in order."""

    def __init__(self, names: tuple[str, ...], seats: int) -> None:
        self.hopeful = list(names)
        self.seats_left = seats
        self.elected: list[list[str]] = []  # groups of equals, first elected first
        self.gone: list[str] = []

    def elect(self, names: list[str], votes: Mapping[str, int]) -> tuple[str, ...]:
        """Elect these together; those with more votes come first."""
        for group in group_by_votes(names, votes):
            self.elected.append(group)
        self.hopeful = [name for name in self.hopeful if name not in names]
        self.seats_left -= len(names)
        return tuple(name for group in group_by_votes(names, votes) for name in group)

    def exclude(self, name: str) -> None:
        self.hopeful.remove(name)
        self.gone.append(name)

    @property
    def seats_for_all(self) -> bool:
        return len(self.hopeful) <= self.seats_left

    @property
    def complete(self) -> bool:
        return not self.seats_left or not self.hopeful

    def groups(self, votes: Mapping[str, int]) -> list[list[str]]:
        """All candidates, best first; votes are those of the last stage."""
        return self.elected + group_by_votes(self.hopeful, votes) + [[name] for name in reversed(self.gone)]


def group_by_votes(names: list[str], votes: Mapping[str, int]) -> list[list[str]]:
    """Groups of equals, most votes first."""
    numbers = sorted({votes[name] for name in names}, reverse=True)
    return [sorted(name for name in names if votes[name] == number) for number in numbers]


def result_of(
    ballots: Ballots,
    tie_breaker: TieBreaker,
    rounds: list[Round],
    winners: tuple[str, ...],
    groups: list[list[str]],
    *,
    seats: int,
    unranked: str,
) -> Result:
    ties = [Tie("places", tuple(sorted(group)), "left") for group in groups if len(group) > 1]
    return Result(
        method=tie_breaker.method,
        seats=seats,
        unranked=unranked,
        seed=tie_breaker.seed,
        winners=winners,
        places=places_of(groups),
        rounds=tuple(rounds),
        ties=(*tie_breaker.ties, *ties),
        lots=tuple(tie_breaker.lots),
        **ballot_fields(ballots),
    )


def result_without_votes(ballots: Ballots, tie_breaker: TieBreaker, *, seats: int, unranked: str) -> Result:
    names = ballots.candidates
    winners = names if len(names) <= seats else ()
    return result_of(ballots, tie_breaker, [], winners, [list(names)], seats=seats, unranked=unranked)

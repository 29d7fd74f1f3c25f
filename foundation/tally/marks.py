"""Methods that add up marks: most votes, approval, score and points to distribute.

Every mark is one vote, or as many points as the value beside it, and those with most are elected to as many seats as
there are. Where equals compete for the last of them, a lot is drawn for each (foundation/tally/lots.py). Nobody is
elected without a vote: such a seat stays empty, and if nobody has one there is no decision. Whom a ballot does not mark
has 0 on it.

- Most votes: one cross is plurality; as many as seats, the block vote; fewer than seats, the limited vote (D. M.
  Farrell, "Electoral Systems" (2011), chapter 2). How many a voter may mark is checked when a ballot is cast.
- Approval: S. J. Brams and P. C. Fishburn, "Approval Voting", American Political Science Review 72 (1978).
- Score: W. D. Smith, "Range Voting" (2000), here from 0 to 5.
- Cumulative: a voter distributes points, as shareholders do (California Corporations Code § 708).

`reasons`, all numbers as text:
- `votes` (most votes, approval) or `points` (score, cumulative), by name;
- `levels` (score): by name, how many ballots gave 0, 1 and so on up to 5.
"""

from __future__ import annotations

from collections.abc import Mapping

from .ballots import MAX_SCORE, Ballots
from .lots import TieBreaker
from .result import Result, group_by_score, result_of


def most_votes(ballots: Ballots, *, seats: int = 1, seed: str = "") -> Result:
    return _elect(ballots, "most-votes", "votes", seats, seed)


def approval(ballots: Ballots, *, seats: int = 1, seed: str = "") -> Result:
    return _elect(ballots, "approval", "votes", seats, seed)


def cumulative(ballots: Ballots, *, seats: int = 1, seed: str = "") -> Result:
    return _elect(ballots, "cumulative", "points", seats, seed)


def score(ballots: Ballots, *, seats: int = 1, seed: str = "") -> Result:
    return _elect(ballots, "score", "points", seats, seed)


def values_of(ballots: Ballots) -> dict[str, dict[int, int]]:
    """By name, how many ballots gave each value, except 0."""
    values: dict[str, dict[int, int]] = {name: {} for name in ballots.candidates}
    for (candidate, value), number in ballots.values.items():
        values[ballots.candidates[candidate]][value] = number
    return values


def total(values: Mapping[int, int]) -> int:
    return sum(value * number for value, number in values.items())


def levels(values: Mapping[int, int], ballots: int) -> list[str]:
    """How many ballots gave 0, 1 and so on up to the highest score."""
    given = [values.get(value, 0) for value in range(1, MAX_SCORE + 1)]
    return [str(number) for number in (ballots - sum(given), *given)]


def _elect(ballots: Ballots, method: str, unit: str, seats: int, seed: str) -> Result:
    normal, tie_breaker = ballots.normal, TieBreaker(method, seed)
    values = values_of(normal)
    totals = {name: total(given) for name, given in values.items()}
    elected: list[str] = []
    groups: list[list[str]] = []
    for group in group_by_score(totals):
        left = list(group) if totals[group[0]] else []
        chosen: list[str] = []
        while left and len(elected) + len(chosen) < seats:
            seat = len(elected) + len(chosen) + 1
            fits = len(left) <= seats + 1 - seat
            chosen += left if fits else [tie_breaker.settle(left, where="election", round=seat, earlier=(), choose=max)]
            left = [name for name in left if name not in chosen]
        elected += sorted(chosen)
        groups += [part for part in (chosen, [name for name in group if name not in chosen]) if part]
    reasons: dict[str, object] = {unit: {name: str(number) for name, number in totals.items()}}
    if method == "score":
        reasons["levels"] = {name: levels(given, normal.total) for name, given in values.items()}
    return result_of(
        normal,
        method,
        groups,
        winners=tuple(elected),
        ties=tie_breaker.ties,
        lots=tuple(tie_breaker.lots),
        seats=seats,
        seed=seed,
        reasons=reasons,
    )

"""Published results of counts of marks and scores: small numbers with where they are from.

Of votes held with Helios only the totals are published, so a ballot here has one mark: sums do not depend on who shares
a ballot. Not reproduced: starpy's results of ties between three, which follow an older protocol than the one that
Equal Vote documents now.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from foundation.tally.ballots import Ballots, text_of

BETTERVOTING = "Equal-Vote/bettervoting, packages/backend/src/Tabulators/Star.test.ts"
STAR_TS = "Equal-Vote/bettervoting, packages/backend/src/Tabulators/Star.ts, run on these ballots"
STARPY = "Equal-Vote/starpy, tests/test_STAR_single_winner.py"
VOTE_CORE = "bradbeattie/python-vote-core, test_functionality/test_plurality_at_large.py"
VOTE_COUNT = "Vote::Count on CPAN, t/data/tennessee.range.json and its tests of Score and STAR"
STEERING = "Python Steering Council, approval voting for five seats on Helios"


@dataclass(frozen=True, slots=True)
class Published:
    source: str
    method: str
    ballots: Ballots
    seats: int
    winners: set[str]
    reasons: dict[str, Any]  # those that were published

    @property
    def rules(self) -> dict[str, Any]:
        return {"seats": self.seats, "seed": "s", "majority": "", "entitled": 0}


def star(
    source: str, names: str, rows: list[list[int]], winners: str, finalists: str = "", **reasons: Any
) -> Published:
    ballots = Ballots.of(names.split(), [text_of(dict(enumerate(row))) for row in rows])
    seats = len(winners.split())
    found = {"finalists": finalists.split()} if finalists else {}
    return Published(source, "star", ballots, seats, set(winners.split()), found | reasons)


def votes(source: str, method: str, totals: dict[str, int], winners: set[str]) -> Published:
    ballots = Ballots(tuple(totals), {str(number): total for number, total in enumerate(totals.values())})
    return Published(source, method, ballots, len(winners), winners, {"votes": {n: str(v) for n, v in totals.items()}})


def block(counts: dict[str, int], names: str, winners: set[str], tallies: list[int]) -> Published:
    ballots = Ballots(tuple(names.split()), counts)
    said = {"votes": {name: str(tally) for name, tally in zip(ballots.candidates, tallies, strict=True)}}
    return Published(VOTE_CORE, "most-votes", ballots, 2, winners, said)


FOUR = "Allison Bill Carmen Doug"
TENNESSEE = [
    *[[5, 2, 1, 0]] * 42,
    *[[0, 5, 2, 1]] * 26,
    *[[0, 3, 5, 3]] * 15,
    *[[0, 2, 4, 5]] * 17,
]
CITIES = "Memphis Nashville Chattanooga Knoxville"
SCORED = Ballots(  # published: Chattanooga has 289 points, and the order is Nashville, Knoxville, Chattanooga, Memphis
    tuple(CITIES.split()),
    {"2@5>3@4>1@3>0@1": 15, "3@5>2@4>1@3>0@1": 17, "1@5>2@4>3@3>0@1": 26, "0@5>1@3>3@2>2@1": 42},
)
POINTS = {"Nashville": "352", "Knoxville": "307", "Chattanooga": "289", "Memphis": "268"}
CONDORCET = [
    [5, 2, 1, 4],
    *[[5, 2, 1, 0]] * 3,
    [5, 3, 4, 0],
    *[[5, 1, 4, 0]] * 2,
    [4, 0, 5, 1],
    [3, 4, 5, 0],
    [3, 5, 5, 5],
]
RUNNER_UP = [
    *([5, 4, 3, 3], [4, 5, 1, 1], [4, 5, 1, 2], [3, 5, 1, 0], [5, 4, 3, 0]),
    *([5, 0, 4, 1], [5, 0, 4, 0], [4, 0, 5, 1], [3, 4, 5, 0], [3, 5, 5, 4]),
]
BLOC = [[4, 2, 3, 2], [1, 5, 5, 5], [4, 3, 0, 3], [5, 4, 0, 3], [4, 2, 2, 3], [1, 1, 4, 3], [2, 5, 1, 5]]
ROUNDS = [
    {"elected": "Dev", "finalists": ["Dev", "Bo"], "runoff": {"Dev": "2", "Bo": "1"}, "equal": "4"},
    {"elected": "Anika", "finalists": ["Bo", "Anika"], "runoff": {"Bo": "2", "Anika": "4"}, "equal": "1"},
]
FIVES_TWICE = [  # three are tied for two places; D, who has fewest fives, beats A head to head
    *([5, 5, 3, 0, 0], [0, 0, 5, 4, 2], [4, 2, 1, 4, 5]),
    *([0, 5, 1, 1, 1], [4, 1, 4, 4, 0], [5, 5, 1, 5, 3]),
]
FIVES_THEN_LOT = [  # for the second place in the runoff, between B and C; the seed "s" draws B
    *[[5, 4, 0, 0]] * 2,
    *[[0, 5, 4, 0]] * 2,
    *[[4, 0, 5, 0]] * 2,
    *([5, 4, 4, 1], [3, 4, 4, 1]),
]

CASES = {
    "STAR, the highest score wins": star(BETTERVOTING, FOUR, CONDORCET, "Allison", "Allison Carmen"),
    "STAR, a tie for the second finalist": star(BETTERVOTING, FOUR, RUNNER_UP, "Allison", "Allison Bill"),
    "STAR, a runoff": star(BETTERVOTING, "Allison Bill", [[0, 5], [2, 4]], "Bill"),
    "STAR, a runoff that points decide": star(BETTERVOTING, "Allison Bill", [[0, 5], [3, 2]], "Bill"),
    "STAR, a runoff that fives decide": star(BETTERVOTING, "Allison Bill", [[2, 4], [5, 3]], "Allison"),
    "Bloc STAR (bettervoting.com/k7pfqt)": star(BETTERVOTING, "Anika Bo Cora Dev", BLOC, "Dev Anika", rounds=ROUNDS),
    "STAR, three tied, most fives twice": star(STAR_TS, "A B C D E", FIVES_TWICE, "A", "B A"),
    "STAR, three tied, most fives and a lot": star(BETTERVOTING, FOUR, FIVES_THEN_LOT, "Allison", "Allison Bill"),
    "STAR, Tennessee": star(STARPY, CITIES, TENNESSEE, "Nashville", "Nashville Chattanooga"),
    "STAR, two with equal points": star(STARPY, "A B", [[0, 2], [1, 2], [4, 1]], "B"),
    "STAR, two tied for second": star(STARPY, "A B C", [[5, 2, 3], [5, 2, 3], [5, 2, 0]], "A", "A C"),
    "STAR, second, then a draw": star(STARPY, "A B C", [[5, 2, 3], [5, 2, 3], [1, 2, 2], [1, 4, 2]], "A"),
    "Score, Tennessee": Published(VOTE_COUNT, "score", SCORED, 1, {"Nashville"}, {"points": POINTS}),
    "STAR, Tennessee, otherwise scored": Published(VOTE_COUNT, "star", SCORED, 1, {"Nashville"}, {}),
    "STAR, the second by points wins": star(VOTE_COUNT, "A B C", [*[[4, 5, 0]] * 6, *[[5, 0, 4]] * 2], "B"),
    "Approval, 2020": votes(
        f"{STEERING}: PEP 8101",
        "approval",
        {"Brett Cannon": 54, "Carol Willing": 54, "Barry Warsaw": 50, "Thomas Wouters": 40, "Victor Stinner": 38}
        | {"Christian Heimes": 37, "Pablo Galindo Salgado": 37, "Gregory P. Smith": 32, "Kushal Das": 30},
        {"Barry Warsaw", "Brett Cannon", "Carol Willing", "Thomas Wouters", "Victor Stinner"},
    ),
    "Approval, 2021": votes(
        f"{STEERING}: PEP 8102",
        "approval",
        {"Pablo Galindo Salgado": 59, "Carol Willing": 57, "Barry Warsaw": 56, "Brett Cannon": 54, "Thomas Wouters": 52}
        | {"Christian Heimes": 43, "Mariatta": 42, "Raymond Hettinger": 31, "David Mertz": 28, "Matt Harrison": 15},
        {"Barry Warsaw", "Brett Cannon", "Carol Willing", "Pablo Galindo Salgado", "Thomas Wouters"},
    ),
    "Approval, 2025": votes(
        f"{STEERING}: PEP 8106",
        "approval",
        {"Barry Warsaw": 58, "Donghee Na": 48, "Emily Morehouse": 52, "Ethan Furman": 31, "Gregory P. Smith": 50}
        | {"Mariatta": 23, "Pablo Galindo Salgado": 63, "Thomas Wouters": 38},
        {"Barry Warsaw", "Donghee Na", "Emily Morehouse", "Gregory P. Smith", "Pablo Galindo Salgado"},
    ),
    "Block vote": block({"0=1": 26, "0=2": 22, "1=2": 23}, "c1 c2 c3", {"c1", "c2"}, [48, 49, 45]),
    "Block vote with ties that decide nothing": block(
        {"0=1": 26, "0=2": 22, "1=2": 22, "3=4": 11}, "c1 c2 c3 c4 c5", {"c1", "c2"}, [48, 48, 44, 11, 11]
    ),
}

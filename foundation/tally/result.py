"""The result of a count: winners, places and reasons, as values that can be shown, stored and checked."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from typing import Any

from .ballots import Ballots

VERSION = 1
VOTE = ("yes", "no", "abstain", "needed")  # the numbers of a vote on yes or no, as lists and mails keep them


@dataclass(frozen=True, slots=True)
class Tie:
    """Candidates that a rule could not separate, where that happened, and how it was settled, if it was."""

    where: str  # "places", "elimination", "election", "transfer"
    names: tuple[str, ...]
    settled: str  # "left" as a tie; "earlier round"; "lot"
    round: int | None = None


@dataclass(frozen=True, slots=True)
class Lot:
    """A choice made by lot. It can be drawn again from the seed: see foundation/tally/lots.py."""

    where: str
    names: tuple[str, ...]
    chosen: str
    round: int | None = None


@dataclass(frozen=True, slots=True)
class Transfer:
    """Votes that went from one candidate to another, or to none (exhausted), as an exact number in text."""

    source: str
    destination: str | None
    votes: str


@dataclass(frozen=True, slots=True)
class Round:
    """One round or stage. Numbers of votes are exact, as text: decimals, or a fraction such as 7/3."""

    number: int
    tally: dict[str, str]
    threshold: str
    exhausted: str
    elected: tuple[str, ...] = ()
    eliminated: tuple[str, ...] = ()
    transfers: tuple[Transfer, ...] = ()
    keep: dict[str, str] | None = None  # Meek's keep values
    residue: str = "0"  # what truncation lost


@dataclass(frozen=True, slots=True)
class Result:
    """A count with its reasons. Candidates are in the order of their names, whatever order they came in."""

    method: str
    candidates: tuple[str, ...]
    seats: int
    unranked: str
    seed: str
    total: int
    blank: int
    digest: str  # of the ballots counted
    winners: tuple[str, ...]
    places: tuple[tuple[str, int], ...]  # in order; equals share a place: 1, 1, 3
    pairwise: tuple[tuple[int, ...], ...] | None = None  # [i][j]: ballots that rank i above j
    rounds: tuple[Round, ...] | None = None
    ties: tuple[Tie, ...] = ()
    lots: tuple[Lot, ...] = ()
    reasons: dict[str, Any] = field(default_factory=dict)  # each method says at its top what it puts here
    version: int = VERSION

    @property
    def vote(self) -> tuple[int, ...]:
        """The numbers of a vote on yes or no, in the order of `VOTE`; of any other count, none."""
        return tuple(int(self.reasons[name]) for name in VOTE) if self.method == "majority" else ()

    def as_json(self) -> str:
        """Stable: the same ballots in any order give the same bytes."""
        return json.dumps(asdict(self), ensure_ascii=False, sort_keys=True, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Result:
        """A stored result as a value again."""
        return cls.from_parsed(json.loads(text))

    @classmethod
    def from_parsed(cls, read: dict[str, Any]) -> Result:
        """One that was stored as part of something else."""
        if read["version"] != VERSION:
            raise ValueError(f"This result has version {read['version']}, which this program does not know.")
        rounds = None if read["rounds"] is None else tuple(map(_round, read["rounds"]))
        pairwise = None if read["pairwise"] is None else tuple(map(tuple, read["pairwise"]))
        return cls(
            **(read | {"candidates": tuple(read["candidates"]), "winners": tuple(read["winners"])})
            | {"places": tuple((name, place) for name, place in read["places"])}
            | {"pairwise": pairwise, "rounds": rounds}
            | {"ties": tuple(Tie(**(each | {"names": tuple(each["names"])})) for each in read["ties"])}
            | {"lots": tuple(Lot(**(each | {"names": tuple(each["names"])})) for each in read["lots"])}
        )


def _round(read: dict[str, Any]) -> Round:
    names = {"elected": tuple(read["elected"]), "eliminated": tuple(read["eliminated"])}
    return Round(**(read | names | {"transfers": tuple(Transfer(**each) for each in read["transfers"])}))


def places_of(groups: list[list[str]]) -> tuple[tuple[str, int], ...]:
    """Places in competition ranking (1, 1, 3) of groups of equals, best first."""
    places: list[tuple[str, int]] = []
    for group in groups:
        place = len(places) + 1
        places += [(name, place) for name in sorted(group)]
    return tuple(places)


def group_by_score(scores: Mapping[str, Fraction | int]) -> list[list[str]]:
    """Groups of equals, the highest score first."""
    groups: dict[Fraction | int, list[str]] = {}
    for name in sorted(scores):
        groups.setdefault(scores[name], []).append(name)
    return [groups[score] for score in sorted(groups, reverse=True)]


def result_of(
    ballots: Ballots,
    method: str,
    groups: list[list[str]],
    *,
    winners: tuple[str, ...] | None = None,
    ties: Iterable[Tie] = (),
    seats: int = 1,
    unranked: str = "below",
    seed: str = "",
    **details: Any,
) -> Result:
    """The result of a count that leaves these groups of equals, best first. Unless others are named, the first wins."""
    normal, places = ballots.normal, places_of(groups)
    left = (Tie("places", tuple(sorted(group)), "left") for group in groups if len(group) > 1)
    return Result(
        method=method,
        candidates=normal.candidates,
        seats=seats,
        unranked=unranked,
        seed=seed,
        total=normal.total,
        blank=normal.blank,
        digest=normal.digest,
        winners=tuple(name for name, place in places if place == 1) if winners is None else winners,
        places=places,
        ties=(*ties, *left),
        **details,
    )


# --- Exact numbers as text ---


def exact_text(number: Fraction | int) -> str:
    """A whole number, a decimal where it is exact (2.5), else a fraction (7/3)."""
    if number.denominator == 1:
        return str(number.numerator)
    twos, rest = _divide_out(number.denominator, 2)
    fives, rest = _divide_out(rest, 5)
    if rest != 1:
        return str(number)
    places = max(twos, fives)
    digits = str(abs(number.numerator) * 10**places // number.denominator).rjust(places + 1, "0")
    whole, part = digits[: len(digits) - places], digits[len(digits) - places :]
    return ("-" if number < 0 else "") + (f"{whole}.{part}" if part else whole)


def _divide_out(number: int, prime: int) -> tuple[int, int]:
    """The exponent of the prime, and the remaining factor."""
    times = 0
    while number % prime == 0:
        number //= prime
        times += 1
    return times, number

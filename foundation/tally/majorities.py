"""When a motion is carried and when an assembly may decide at all: exact at every boundary, in whole numbers.

| majority | of | carried if | as in |
|---|---|---|---|
| 1/2 | votes cast | more than half said yes; to abstain is no vote | Robert's Rules 44:1; BGB § 32 (1), BGHZ 83, 35 |
| 2/3, 3/4, 4/5 | votes cast | at least that share said yes | Robert's Rules § 44; BGB § 33 (1) for 3/4 |
| any | those present | the same, of all who were there: who abstains has the effect of a no | Robert's Rules § 44 |
| any | those entitled | the same, of all who may vote | Robert's Rules § 44; Grundgesetz art. 79 (2), 121 |

A draw is no majority. Without a yes, nothing is carried. A quorum is a number of people, or a share of those
who are entitled: at least that share, or where it says so, more than half of them (Robert's Rules 3:3).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from .ballots import Ballots
from .result import Result, result_of

YES, NO, ABSTAIN = "Yes", "No", "Abstain"  # the candidates of a vote on yes or no, in this order
HALF = Fraction(1, 2)
SHARE = re.compile(r"([1-9][0-9]{0,3})(?:/([1-9][0-9]{0,3})|\s*%)")  # as people write it: 3/5 or 60%
MAX_QUORUM_PEOPLE = 1_000_000  # people that a quorum may ask for


class Of(StrEnum):
    """The base of a majority."""

    CAST = "cast"
    PRESENT = "present"
    ENTITLED = "entitled"


@dataclass(frozen=True, slots=True)
class Majority:
    """The share of a base that must vote yes."""

    share: str = "1/2"
    of: Of = Of.CAST

    def __str__(self) -> str:
        return f"{self.share} {self.of}"

    def needed(self, base: int) -> int:
        share = Fraction(self.share)
        exact = share * base
        return max(1, int(exact) + 1 if share == HALF else -(-exact.numerator // exact.denominator))

    def base(self, yes: int, no: int, present: int, entitled: int) -> int:
        return {Of.CAST: yes + no, Of.PRESENT: present, Of.ENTITLED: entitled}[self.of]

    def carries(self, yes: int, no: int, present: int, entitled: int) -> bool:
        return yes >= self.needed(self.base(yes, no, present, entitled))


def majority_of(text: str) -> Majority:
    """From its stored form; by default more than half of the votes cast."""
    share, _space, of = (text or str(Majority())).partition(" ")
    return Majority(share, Of(of))


def parse_majority(typed: str) -> Majority:
    """From what somebody typed, such as “3/5 cast” or “60% present”; a ValueError if it is no majority."""
    share, _space, of = typed.strip().rpartition(" ")
    found = SHARE.fullmatch(share.strip())
    exact = Fraction(int(found[1]), int(found[2] or 100)) if found else Fraction(0)
    if not HALF <= exact <= 1:
        raise ValueError(typed)
    return Majority(f"{exact.numerator}/{exact.denominator}", Of(of))


def count(ballots: Ballots, *, majority: str = "", entitled: int = 0) -> Result:
    """Whether yes has the majority. A blank ballot abstains; everybody who cast a ballot is present.

    `winners` has `YES` if the proposal is carried, and nobody if it is not. In `places` the side that prevails is
    first, and abstentions are last.

    `reasons`, all numbers as text:
    - `yes`, `no`, `abstain`: ballots;
    - `majority`: as stored; `base`: the number it is a share of; `needed`: how many must say yes;
    - `carried`: whether it is.
    """
    votes = {ballots.candidates[int(mark)]: n for mark, n in ballots.counts.items() if mark.isdecimal()}
    yes, no = votes.get(YES, 0), votes.get(NO, 0)
    rule, everybody = majority_of(majority), max(entitled, ballots.total)
    base = rule.base(yes, no, ballots.total, everybody)
    carried = rule.carries(yes, no, ballots.total, everybody)
    numbers = {"yes": yes, "no": no, "abstain": ballots.total - yes - no, "base": base, "needed": rule.needed(base)}
    order = [YES, NO, ABSTAIN] if carried else [NO, YES, ABSTAIN]
    return result_of(
        ballots,
        "majority",
        [[name] for name in order if name in ballots.candidates],
        winners=(YES,) if carried else (),
        reasons={name: str(number) for name, number in numbers.items()} | {"majority": str(rule), "carried": carried},
    )


@dataclass(frozen=True, slots=True)
class Quorum:
    """How many must be present to decide; an empty text means one person."""

    text: str = ""

    @property
    def is_share(self) -> bool:
        return "/" in self.text

    def needed(self, entitled: int) -> int:
        if not self.text:
            return 1
        if not self.is_share:
            return int(self.text)
        exact = Fraction(self.text.removeprefix(">")) * entitled
        more = int(exact) + 1 if self.text.startswith(">") else -(-exact.numerator // exact.denominator)
        return max(1, more)

    def is_met(self, present: int, entitled: int) -> bool:
        """A share of an unknown number is never met."""
        return present >= self.needed(entitled) and bool(entitled or not self.is_share)

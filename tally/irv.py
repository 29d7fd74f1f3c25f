"""Instant runoff: the last is eliminated, round by round, until one has a majority of the ballots still counted.

Source: Robert's Rules of Order Newly Revised, 12th edition (2020), 45:62 to 45:69, "preferential voting", with the
majority taken of the continuing ballots, as Maine's (21-A MRSA section 723-A) and RCTab's counts do.

- A ballot counts for the candidate it ranks highest among those still in. Candidates it ranks as equals share it in
  equal parts, exactly (halves, thirds); when one of them goes, the others share what was theirs. That is the same as
  counting every strict order of the equals with an equal part of the ballot.
- Whoever has more than half of the votes of the round wins, and the count stops. The threshold shown is the smallest
  number more than half, in whole votes, or in the parts (halves, sixths) that the round's votes are shared in.
- Otherwise one candidate is eliminated: the one with the fewest votes. Of several, the one with the fewest in the
  latest earlier round where they differ; if they never differed, one by lot (tally/lots.py).
- A ballot that ranks nobody who is still in is exhausted. What an unranked candidate means makes no difference here: a
  ballot never counts for a candidate it does not rank.
- Places: the winner; then those still in when the count stopped, by their votes in that round (equals share a place);
  then the eliminated, the last to go first.
- One is elected. Asked for more seats, the method still elects one: more are for STV to fill.
- With no ballot that ranks anybody there is nothing to count: all share the first place, as a tie that is left.

A round shows the votes, who was eliminated or elected on them, and the transfers that lead to the next round.
`reasons` is empty: the rounds say everything.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from math import lcm

from .ballots import Ballots, Groups, groups_of
from .lots import Chooser, Tally
from .numbers import as_text
from .result import Result, Round, Tie, Transfer, header, places_of

METHOD = "irv"


class _Piles:
    """Ballots by the candidates they count for now."""

    def __init__(self, ballots: Ballots) -> None:
        self.names = ballots.candidates
        self.still_in = set(range(len(self.names)))
        self.votes = [Fraction(0)] * len(self.names)
        self.exhausted = 0
        self.rankings: list[tuple[Groups, int]] = []  # groups of equals, and how many ballots
        self.at: list[int] = []  # for each ranking, the group that counts now
        self.piles: list[list[int]] = [[] for _ in self.names]
        shares: Counter[tuple[int, int]] = Counter()
        for ranking, count in ballots.counts.items():
            if ranking:
                groups = groups_of(ranking)
                self._lay(len(self.rankings), groups[0], count, shares)
                self.rankings.append((groups, count))
                self.at.append(0)
        self._credit(shares)

    def _lay(self, number: int, group: tuple[int, ...], count: int, shares: Counter[tuple[int, int]]) -> None:
        for candidate in group:
            self.piles[candidate].append(number)
            shares[candidate, len(group)] += count

    def _credit(self, shares: Counter[tuple[int, int]]) -> dict[int, Fraction]:
        """Add `count` votes in parts of 1/n; whole numbers until here, because adding fractions is slow."""
        gains: dict[int, Fraction] = defaultdict(Fraction)
        for (candidate, parts), count in shares.items():
            gains[candidate] += Fraction(count, parts)
        for candidate, gain in gains.items():
            self.votes[candidate] += gain
        return gains

    def eliminate(self, loser: int) -> tuple[Transfer, ...]:
        """Move the loser's ballots on to whom they rank next."""
        self.still_in.remove(loser)
        shares: Counter[tuple[int, int]] = Counter()
        exhausted = 0
        for number in self.piles[loser]:
            groups, count = self.rankings[number]
            equals = [other for other in groups[self.at[number]] if other in self.still_in]
            if equals:  # n + 1 shared it, n do now: each gains 1/n - 1/(n + 1)
                for other in equals:
                    shares[other, len(equals) * (len(equals) + 1)] += count
            else:
                exhausted += self._move_on(number, groups, count, shares)
        self.votes[loser], self.piles[loser] = Fraction(0), []
        self.exhausted += exhausted
        return self._transfers(loser, self._credit(shares), exhausted)

    def _move_on(self, number: int, groups: Groups, count: int, shares: Counter[tuple[int, int]]) -> int:
        """Lay a ballot on its next pile; the answer is how many found none."""
        for at in range(self.at[number] + 1, len(groups)):
            equals = tuple(other for other in groups[at] if other in self.still_in)
            if equals:
                self.at[number] = at
                self._lay(number, equals, count, shares)
                return 0
        return count

    def _transfers(self, loser: int, gains: dict[int, Fraction], exhausted: int) -> tuple[Transfer, ...]:
        moved = [Transfer(self.names[loser], self.names[to], as_text(gains[to])) for to in sorted(gains)]
        return (*moved, Transfer(self.names[loser], None, str(exhausted))) if exhausted else tuple(moved)

    def tally(self) -> dict[str, Fraction]:
        return {self.names[candidate]: self.votes[candidate] for candidate in sorted(self.still_in)}


def count(ballots: Ballots, *, seats: int = 1, unranked: str = "below", seed: str = "") -> Result:
    """Who wins by instant runoff. `seats` and `unranked` are taken so that all methods are called alike."""
    ballots = ballots.normal
    if ballots.total == ballots.blank:
        return _result(ballots, unranked, seed, Chooser(METHOD, seed), [], [list(ballots.candidates)])
    piles, chooser = _Piles(ballots), Chooser(METHOD, seed)
    rounds: list[Round] = []
    tallies: list[Tally] = []
    gone: list[str] = []
    while True:
        tally, exhausted, number = piles.tally(), piles.exhausted, len(rounds) + 1
        threshold = _majority(tally)
        leader = max(tally, key=lambda name: tally[name])
        shown = {name: as_text(votes) for name, votes in tally.items()}
        if tally[leader] >= threshold:
            rounds.append(Round(number, shown, as_text(threshold), str(exhausted), elected=(leader,)))
            groups = _by_votes(tally) + [[name] for name in reversed(gone)]
            return _result(ballots, unranked, seed, chooser, rounds, groups)
        fewest = min(tally.values())
        lowest = [name for name, votes in tally.items() if votes == fewest]
        loser = chooser.settle(lowest, where="elimination", round=number, earlier=tallies, choose=min)
        transfers = piles.eliminate(ballots.candidates.index(loser))
        rounds.append(
            Round(number, shown, as_text(threshold), str(exhausted), eliminated=(loser,), transfers=transfers)
        )
        tallies.append(tally)
        gone.append(loser)


def _majority(tally: dict[str, Fraction]) -> Fraction:
    """The smallest number of votes, in the parts they are shared in, that is more than half of them."""
    parts = lcm(*(votes.denominator for votes in tally.values()))
    return Fraction(int(sum(tally.values()) * parts) // 2 + 1, parts)


def _by_votes(tally: dict[str, Fraction]) -> list[list[str]]:
    """Groups of equals, most votes first."""
    return [[name for name in tally if tally[name] == votes] for votes in sorted(set(tally.values()), reverse=True)]


def _result(
    ballots: Ballots, unranked: str, seed: str, chooser: Chooser, rounds: list[Round], groups: list[list[str]]
) -> Result:
    ties = [Tie("places", tuple(sorted(group)), "left") for group in groups if len(group) > 1]
    return Result(
        method=METHOD,
        seats=1,
        unranked=unranked,
        seed=seed,
        winners=tuple(sorted(groups[0])) if groups and groups[0] else (),
        places=places_of(groups),
        rounds=tuple(rounds),
        ties=(*chooser.ties, *ties),
        lots=tuple(chooser.lots),
        **header(ballots),
    )

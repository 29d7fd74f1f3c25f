"""Instant runoff: the last is eliminated, round by round, until one has a majority of the ballots still counted.

Source: Robert's Rules of Order Newly Revised, 12th edition (2020), 45:62 to 45:69, "preferential voting", with the
majority taken of the continuing ballots, as Maine's (21-A MRSA section 723-A) and RCTab's counts do.

- A ballot counts for the candidate it ranks highest among those still in. Candidates it ranks as equals share it in
  equal parts, exactly (halves, thirds); when one of them goes, the others share what was theirs. That is the same as
  counting every strict order of the equals with an equal part of the ballot.
- A candidate with more than half of the votes of the round wins, and the count stops. The threshold shown is the
  smallest number more than half, in whole votes, or in the parts (halves, sixths) that the round's votes are shared in.
- Otherwise one candidate is eliminated: the one with the fewest votes. Of several, the one with the fewest in the
  latest earlier round where they differ; if they never differed, one by lot (foundation/tally/lots.py).
- A ballot that ranks no one who is still in is exhausted. What an unranked candidate means makes no difference here: a
  ballot never counts for a candidate it does not rank.
- Places: the winner; then those still in when the count stopped, by their votes in that round (equals share a place);
  then the eliminated, the last to go first.
- One is elected. Asked for more seats, the method still elects one: more are for STV to fill.
- If all ballots are blank there is nothing to count: all share the first place, as a tie that is left.

A round shows the votes, who was eliminated or elected on them, and the transfers that lead to the next round.
`reasons` is empty: the rounds say everything.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import lcm
from typing import Any

from .ballots import Ballots, Prefix, PrefixIndex
from .lots import Number, Tally, TieBreaker
from .result import Result, Round, Transfer, exact_text, group_by_score, result_of

METHOD = "irv"

Shares = dict[tuple[int, int], int]  # by candidate, and the number among whom ballots are shared: how many


class Piles:
    """Ballots by the candidates they count for, by common prefix (foundation/tally/ballots.py), when some have gone."""

    def __init__(self, ballots: Ballots) -> None:
        """Before any elimination."""
        self.names = ballots.candidates
        self.prefixes = PrefixIndex(ballots)
        self.still_in = frozenset(range(len(self.names)))
        self.exhausted = self.just_exhausted = 0
        self.piles: list[list[Prefix]] = [[] for _ in self.names]
        shares = self._add_to_piles(self.prefixes.split_next([self.prefixes.all], self.still_in))
        self.gains = _votes(shares)  # what each gained by the last elimination
        self.votes: list[Number] = [self.gains.get(each, 0) for each in range(len(self.names))]

    def eliminate(self, loser: int) -> None:
        """Move the loser's ballots on to their next preferences."""
        self.still_in -= {loser}
        shared: Shares = defaultdict(int)
        leaving: list[Prefix] = []
        for prefix in self.piles[loser]:
            equals = self._left(prefix) if len(prefix.group) > 1 else ()
            for other in equals:  # n + 1 shared it, n do now: each gains 1/n - 1/(n + 1)
                shared[other, len(equals) * (len(equals) + 1)] += prefix.ballots
            if not equals:
                leaving.append(prefix)
        going = self.prefixes.split_next(leaving, self.still_in)
        self.just_exhausted = _ballots(leaving) - _ballots(going)
        self.exhausted += self.just_exhausted
        self.piles[loser] = []
        for share, count in self._add_to_piles(going).items():
            shared[share] += count
        self.gains = _votes(shared)
        self.votes = [votes + self.gains.get(each, 0) for each, votes in enumerate(self.votes)]

    def _add_to_piles(self, prefixes: Iterable[Prefix]) -> Shares:
        """Lay each on the piles of those whom it counts for; the answer is who gets how much of how many."""
        shares: Shares = defaultdict(int)
        added: dict[int, list[Prefix]] = defaultdict(list)
        for prefix in prefixes:
            equals = prefix.group if len(prefix.group) == 1 else self._left(prefix)
            for candidate in equals:
                added[candidate].append(prefix)
                shares[candidate, len(equals)] += prefix.ballots
        for candidate, more in added.items():
            self.piles[candidate] += more
        return shares

    def _left(self, prefix: Prefix) -> Sequence[int]:
        return [each for each in prefix.group if each in self.still_in]

    def tally(self) -> dict[str, Number]:
        return {self.names[candidate]: self.votes[candidate] for candidate in sorted(self.still_in)}

    def transfers(self, loser: str) -> tuple[Transfer, ...]:
        """What the last to go has left to the others."""
        moved = [Transfer(loser, self.names[to], exact_text(self.gains[to])) for to in sorted(self.gains)]
        lost = [Transfer(loser, None, str(self.just_exhausted))] if self.just_exhausted else []
        return (*moved, *lost)


def _ballots(prefixes: Iterable[Prefix]) -> int:
    return sum([prefix.ballots for prefix in prefixes])


def _votes(shares: Shares) -> dict[int, Number]:
    """`count` votes in parts of 1/n; whole numbers as long as possible, because adding fractions is slow."""
    votes: dict[int, Number] = defaultdict(int)
    for (candidate, parts), count in shares.items():
        votes[candidate] += count if parts == 1 else Fraction(count, parts)
    return votes


def count(ballots: Ballots, *, unranked: str = "below", seed: str = "") -> Result:
    """Who wins by instant runoff. `unranked` is only recorded."""
    ballots, tie_breaker = ballots.normal, TieBreaker(METHOD, seed)
    rounds: list[Round] = []
    tallies: list[Tally] = []
    groups = [list(ballots.candidates)]
    piles = Piles(ballots)
    while ballots.total > ballots.blank and not (rounds and rounds[-1].elected):
        tally, exhausted, number = piles.tally(), str(piles.exhausted), len(rounds) + 1
        threshold = _majority(tally)
        events: dict[str, Any] = {"elected": tuple(name for name, votes in tally.items() if votes >= threshold)}
        if events["elected"]:
            groups = group_by_score(tally) + [[*each.eliminated] for each in reversed(rounds)]
        else:
            fewest = min(tally.values())
            lowest = [name for name, votes in tally.items() if votes == fewest]
            loser = tie_breaker.settle(lowest, where="elimination", round=number, earlier=tallies, choose=min)
            piles.eliminate(ballots.candidates.index(loser))
            events |= {"eliminated": (loser,), "transfers": piles.transfers(loser)}
        texts = {name: exact_text(votes) for name, votes in tally.items()}
        rounds.append(Round(number, texts, exact_text(threshold), exhausted, **events))
        tallies.append(tally)
    ties, lots = tie_breaker.ties, tuple(tie_breaker.lots)
    return result_of(ballots, METHOD, groups, ties=ties, lots=lots, rounds=tuple(rounds), unranked=unranked, seed=seed)


def _majority(tally: dict[str, Number]) -> Number:
    """The smallest number of votes, in the parts they are shared in, that is more than half of them."""
    parts = lcm(*(votes.denominator for votes in tally.values()))
    return Fraction(int(sum(tally.values()) * parts) // 2 + 1, parts)

"""Single transferable vote by Meek's method: the elected keep just what they need, the rest flows on.

Source: the PR Foundation's "Reference Meek Rule" (prfound.org, 2011), after B. L. Meek (1969, 1970) and Hill, Wichmann
and Woodall, "Algorithm 123", The Computer Journal 30 (1987). Letters in brackets are the Reference Rule's steps.

- Every candidate has a keep value, 1 at first. A ballot starts with weight 1; each candidate in its order keeps the
  weight that arrives times the keep value, rounded up in the ninth decimal, and the rest goes on [B.2.a].
- The quota is the votes that all hold divided by one more than the seats, cut after nine decimals, plus 0.000000001
  [B.2.b]. It falls as ballots run out. A candidate who holds the quota is elected, and the round ends [B.2.c, e].
- Otherwise the keep value of each elected candidate is multiplied by quota and divided by votes, rounded up both times,
  and the votes are dealt out again [B.2.f], until the surplus of the elected is less than 0.000001 or no longer falls.
  Then the candidate with the fewest votes is excluded: the keep value becomes 0, and the round ends [B.3].
- It ends when all seats are filled, or no more candidates are left than seats: those are elected [C].
- Ties for exclusion [T]: candidates whose votes differ by no more than the surplus that is left count as tied. Of these
  goes the one with fewer votes in the latest earlier round where they differ by more than 0.000001, else one by lot
  (tally/lots.py); the Reference Rule leaves that choice to its users.
- Equal ranks: the Reference Rule has none. Here a ballot that ranks several as equals counts as if every strict order
  of them had an equal part of it. Each gets weight * k * (integral from 0 to 1 of the product of (1 - t * k') over the
  other equals), their keep values being k': the mean, over all orders, of what arrives. It is cut after nine decimals;
  what is cut where one of them keeps everything is the residue.
- What an unranked candidate means makes no difference: a ballot never counts for a candidate it does not rank.

A round shows votes, quota and keep values as the round ended, and who was elected or excluded on them. There are no
transfers from one candidate to another: the keep values say what flows on. `exhausted` is what no candidate kept;
votes, exhausted and residue add up exactly to the ballots that are not blank. `reasons` is empty.
"""

from __future__ import annotations

from collections import Counter
from math import lcm

from .ballots import Ballots, Groups, Prefix, PrefixIndex
from .lots import Tally, TieBreaker
from .result import Result, Round
from .stv import Standings, check_seats, decimal_text, result_of, result_without_votes

METHOD = "stv-meek"
DECIMAL_PLACES = 9
ONE = 10**DECIMAL_PLACES  # everything is counted in units of the ninth decimal
OMEGA = ONE // 10**6


class _Dealing:
    """Deals the ballots out by the present keep values.

    What can matter of a ballot in a round ends at the first who keeps everything. Few such heads differ, however many
    ballots do, and a round deals them out many times. What has ended, or comes before the last group of a head, are
    people who are elected, and stays as it is: so a round goes on from the heads of the one before.
    """

    def __init__(self, ballots: Ballots) -> None:
        self.names = ballots.candidates
        self.prefixes = PrefixIndex(ballots)
        self.keep = [ONE] * len(self.names)
        self.votes = [0] * len(self.names)
        self.exhausted = self.residue = 0
        self.heads: Counter[Groups] = Counter()
        self.ended: Counter[Groups] = Counter()
        self.going: list[tuple[Groups, Prefix]] = [((), self.prefixes.all)]  # what is before a bundle's group, and it

    def start_round(self, hopeful: list[str]) -> None:
        """Extend the heads in which no candidate keeps everything any longer."""
        keeping = {number for number, keep in enumerate(self.keep) if keep}
        everything = {number for number, name in enumerate(self.names) if name in hopeful}
        heads: Counter[Groups] = Counter()
        going, self.going = self.going, []
        for before, prefix in going:
            kept = tuple(each for each in prefix.group if each in keeping)
            head = (*before, kept) if kept else before
            if everything.isdisjoint(kept):
                onward = self.prefixes.split_next([prefix], keeping)
                going += [(head, each) for each in onward]
                self.ended[head] += prefix.ballots - sum(each.ballots for each in onward)
            else:
                self.going.append((before, prefix))
                heads[head] += prefix.ballots
        self.heads = heads + self.ended

    def deal(self) -> None:
        self.votes = [0] * len(self.names)
        self.exhausted = self.residue = 0
        for head, count in self.heads.items():
            weight = ONE
            for group in head:
                weight = self._keep(group, weight, count)
                if not weight:
                    break
            self.exhausted += weight * count

    def _keep(self, group: tuple[int, ...], weight: int, count: int) -> int:
        """Let the equals of a group keep their parts of this many ballots; returns the weight that goes on."""
        keeps = [self.keep[each] for each in group]
        parts = [_up(weight * keeps[0], ONE)] if len(group) == 1 else shares(weight, keeps)
        for each, part in zip(group, parts, strict=True):
            self.votes[each] += part * count
        rest = weight - sum(parts)
        if rest and ONE in keeps:
            self.residue += rest * count
            return 0
        return rest

    def lower_keep_values(self, elected: list[int], quota: int) -> None:
        for each in elected:
            self.keep[each] = min(ONE, _up(_up(self.keep[each] * quota, ONE) * ONE, self.votes[each]))


def _up(number: int, by: int) -> int:
    """Divided, rounded up."""
    return -(-number // by)


def shares(weight: int, keeps: list[int]) -> list[int]:
    """What each of several equals keeps of a weight, as the top of this file says; in units of the ninth decimal."""
    if min(keeps) == ONE:  # none of them is elected: they share equally, as they do through most of a count
        return [weight // len(keeps)] * len(keeps)
    bottom = lcm(*range(1, len(keeps) + 1))
    product = [1]
    for keep in keeps:  # times (ONE - t * keep)
        product = [a * ONE - b * keep for a, b in zip([*product, 0], [0, *product], strict=True)]
    means = {keep: _mean(product, keep, bottom) for keep in set(keeps)}
    return [weight * keep * means[keep] // (bottom * ONE ** len(keeps)) for keep in keeps]


def _mean(product: list[int], keep: int, bottom: int) -> int:
    """The integral of all factors but that of one keep value, times bottom * ONE ** (n - 1).

    The factor is divided out of the product of all, which leaves no rest: a polynomial times (ONE - t * keep).
    """
    factor = total = 0
    for power, whole in enumerate(product[:-1]):
        factor = (whole + factor * keep) // ONE
        total += factor * (bottom // (power + 1))
    return total


def count(ballots: Ballots, *, seats: int = 1, unranked: str = "below", seed: str = "") -> Result:
    """Who is elected by Meek's method. `unranked` is accepted so that all methods have the same signature."""
    check_seats(seats)
    ballots, tie_breaker = ballots.normal, TieBreaker(METHOD, seed)
    if ballots.total == ballots.blank:
        return result_without_votes(ballots, tie_breaker, seats=seats, unranked=unranked)
    dealing, standings = _Dealing(ballots), Standings(ballots.candidates, seats)
    numbers = {name: number for number, name in enumerate(ballots.candidates)}
    rounds: list[Round] = []
    tallies: list[Tally] = []
    winners: list[str] = []
    while True:
        dealing.start_round(standings.hopeful)
        surplus = (ballots.total - ballots.blank) * ONE
        elected: tuple[str, ...] = ()
        while True:
            dealing.deal()
            votes = {name: dealing.votes[each] for name, each in numbers.items() if name not in standings.gone}
            quota = sum(votes.values()) // (seats + 1) + 1
            reached = [name for name in standings.hopeful if votes[name] >= quota]
            seated = [numbers[name] for name in winners]
            before, surplus = surplus, max(0, sum(dealing.votes[each] - quota for each in seated))
            if reached or standings.seats_for_all or surplus < OMEGA or surplus >= before:
                break
            dealing.lower_keep_values(seated, quota)
        keep = {name: decimal_text(dealing.keep[numbers[name]], DECIMAL_PLACES) for name in votes}
        if reached:
            elected = standings.elect(reached, votes)
        eliminated: tuple[str, ...] = ()
        if not reached and not standings.seats_for_all:
            fewest = min(votes[name] for name in standings.hopeful)
            lowest = [name for name in standings.hopeful if votes[name] <= fewest + surplus]
            chosen = tie_breaker.settle(
                lowest, where="elimination", round=len(rounds) + 1, earlier=tallies, choose=min, within=OMEGA
            )
            standings.exclude(chosen)
            dealing.keep[numbers[chosen]] = 0
            eliminated = (chosen,)
        if standings.seats_for_all and standings.seats_left:
            elected += standings.elect(standings.hopeful, votes)
        winners += elected
        rounds.append(
            Round(
                len(rounds) + 1,
                {name: decimal_text(held, DECIMAL_PLACES) for name, held in votes.items()},
                decimal_text(quota, DECIMAL_PLACES),
                decimal_text(dealing.exhausted, DECIMAL_PLACES),
                elected,
                eliminated,
                keep=keep,
                residue=decimal_text(dealing.residue, DECIMAL_PLACES),
            )
        )
        tallies.append(votes)
        if standings.complete:
            groups = standings.groups(votes)
            return result_of(ballots, tie_breaker, rounds, tuple(winners), groups, seats=seats, unranked=unranked)

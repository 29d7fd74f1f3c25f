"""Single transferable vote as Scotland's councils count it: weighted inclusive Gregory, five decimals.

Source: The Scottish Local Government Elections Order 2007 (SSI 2007/42), Schedule 1, rules 45 to 52; kept unchanged in
the Order of 2011 (SSI 2011/399). Numbers in brackets are its rules.

- Quota [46]: valid ballots divided by one more than the seats, decimals ignored, plus one.
- A candidate with the quota is elected [47]. While one has more than the quota and seats are left, the largest surplus
  is transferred, one a stage [48, 49]: every paper moves to the next candidate on it who is still in, with the value
  it had times the surplus divided by the votes of the one it leaves, cut after five decimals. Surpluses of equals: the
  one who had more votes in the latest earlier stage where they differ, else by lot (tally/lots.py).
- Without a surplus the candidate with the fewest votes is excluded [50], one a stage, and the papers move on with the
  value they came with. Of several with the fewest: the one with fewer votes in the latest earlier stage where they
  differ, else by lot [51].
- As soon as those still in are no more than the seats left, they are elected [52]. That is asked at the end of each
  stage, and the papers of an excluded candidate move within the stage, as in the published counts.
- Equal ranks: Scottish ballots have none. Here a paper that ranks several still in as equals next is cut into equal
  papers, one for each, cut after five decimals; when one of the equals goes, that part moves to the others first.
  It is the same as counting every strict order of the equals with an equal part of the paper.
- What an unranked candidate means makes no difference: a paper never counts for a candidate it does not rank.

A stage shows the votes, who was elected on them and who is excluded next, and the transfers that lead to the next
stage. `exhausted` is the value of papers with no one left on them, `residue` what the cut decimals lost: votes,
exhausted and residue add up to the valid ballots, exactly. `reasons` is empty: the stages say everything.
"""

from __future__ import annotations

from collections import defaultdict

from .ballots import Ballots, Prefix, PrefixIndex
from .lots import Tally, TieBreaker
from .result import Result, Round, Transfer
from .stv import Standings, check_seats, decimal_text, result_of, result_without_votes

METHOD = "stv-scottish"
DECIMAL_PLACES = 5
ONE = 10**DECIMAL_PLACES  # everything is counted in units of the fifth decimal


class _Piles:
    """Papers by the candidate who holds them, and the votes they are worth.

    Papers of rankings that begin alike always move together (tally/ballots.py), so a pile holds each bundle at most
    once, with what one paper of it is worth: parts of the same papers that come together again are one part.
    """

    def __init__(self, ballots: Ballots) -> None:
        self.names = ballots.candidates
        self.prefixes = PrefixIndex(ballots)
        self.votes = dict.fromkeys(self.names, 0)
        self.piles: dict[str, dict[Prefix, int]] = {name: {} for name in self.names}
        self.exhausted = 0
        everything = self.prefixes.all
        first = self._pass_on({everything: ONE}, ONE, ONE, set(range(len(self.names))))
        self.residue = ONE * everything.ballots - sum(first.values())

    def _pass_on(self, pile: dict[Prefix, int], part: int, of: int, still_in: set[int]) -> dict[str | None, int]:
        """Give papers, each worth part/of its value, to those they rank next; the answer is who got how much."""
        got: defaultdict[str | None, int] = defaultdict(int)
        for prefix, worth in pile.items():
            value, left = worth * part // of, prefix.ballots
            for onward in self._next_prefixes(prefix, still_in):
                nexts = [each for each in onward.group if each in still_in]
                share = value // len(nexts)
                left -= onward.ballots
                for each in nexts:
                    name = self.names[each]
                    self.piles[name][onward] = self.piles[name].get(onward, 0) + share
                    got[name] += share * onward.ballots
            got[None] += value * left
        for to, votes in got.items():
            if to is None:
                self.exhausted += votes
            else:
                self.votes[to] += votes
        return got

    def _next_prefixes(self, prefix: Prefix, still_in: set[int]) -> list[Prefix]:
        """First to the equals of the candidate it leaves, then to the next group."""
        return self.prefixes.split_next([prefix], still_in) if still_in.isdisjoint(prefix.group) else [prefix]

    def move(self, name: str, keeps: int, still_in: list[str]) -> tuple[Transfer, ...]:
        """Pass a pile on, leaving its owner this many votes: the quota, or none."""
        held, pile = self.votes[name], self.piles[name]
        self.votes[name], self.piles[name] = keeps, {}
        numbers = {number for number, each in enumerate(self.names) if each in still_in}
        got = self._pass_on(pile, held - keeps, held, numbers) if held else {}
        self.residue += held - keeps - sum(got.values())
        ordered = sorted((to for to in got if to is not None and got[to]), key=self.names.index)
        nobody = [None] if got.get(None) else []
        return tuple(Transfer(name, to, decimal_text(got[to], DECIMAL_PLACES)) for to in [*ordered, *nobody])


def count(ballots: Ballots, *, seats: int = 1, unranked: str = "below", seed: str = "") -> Result:
    """Who is elected by the Scottish rules. `unranked` is accepted so that all methods have the same signature."""
    check_seats(seats)
    ballots, tie_breaker = ballots.normal, TieBreaker(METHOD, seed)
    valid = ballots.total - ballots.blank
    if not valid:
        return result_without_votes(ballots, tie_breaker, seats=seats, unranked=unranked)
    quota = (valid // (seats + 1) + 1) * ONE
    piles, standings = _Piles(ballots), Standings(ballots.candidates, seats)
    stages: list[Round] = []
    tallies: list[Tally] = []
    winners: list[str] = []
    surpluses: list[str] = []  # elected with more than the quota, not yet transferred
    while True:
        votes, number = {name: piles.votes[name] for name in piles.names if name not in standings.gone}, len(stages) + 1
        exhausted, residue = piles.exhausted, piles.residue
        elected = standings.elect([name for name in standings.hopeful if votes[name] >= quota], votes)
        if standings.seats_for_all:
            elected += standings.elect(standings.hopeful, votes)
        winners += elected
        surpluses += [name for name in elected if votes[name] > quota]
        eliminated: tuple[str, ...] = ()
        transfers: tuple[Transfer, ...] = ()
        if not standings.complete and surpluses:
            most = max(votes[name] for name in surpluses)
            largest = [name for name in surpluses if votes[name] == most]
            chosen = tie_breaker.settle(largest, where="transfer", round=number, earlier=tallies, choose=max)
            surpluses.remove(chosen)
            transfers = piles.move(chosen, quota, standings.hopeful)
        elif not standings.complete:
            fewest = min(votes[name] for name in standings.hopeful)
            lowest = [name for name in standings.hopeful if votes[name] == fewest]
            chosen = tie_breaker.settle(lowest, where="elimination", round=number, earlier=tallies, choose=min)
            standings.exclude(chosen)
            eliminated = (chosen,)
            transfers = piles.move(chosen, 0, standings.hopeful)
        stages.append(
            Round(
                number,
                {name: decimal_text(held, DECIMAL_PLACES) for name, held in votes.items()},
                decimal_text(quota, DECIMAL_PLACES),
                decimal_text(exhausted, DECIMAL_PLACES),
                elected,
                eliminated,
                transfers,
                residue=decimal_text(residue, DECIMAL_PLACES),
            )
        )
        tallies.append(votes)
        if standings.complete:
            groups = standings.groups(votes)
            return result_of(ballots, tie_breaker, stages, tuple(winners), groups, seats=seats, unranked=unranked)

"""STAR: score, then an automatic runoff between the two candidates with most points.

Source: the Equal Vote Coalition's STAR Voting, starvoting.org/star, with the Official Tie-breaker Protocol as its
BetterVoting counts and documents it (docs.bettervoting.com/help/ties.html; Equal-Vote/bettervoting, docs/help/ties.md):

- Scoring round: the two with most points are the finalists. Of exactly two who are tied for one place, the one whom
  more ballots score higher. Of more, or if that is equal too, those with most ratings of five, one after the other; and
  of those who have as many of them, by lot. Two who are left of a larger tie are not compared head to head.
- Runoff: every ballot counts for the finalist it scores higher. A tie goes to the one with more points, then with more
  ratings of five; then a lot.

Only candidates with points can be finalists, which changes no winner: nobody without a point is ever preferred. So
there may be one finalist without a runoff, and if there is none the seat stays empty: no decision. With several seats
this is Bloc STAR (starvoting.org/multi_winner): the winner is taken out and the same ballots are counted for the next
seat. Places: the elected in their order, the finalist who lost the last runoff, then all others by their points.

`reasons`, all numbers as text:
- `points` and `levels` as for score (foundation/tally/marks.py);
- for one seat `finalists`; `runoff`: by finalist, the ballots that score it higher; `equal`: those that score both
  the same;
- for several `rounds`: a list of these, one for each seat, each with its `elected`.
A tie has as its round the number of the seat, and is "settled" by "head to head", "points", "fives" or "lot".
"""

from __future__ import annotations

from typing import Any

from .ballots import MAX_SCORE, Ballots
from .lots import TieBreaker
from .marks import levels, total, values_of
from .result import Result, Tie, group_by_score, result_of

METHOD = "star"


def count(ballots: Ballots, *, seats: int = 1, seed: str = "") -> Result:
    star = _Star(ballots.normal, seed)
    rounds: list[dict[str, Any]] = []
    while len(rounds) < seats and (finalists := star.finalists(len(rounds) + 1)):
        rounds.append(star.runoff(finalists, len(rounds) + 1))
    winners = tuple(each["elected"] for each in rounds)
    second = [name for name in rounds[-1]["finalists"] if name in star.points] if rounds else []
    others = {name: number for name, number in star.points.items() if name not in second}
    single = {name: rounds[0][name] for name in ("finalists", "runoff", "equal")} if rounds else {"finalists": []}
    return result_of(
        ballots,
        METHOD,
        [*([name] for name in (*winners, *second)), *group_by_score(others)],
        winners=winners,
        ties=star.tie_breaker.ties,
        lots=tuple(star.tie_breaker.lots),
        seats=seats,
        seed=seed,
        pairwise=star.pairwise,
        reasons={"points": {name: str(total(given)) for name, given in star.values.items()}}
        | {"levels": {name: levels(given, ballots.total) for name, given in star.values.items()}}
        | (single if seats == 1 else {"rounds": rounds}),
    )


def rounds_of(result: Result) -> list[dict[str, Any]]:
    """Of every seat that was filled: its finalists, their runoff, and who scored both the same."""
    rounds: list[dict[str, Any]] = result.reasons.get("rounds", [result.reasons] if result.winners else [])
    return rounds


class _Star:
    """The candidates who are still in, and what is known of them."""

    def __init__(self, ballots: Ballots, seed: str) -> None:
        self.values = values_of(ballots)
        self.points = {name: total(given) for name, given in self.values.items()}
        self.fives = {name: given.get(MAX_SCORE, 0) for name, given in self.values.items()}
        self.ballots, self.pairwise = ballots.total, ballots.summary.pairwise("below")
        self.numbers = {name: number for number, name in enumerate(ballots.candidates)}
        self.tie_breaker = TieBreaker(METHOD, seed)

    def finalists(self, seat: int) -> list[str]:
        """The two with most points, the first of them first."""
        found: list[str] = []
        for tied in group_by_score({name: number for name, number in self.points.items() if number}):
            found += self._best(tied, 2 - len(found), seat)
        return found

    def _best(self, tied: list[str], places: int, seat: int) -> list[str]:
        """As many of the tied as there are places for."""
        if len(tied) <= places or not places:
            return tied[:places]
        ahead, *behind = group_by_score(self._head_to_head(tied)) or [tied]
        if behind:
            self._settled("finalists", tied, "head to head", seat)
            return ahead
        groups = group_by_score({name: self.fives[name] for name in tied})
        if len(groups) > 1:
            self._settled("finalists", tied, "fives", seat)
        chosen: list[str] = []
        for group in groups:
            while len(chosen) < places and (left := [name for name in group if name not in chosen]):
                fits = len(left) <= places - len(chosen)
                chosen += left if fits else [self._lot(left, "finalists", seat)]
        return chosen

    def _head_to_head(self, names: list[str]) -> dict[str, int]:
        """By candidate, how many ballots score it higher than the other; of one alone, nothing."""
        if len(names) != 2:
            return {}
        one, other = (self.numbers[name] for name in names)
        return {names[0]: self.pairwise[one][other], names[1]: self.pairwise[other][one]}

    def runoff(self, finalists: list[str], seat: int) -> dict[str, Any]:
        """The reasons of a seat. Who wins it is out of the count for the next."""
        votes = self._head_to_head(finalists)
        for how, tally in (("", votes), ("points", self.points), ("fives", self.fives)):
            first, *_rest = group_by_score({name: tally.get(name, 0) for name in finalists})
            if len(first) == 1:
                if how:
                    self._settled("runoff", finalists, how, seat)
                break
        winner = self._lot(first, "runoff", seat)
        del self.points[winner]
        shown = {name: str(number) for name, number in votes.items()}
        equal = str(self.ballots - sum(votes.values()))
        return {"elected": winner, "finalists": finalists, "runoff": shown, "equal": equal}

    def _lot(self, tied: list[str], where: str, seat: int) -> str:
        return self.tie_breaker.settle(tied, where=where, round=seat, earlier=(), choose=max)

    def _settled(self, where: str, tied: list[str], how: str, seat: int) -> None:
        self.tie_breaker.ties.append(Tie(where, tuple(sorted(tied)), how, seat))

"""What pref_voting says, of every method without rounds, of instant runoff and of Scottish STV.

Candidates are numbered from 1: its Scottish STV takes candidate 0, chosen by earlier stages, for nobody.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from math import factorial, prod
from typing import Any

from pref_voting import c1_methods, margin_based_methods, scoring_methods
from pref_voting.iterative_methods import instant_runoff
from pref_voting.profiles_with_ties import ProfileWithTies
from pref_voting.proportional_methods import stv_scottish
from pref_voting.weighted_majority_graphs import MarginGraph

from foundation.tally import condorcet, irv, positional, stv
from foundation.tally.ballots import groups_of
from foundation.tally.result import Lot, Result

from .elections import Election
from .known import equals_on_a_cycle
from .verdict import DIFFERENT, Verdict, compared, not_asked

LIBRARY = "pref_voting"
MAX_ORDERS = 24  # of equal contests; it tries every one
MAX_STACK_CANDIDATES = 5  # candidates up to which its other way, every order of the candidates, is quick enough
EQUAL_CONTESTS = (
    "Two contests of equal strength on cycles: pref_voting elects whoever wins by some order of the equals; ours "
    "judges equals together and skips all that close a cycle."
)
TOO_MANY_ORDERS = (
    f"More than {MAX_ORDERS} orders of equal contests among more than {MAX_STACK_CANDIDATES} "
    "candidates: pref_voting tries every one."
)
TIE_OUR_WAY = (
    "An elimination tied: pref_voting has no rule but an order it is given, so it is given ours; the winner must be "
    "the same."
)
EQUAL_RANKS = (
    "Equal ranks: when one of the equals goes, pref_voting passes the part on to the next rank, ours to the other "
    "equals first (Scottish ballots have none)."
)
LOT = (
    "A lot: pref_voting draws among all who tie, ours among those of them whom no earlier stage tells apart; it is "
    "given ours, and the elected must be the same."
)
NOBODY = "Nobody ranks anybody: pref_voting fills the seats by lot, ours elects nobody unless there are seats for all."


# --- the election as its values ---


@lru_cache(maxsize=1)
def profile_of(election: Election) -> ProfileWithTies:
    ranks = [
        {each + 1: place for place, group in enumerate(groups_of(ranking), 1) for each in group}
        for ranking in election.ballots.counts
    ]
    numbers = list(range(1, len(election.ballots.candidates) + 1))
    profile = ProfileWithTies(ranks, rcounts=list(election.ballots.counts.values()), candidates=numbers)
    if election.unranked == "below":
        profile.use_extended_strict_preference()
    return profile


def names(election: Election, numbers: Sequence[int]) -> list[str]:
    return [election.ballots.candidates[number - 1] for number in numbers]


def strength_of(election: Election) -> Callable[[int, int], int]:
    """How strong a contest is, from its counts; drawn and lost ones have no strength."""
    profile = profile_of(election)
    base = 1 + election.ballots.total

    def strength(winner: int, loser: int) -> int:
        ayes, noes = int(profile.support(winner, loser)), int(profile.support(loser, winner))
        measures = {"winning2": ayes * base + base - noes, "winning": ayes, "margins": ayes - noes}
        return measures[election.strength] if ayes > noes else 0

    return strength


# --- without rounds ---


def by_schulze(election: Election) -> Verdict:
    theirs = margin_based_methods.beat_path(profile_of(election), strength_function=strength_of(election))
    return compared(_ours(condorcet.schulze, election), names(election, theirs))


def by_minimax(election: Election) -> Verdict:
    theirs = margin_based_methods.minimax(profile_of(election), strength_function=strength_of(election))
    return compared(_ours(condorcet.minimax, election), names(election, theirs))


def _ours(method: Any, election: Election) -> Result:
    return method(election.ballots, unranked=election.unranked, strength=election.strength)


def by_copeland(election: Election) -> Verdict:
    theirs = c1_methods.copeland(profile_of(election))
    return compared(condorcet.copeland(election.ballots, unranked=election.unranked), names(election, theirs))


def by_borda(election: Election) -> Verdict:
    """Its symmetric points: candidates below less candidates above, the unranked below all."""
    theirs = scoring_methods.borda_for_profile_with_ties(profile_of(election))
    return compared(positional.borda(election.ballots), names(election, theirs))


def by_plurality(election: Election) -> Verdict:
    """Its shares are binary fractions, so that thirds are equal within a millionth."""
    shares = profile_of(election).tops_scores(score_type="split")
    theirs = [each for each, share in shares.items() if share > max(shares.values()) - 1e-6]
    return compared(positional.plurality(election.ballots), names(election, theirs))


def by_ranked_pairs(election: Election) -> Verdict:
    strength, numbers = strength_of(election), profile_of(election).candidates
    won = {(i, j): strength(i, j) for i in numbers for j in numbers if strength(i, j)}
    theirs = _ranked_pairs(election, won)
    if theirs is None:
        return not_asked(TOO_MANY_ORDERS)
    apart = EQUAL_CONTESTS if equals_on_a_cycle(won) else ""
    return compared(_ours(condorcet.ranked_pairs, election), names(election, theirs), apart)


def _ranked_pairs(election: Election, won: dict[tuple[int, int], int]) -> list[int] | None:
    """In whichever of its two ways is quick enough; drawn contests take part in both directions."""
    profile = profile_of(election)
    drawn = len(profile.candidates) * (len(profile.candidates) - 1) - 2 * len(won)
    if prod(factorial(equals) for equals in [*Counter(won.values()).values(), drawn]) <= MAX_ORDERS:
        return margin_based_methods.ranked_pairs(profile, strength_function=strength_of(election))
    if len(profile.candidates) > MAX_STACK_CANDIDATES:
        return None
    steps = {strength: step for step, strength in enumerate(sorted(set(won.values())), 1)}
    graph = MarginGraph(profile.candidates, [(i, j, 2 * steps[strength]) for (i, j), strength in won.items()])
    return margin_based_methods.ranked_pairs(graph, algorithm="from_stacks")


# --- with rounds ---


def by_instant_runoff(election: Election) -> Verdict:
    """Equal ranks share the vote, as ours do."""
    ours = irv.count(election.ballots)
    tied = any(tie.where == "elimination" for tie in ours.ties)
    order = [name for name, _ in reversed(ours.places)]
    numbers = [election.ballots.candidates.index(name) + 1 for name in order]
    theirs = instant_runoff(profile_of(election), score_method="split", tie_breaker=numbers if tied else None)
    return _strictly(compared(ours, names(election, theirs), TIE_OUR_WAY if tied else ""))


def by_scottish_stv(election: Election) -> Verdict:
    if not election.valid:
        return not_asked(NOBODY)
    ours = stv.scottish(election.ballots, seats=election.seats)
    profile = profile_of(_valid_only(election))
    lots = OurLots(election, ours.lots)
    theirs = names(election, stv_scottish(profile, num_seats=election.seats, rng=lots))
    if election.has_equals:
        return compared(ours, theirs, EQUAL_RANKS)
    return _strictly(compared(ours, theirs, LOT if lots.drawn or ours.lots else ""))


@lru_cache(maxsize=1)
def _valid_only(election: Election) -> Election:
    """Without blank ballots, which are no valid ones [46]: its quota counts them."""
    counts = {ranking: count for ranking, count in election.ballots.counts.items() if ranking}
    ballots = type(election.ballots)(election.ballots.candidates, counts)
    return Election(ballots, election.seats, election.unranked, election.strength)


class OurLots:
    """Stands in for its source of chance, and chooses whom our count chose: the lots come in the same order."""

    def __init__(self, election: Election, lots: Sequence[Lot]) -> None:
        self.candidates, self.left, self.drawn = election.ballots.candidates, list(lots), 0

    def choice(self, tied: Sequence[int]) -> int:
        self.drawn += 1
        among = {self.candidates[number - 1] for number in tied}
        ours = self.left.pop(0).chosen if self.left and among.issuperset(self.left[0].names) else min(among)
        return self.candidates.index(ours) + 1


def _strictly(verdict: Verdict) -> Verdict:
    """Decided our way, it must come out our way."""
    return verdict if verdict.same else Verdict(DIFFERENT, verdict.reason, verdict.ours, verdict.theirs)


JUDGES = {
    "schulze": by_schulze,
    "ranked-pairs": by_ranked_pairs,
    "copeland": by_copeland,
    "minimax": by_minimax,
    "borda": by_borda,
    "plurality": by_plurality,
    "irv": by_instant_runoff,
    "stv-scottish": by_scottish_stv,
}

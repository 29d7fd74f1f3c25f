"""Where rules may rightly differ, decided from the ballots and not from what anybody's count says."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import accumulate, pairwise

from foundation.tally.ballots import Ballots, groups_of
from foundation.tally.result import Round


def equals_on_a_cycle(strengths: dict[tuple[str, str], int]) -> bool:
    """Whether two won contests of equal strength lie on cycles of won contests."""
    beaten: dict[str, set[str]] = {}
    for winner, loser in strengths:
        beaten.setdefault(winner, set()).add(loser)
    on_cycles = [strength for (winner, loser), strength in strengths.items() if _leads(beaten, loser, winner)]
    return len(set(on_cycles)) < len(on_cycles)


def _leads(beaten: dict[str, set[str]], start: str, end: str) -> bool:
    found = [start]
    for each in found:
        found += sorted(beaten.get(each, set()) - set(found))
    return end in found


def last_equal_the_next(rounds: tuple[Round, ...]) -> bool:
    """Whether in some round the last one, two or more have together exactly as many votes as the one above them.

    The last two are tied then, or somebody has exactly half, or a group that is eliminated at once could have come up.
    """
    for each in rounds:
        votes = sorted(map(Fraction, each.tally.values()))
        if any(below == above for below, (_, above) in zip(accumulate(votes), pairwise(votes), strict=False)):
            return True
    return not rounds  # nobody has a vote: all are tied


def possible_winners(ballots: Ballots) -> set[str]:
    """Who wins an instant runoff if of those with the fewest votes any may go, whoever looks back and however."""
    papers = [(groups_of(ranking), count) for ranking, count in ballots.counts.items() if ranking]

    @cache
    def left(still_in: frozenset[int]) -> frozenset[int]:
        if len(still_in) == 1:
            return still_in
        votes = dict.fromkeys(still_in, Fraction(0))
        for groups, count in papers:
            tops = next((top for group in groups if (top := still_in.intersection(group))), frozenset())
            for each in tops:
                votes[each] += Fraction(count, len(tops))
        fewest = min(votes.values())
        return frozenset().union(*(left(still_in - {each}) for each in still_in if votes[each] == fewest))

    return {ballots.candidates[each] for each in left(frozenset(range(len(ballots.candidates))))}

"""Results before lots are drawn: candidates who win by one draw but not by another are tied for now."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, groupby
from operator import itemgetter

from .ballots import Ballots
from .methods import count
from .result import Result, places_of

MAX_OTHER_LOTS = 16  # how often a count with lots is repeated with others, to see whether the outcome hangs on them
MAX_OTHER_LOTS_RANKINGS = 20_000  # different rankings that are counted again for it, in all

Draws = tuple[tuple[str, ...], ...]  # the winners of each


def winners_with_other_lots(ballots: Ballots, result: Result, most: int = MAX_OTHER_LOTS) -> Draws:
    """Who would win if the lots fell otherwise, for a few draws; none where no lot was drawn, or it takes too long."""
    return tuple(each.winners for each in recount_with_other_lots(ballots, result, most))


def recount_with_other_lots(ballots: Ballots, result: Result, most: int = MAX_OTHER_LOTS) -> tuple[Result, ...]:
    """The same count with a few other draws."""
    tries = min(most, MAX_OTHER_LOTS_RANKINGS // len(ballots.counts)) if result.lots else 0
    again = partial(count, ballots, result.method, seats=result.seats, unranked=result.unranked)
    return tuple(again(seed=f"{result.seed} {number}") for number in range(tries))


def places_without_lots(result: Result, draws: Collection[Result]) -> tuple[tuple[str, int], ...]:
    """All places; candidates whose order depends on the draw share one."""
    every = [dict(each.places) for each in (result, *draws)]
    groups: list[list[str]] = []
    for name, _place in sorted(result.places, key=itemgetter(1)):
        level = [group for group in groups if any(_is_level(name, other, every) for other in group)]
        first = groups.index(level[0]) if level else len(groups)
        groups[first:] = [[*chain.from_iterable(groups[first:]), name]]
    return places_of(groups)


def _is_level(one: str, other: str, every: Collection[dict[str, int]]) -> bool:
    """Whether neither is ahead of the other in all draws."""
    ahead = [places[one] < places[other] for places in every]
    behind = [places[one] > places[other] for places in every]
    return not (all(ahead) or all(behind))


@dataclass(frozen=True, slots=True)
class ProvisionalResult:
    """What is certain of a result before the lots are drawn."""

    result: (
        Result  # of several seats, those are won that every draw gives to the same; of one, all who may win are tied
    )
    between: tuple[str, ...]  # the candidates a lot would choose between; empty if the outcome does not depend on one


def provisional_result(result: Result, draws: Draws) -> ProvisionalResult:
    result, every = replace(result, lots=()), [set(result.winners), *map(set, draws)]
    sure, possible = set.intersection(*every), set.union(*every)
    if sure == possible:
        return ProvisionalResult(result, ())
    if result.seats > 1:
        winners = tuple(name for name in result.winners if name in sure)
        return ProvisionalResult(replace(result, winners=winners), tuple(sorted(possible - sure)))
    tied = tuple(sorted(possible))
    return ProvisionalResult(replace(result, winners=tied, places=places_with_first(result, tied)), tied)


def places_with_first(result: Result, first: Collection[str]) -> tuple[tuple[str, int], ...]:
    """All places, with these candidates sharing the first."""
    others = [each for each in result.places if each[0] not in first]
    groups = [[name for name, _place in group] for _place, group in groupby(others, key=itemgetter(1))]
    return places_of([list(first), *groups])

"""How close was it? The smallest number of changed ballots found that changes who wins.

A changed ballot is one ballot replaced by another; the number of ballots stays. What is claimed is verified: the
changed ballots are counted again, and the winners differ. `exact` says that fewer cannot do it:

- First preferences and Borda: by arithmetic. To overtake the winner, another candidate needs the lead in points; each
  changed ballot gives at most what the best ballot for the one and against the other gives more than it did before.
- Methods that elect the candidate who beats all others (Schulze, ranked pairs, Copeland, minimax): while every contest
  of such a winner stays won, so does the election, and one ballot moves a contest by at most two.
- Instant runoff: while the winner has more than half of the first preferences, no one else can win.
- Marks and values: see tally/closeness_of_marks.py.
- All methods for rankings, where that is feasible: every possible change of one ballot, then of two and so on is tried.

Otherwise the number is an upper bound: the best of a series of plans, each of which takes the ballots that hurt a
challenger most and replaces them by one that helps, or turns around an elimination that was narrow. The work is
bounded: a few hundred recounts, fewer where there are many different rankings.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, partial
from itertools import chain, combinations, islice, repeat
from math import ceil, comb
from operator import itemgetter
from typing import Any

from .ballots import Ballots, Prefix, PrefixIndex, groups_of, ranking_of
from .changes import Change, Closeness, apply
from .closeness_of_marks import measure_marks
from .condorcet import schulze_winners
from .cost import BY_CONTESTS
from .irv import ChangedPiles, Piles
from .irv import winners as irv_winners
from .methods import KIND_OF, count
from .pairwise import ranks_by_candidate
from .result import Result

DEFAULT_RECOUNTS = 400
MAX_RANKING_READS = 10_000_000  # different rankings, times candidates, read in all recounts together
MAX_PLANS = 60
BEATS_ALL = ("schulze", "ranked-pairs", "copeland", "minimax")

Number = int | Fraction


@dataclass(frozen=True, slots=True)
class _Plan:
    """Ballots in the order in which to change them, and into what."""

    sources: list[str]
    after: str
    most: int  # ballots that can be changed


def measure_closeness(
    ballots: Ballots,
    method: str,
    *,
    seats: int = 1,
    unranked: str = "below",
    seed: str = "",
    recounts: int = DEFAULT_RECOUNTS,
    **rules: Any,
) -> Closeness:
    """How many ballots would have to be changed for the method to elect differently."""
    if KIND_OF[method] != "ranked":
        recount = partial(count, method=method, seats=seats, seed=seed, **rules)
        return measure_marks(ballots.normal, recount, recounts)
    return _Search(ballots.normal, method, seats, unranked, seed, recounts).run()


class _Search:
    def __init__(self, ballots: Ballots, method: str, seats: int, unranked: str, seed: str, recounts: int) -> None:
        self.ballots, self.method, self.unranked, self.seed = ballots, method, unranked, seed
        self.counts, self.size = ballots.counts, len(ballots.candidates)
        self.left = min(recounts, max(40, MAX_RANKING_READS // (len(ballots.counts) * self.size + 1)))
        self._count: Callable[[Ballots], Result] = lambda changed: count(
            changed, method, seats=seats, unranked=unranked, seed=seed
        )
        self.result = self._count(ballots)
        self.winners = set(self.result.winners)
        self.best: tuple[int, tuple[Change, ...], tuple[str, ...]] | None = None
        self._tops: dict[frozenset[int], list[Prefix]] = {}

    def run(self) -> Closeness:
        has_seats_for_all = self.method.startswith("stv") and self.result.seats >= self.size
        if not self.ballots.total or self.size < 2 or has_seats_for_all:
            return Closeness(None, True, self.result.winners)
        fewest = self._fewest()
        plans = chain(self._against_winners(), self._against_eliminations())  # the most promising first
        for plan in islice(plans, MAX_PLANS):
            if (self.best and self.best[0] <= fewest) or self.left <= 0:
                break
            self._try_plan(plan, fewest)
        while (self.best is None or fewest < self.best[0]) and self._feasible(fewest):
            if not self._try_all(fewest):
                fewest += 1
        if self.best is None:
            return Closeness(None, False, self.result.winners)
        number, changes, new = self.best
        return Closeness(number, number <= fewest, self.result.winners, new, changes)

    def _alters(self, changes: tuple[Change, ...]) -> bool:
        """Count again; remember the change if it alters the winners and is the smallest so far."""
        self.left -= 1
        new = self._new_winners(changes)
        number = sum(change.count for change in changes)
        if set(new) == self.winners:
            return False
        if self.best is None or number < self.best[0]:
            self.best = (number, changes, new)
        return True

    # --- counting again ---

    def _new_winners(self, changes: tuple[Change, ...]) -> tuple[str, ...]:
        """Where possible, only the changes are counted: the outcome is the same, as the numbers are exact."""
        names = self.ballots.candidates
        if self.method in BY_CONTESTS:
            removed, added = (Ballots(names, part).summary for part in _parts(changes))
            changed = Ballots.summed(self.ballots.summary - removed + added)
            if self.method == "schulze":
                return schulze_winners(changed, unranked=self.unranked)
            return self._count(changed).winners
        if self.method == "irv":
            removed_piles, added_piles = (Piles(Ballots(names, part)) for part in _parts(changes))
            return irv_winners(ChangedPiles(self._piles, removed_piles, added_piles), names, self.seed)
        changed = apply(self.ballots, changes)
        vars(changed.normal)["digest"] = ""  # never needed here
        return self._count(changed).winners

    @cached_property
    def _piles(self) -> Piles:
        return Piles(self.ballots)

    # --- what fewer ballots cannot do ---

    def _fewest(self) -> int:
        """A number of changed ballots that is needed in any case."""
        if len(self.winners) != 1:
            return 1
        winner = self.ballots.candidates.index(self.result.winners[0])
        if self.method in SCORES:
            return max(1, min(self._to_reach(winner, other) for other in range(self.size) if other != winner))
        if self.method in BEATS_ALL and self.result.pairwise:
            table = self.result.pairwise
            margins = [table[winner][j] - table[j][winner] for j in range(self.size) if j != winner]
            return max(1, -(-min(margins) // 2))
        if self.method == "irv":
            assert self.result.rounds
            firsts = Fraction(self.result.rounds[0].tally[self.result.winners[0]])
            return max(1, ceil(firsts - Fraction(self.ballots.total - self.ballots.blank, 2)))
        return 1

    @cached_property
    def _scores(self) -> dict[str, list[Number]]:
        """By ranking, what a ballot gives each candidate: points, or a share of a first preference."""
        return {ranking: SCORES[self.method](ranking, self.size) for ranking in self.counts}

    def _to_reach(self, winner: int, other: int) -> int:
        """The fewest ballots after which the other has as many points as the winner."""
        leads = {ranking: scores[winner] - scores[other] for ranking, scores in self._scores.items()}
        lead = sum((leads[ranking] * number for ranking, number in self.counts.items()), 0)
        best = SCORES[self.method](str(other), self.size)[other]
        changed = 0
        for ranking in sorted(leads, key=lambda ranking: -leads[ranking]):
            gain = leads[ranking] + best
            needed = int(-(-lead // gain)) if gain > 0 else self.ballots.total
            if needed <= self.counts[ranking]:
                return changed + max(0, needed)
            changed += self.counts[ranking]
            lead -= gain * self.counts[ranking]
        return changed

    # --- plans ---

    def _against_winners(self) -> Iterator[_Plan]:
        """Take from a winner, the last to be elected first, and give to a challenger, the best placed first."""
        order = [self.ballots.candidates.index(name) for name, _ in self.result.places]
        winners = [self.ballots.candidates.index(name) for name in reversed(self.result.winners)]
        losers = [each for each in order if each not in winners] or order
        for other in losers[:6]:
            for winner in [each for each in winners if each != other][:4]:
                sources = self._by_effect(winner, other)
                rest = [each for each in order if each not in (winner, other)]
                for after in ([[other], *([each] for each in rest), [winner]], [[other]], [[other, *rest], [winner]]):
                    ranking = ranking_of(after)
                    yield _Plan(sources, ranking, self.ballots.total - self.counts.get(ranking, 0))

    def _by_effect(self, winner: int, other: int) -> list[str]:
        """All rankings: first those whose change takes most from the winner and gives most to the other."""
        by_features: dict[tuple[int, int, Number], list[str]] = defaultdict(list)
        for ranking, each in zip(self.counts, self._features(winner, other), strict=True):
            by_features[each].append(ranking)
        alike: dict[tuple[Number, int, int], list[str]] = defaultdict(list)
        for each, some in by_features.items():
            alike[self._effect(*each)] += some
        return [ranking for hurt in sorted(alike) for ranking in sorted(alike[hurt])]

    def _features(self, winner: int, other: int) -> Iterable[tuple[int, int, Number]]:
        """By ranking, what matters of it: in which groups both are, and what the method makes of it."""
        a, b = self._groups(winner), self._groups(other)
        if self.method in SCORES:
            return zip(a, b, (scores[other] - scores[winner] for scores in self._scores.values()), strict=True)
        if self.method in BEATS_ALL:
            return zip(a, b, repeat(0))  # who shares a first preference is nothing to them
        return zip(a, b, self._sharing, strict=True)

    def _effect(self, a: int, b: int, more: Number) -> tuple[Number, int, int]:
        """What sorts first the ballots whose change takes most from the winner and gives most to the other."""
        above = -1 if a < b else int(a > b)
        if self.method in BEATS_ALL:
            return above, -b, a
        return (more if self.method in SCORES else _more_firsts(a, b, more)), above, -b

    @cached_property
    def _groups(self) -> Callable[[int], Sequence[int]]:
        return ranks_by_candidate(list(self.counts), self.size)

    @cached_property
    def _sharing(self) -> Sequence[int]:
        """By ranking, how many share the first preference."""
        if not self.ballots.has_equals:
            return [1] * len(self.counts)
        return [ranking.partition(">")[0].count("=") + 1 for ranking in self.counts]

    def _against_eliminations(self) -> Iterator[_Plan]:
        """Turn a narrow elimination around: take from one who survived it, give to the one who did not."""
        gaps = []
        for each in self.result.rounds or ():
            for gone in each.eliminated:
                gaps += [
                    (Fraction(each.tally[name]) - Fraction(each.tally[gone]), name, gone, tuple(each.tally))
                    for name in each.tally
                    if name != gone
                ]
        numbers = {name: number for number, name in enumerate(self.ballots.candidates)}
        for _, name, gone, remaining in sorted(gaps):
            held = self._held(numbers[name], frozenset(numbers[each] for each in remaining))
            order = [numbers[each] for each, _ in reversed(self.result.places)]
            after = ranking_of([[numbers[gone]], *([each] for each in order if each != numbers[gone])])
            yield _Plan(held, after, sum(self.counts[ranking] for ranking in held if ranking != after))

    def _held(self, candidate: int, still_in: frozenset[int]) -> list[str]:
        """The rankings that count for a candidate when these are still in."""
        if still_in not in self._tops:
            self._tops[still_in] = self._prefixes.split_next([self._prefixes.all], still_in)
        held = [prefix for prefix in self._tops[still_in] if candidate in prefix.group]
        rankings = list(self.counts)
        return [each for prefix in sorted(held, key=itemgetter(2)) for each in rankings[prefix.start : prefix.end]]

    @cached_property
    def _prefixes(self) -> PrefixIndex:
        return PrefixIndex(self.ballots)

    def _try_plan(self, plan: _Plan, fewest: int) -> None:
        """The smallest number with which the plan works, if that is a new best."""
        high = min(plan.most, self.best[0] - 1) if self.best else plan.most
        if high < fewest:
            return
        low = fewest
        if not self.best:
            low, high = self._bracket(plan, low, high)
        elif not self._alters(self._changes_for(plan, high)):
            return
        while low < high and self.left > 0:
            middle = (low + high) // 2
            if self._alters(self._changes_for(plan, middle)):
                high = middle
            else:
                low = middle + 1

    def _bracket(self, plan: _Plan, low: int, most: int) -> tuple[int, int]:
        """Double the number until the plan works, or all ballots are used up; between which numbers to look closer."""
        number = low
        while not self._alters(self._changes_for(plan, number)):
            if number >= most or self.left <= 0:
                return number, number
            low, number = number + 1, min(2 * number, most)
        return low, number

    def _changes_for(self, plan: _Plan, number: int) -> tuple[Change, ...]:
        changes = []
        for ranking in plan.sources:
            if not number:
                break
            removed = min(number, self.counts[ranking])
            if ranking != plan.after and removed:
                changes.append(Change(removed, ranking, plan.after))
                number -= removed
        return tuple(changes)

    # --- everything there is ---

    def _replacements(self) -> list[str]:
        """Rankings to change a ballot into; of those that make no difference to the method, one."""
        if self.method in BEATS_ALL and self.unranked == "below":  # the unranked are equal last: leave none out
            return [ranking for ranking in rankings(self.size) if len(_ranks(ranking)) == self.size]
        if self.method == "irv":  # a last group of all the others helps none of them against another
            return [ranking for ranking in rankings(self.size) if len(_ranks(ranking)) < self.size]
        return list(rankings(self.size))

    def _feasible(self, number: int) -> bool:
        """Whether every change of this many ballots can be tried within the recounts that are left."""
        if self.size > 5:
            return False
        singles = len(self.counts) * len(self._replacements())
        return comb(singles + number - 1, number) <= self.left

    def _try_all(self, number: int) -> bool:
        """Try every change of this many ballots until one alters the winners."""
        seen = set()
        for changes in self._all_changes(number):
            made = tuple(sorted(apply(self.ballots, changes).counts.items()))
            if made not in seen:
                seen.add(made)
                if self._alters(changes):
                    return True
        return False

    def _all_changes(self, number: int) -> Iterator[tuple[Change, ...]]:
        singles = [(before, after) for before in self.counts for after in self._replacements() if before != after]
        places = range(len(singles) + number - 1)
        for chosen in combinations(places, number):  # combinations with repetition
            picked = Counter(singles[place - shift] for shift, place in enumerate(chosen))
            removed: Counter[str] = Counter()
            for (before, _), times in picked.items():
                removed[before] += times
            if all(removed[before] <= self.counts[before] for before in removed):
                yield tuple(Change(times, before, after) for (before, after), times in sorted(picked.items()))


# --- single rankings ---


def _ranks(ranking: str) -> dict[int, int]:
    """By candidate, the number of the group of equals."""
    return {each: rank for rank, group in enumerate(groups_of(ranking)) for each in group}


def _more_firsts(a: int, b: int, sharing: Number) -> Number:
    """How much more of a first preference, shared by this many, a candidate in group b gets than one in group a."""
    return 0 if bool(a) == bool(b) else Fraction(1 if a else -1, sharing)


def _parts(changes: Iterable[Change]) -> tuple[Counter[str], Counter[str]]:
    """The ballots that are removed, and those that are added."""
    removed, added = Counter[str](), Counter[str]()
    for change in changes:
        removed[change.before] += change.count
        added[change.after] += change.count
    return removed, added


def _first_shares(ranking: str, size: int) -> list[Number]:
    """What a ballot gives each candidate as a first preference."""
    shares: list[Number] = [0] * size
    first = groups_of(ranking)[0] if ranking else ()
    for each in first:
        shares[each] = 1 if len(first) == 1 else Fraction(1, len(first))
    return shares


def _points(ranking: str, size: int) -> list[Number]:
    """What a ballot gives each candidate by Borda, doubled, because whole numbers are quicker than halves."""
    points: list[Number] = [0] * size
    groups = groups_of(ranking)
    unranked = set(range(size)).difference(*groups)
    below = size
    for group in (*groups, unranked) if groups else ():
        below -= len(group)
        for each in group:
            points[each] = 2 * below + len(group) - 1
    return points


SCORES: dict[str, Callable[[str, int], list[Number]]] = {"plurality": _first_shares, "borda": _points}


@cache
def rankings(size: int) -> tuple[str, ...]:
    """Every ranking of this many candidates: partial ones, ones with equals, and the blank one."""

    def continued(left: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], ...]]:
        yield ()
        for number in range(1, len(left) + 1):
            for group in combinations(left, number):
                rest = tuple(each for each in left if each not in group)
                yield from ((group, *more) for more in continued(rest))

    return tuple(sorted(ranking_of(groups) for groups in continued(tuple(range(size)))))

"""How close a count of marks or values was: the smallest number of changed ballots that changes who wins.

- Yes or no: a changed ballot turns a no or an abstention into a yes, or a yes into a no.
- Most votes, approval, score and points: to be elected, somebody else must overtake one who is. A changed ballot moves
  their distance by at most what it gave the one more than the other, and the highest value that it may give (of points,
  as many as the fullest ballot gives in all). If there is a seat that nobody has a vote for, one ballot fills it.
- STAR: the winner stays while nobody leads head to head, which a changed ballot moves by at most two, and while fewer
  than two others have as many points. That is a lower bound; what is found is exact if it is no higher.

What is found is counted again. Where it takes a lot to settle a tie, the lot is drawn from the same seed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from typing import NamedTuple

from .ballots import MAX_SCORE, Ballots, ratings_of
from .changes import Change, Closeness, apply
from .majorities import ABSTAIN, NO, YES
from .result import Result

Count = Callable[[Ballots], Result]

SINGLE = {"most-votes": "{}", "approval": "{}", "score": f"{{}}@{MAX_SCORE}", "star": f"{{}}@{MAX_SCORE}"}


class _Plan(NamedTuple):
    """How many ballots it needs in any case, in which order they are changed, and into what."""

    needed: int
    sources: list[str]
    after: str


def measure_marks(ballots: Ballots, count: Count, recounts: int) -> Closeness:
    """How many ballots would have to be changed for this count to elect others."""
    result = count(ballots)
    if not ballots.total or not ballots.candidates:
        return Closeness(None, True, result.winners)
    if result.method == "majority":
        return _majority(ballots, count, result)
    return _Search(ballots, count, result, recounts).run()


def _majority(ballots: Ballots, count: Count, result: Result) -> Closeness:
    yes, needed = int(result.reasons["yes"]), int(result.reasons["needed"])
    marks = {name: str(number) for number, name in enumerate(ballots.candidates)}
    carried, others = bool(result.winners), [marks.get(NO), marks.get(ABSTAIN), ""]
    before, after = ([marks.get(YES)], marks.get(NO)) if carried else (others, marks.get(YES))
    number = yes - needed + 1 if carried else needed - yes
    changes = _change_ballots(ballots, [mark for mark in before if mark is not None], after or "", number)
    if sum(change.count for change in changes) < number:  # more would have to vote
        return Closeness(None, True, result.winners)
    return Closeness(number, True, result.winners, count(apply(ballots, changes)).winners, changes)


def _change_ballots(ballots: Ballots, sources: list[str], after: str, number: int) -> tuple[Change, ...]:
    """So many ballots changed, the first sources first."""
    changes = []
    for before in sources:
        taken = min(number, ballots.counts.get(before, 0)) if before != after else 0
        if taken:
            changes.append(Change(taken, before, after))
            number -= taken
    return tuple(changes)


class _Search:
    def __init__(self, ballots: Ballots, count: Count, result: Result, recounts: int) -> None:
        self.ballots, self.count, self.result, self.left = ballots, count, result, recounts
        self.ratings = {text: ratings_of(text) for text in ballots.counts}
        fullest = max(sum(ratings.values()) for ratings in self.ratings.values())
        self.single = SINGLE.get(result.method, f"{{}}@{max(1, fullest)}")  # the best ballot for one candidate
        self.highest = ratings_of(self.single.format(0))[0]
        self.elected = [ballots.candidates.index(name) for name in result.winners]
        self.others = [number for number in range(len(ballots.candidates)) if number not in self.elected]
        self.best: tuple[int, tuple[Change, ...], tuple[str, ...]] | None = None

    def run(self) -> Closeness:
        fewest = self.ballots.total  # that any plan needs
        for least, plan in self._plans():
            if self.left <= 0 or (self.best and self.best[0] <= least):
                break
            needed, sources, after = plan()
            fewest = min(fewest, needed)
            self._try(needed, sources, after)
        if self.best is None:
            return Closeness(None, False, self.result.winners)
        number, changes, new = self.best
        return Closeness(number, self.left > 0 and number <= fewest, self.result.winners, new, changes)

    def _plans(self) -> Iterator[tuple[int, Callable[[], _Plan]]]:
        """Each with a number of ballots that it needs in any case, the lowest first."""
        if not self.others:  # somebody loses every vote
            plans = {each: [text for text in self.ratings if each in self.ratings[text]] for each in self.elected}
            needed = {each: sum(self.ballots.counts[text] for text in texts) for each, texts in plans.items()}
            for each in sorted(plans, key=needed.__getitem__):
                yield needed[each], partial(_Plan, needed[each], plans[each], "")
        elif len(self.elected) < self.result.seats:
            yield 1, partial(_Plan, 1, list(self.ratings), self.single.format(self.others[0]))
        else:
            points = [
                sum(self.ratings[text].get(each, 0) * n for text, n in self.ballots.counts.items())
                for each in range(len(self.ballots.candidates))
            ]
            leads = {(one, other): points[one] - points[other] for one in self.elected for other in self.others}
            for pair in sorted(leads, key=leads.__getitem__):
                least = self._fewest_for_star if self.result.method == "star" else -(-leads[pair] // (2 * self.highest))
                yield max(1, least), partial(self._overtaking, *pair)

    def _overtaking(self, one: int, other: int) -> _Plan:
        """Ballots that give the one most more than the other come first."""
        gains = {text: ratings.get(one, 0) - ratings.get(other, 0) for text, ratings in self.ratings.items()}
        sources = sorted(gains, key=lambda text: (-gains[text], text))
        needed = self._fewest_for_star if self.result.method == "star" else self._to_reach(one, other)
        return _Plan(needed, sources, self.single.format(other))

    def _to_reach(self, one: int, other: int) -> int:
        """The fewest ballots after which the other has as much as the one."""
        leads: Counter[int] = Counter()
        for text, ratings in self.ratings.items():
            leads[ratings.get(one, 0) - ratings.get(other, 0)] += self.ballots.counts[text]
        distance, changed = sum(lead * number for lead, number in leads.items()), 0
        for lead in sorted(leads, reverse=True):
            gain = lead + self.highest
            needed = max(0, -(-distance // gain)) if gain else self.ballots.total
            if needed <= leads[lead]:
                return max(1, changed + needed)
            changed += leads[lead]
            distance -= gain * leads[lead]
        return changed

    @cached_property
    def _fewest_for_star(self) -> int:
        if self.result.seats > 1 or not self.result.pairwise:
            return 1
        (one,), table = self.elected, self.result.pairwise
        margins = [table[one][other] - table[other][one] for other in self.others]
        reached = sorted(self._to_reach(one, other) for other in self.others)[1:2]
        return max(1, min([-(-min(margins) // 2), *reached]))

    def _try(self, needed: int, sources: list[str], after: str) -> None:
        """The smallest number with which the plan works, if that is a new best."""
        most = self.ballots.total - self.ballots.counts.get(after, 0)
        low, high, step = needed, min(needed, most), 1
        if self.best:
            high = min(most, self.best[0] - 1)
            if high < low or not self._alters(sources, after, high):
                return
        else:
            while not self._alters(sources, after, high):
                if high >= most or self.left <= 0:
                    return
                low, high, step = high + 1, min(high + step, most), 2 * step
        while low < high and self.left > 0:
            middle = (low + high) // 2
            low, high = (low, middle) if self._alters(sources, after, middle) else (middle + 1, high)

    def _alters(self, sources: list[str], after: str, number: int) -> bool:
        """Count again; remember the change if it alters the winners and is the smallest so far."""
        self.left -= 1
        changes = _change_ballots(self.ballots, sources, after, number)
        changed = apply(self.ballots, changes)
        vars(changed.normal)["digest"] = ""  # never needed here
        new = self.count(changed).winners
        if set(new) == set(self.result.winners):
            return False
        if self.best is None or number < self.best[0]:
            self.best = (number, changes, new)
        return True

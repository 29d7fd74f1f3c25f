"""How close was it? How many ballots would have had to be different for others to win: by arithmetic, without a search.

A changed ballot is one ballot replaced by another; how many there are stays the same. A number is exact if fewer cannot
do it, otherwise it is an upper bound. Each has an argument below. Where none is simple, nothing is said: of ties, most
lots, empty seats and Meek's rule.

Where it is not certain who would win instead, the ballots are changed as the argument says and counted once more. Then
nothing is said either if that draws a lot.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Any, NamedTuple

from .ballots import MAX_SCORE, Ballots, groups_of, ranking_of, ratings_of, text_of
from .lots import Number
from .majorities import YES
from .methods import KIND_OF, count
from .result import Result

BEATS_ALL = ("schulze", "ranked-pairs", "copeland", "minimax")
MAX_PAIRS = 4  # pairs of a winner and another whose ballots are read, the closest first


@dataclass(frozen=True, slots=True)
class Closeness:
    """How many changed ballots change who wins, and who then does. Without a number none can if that is exact;
    otherwise it is not known."""

    ballots: int | None = None
    exact: bool = False
    new_winners: tuple[str, ...] = ()

    @classmethod
    def of(cls, read: Mapping[str, Any]) -> Closeness:
        """One that was stored, perhaps by an earlier version, with more in it."""
        return cls(read["ballots"], read["exact"], tuple(read["new_winners"]))


class _Plan(NamedTuple):
    """Which ballots to change so that another candidate is ahead of a winner. Candidates are numbers."""

    number: int
    fewest: int  # fewer cannot change who wins
    winner: int
    other: int
    texts: Sequence[str]  # the ballots to change, in this order
    value: int = 0  # that the other gets, where ballots give values


def measure_closeness(ballots: Ballots, result: Result) -> Closeness:
    """`result` is the count of these ballots."""
    if result.method == "majority":
        return _of_vote(result)
    if KIND_OF[result.method] == "ranked" and result.seats >= len(result.candidates):
        return Closeness(exact=True)
    if len(result.winners) != result.seats or result.seats >= len(result.candidates):
        return Closeness()
    if result.lots and COUNTED_AGAIN.get(result.method) != _by_rounds:
        return Closeness()
    ballots = ballots.normal
    if result.method in BEATS_ALL:
        return _of_contests(ballots, result)
    plan = COUNTED_AGAIN[result.method](ballots, result) if result.method in COUNTED_AGAIN else None
    return _counted_again(ballots, result, plan) if plan else Closeness()


def _of_vote(result: Result) -> Closeness:
    """Exact: what moves a vote on yes or no most is a no that becomes a yes, or a yes that becomes a no. If there are
    too few of them, an abstention that becomes a yes does as much for a majority of those present or entitled; of the
    votes cast, the noes are always enough, unless there are no votes yet."""
    yes, needed = int(result.reasons["yes"]), int(result.reasons["needed"])
    if result.reasons["carried"]:
        return Closeness(yes - needed + 1, exact=True)
    if needed > result.total:
        return Closeness(exact=True)  # more would have to vote
    return Closeness(needed - yes, exact=True, new_winners=(YES,))


def _of_contests(ballots: Ballots, result: Result) -> Closeness:
    """Whoever beats all others wins. To turn a contest that another candidate lost by n, it takes n // 2 + 1 of the
    ballots that decided it, with that candidate raised to their top, which harms no other contest of theirs. Those that
    turn most contests come first; and the sum over all contests that they did not win is always enough.

    One ballot moves a contest by two at most, so a winner who beats all others wins until half of their closest margin
    has changed. If it is the only contest that keeps another from beating all, and its margin is even, half of it is
    enough for a draw between the two. As they still beat all the rest, if the other is put directly above the winner,
    it is a tie.
    """
    names, table = result.candidates, result.pairwise or ()
    winner, everyone = names.index(result.winners[0]), range(len(names))
    leads = [[table[i][j] - table[j][i] for j in everyone] for i in everyone]
    closest = min(leads[winner][j] for j in everyone if j != winner)
    behind = {i: {j: leads[j][i] for j in everyone if j != i and leads[j][i] >= 0} for i in everyone if i != winner}
    ways: list[tuple[int, tuple[str, ...]]] = []
    for other in sorted(behind, key=lambda other: (max(behind[other].values()), other))[:MAX_PAIRS]:
        lost = [*behind[other].values()]
        if ways and max(lost) // 2 + 1 >= min(ways)[0]:
            break
        if closest > 0 and len(lost) == 1 and lost[0] % 2 == 0:
            ways.append((lost[0] // 2, tuple(sorted((names[winner], names[other])))))
        else:
            ways.append((_to_beat_all(ballots, other, behind[other], result.unranked), (names[other],)))
    number, new_winners = min(ways)
    return Closeness(number, number <= max(1, ceil(Fraction(closest, 2))), new_winners)


def _to_beat_all(ballots: Ballots, other: int, behind: Mapping[int, int], unranked: str) -> int:
    """How many ballots that have the other on top are enough to turn all contests in which others were ahead."""
    always = min(ballots.total, sum(lead // 2 + 1 for lead in behind.values()))
    if len(behind) == 1:
        return always
    left, changed = dict(behind), 0
    above = {text: _ahead(text, other, unranked) & behind.keys() for text in ballots.counts}
    for text in sorted(above, key=lambda text: (-len(above[text]), text)):
        number = min(ballots.counts[text], max([0, *(left[each] // 2 + 1 for each in above[text])]))
        changed += number
        for each in above[text]:
            left[each] -= 2 * number
    return min(changed, always) if max(left.values()) < 0 else always


def _ahead(text: str, other: int, unranked: str) -> set[int]:
    """Who is above a candidate on a ballot."""
    ahead = set[int]()
    for group in groups_of(text):
        if other in group:
            return ahead
        ahead.update(group)
    return ahead if unranked == "below" else set()


# --- ballots to change ---


def _by_points(ballots: Ballots, result: Result) -> _Plan | None:
    """Others can only win if one of them has as many points as a winner. A changed ballot lowers a lead by at most what
    it gave the winner more than the other, and the most that it can give; those that lower it most come first.

    A tie is left where rankings are counted, and is enough. Where marks are, a lot decides it, so the other must be
    ahead: then either the other is elected, or neither is.
    """
    method, names, size = result.method, result.candidates, len(result.candidates)
    highest = {"borda": 2 * (size - 1), "score": MAX_SCORE}.get(method, 1)
    if method == "cumulative":
        highest = max(sum(ratings_of(text).values()) for text in ballots.counts)
    scores = result.reasons.get("votes") or result.reasons["points"]
    total = [Fraction(scores[name]) * (2 if method == "borda" else 1) for name in names]
    winners = [names.index(name) for name in result.winners]
    pairs = [(total[one] - total[other], one, other) for one in winners for other in range(size)]
    plans: list[_Plan] = []
    fewest, ahead = ballots.total, int(KIND_OF[method] != "ranked")
    for at, (lead, winner, other) in enumerate(sorted(pair for pair in pairs if pair[2] not in winners)):
        least = ceil(lead / (2 * highest))
        if at == MAX_PAIRS or (plans and least >= min(plans).number):
            fewest = min(fewest, least)
            break
        gains = {
            text: given.get(winner, 0) - given.get(other, 0) + highest
            for text in ballots.counts
            for given in [_points(text, method, size)]
        }
        texts = sorted(gains, key=gains.__getitem__, reverse=True)
        by_gain = [(gains[text], ballots.counts[text]) for text in texts]
        fewest = min(fewest, _needed(by_gain, lead))
        plans.append(_Plan(_needed(by_gain, lead + ahead), 0, winner, other, texts, highest))
    # How many points a ballot may give is not known here: perhaps more than anybody gave.
    return min(plans)._replace(fewest=1 if method == "cumulative" else fewest)


def _points(text: str, method: str, size: int) -> Mapping[int, Number]:
    """What a ballot gives, by candidate. Borda's points are doubled, as there are halves of them."""
    if KIND_OF[method] != "ranked":
        return ratings_of(text)
    groups = groups_of(text)
    if method == "plurality":
        return dict.fromkeys(groups[0], Fraction(1, len(groups[0]))) if groups else {}
    points, below = dict[int, Number](), size
    for group in (*groups, set(range(size)).difference(*groups)) if groups else ():
        below -= len(group)
        points |= dict.fromkeys(group, 2 * below + len(group) - 1)
    return points


def _needed(by_gain: Iterable[tuple[Number, int]], lead: Number) -> int:
    """How many ballots it takes to make up for a lead. All of them always do."""
    changed = 0
    for gain, number in by_gain:
        if gain * number >= lead:
            return changed + ceil(Fraction(lead) / gain)
        changed += number
        lead -= gain * number
    return changed


def _by_runoff(ballots: Ballots, result: Result) -> _Plan | None:
    """STAR, for one seat: more than half of the margin of the runoff, of the ballots that prefer the winner. The other
    finalist has more points than before and stays in; the winner loses the runoff, or is not in it.

    The winner stays as long as nobody else leads head to head, which a ballot moves by two at most, and fewer than two
    others have as many points, of which a ballot moves the difference by ten at most.
    """
    names, table = result.candidates, result.pairwise or ()
    if result.seats > 1 or len(finalists := [names.index(name) for name in result.reasons["finalists"]]) < 2:
        return None
    winner = names.index(result.winners[0])
    (other,) = set(finalists) - {winner}
    leads = [table[winner][each] - table[each][winner] for each in range(len(names)) if each != winner]
    points = [int(result.reasons["points"][name]) for name in names]
    gaps = [points[winner] - points[each] for each in range(len(names)) if each not in finalists]
    fewest = min(ceil(Fraction(min(leads), 2)), *(ceil(Fraction(gap, 2 * MAX_SCORE)) for gap in gaps), ballots.total)
    given = {text: ratings_of(text) for text in ballots.counts}
    texts = [text for text in given if given[text].get(winner, 0) > given[text].get(other, 0)]
    lead = table[winner][other] - table[other][winner]
    return _Plan(lead // 2 + 1, max(1, fewest), winner, other, texts, MAX_SCORE)


def _by_rounds(ballots: Ballots, result: Result) -> _Plan | None:
    """First preferences that go from a winner to a candidate who is in for as long change nothing for all others: they
    are elected and eliminated as before. So the winner is out at the latest in the round in which that candidate was
    eliminated, once all have more votes. Or that candidate has the majority, or the quota, that the winner had: then
    the candidate is elected.

    If lots were drawn, which may fall otherwise, or the winner has too few first preferences, somebody else gets the
    majority or the quota in the first round.

    In instant runoff nobody else can win while the winner has more than half of the first preferences.
    """
    names, firsts = result.candidates, Counter[str]()
    for text, number in ballots.counts.items():
        firsts[text.partition(">")[0]] += number
    ways = [(number, names.index(winner), names.index(other)) for number, winner, other in _enough(result)]
    possible = [way for way in ways if way[0] <= firsts[str(way[1])] and not result.lots]
    fewest, (first, *_later) = 1, result.rounds or ()
    if not possible:
        name = max(set(names) - {*result.winners}, key=lambda name: (Fraction(first.tally[name]), name))
        other, number = names.index(name), ceil(Fraction(first.threshold) - Fraction(first.tally[name]))
        texts = [text for text in ballots.counts if text and other not in groups_of(text)[0]]
        return _Plan(number, fewest, names.index(result.winners[0]), other, texts)
    number, winner, other = min(possible)
    if result.method == "irv":
        valid = ballots.total - ballots.blank
        fewest = max(1, ceil(Fraction(first.tally[names[winner]]) - Fraction(valid, 2)))
    texts = [text for text in ballots.counts if text.partition(">")[0] == str(winner)]
    return _Plan(number, fewest, winner, other, texts)


def _enough(result: Result) -> Iterator[tuple[int, str, str]]:
    """So many votes, taken from a winner and given to another, are enough in a round."""
    elected = set[str]()
    for each in result.rounds or ():
        elected |= {*each.elected}
        votes = {name: Fraction(text) for name, text in each.tally.items()}
        hopeful = sorted(votes.keys() - elected)
        for other in each.eliminated:
            for winner in set(hopeful).intersection(result.winners):
                behind = [votes[winner] - votes[name] for name in hopeful if name not in (winner, other)]
                yield floor(max([(votes[winner] - votes[other]) / 2, *behind])) + 1, winner, other
        for winner in each.elected if hopeful else ():
            other = max(hopeful, key=votes.__getitem__)
            yield ceil(Fraction(each.threshold) - votes[other]), winner, other


COUNTED_AGAIN: dict[str, Callable[[Ballots, Result], _Plan | None]] = {
    **dict.fromkeys(("plurality", "borda", "most-votes", "approval", "score", "cumulative"), _by_points),
    **dict.fromkeys(("irv", "stv-scottish"), _by_rounds),
    "star": _by_runoff,
}


def _counted_again(ballots: Ballots, result: Result, plan: _Plan) -> Closeness:
    counts, left = Counter(ballots.counts), plan.number
    for text in plan.texts:
        changed = min(left, ballots.counts[text])
        counts[text] -= changed
        counts[_changed(text, KIND_OF[result.method], len(ballots.candidates), plan)] += changed
        left -= changed
        if not left:
            break
    again = Ballots(ballots.candidates, +counts)
    new = count(again, result.method, seats=result.seats, unranked=result.unranked, seed=result.seed)
    if new.lots or {*new.winners} == {*result.winners}:
        return Closeness()
    return Closeness(plan.number, plan.number <= plan.fewest, new.winners)


def _changed(text: str, kind: str, size: int, plan: _Plan) -> str:
    """The ballot, with the other candidate first on it and the winner last; all points for the other; or the winner's
    mark, so that there are as many as before."""
    both = {plan.winner, plan.other}
    if kind == "ranked":
        groups = groups_of(text)
        unranked = set(range(size)).difference(*groups)
        between = ([each for each in group if each not in both] for group in (*groups, unranked))
        return ranking_of([[plan.other], *between, [plan.winner]])
    if kind == "points":
        return f"{plan.other}@{plan.value}"
    ratings = {each: value for each, value in ratings_of(text).items() if each not in both}
    return text_of(ratings | {plan.other: plan.value}) if kind == "score" else ranking_of([[*ratings, plan.other]])

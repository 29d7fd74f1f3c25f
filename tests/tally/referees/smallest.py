"""The smallest ballots that still show a difference, found by leaving out whatever can be left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

from foundation.tally.ballots import Ballots, groups_of, ranking_of

from .elections import Election


def smallest(election: Election, differs: Callable[[Election], bool]) -> Election:
    """Smaller and smaller, as long as it differs."""
    while True:
        smaller = next((each for each in _smaller(election) if differs(each)), None)
        if smaller is None:
            return election
        election = smaller


def _smaller(election: Election) -> Iterator[Election]:
    ballots, counts = election.ballots, election.ballots.counts
    if len(ballots.candidates) > 2:
        yield from (_with(election, ballots.without([name])) for name in ballots.candidates)
    for some in _stretches(list(counts)):
        yield _counting(election, {each: n for each, n in counts.items() if each not in some})
    for ranking, count in counts.items():
        for fewer in sorted({1, count // 2, count - 1} - {0, count}):
            yield _counting(election, {**counts, ranking: fewer})
    for ranking, count in counts.items():
        for shorter in _shorter(ranking):
            others = Counter({each: n for each, n in counts.items() if each != ranking})
            yield _counting(election, others + Counter({shorter: count}))


def _stretches(rankings: list[str]) -> Iterator[set[str]]:
    """Half of them, quarters, and so on down to single ones: of many, most can go at once."""
    size = len(rankings) // 2
    while size:
        yield from (set(rankings[start : start + size]) for start in range(0, len(rankings), size))
        size //= 2


def _shorter(ranking: str) -> Iterator[str]:
    groups = groups_of(ranking)
    for number in {each for group in groups for each in group}:
        yield ranking_of([[each for each in group if each != number] for group in groups])


def _with(election: Election, ballots: Ballots) -> Election:
    return replace(election, ballots=ballots, seats=min(election.seats, max(1, len(ballots.candidates) - 1)))


def _counting(election: Election, counts: dict[str, int]) -> Election:
    return _with(election, Ballots(election.ballots.candidates, counts))

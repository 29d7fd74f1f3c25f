"""Random elections to compare counts on: tiny and large ones, partial ballots, equal ranks, cycles, many ties."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle, islice
from string import ascii_uppercase

from foundation.tally.ballots import Ballots, groups_of, ranking_of
from foundation.tally.condorcet import STRENGTHS
from foundation.tally.pairwise import UNRANKED


@dataclass(frozen=True, eq=False)
class Election:
    """Ballots, and what a count has to be told besides."""

    ballots: Ballots
    seats: int
    unranked: str
    strength: str

    @property
    def has_equals(self) -> bool:
        return any("=" in ranking for ranking in self.ballots.counts)

    @property
    def valid(self) -> int:
        """Ballots that rank somebody."""
        return self.ballots.total - self.ballots.blank

    def __str__(self) -> str:
        names = self.ballots.candidates
        lines = [
            f"{count}: " + " > ".join(" = ".join(names[each] for each in group) for group in groups_of(ranking))
            for ranking, count in sorted(self.ballots.counts.items())
        ]
        settings = f"seats {self.seats}, unranked {self.unranked}, strength {self.strength}"
        return "\n".join([f"candidates {', '.join(names)}; {settings}", *lines])


def elections(number: int, seed: int) -> Iterator[Election]:
    """So many, of every kind in turn, with equal ranks on the ballots of every other round."""
    chance = random.Random(seed)
    for place, kind in enumerate(islice(cycle(KINDS), number)):
        equals = 0.3 if place // len(KINDS) % 2 else 0.0
        names, rankings = kind(chance, equals)
        yield Election(
            Ballots(tuple(ascii_uppercase[:names]), rankings),
            seats=chance.randint(1, max(1, names - 1)),
            unranked=chance.choice(UNRANKED),
            strength=chance.choice(STRENGTHS),
        )


# --- kinds: each answers the number of candidates and the counted rankings ---

Made = tuple[int, Counter[str]]


def tiny(chance: random.Random, equals: float) -> Made:
    """So few ballots that nearly everything is tied."""
    names = chance.randint(2, 4)
    return names, Counter(a_ranking(chance, names, equals) for _ in range(chance.randint(1, 6)))


def small(chance: random.Random, equals: float) -> Made:
    names = chance.randint(3, 6)
    return names, Counter(a_ranking(chance, names, equals) for _ in range(chance.randint(5, 40)))


def circling(chance: random.Random, equals: float) -> Made:
    """One order turned round and round, and some who disagree: whoever is first, somebody beats them."""
    names = chance.randint(3, 6)
    order = chance.sample(range(names), names)
    turned = [order[start:] + order[:start] for start in range(names)]
    counts = Counter({ranking_of([each] for each in one): chance.randint(1, 9) for one in turned})
    counts.update(a_ranking(chance, names, equals) for _ in range(chance.randint(0, 6)))
    return names, counts


def often(chance: random.Random, equals: float) -> Made:
    """Few rankings, each cast so often that hardly anything is tied."""
    names, most = chance.randint(3, 7), chance.choice((100, 100, 10**6))
    return names, Counter({a_ranking(chance, names, equals): chance.randint(1, most) for _ in range(3 * names)})


def large(chance: random.Random, equals: float) -> Made:
    names = chance.randint(6, 10)
    return names, Counter(a_ranking(chance, names, equals) for _ in range(chance.randint(50, 250)))


KINDS: tuple[Callable[[random.Random, float], Made], ...] = (tiny, small, circling, tiny, often, small, circling, large)


def a_ranking(chance: random.Random, names: int, equals: float) -> str:
    """One in fifty is blank; of the others half rank everybody."""
    if chance.random() < 0.02:
        return ""
    length = names if chance.random() < 0.5 else chance.randint(1, names)
    groups: list[list[int]] = []
    for each in chance.sample(range(names), length):
        if groups and chance.random() < equals:
            groups[-1].append(each)
        else:
            groups.append([each])
    return ranking_of(groups)

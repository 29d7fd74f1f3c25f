"""Small elections written down by hand, as text: `5: A > B = C`."""

from __future__ import annotations

from random import Random

from foundation.tally.ballots import Ballots, ranking_of, ratings_of, text_of
from foundation.tally.majorities import ABSTAIN, NO, YES


def election(lines: str, candidates: str = "") -> Ballots:
    """Ballots from lines such as `5: A > B = C`; candidates in the order given, or as they first appear."""
    read = []
    for line in filter(None, map(str.strip, lines.strip().splitlines())):
        count, _, ranking = line.partition(":")
        groups = [[name.strip() for name in group.split("=")] for group in ranking.split(">") if group.strip()]
        read.append((int(count), groups))
    names = candidates.split() or list(dict.fromkeys(name for _, groups in read for group in groups for name in group))
    counts: dict[str, int] = {}
    for count, groups in read:
        ranking = ranking_of([names.index(name) for name in group] for group in groups)
        counts[ranking] = counts.get(ranking, 0) + count
    return Ballots(tuple(names), counts)


# Where should the capital of Tennessee be, if everybody wants it near?
TENNESSEE = election("""
    42: Memphis > Nashville > Chattanooga > Knoxville
    26: Nashville > Chattanooga > Knoxville > Memphis
    15: Chattanooga > Knoxville > Nashville > Memphis
    17: Knoxville > Chattanooga > Nashville > Memphis
""")

# Coffee beats milk 16 to 5, tea beats coffee 14 to 7, and milk beats tea, but only 12 to 9.
CYCLE = election("""
    9: tea > coffee > milk
    7: coffee > milk > tea
    5: milk > tea > coffee
""")

EQUAL_CYCLE = election("""
    2: A > B > C
    2: B > C > A
    2: C > A > B
""")


def random_marks(chance: Random, kind: str) -> Ballots:
    """Ballots of a kind with marks or values: few candidates and many equals, where the rules for ties are tested."""
    size, names = chance.choice([1, 2, 3, 4, 4, 5, 5]), ["Ada", "Bo", "Čeněk", "דנה", "Eve 🦊"]
    if kind == "yes-no":
        counts = {each: chance.randint(0, 6) for each in ("0", "1", "2", "")}
        return Ballots((YES, NO, ABSTAIN), counts)
    highest = {"score": 5, "points": 9}.get(kind, 1)
    counts = {}
    for _ in range(chance.choice([0, 1, 2, 3, 5, 8])):
        values = {each: chance.choice([0, 1, highest, chance.randint(0, highest)]) for each in range(size)}
        text = text_of(values) if highest > 1 else text_of(values).removesuffix("@1")
        counts[text] = counts.get(text, 0) + chance.randint(1, 3)
    if kind == "score" and chance.random() < 0.7:  # make three or more equal in points, which they rarely are
        some = chance.sample(range(size), chance.randint(min(3, size), size))
        totals = {each: sum(ratings_of(text).get(each, 0) * n for text, n in counts.items()) for each in some}
        for each, total in totals.items():
            counts[f"{each}@1"] = counts.get(f"{each}@1", 0) + max(totals.values()) - total
    return Ballots(tuple(chance.sample(names, size)), counts)

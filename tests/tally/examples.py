"""Small elections written down by hand, as text: `5: A > B = C`."""

from __future__ import annotations

from tally.ballots import Ballots, ranking_of


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

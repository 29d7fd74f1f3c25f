"""`python -m tests.tally.referees [ELECTIONS [SEED]]`: our counts beside those of other libraries, on random elections.

Whatever is known to differ is recognised by a stated criterion and counted apart; any other difference fails, with the
smallest ballots that show it.
"""

from __future__ import annotations

import random
import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from time import perf_counter

from . import by_pref_voting, by_pyrankvote
from .elections import Election, elections
from .smallest import smallest
from .verdict import AGREED, APART, DIFFERENT, NOT_ASKED, Verdict

ELECTIONS, SEED = 4_000, 1
LINE = "{:<13}{:<15}{:>8}{:>8}{:>18}{:>11}{:>11}"
LIBRARIES = (by_pref_voting, by_pyrankvote)
Judge = Callable[[Election], Verdict]


def main(number: int = ELECTIONS, seed: int = SEED) -> int:
    start = perf_counter()
    random.seed(seed)  # libraries that break ties at random break them alike every time
    judges = {(each.LIBRARY, method): judge for each in LIBRARIES for method, judge in each.JUDGES.items()}
    verdicts: dict[tuple[str, str], Counter] = defaultdict(Counter)
    found: dict[tuple[str, str], Election] = {}
    for election in elections(number, seed):
        for who, judge in judges.items():
            verdict = judge(election)
            verdicts[who][verdict.what, verdict.reason, verdict.same] += 1
            if verdict.what == DIFFERENT:
                found[who] = min(found.get(who, election), election, key=size)
    print(f"{number:,} random elections (seed {seed}), compared by who wins, in {perf_counter() - start:.0f} s\n")
    print_table(verdicts)
    print_reasons(verdicts)
    for who, election in found.items():
        print_difference(who, judges[who], election)
    return 1 if found else 0


def size(election: Election) -> int:
    return len(election.ballots.candidates) * len(election.ballots.counts)


def print_table(verdicts: dict[tuple[str, str], Counter]) -> None:
    print(LINE.format("library", "method", AGREED, APART, "(agreed anyway)", NOT_ASKED, DIFFERENT))
    for who, counts in verdicts.items():
        total: Counter[str] = Counter()
        for (what, _, _), number in counts.items():
            total[what] += number
        anyway = sum(n for (what, _, same), n in counts.items() if what == APART and same)
        print(LINE.format(*who, total[AGREED], total[APART], f"({anyway})", total[NOT_ASKED], total[DIFFERENT]))


def print_reasons(verdicts: dict[tuple[str, str], Counter]) -> None:
    for what in (APART, NOT_ASKED):
        print(f"\nWhy {what}:")
        for (library, method), counts in verdicts.items():
            reasons: Counter[str] = Counter()
            for (found, reason, _), number in counts.items():
                reasons[reason] += number * (found == what)
            for reason, number in (+reasons).items():
                print(f"- {library}, {method}, {number}: {reason}")


def print_difference(who: tuple[str, str], judge: Judge, election: Election) -> None:
    found = smallest(election, lambda each: judge(each).what == DIFFERENT)
    verdict = judge(found)
    print(f"\nDIFFERENT: {', '.join(who)}. Ours {verdict.ours}, theirs {verdict.theirs}. {verdict.reason}\n{found}")


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))

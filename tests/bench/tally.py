"""Part `tally`: from ranking texts to a result, beside other libraries.

`make bench-referees` runs it where those libraries are installed.
"""

from __future__ import annotations

import gc
import random
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.util import find_spec
from itertools import cycle
from time import process_time
from typing import Any

from foundation.tally import methods
from foundation.tally.ballots import MAX_SCORE, Ballots, groups_of, ranking_of, text_of

from .report import Report, at_most, ratio_at_most
from .rounds import alternate

BALLOTS, BESIDE = 1_000_000, 20_000  # the latter beside other libraries, most of which take long
NAMES = [f"candidate {number}" for number in range(10)]
GOAL_MS, MEMORY_GOAL_MB = 1_500, 300
FASTER = ratio_at_most(0.1)  # than other libraries
NO_SLOWER = ratio_at_most(1.2)  # than rankings
CPU = "ms CPU"

Count = Callable[[Sequence[str]], object]


def measure(report: Report, scale: float = 1.0) -> None:
    cast = realistic(max(200, int(BALLOTS * scale)))
    report.table(f"{len(cast):,} ballots of {len(NAMES)} candidates, from texts to a Schulze result")
    report.row("time", CPU, [[timed(counted, cast) for _ in range(3)]], at_most(GOAL_MS))
    report.row("memory, at its highest", "MB", [[memory(cast)]], at_most(MEMORY_GOAL_MB))
    _kinds(report, cast)
    _libraries(report, cast, realistic(max(200, int(BESIDE * scale))))


def _kinds(report: Report, rankings: list[str]) -> None:
    """Every other kind of ballot, from the same voters: whom they rank first they also score highest."""
    report.table(f"{len(rankings):,} ballots of every other kind, beside as many rankings by Schulze", "rankings")
    for method, kind in methods.KIND_OF.items():
        if kind != "ranked":
            marks = {ranking: of_kind(ranking, kind) for ranking in set(rankings)}
            cast = [marks[ranking] for ranking in rankings]
            turns = alternate(
                [partial(timed, partial(counted, method=method), cast), partial(timed, counted, rankings)], 3
            )
            report.row(f"{kind}: {method}", CPU, turns, NO_SLOWER)


def _libraries(report: Report, many: list[str], few: list[str]) -> None:
    strict = [ranking.replace("=", ">") for ranking in few]  # pyrankvote knows no equals
    beside: tuple[tuple[str, str, Sequence[str], Count, Count], ...] = (
        ("pref_voting", "Schulze", few, counted, _pref_voting),
        ("pyrankvote", "instant runoff", strict, partial(counted, method="irv"), _pyrankvote),
        ("votelib", "Schulze", few, counted, _votelib),
        ("votelib", "Schulze", many, counted, _votelib),
    )
    report.table("Beside other libraries, all from the same texts", "theirs")
    for library, rule, cast, ours, theirs in beside:
        if find_spec(library) is None:
            report.say(f"{library} is not installed; `make bench-referees` has it.")
        else:
            turns = alternate([partial(timed, ours, cast), partial(timed, theirs, cast)], 5)
            report.row(f"{library}: {rule}, {len(cast):,} ballots", CPU, turns, FASTER)


# --- ballots ---


def realistic(ballots: int) -> list[str]:
    """Voters of three camps, each with its favourites, most of whom rank a few; one in ten has a tie (Plackett, Luce).

    Of ten thousand ballots of ten candidates a third are different; in wards that were published a quarter to a third.
    """
    chance = random.Random(1)
    everyone = [str(number) for number in range(len(NAMES))]
    camps = [chance.sample(everyone, len(everyone)) for _ in range(3)]
    weights = [0.7**place for place in range(len(everyone))]
    # Everybody comes at least once, so that a voter who ranks all of them comes to an end.
    drawn = [cycle([*camp, *chance.choices(camp, weights, k=2 * ballots)]) for camp in camps]
    return [_drawn(chance, chance.choice(drawn)) for _ in range(ballots)]


def _drawn(chance: random.Random, names: Iterator[str]) -> str:
    """So many names as they come, repeated ones left out; the first two may be equal."""
    length = min(1 + int(chance.expovariate(0.4)), len(NAMES))
    chosen: dict[str, None] = {}
    while len(chosen) < length:
        chosen[next(names)] = None
    ranking = list(chosen)
    if length > 1 and chance.random() < 0.1:
        ranking[:2] = ["=".join(sorted(ranking[:2], key=int))]
    return ">".join(ranking)


def of_kind(ranking: str, kind: str) -> str:
    """What a voter with this ranking marks on another kind of ballot."""
    order = [number for group in groups_of(ranking) for number in group]
    if kind == "yes-no":
        return str(order[0] % 3)
    if kind in ("choose", "approval"):
        return ranking_of([order[:3] if kind == "choose" else order])
    values = range(MAX_SCORE, 0, -1) if kind == "score" else (5, 3, 2)
    return text_of(dict(zip(order, values, strict=False)))


# --- counting ---


def timed(count: Count, cast: Sequence[str]) -> float:
    """Milliseconds of CPU. Texts are new every time: one that was counted before remembers its hash."""
    texts = [ranking.encode().decode() for ranking in cast]
    gc.collect()
    start = process_time()
    count(texts)
    return 1000 * (process_time() - start)


def counted(cast: Sequence[str], method: str = "schulze") -> object:
    return methods.count(Ballots.of(NAMES, cast), method)


def memory(cast: Sequence[str]) -> float:
    """Megabytes, with the texts a count keeps; ballots come one by one, as from pages of a store."""
    gc.collect()
    tracemalloc.start()
    try:
        methods.count(Ballots.of(NAMES, (ranking.encode().decode() for ranking in cast)), "schulze")
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


# --- other libraries ---


def _pref_voting(cast: Sequence[str]) -> Any:
    from pref_voting.margin_based_methods import beat_path
    from pref_voting.profiles_with_ties import ProfileWithTies

    counts = Counter(cast)
    ranks = [{each: place for place, group in enumerate(groups_of(one)) for each in group} for one in counts]
    profile = ProfileWithTies(ranks, rcounts=list(counts.values()), candidates=list(range(len(NAMES))))
    profile.use_extended_strict_preference()
    return beat_path(profile)


def _votelib(cast: Sequence[str]) -> Any:
    from votelib.convert import RankedToCondorcetVotes
    from votelib.evaluate.condorcet import Schulze

    votes = {
        tuple(frozenset(group) if len(group) > 1 else group[0] for group in groups_of(one)): count
        for one, count in Counter(cast).items()
    }
    return Schulze().evaluate(RankedToCondorcetVotes().convert(votes), 1)


def _pyrankvote(cast: Sequence[str]) -> Any:
    from pyrankvote import Ballot, Candidate, instant_runoff_voting

    standing = [Candidate(name) for name in NAMES]
    ballots = [Ballot(ranked_candidates=[standing[int(each)] for each in one.split(">")]) for one in cast]
    return instant_runoff_voting(standing, ballots)

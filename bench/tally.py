"""Part `tally`: from ranking texts to a Schulze result, in plain Python and with NumPy, beside other libraries."""

from __future__ import annotations

import gc
import random
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from itertools import cycle, islice, permutations
from time import process_time
from typing import Any

from tally import fast, methods
from tally.ballots import Ballots, groups_of
from tally.pairwise import matrices

from .report import MILLISECONDS, Report
from .rounds import Comparison, Turn, compare

SIZES = (10_000, 100_000, 1_000_000)
CANDIDATES = (5, 10, 20)
BESIDE = 20_000  # ballots counted beside other libraries, which take their time
PLAIN_GOAL, NUMPY_GOAL, MEMORY_GOAL = 1_500, 500, 300  # milliseconds, milliseconds, megabytes
NO_NUMPY = "NumPy is not installed: only plain Python is measured."


def measure(report: Report, scale: float = 1.0) -> None:
    sizes = [max(200, int(size * scale)) for size in SIZES]
    if not fast.installed():
        report.say(NO_NUMPY)
    report.fact("numpy", fast.installed())
    for candidates in CANDIDATES:
        _sizes(report, "realistic", candidates, realistic(candidates, sizes[-1]), sizes)
    for candidates in CANDIDATES[1:]:  # five candidates can be ranked in a thousand ways only
        _sizes(report, "distinct", candidates, distinct(candidates, sizes[-1]), sizes)
    cast = realistic(10, sizes[-1])
    _goals(report, cast)
    _growth(report, sizes[-1])
    _libraries(report, realistic(10, max(200, int(BESIDE * scale))))
    if find_spec("votelib"):
        _fastest(report, cast)


# --- ballots ---


def realistic(candidates: int, ballots: int, seed: int = 1) -> list[str]:
    """Voters of three camps, each with its favourites, most of whom rank a few; one in ten has a tie (Plackett, Luce).

    Of ten thousand ballots of ten candidates a third are different; in wards that were published a quarter to a third.
    """
    chance = random.Random(seed)
    everyone = [str(number) for number in range(candidates)]
    camps = [chance.sample(everyone, candidates) for _ in range(3)]
    weights = [0.7**place for place in range(candidates)]
    # Everybody comes at least once, so that a voter who ranks all of them comes to an end.
    drawn = [cycle([*camp, *chance.choices(camp, weights, k=2 * ballots)]) for camp in camps]
    return [_drawn(chance, chance.choice(drawn), candidates) for _ in range(ballots)]


def _drawn(chance: random.Random, names: Iterator[str], candidates: int) -> str:
    """So many names as they come, whoever comes again left out; the first two may be equal."""
    length = min(1 + int(chance.expovariate(0.4)), candidates)
    kept: dict[str, None] = {}
    while len(kept) < length:
        kept[next(names)] = None
    ranking = list(kept)
    if length > 1 and chance.random() < 0.1:
        ranking[:2] = ["=".join(sorted(ranking[:2], key=int))]
    return ">".join(ranking)


def distinct(candidates: int, ballots: int) -> list[str]:
    """Full rankings, no two alike: every third order of ten candidates, the others put in between in some order."""
    chance = random.Random(2)
    first = [str(number) for number in range(10)]
    rest = [str(number) for number in range(10, candidates)]
    others = cycle([chance.sample(rest, len(rest)) for _ in range(97)])
    orders = islice(permutations(first), 0, 3 * ballots, 3)
    made = (">".join([*order[:5], *next(others), *order[5:]]) for order in orders)
    return list(islice(made, ballots))


# --- ours ---


def counted(names: Sequence[str], rankings: Sequence[str], method: str = "schulze") -> object:
    """All the way, as a result to be stored. Who stands is known to whoever counts, here as elsewhere."""
    return methods.count(Ballots.of(names, rankings), method)


def _names(rankings: Sequence[str]) -> list[str]:
    most = max(int(number) for ranking in rankings[:2000] for number in ranking.replace("=", ">").split(">"))
    size = next(size for size in CANDIDATES if size > most)
    return [f"candidate {number:02}" for number in range(size)]


@contextmanager
def numpy_from(rankings: float) -> Iterator[None]:
    """NumPy from so many distinct rankings on."""
    usual, fast.PAYS_FROM = fast.PAYS_FROM, rankings  # type: ignore[assignment]
    try:
        yield
    finally:
        fast.PAYS_FROM = usual


def milliseconds(act: Callable[[], object]) -> float:
    """Of processor time: counting waits for nothing, so what else the machine does need not be counted."""
    gc.collect()
    start = process_time()
    act()
    return 1000 * (process_time() - start)


def plain(rankings: Sequence[str], method: str = "schulze") -> float:
    with numpy_from(float("inf")):
        return timed(partial(counted, method=method), rankings)


def with_numpy(rankings: Sequence[str]) -> float:
    with numpy_from(0):
        return timed(counted, rankings)


def timed(count: Callable[[Sequence[str], Sequence[str]], object], rankings: Sequence[str]) -> float:
    """Of whoever counts, from who stands and from the texts of the store: what more it needs it makes of them."""
    names, fresh = _names(rankings), _just_read(rankings)
    return milliseconds(lambda: count(names, fresh))


def _just_read(rankings: Sequence[str]) -> list[str]:
    """New texts every time: one that was counted before remembers its hash, which ballots just read do not."""
    return [ranking.encode().decode() for ranking in rankings]


def _sizes(report: Report, kind: str, candidates: int, cast: list[str], sizes: Sequence[int]) -> None:
    """One turn each: how it grows matters here, not the last percent."""
    report.say(f"\nStrings to Schulze result: {kind} ballots of {candidates} candidates")
    for size in sizes:
        key, some = f"{kind}.{candidates}.{size}", cast[:size]
        report.fact(f"{key}.distinct", len(set(some)))
        report.figure(f"{key}.plain.milliseconds", f"{size:,} ballots, plain", plain(some), "ms")
        if fast.installed():
            report.figure(f"{key}.numpy.milliseconds", f"{size:,} ballots, NumPy", with_numpy(some), "ms")


# --- goals, growth ---


def _goals(report: Report, cast: list[str]) -> None:
    report.heading(f"{len(cast):,} realistic ballots of 10 candidates, strings to Schulze result", "goal")
    ours = tuple(plain(cast) for _ in range(3))
    report.compare("goal.plain", "plain", _against(PLAIN_GOAL, ours), MILLISECONDS, peer="goal", at_least=1)
    if fast.installed():
        ours = tuple(with_numpy(cast) for _ in range(3))
        report.compare("goal.numpy", "NumPy", _against(NUMPY_GOAL, ours), MILLISECONDS, peer="goal", at_least=1)
    used = memory(cast)
    report.figure("memory.megabytes", f"memory, of at most {MEMORY_GOAL}", used, "MB")
    report.fact("memory.goal_met", used <= MEMORY_GOAL)


def _against(goal: float, ours: tuple[float, ...]) -> Comparison:
    return Comparison(ours, (goal,) * len(ours))


def memory(cast: Sequence[str]) -> float:
    """Megabytes at the highest, with the texts a count keeps; ballots come one by one, as from pages of a store."""
    gc.collect()
    tracemalloc.start()
    try:
        with numpy_from(float("inf")):
            arriving = (ranking.encode().decode() for ranking in cast)
            methods.count(Ballots.of(_names(cast), arriving), "schulze")
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


def _growth(report: Report, size: int) -> None:
    """The pass over the ballots: linear in distinct rankings, flat in how often they were cast."""
    many = Counter(distinct(10, size))
    few = Counter(dict(islice(many.items(), size // 10)))
    often = Counter({ranking: count * 1000 for ranking, count in few.items()})
    names = _names(list(few))

    def per_ranking(counts: Counter[str]) -> Turn:
        return lambda: milliseconds(lambda: matrices(Ballots(tuple(names), counts))) * 1000 / len(counts)

    report.say("\nGrowth of the pass over the ballots, microseconds a distinct ranking")
    for key, label, counts in (
        ("few", "fewer", few),
        ("many", "ten times as many", many),
        ("often", "cast often", often),
    ):
        report.figure(f"growth.{key}.microseconds", f"{len(counts):,}, {label}", per_ranking(counts)(), "µs")


# --- other libraries, where they are installed ---


def _libraries(report: Report, cast: list[str]) -> None:
    """Everybody starts from the same texts, as our store keeps them, and makes of them what they need."""
    strict = [ranking.replace("=", ">") for ranking in cast]  # pyrankvote knows no equals
    beside = {
        "pref_voting": ("Schulze", "schulze", cast, _pref_voting),
        "pyrankvote": ("instant runoff", "irv", strict, _pyrankvote),
        "votelib": ("Schulze", "schulze", cast, _votelib),
    }
    missing = [name for name in beside if find_spec(name) is None]
    if missing:
        report.say(f"\nNot installed, so not measured beside: {', '.join(missing)}. `make bench-referees` has them.")
    for name in sorted(beside.keys() - set(missing)):
        rule, method, texts, theirs = beside[name]
        report.heading(f"{len(cast):,} ballots of 10 candidates, beside {name}", "theirs")
        turns = compare(partial(plain, texts, method), partial(timed, theirs, texts), 5)
        report.compare(f"beside.{name}", rule, turns, MILLISECONDS, peer=name, at_least=10)


def _fastest(report: Report, cast: list[str]) -> None:
    """All of the ballots beside the fastest library that answers right, as a site with NumPy counts them."""
    ours = with_numpy if fast.installed() else plain
    report.heading(f"{len(cast):,} ballots of 10 candidates, beside votelib", "theirs")
    beside = compare(lambda: ours(cast), lambda: timed(_votelib, cast), 5)
    report.compare("fastest", "Schulze", beside, MILLISECONDS, peer="votelib", at_least=10)


def _pref_voting(names: Sequence[str], cast: Sequence[str]) -> Any:
    from pref_voting.margin_based_methods import beat_path
    from pref_voting.profiles_with_ties import ProfileWithTies

    counts = Counter(cast)
    ranks = [{each: place for place, group in enumerate(groups_of(one)) for each in group} for one in counts]
    profile = ProfileWithTies(ranks, rcounts=list(counts.values()), candidates=list(range(len(names))))
    profile.use_extended_strict_preference()
    return beat_path(profile)


def _votelib(names: Sequence[str], cast: Sequence[str]) -> Any:
    from votelib.convert import RankedToCondorcetVotes
    from votelib.evaluate.condorcet import Schulze

    votes = {
        tuple(frozenset(group) if len(group) > 1 else group[0] for group in groups_of(one)): count
        for one, count in Counter(cast).items()
    }
    return Schulze().evaluate(RankedToCondorcetVotes().convert(votes), 1)


def _pyrankvote(names: Sequence[str], cast: Sequence[str]) -> Any:
    from pyrankvote import Ballot, Candidate, instant_runoff_voting

    standing = [Candidate(name) for name in names]
    ballots = [Ballot(ranked_candidates=[standing[int(each)] for each in one.split(">")]) for one in cast]
    return instant_runoff_voting(standing, ballots)

"""Rankings compared thousands at once, and ballots moved in bundles: the same numbers as reading them one by one."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foundation.tally import irv, pairwise
from foundation.tally.ballots import Ballots, PrefixIndex, groups_of
from foundation.tally.pairwise import count_one_by_one, matrices
from tests.rows import every_row

from .test_properties import elections

some = settings(max_examples=20, deadline=None)
SIZES = [(1, 9), (3, 40), (10, 700), (11, 700), (40, 400), (100, 450), (101, 30)]


def many(candidates: int, ballots: int, seed: int = 1) -> Ballots:
    """Random ballots, partial and with ties, some cast often."""
    chance = random.Random(seed)

    def ranking() -> str:
        numbers = chance.sample(range(candidates), chance.randint(0, candidates))
        groups: list[list[int]] = []
        for number in numbers:
            if groups and chance.random() < 0.2:
                groups[-1].append(number)
            else:
                groups.append([number])
        return ">".join("=".join(map(str, sorted(group))) for group in groups)

    counts = {ranking(): chance.choice((1, 1, 2, 7, 1000)) for _ in range(ballots)}
    return Ballots(tuple(f"candidate {n:03}" for n in range(candidates)), counts)


def plainly(cast: Ballots):
    """A, E and T as they are defined: each two candidates on each ballot."""
    size = range(len(cast.candidates))
    above, equal = ([[0 for _ in size] for _ in size] for _ in range(2))
    ranked = [0 for _ in size]
    for ranking, count in cast.counts.items():
        ranks = {each: rank for rank, group in enumerate(groups_of(ranking)) for each in group}
        for i, rank in ranks.items():
            ranked[i] += count
            for j, other in ranks.items():
                above[i][j] += count * (rank < other)
                equal[i][j] += count * (rank == other and i != j)
    return tuple(map(tuple, above)), tuple(map(tuple, equal)), tuple(ranked)


# --- abreast ---


@pytest.fixture
def always(monkeypatch):
    """However few rankings there are, and in several parts."""
    monkeypatch.setattr(pairwise, "MIN_ROWS_PER_CANDIDATE", 0)
    monkeypatch.setattr(pairwise, "COMPARISONS_PER_CHAR", 10_000)
    monkeypatch.setattr(pairwise, "BATCH_RANKINGS", 7)


@pytest.mark.deep
@pytest.mark.parametrize(("candidates", "ballots"), SIZES)
def test_both_ways_give_what_is_defined(candidates, ballots, always):
    cast = many(candidates, ballots)
    assert matrices(cast.counts, len(cast.candidates)) == plainly(cast)
    one_by_one = count_one_by_one({count: [ranking] for ranking, count in list(cast.counts.items())[:1]}, candidates)
    assert len(one_by_one) == (2 * candidates + 1) * candidates


@some
@given(elections())
def test_small_elections_give_what_is_defined(cast):
    assert matrices(cast.counts, len(cast.candidates)) == plainly(cast)


def test_few_rankings_and_short_ones_of_many_candidates_are_read_one_by_one():
    assert not pairwise.is_faster(["0>1"] * 11, 3)
    assert pairwise.is_faster(["0>1"] * 12, 3)
    assert not pairwise.is_faster(["0>1"] * 1000, 80)
    assert pairwise.is_faster([">".join(map(str, range(80)))] * 1000, 80)
    assert not pairwise.is_faster([">".join(map(str, range(101)))] * 1000, 101)


@every_row("candidates", [3, 10, 12, 99])
@every_row("ranking", ["0>x", "123", "1234", "0\n1", "é", "0 1", ">", "0>", "=0", "0>>1", "01", "\udc80"])
def test_a_text_that_is_no_ranking_is_refused(ranking, candidates, always):
    with pytest.raises(ValueError, match="not a candidate"):
        matrices({"0>1": 1, ranking: 1, "2": 1}, candidates)


def test_who_does_not_stand_is_refused(always):
    for candidates, ranking in ((3, "0>3"), (12, "0>12"), (12, "11=12")):
        with pytest.raises(ValueError, match="not a candidate"):
            matrices({ranking: 1}, candidates)


# --- bundles ---


@some
@given(elections(), st.data())
def test_bundles_hold_every_ballot_that_ranks_somebody_who_is_still_in(cast, data):
    """By whom it counts for, as often as reading each ballot says."""
    still_in = data.draw(st.sets(st.sampled_from(range(len(cast.candidates)))))
    cast = cast.normal
    prefixes = PrefixIndex(cast)
    held: Counter[tuple[int, ...]] = Counter()
    for prefix in prefixes.split_next([prefixes.all], still_in):
        held[tuple(each for each in prefix.group if each in still_in)] += prefix.ballots
    assert held == tops(cast, still_in)


def tops(cast: Ballots, still_in: set[int]) -> Counter[tuple[int, ...]]:
    found: Counter[tuple[int, ...]] = Counter()
    for ranking, count in cast.counts.items():
        left = [tuple(each for each in group if each in still_in) for group in groups_of(ranking)]
        top = next(filter(None, left), ())
        if top:
            found[top] += count
    return found


@some
@given(elections(most=5))
def test_instant_runoff_counts_the_first_choices_of_every_round(cast):
    """As a recount of all ballots says, each time anew."""
    cast = cast.normal
    for each in irv.count(cast, seed="s").rounds:
        still_in = {cast.candidates.index(name) for name in each.tally}
        votes = dict.fromkeys(each.tally, Fraction(0))
        for top, count in tops(cast, still_in).items():
            for number in top:
                votes[cast.candidates[number]] += Fraction(count, len(top))
        assert {name: Fraction(text) for name, text in each.tally.items()} == votes

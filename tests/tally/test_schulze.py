"""Schulze on elections small enough to do by hand."""

from __future__ import annotations

import sys
from itertools import combinations, pairwise, product
from random import Random

import pytest

from foundation.tally import condorcet
from foundation.tally.ballots import Ballots
from foundation.tally.condorcet import strengths
from foundation.tally.result import Result, Tie

from .examples import CYCLE, EQUAL_CYCLE, TENNESSEE, election


def names(result, path):
    return [result.candidates[number] for number in path]


def between(result, matrix, one, other):
    return result.reasons[matrix][result.candidates.index(one)][result.candidates.index(other)]


def test_who_beats_everybody_wins_and_the_rest_follow():
    result = condorcet.schulze(TENNESSEE)
    assert result.places == (("Nashville", 1), ("Chattanooga", 2), ("Knoxville", 3), ("Memphis", 4))
    assert result.winners == ("Nashville",)
    assert result.reasons["condorcet_winner"] == "Nashville"
    assert result.ties == ()


def test_a_cycle_breaks_at_its_weakest_contest():
    result = condorcet.schulze(CYCLE)
    assert result.places == (("tea", 1), ("coffee", 2), ("milk", 3))
    assert result.reasons["condorcet_winner"] is None


def test_the_strongest_path_is_kept_with_its_weakest_contest():
    result = condorcet.schulze(CYCLE)
    assert names(result, between(result, "paths", "coffee", "tea")) == ["coffee", "milk", "tea"]
    assert between(result, "strongest", "coffee", "tea") == [12, 9]
    assert names(result, between(result, "paths", "tea", "coffee")) == ["tea", "coffee"]
    assert between(result, "strongest", "tea", "coffee") == [14, 7]
    assert between(result, "paths", "tea", "tea") == []


def test_where_there_is_no_path_the_reasons_say_so():
    result = condorcet.schulze(election("3: A > B\n1: B > A"))
    assert between(result, "paths", "B", "A") == []
    assert between(result, "strongest", "B", "A") == [0, 0]
    assert result.reasons["beats"] == [["A", "B"]]


def test_of_equally_strong_paths_the_shortest_is_kept():
    contests = [[0, 5, 0, 5], [0, 0, 5, 0], [0, 0, 0, 5], [0, 0, 5, 0]]
    widest = condorcet.widths(contests)
    assert condorcet.chains(contests, widest)[0][2] == [0, 1, 2]
    assert condorcet.chains(contests, widest)[1][3] == [1, 2, 3]


def test_an_equal_cycle_is_a_tie_of_all():
    result = condorcet.schulze(EQUAL_CYCLE)
    assert result.winners == ("A", "B", "C")
    assert result.ties == (Tie("places", ("A", "B", "C"), "left"),)


def test_places_after_a_tie_are_skipped():
    result = condorcet.schulze(election("1: A > B > C\n1: B > A > C"))
    assert result.places == (("A", 1), ("B", 1), ("C", 3))


def test_fewest_opposed_decides_between_equal_winning_votes():
    # A beats C 5 to 2, B beats A 4 to 2 (one has them equal), C beats B 4 to 3: votes against tell these two apart.
    cast = election("1: A = B > C\n2: A > C > B\n2: B > A > C\n2: C > B > A")
    by = {strength: condorcet.schulze(cast, strength=strength).winners for strength in condorcet.STRENGTHS}
    assert by == {"winning2": ("B",), "winning": ("A", "B"), "margins": ("B",)}


def test_what_unranked_means_can_decide():
    cast = election("3: A\n2: B > A")
    assert condorcet.schulze(cast).winners == ("A",)
    assert condorcet.schulze(cast, unranked="no-opinion").winners == ("B",)


@pytest.mark.parametrize("cast", [Ballots(("A", "B"), {}), Ballots(("A", "B"), {"": 4})])
def test_without_a_ranking_all_are_equal(cast):
    assert condorcet.schulze(cast).places == (("A", 1), ("B", 1))


def test_one_candidate_wins_and_none_is_nobody():
    assert condorcet.schulze(Ballots(("A",), {})).winners == ("A",)
    assert condorcet.schulze(Ballots((), {})).winners == ()


def random_contests(seed, size, most):
    """As `strengths` makes them: each contest is won by one of the two, or drawn."""
    random = Random(seed)
    contests = [[0] * size for _ in range(size)]
    for i, j in combinations(range(size), 2):
        winner, loser = random.sample((i, j), 2)
        contests[winner][loser] = random.randrange(most)
    return contests


@pytest.mark.parametrize("most", [2, 4, 1000])
def test_chains_are_as_strong_as_by_the_textbook(most):
    for seed in range(40):
        contests = random_contests(seed, seed % 10, most)
        widest = [list(row) for row in contests]
        for via, i, j in product(range(len(contests)), repeat=3):
            if i != j:
                widest[i][j] = max(widest[i][j], min(widest[i][via], widest[via][j]))
        assert condorcet.widths(contests) == widest
        for i, row in enumerate(condorcet.chains(contests, widest)):
            for j, path in enumerate(row):
                assert min((contests[a][b] for a, b in pairwise(path)), default=0) == widest[i][j]


def lines_run(act):
    """How many lines of Python it takes: the same on every machine, however busy."""
    lines, before = 0, sys.gettrace()

    def trace(frame, event, argument):
        nonlocal lines
        lines += event == "line"
        return trace

    sys.settrace(trace)
    try:
        act()
    finally:
        sys.settrace(before)
    return lines


def test_the_work_grows_with_the_square_of_the_candidates():
    """Few ballots that rank few of many candidates: many contests of almost equal strength make ever longer chains."""
    size, random = 100, Random(1)
    ranked = [">".join(map(str, random.sample(range(size), 8))) for _ in range(400)]
    cast = Ballots.of([f"c{number:02}" for number in range(size)], ranked)
    contests = strengths(cast.summary.pairwise("below"))
    assert lines_run(lambda: condorcet.widths(contests)) < 30 * size**2


def test_a_stored_result_is_the_same_value_again():
    result = condorcet.schulze(CYCLE)
    assert Result.from_json(result.as_json()) == result

"""What `make referees` compares on, and by what it tells known differences, needs none of the libraries."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from tally import irv
from tally.ballots import Ballots, check
from tally.condorcet import condorcet_winner

from ..examples import election as ballots
from .elections import KINDS, Election, elections
from .known import equals_on_a_cycle, last_equal_the_next, possible_winners
from .smallest import smallest
from .verdict import AGREED, APART, DIFFERENT, Verdict, compared

MADE = list(elections(10 * len(KINDS), seed=7))


def pairwise(election: Election):
    return election.ballots.summary.pairwise(election.unranked)


def test_every_ballot_is_a_ranking():
    for election in MADE:
        for ranking, count in election.ballots.counts.items():
            check(ranking, len(election.ballots.candidates))
            assert count > 0


def test_the_same_seed_gives_the_same_elections():
    assert [str(each) for each in elections(20, seed=3)] == [str(each) for each in elections(20, seed=3)]
    assert [str(each) for each in elections(20, seed=3)] != [str(each) for each in elections(20, seed=4)]


@pytest.mark.parametrize(
    "wanted",
    [
        lambda each: each.ballots.total <= 3,
        lambda each: each.ballots.total > 10_000,
        lambda each: len(each.ballots.candidates) > 7,
        lambda each: each.has_equals,
        lambda each: not each.has_equals,
        lambda each: each.ballots.blank,
        lambda each: each.seats > 1,
        lambda each: condorcet_winner(each.ballots.candidates, pairwise(each)) is None,
        lambda each: condorcet_winner(each.ballots.candidates, pairwise(each)) is not None,
    ],
    ids=["tiny", "many", "long lists", "equals", "strict", "blank", "seats", "no winner of all duels", "one"],
)
def test_elections_of_every_kind_are_among_them(wanted):
    assert sum(map(bool, map(wanted, MADE))) >= 3


def test_a_difference_is_brought_down_to_the_smallest_ballots_that_show_it():
    chance = random.Random(5)
    large = Election(Ballots(tuple("ABCDE"), KINDS[1](chance, 0.3)[1]), 2, "below", "winning2")
    large = replace(large, ballots=Ballots(tuple("ABCDEF"), {"3>1=4>0": 12, **large.ballots.counts}))

    def twice_last(each: Election) -> bool:
        places = {name: str(number) for number, name in enumerate(each.ballots.candidates)}
        return sum(n for ranking, n in each.ballots.counts.items() if ranking.endswith(f">{places.get('A')}")) >= 2

    found = smallest(large, twice_last).ballots
    assert found.total == 2
    assert len(found.candidates) == 2
    assert set(found.counts) == {"1>0"}


def test_a_known_difference_is_counted_apart_also_where_it_agrees():
    result = irv.count(ballots("3: A\n1: B"))
    assert compared(result, ["A"]) == Verdict(AGREED, "", ("A",), ("A",))
    assert compared(result, ["B"]).what == DIFFERENT
    assert compared(result, ["A"], "known").what == APART
    assert compared(result, ["A"], "known").same


# --- what is known to differ ---


@pytest.mark.parametrize(
    ("contests", "answer"),
    [
        ({"AB": 3, "BC": 3, "CA": 3}, True),
        ({"AB": 3, "BC": 2, "CA": 3}, True),
        ({"AB": 3, "BC": 2, "CA": 1}, False),
        ({"AB": 3, "BC": 3, "AC": 3}, False),  # no cycle, so that the order of the equals is all the same
        ({"AB": 3, "BC": 2, "CA": 1, "AD": 3, "BD": 3, "CD": 3}, False),  # the equals lie on none
        ({}, False),
    ],
)
def test_equal_contests_matter_on_cycles_only(contests, answer):
    assert equals_on_a_cycle({(one, other): strength for (one, other), strength in contests.items()}) is answer


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        (["4: A", "3: B", "2: C"], False),
        (["2: A", "2: B"], True),  # the last are tied
        (["4: A", "2: B > A", "1: C > B", "1: D"], True),  # the first has half
        (["9: A", "8: B", "4: C", "3: D > A", "1: E > A"], True),  # the last two together are level with the third
        (["9: A", "8: B", "6: C", "3: D > A", "1: E > A"], False),
    ],
)
def test_a_tie_that_could_matter_is_seen_in_the_rounds(lines, answer):
    assert last_equal_the_next(irv.count(ballots("\n".join(lines))).rounds) is answer


def test_without_a_vote_all_are_tied():
    assert last_equal_the_next(irv.count(ballots("2:", "A B")).rounds)


def test_whoever_wins_by_some_choice_among_the_last_is_possible():
    tied = ballots("4: A\n3: B > A\n3: C > B")
    assert possible_winners(tied) == {"A", "B"}
    assert possible_winners(ballots("4: A\n3: B > A\n2: C > B")) == {"B"}
    assert possible_winners(ballots("1: A = B\n1: C")) == {"A", "B", "C"}

"""Published results of pairwise methods and Borda, reproduced. Methods with rounds: test_published_rounds.py."""

from __future__ import annotations

import re

import pytest

from foundation.tally import condorcet, positional
from foundation.tally.result import places_of

from .published import Case, cases

COUNT = {"schulze": condorcet.schulze, "ranked_pairs": condorcet.ranked_pairs}

# What is published and yet not what the rule gives, by file, with the reason. So far every file is reproduced.
NOT_REPRODUCED: dict[str, str] = {}


def of_ours(key):
    return cases(lambda case: case.method in COUNT and case.expected.get(key) and case.name not in NOT_REPRODUCED)


def counted(case: Case):
    return COUNT[case.method](case.ballots, unranked=case.unranked, strength=case.strength)


@pytest.mark.parametrize("case", cases(lambda case: case.method in {*COUNT, "borda"}))
def test_something_of_every_case_is_compared(case):
    compared = {"pairwise", "ranking", "places", "winners", "winners_by", "scores_start_1"}
    assert compared & case.expected.keys() or case.name in NOT_REPRODUCED


@pytest.mark.parametrize("case", of_ours("pairwise"))
def test_every_two_candidates_compare_as_published(case):
    result = counted(case)
    assert case.in_published_order(result, result.pairwise) == case.expected["pairwise"]


@pytest.mark.parametrize("case", of_ours("ranking"))
def test_the_order_is_as_published(case):
    assert counted(case).places == places_of(case.expected["ranking"])


@pytest.mark.parametrize("case", of_ours("places"))
def test_places_are_as_published(case):
    published = [(name, each["place"]) for each in case.expected["places"] for name in sorted(each["candidates"])]
    assert list(counted(case).places) == published


@pytest.mark.parametrize("case", of_ours("winners_by"))
def test_winners_by_each_measure_of_strength_are_as_published(case):
    for strength in case.expected["winners_by"].keys() & {"winning", "margins"}:
        result = COUNT[case.method](case.ballots, unranked=case.unranked, strength=strength)
        assert list(result.winners) == sorted(case.expected["winners_by"][strength])


@pytest.mark.parametrize("case", of_ours("strongest_paths_winning"))
def test_the_strongest_paths_are_as_published(case):
    result = condorcet.schulze(case.ballots, unranked=case.unranked, strength="winning")
    votes = [[ayes for ayes, _ in row] for row in result.reasons["strongest"]]
    assert case.in_published_order(result, votes) == case.expected["strongest_paths_winning"]


@pytest.mark.parametrize("case", of_ours("strongest_paths_raw"))
def test_the_strongest_paths_over_lost_contests_too_are_as_published(case):
    pairwise = case.ballots.summary.pairwise(case.unranked)
    assert condorcet.widths(pairwise) == case.expected["strongest_paths_raw"]


@pytest.mark.parametrize("case", of_ours("dropped"))
def test_the_contests_skipped_are_as_published(case):
    skipped = [[each["winner"], each["loser"]] for each in counted(case).reasons["skipped"]]
    assert skipped == sorted(case.expected["dropped"])


@pytest.mark.parametrize("case", cases(lambda case: "scores_start_1" in case.expected))
def test_borda_points_are_as_published(case):
    """Published with 1 for the last place where we give 0: one more a ballot."""
    points = positional.borda(case.ballots).reasons["points"]
    ours = [float(points[name]) + case.ballots.total for name in case.candidates]
    assert ours == case.expected["scores_start_1"]


# --- Debian: quorum and majorities belong to its constitution (A.6), not to the method ---


def debian(key):
    return cases(lambda case: "default_option" in case.rules and key in case.expected)


def dropped_for_majority(case: Case) -> list[str]:
    """Options that the default option beats, or that need more than a plain majority and miss it."""
    pairwise = case.ballots.summary.pairwise(case.unranked)
    default = case.candidates.index(case.rules["default_option"])
    needed = [int(found[1]) if (found := re.search(r"(\d):1", name)) else 1 for name in case.candidates]
    return [
        name
        for i, name in enumerate(case.candidates)
        if i != default and pairwise[i][default] <= needed[i] * pairwise[default][i]
    ]


@pytest.mark.parametrize("case", debian("dropped_majority"))
def test_debian_drops_the_options_it_published_as_dropped(case):
    numbers = [str(case.candidates.index(name) + 1) for name in dropped_for_majority(case)]
    assert numbers == case.expected["dropped_majority"]
    assert case.expected["dropped_quorum"] == []


@pytest.mark.parametrize("case", debian("winners"))
def test_debian_elects_whom_it_published(case):
    left = case.ballots.without(dropped_for_majority(case))
    winners = condorcet.schulze(left, unranked=case.unranked, strength=case.strength).winners
    # One page of 2003 names no winner in a form that could be read; its matrix leaves no doubt.
    published = case.expected["winners"] or ["Clone Proof SSD Condorcet Amendment"]
    assert list(winners) == published


@pytest.mark.parametrize("case", debian("total"))
def test_debian_counted_as_many_ballots(case):
    assert case.ballots.total == case.expected["total"]

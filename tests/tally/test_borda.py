"""Borda points, shared exactly by equals and by whom a ballot leaves out."""

from __future__ import annotations

from foundation.tally import positional
from foundation.tally.ballots import Ballots

from .examples import TENNESSEE, election


def points(cast):
    return positional.borda(cast).reasons["points"]


def test_the_first_of_four_gets_three_points():
    assert points(TENNESSEE) == {"Memphis": "126", "Nashville": "194", "Chattanooga": "173", "Knoxville": "107"}
    assert positional.borda(TENNESSEE).winners == ("Nashville",)


def test_equals_share_the_points_of_their_places():
    assert points(election("1: A > B = C > D")) == {"A": "3", "B": "1.5", "C": "1.5", "D": "0"}


def test_the_unranked_share_the_last_places():
    assert points(election("1: A", "A B C D")) == {"A": "3", "B": "1", "C": "1", "D": "1"}


def test_a_blank_ballot_gives_no_points():
    assert points(Ballots(("A", "B"), {"": 5, "0": 1})) == {"A": "1", "B": "0"}


def test_equal_points_are_a_tie():
    result = positional.borda(election("1: A > B > C\n1: B > A > C"))
    assert result.places == (("A", 1), ("B", 1), ("C", 3))
    assert [tie.names for tie in result.ties] == [("A", "B")]


def test_half_a_point_decides():
    assert positional.borda(election("1: A = B\n1: A > B")).winners == ("A",)


def test_points_stay_exact_where_binary_fractions_would_not():
    huge = 2**60
    assert points(Ballots(("A", "B"), {"0=1": huge + 1}))["A"] == "576460752303423488.5"

"""Ranked pairs on elections small enough to do by hand, and its rule for contests of equal strength."""

from __future__ import annotations

from foundation.tally import condorcet
from foundation.tally.ballots import Ballots
from foundation.tally.result import Result, Tie

from .examples import CYCLE, EQUAL_CYCLE, TENNESSEE, election


def contests(result, kind):
    return [(each["winner"], each["loser"]) for each in result.reasons[kind]]


def test_without_a_cycle_everything_is_locked():
    result = condorcet.ranked_pairs(TENNESSEE)
    assert result.places == (("Nashville", 1), ("Chattanooga", 2), ("Knoxville", 3), ("Memphis", 4))
    assert result.reasons["skipped"] == []
    assert len(result.reasons["locked"]) == 6


def test_contests_are_locked_strongest_first_with_their_votes():
    locked = condorcet.ranked_pairs(CYCLE).reasons["locked"]
    assert locked[0] == {"winner": "coffee", "loser": "milk", "for": 16, "against": 5, "rank": 1}
    assert locked[1] == {"winner": "tea", "loser": "coffee", "for": 14, "against": 7, "rank": 2}


def test_a_skipped_contest_names_the_cycle_it_would_close():
    result = condorcet.ranked_pairs(CYCLE)
    assert result.places == (("tea", 1), ("coffee", 2), ("milk", 3))
    (skipped,) = result.reasons["skipped"]
    assert (skipped["winner"], skipped["loser"], skipped["for"], skipped["against"]) == ("milk", "tea", 12, 9)
    assert skipped["cycle"] == ["milk", "tea", "coffee", "milk"]
    assert skipped["equals"] is False


def test_an_equal_cycle_loses_all_its_contests_and_is_a_tie():
    result = condorcet.ranked_pairs(EQUAL_CYCLE)
    assert result.reasons["locked"] == []
    assert contests(result, "skipped") == [("A", "B"), ("B", "C"), ("C", "A")]
    assert all(each["equals"] for each in result.reasons["skipped"])
    assert result.reasons["skipped"][0]["cycle"] == ["A", "B", "C", "A"]
    assert result.ties == (Tie("places", ("A", "B", "C"), "left"),)


def test_of_a_cycle_with_two_equal_weakest_contests_both_are_skipped():
    # A beats B 4 to 1, then B beats C and C beats A, both 3 to 2.
    result = condorcet.ranked_pairs(election("2: A > B > C\n1: B > C > A\n2: C > A > B"))
    assert contests(result, "locked") == [("A", "B")]
    assert contests(result, "skipped") == [("B", "C"), ("C", "A")]
    assert result.places == (("A", 1), ("C", 1), ("B", 3))


def test_an_equal_contest_is_not_skipped_for_one_that_stronger_contests_rule_out():
    # B>A, A>C, A>D and D>C are locked, 5 to 2. Then, both 4 to 3, C>B closes a cycle with B>A>C; B>D lies on the cycle
    # B>D>C>B, but only together with C>B, which is out in any case.
    result = condorcet.ranked_pairs(election("2: A > D > C > B\n3: B > A > D > C\n1: C > B > D > A\n1: C > D > B > A"))
    assert contests(result, "skipped") == [("C", "B")]
    assert contests(result, "locked")[-1] == ("B", "D")
    assert result.places == (("B", 1), ("A", 2), ("D", 3), ("C", 4))


def test_a_path_closes_a_cycle_and_not_only_a_direct_reversal():
    graph = condorcet.Graph(4).with_all([(0, 1), (1, 2), (2, 3)])
    assert graph.reaches(0, 3)
    assert not graph.reaches(3, 0)
    assert [*condorcet.shortest_paths(graph.beaten, 0, 1 << 3)] == [[0, 1, 2, 3]]


def test_a_draw_is_neither_locked_nor_skipped():
    result = condorcet.ranked_pairs(election("1: A > B\n1: B > A"))
    assert result.reasons["locked"] == result.reasons["skipped"] == []
    assert result.places == (("A", 1), ("B", 1))


def test_the_measure_of_strength_can_decide():
    # C beats A by most votes but one (5 to 4), and by the smallest margin; B beats C 6 to 3, A beats B 4 to 2.
    cast = election("4: A > B > C\n2: B > C\n3: C")
    assert condorcet.ranked_pairs(cast, strength="winning2").winners == ("B",)
    assert condorcet.ranked_pairs(cast, strength="winning").winners == ("B",)
    assert condorcet.ranked_pairs(cast, strength="margins").winners == ("A",)


def test_nobody_and_one_candidate_are_fine():
    assert condorcet.ranked_pairs(Ballots((), {})).places == ()
    assert condorcet.ranked_pairs(Ballots(("A",), {"0": 1})).winners == ("A",)


def test_a_stored_result_is_the_same_value_again():
    result = condorcet.ranked_pairs(EQUAL_CYCLE)
    assert Result.from_json(result.as_json()) == result

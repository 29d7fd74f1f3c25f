"""One pass over the ballots, both rules for the unranked, and summaries that add up."""

from __future__ import annotations

import pytest

from foundation.tally.ballots import Ballots
from foundation.tally.condorcet import condorcet_winner, strengths
from foundation.tally.pairwise import PairwiseSummary, matrices

ABC = ("A", "B", "C")


def test_the_pass_counts_above_equal_and_ranked():
    above, equal, ranked = matrices({"0>1=2": 3, "2": 2, "": 5}, len(ABC))
    assert above == ((0, 3, 3), (0, 0, 0), (0, 0, 0))
    assert equal == ((0, 0, 0), (0, 0, 3), (0, 3, 0))
    assert ranked == (3, 3, 5)


def test_below_puts_the_unranked_last_and_no_opinion_leaves_them_out():
    summary = Ballots(ABC, {"0>1": 3, "2": 2, "": 5}).summary
    assert summary.pairwise("below") == ((0, 3, 3), (0, 0, 3), (2, 2, 0))
    assert summary.pairwise("no-opinion") == ((0, 3, 0), (0, 0, 0), (0, 0, 0))


def test_another_rule_for_the_unranked_is_refused_in_a_sentence():
    with pytest.raises(ValueError, match="below or no-opinion, not 'above'"):
        Ballots(ABC, {}).summary.pairwise("above")


def test_two_unranked_are_not_compared():
    assert Ballots(ABC, {"0": 7}).summary.pairwise()[1][2] == 0


def test_huge_counts_are_exact():
    huge = 10**30
    assert Ballots(ABC, {"0>1": huge, "1=2": 1}).summary.pairwise() == ((0, huge, huge), (1, 0, huge), (1, 0, 0))


def test_nobody_standing_and_nobody_voting_are_fine():
    assert Ballots((), {"": 3}).summary == PairwiseSummary((), 3, 3, (), (), ())
    assert Ballots(("A",), {}).summary.pairwise() == ((0,),)


@pytest.mark.parametrize("ranking", ["0>3", "3=4", "0>x"])
def test_a_candidate_who_does_not_stand_is_refused(ranking):
    with pytest.raises(ValueError, match="not a candidate"):
        matrices({ranking: 1}, len(ABC))


# --- adding and taking back ---


def of(ranking: str) -> PairwiseSummary:
    return Ballots(ABC, {ranking: 1}).summary


def test_a_changed_ballot_is_one_taken_back_and_one_added():
    before, after = Ballots(ABC, {"0>1": 2, "2": 1}), Ballots(ABC, {"0>1": 1, "2": 1, "1=2>0": 1})
    assert before.summary - of("0>1") + of("1=2>0") == after.summary


def test_summaries_of_parts_add_up():
    one, other = Ballots(ABC, {"0>1": 2, "": 1}), Ballots(ABC, {"0>1": 1, "2": 4})
    assert one.summary + other.summary == Ballots(ABC, {"0>1": 3, "": 1, "2": 4}).summary


def test_more_than_was_cast_cannot_be_taken_back():
    with pytest.raises(ValueError, match="More ballots are removed"):
        Ballots(ABC, {"0>1": 2}).summary - of("1>0")


def test_ballots_for_others_cannot_be_added():
    with pytest.raises(ValueError, match="different candidates"):
        _ = Ballots(ABC, {}).summary + Ballots(("A", "B"), {}).summary


# --- contests ---


def test_strength_by_winning_votes_then_by_fewest_opposed():
    wins = strengths([[0, 6, 6], [3, 0, 7], [2, 2, 0]])
    assert wins[1][2] > wins[0][2] > wins[0][1] > 0
    assert wins[1][0] == wins[2][0] == wins[2][1] == 0


def test_strength_by_winning_votes_and_by_margins():
    pairwise = [[0, 6, 6], [3, 0, 7], [2, 6, 0]]
    assert strengths(pairwise, "winning") == [[0, 6, 6], [0, 0, 7], [0, 0, 0]]
    assert strengths(pairwise, "margins") == [[0, 3, 4], [0, 0, 1], [0, 0, 0]]


def test_another_strength_is_refused_in_a_sentence():
    with pytest.raises(ValueError, match="winning2, winning, margins, not 'ratio'"):
        strengths([[0]], "ratio")


def test_a_condorcet_winner_beats_everybody():
    assert condorcet_winner(ABC, [[0, 1, 3], [2, 0, 2], [1, 1, 0]]) == ABC[1]
    assert condorcet_winner(ABC, [[0, 2, 1], [1, 0, 1], [1, 1, 0]]) is None


# --- what is no ranking ---


@pytest.mark.parametrize("ranking", ["0>x", "123", "0\n1", "é", "0 1"])
@pytest.mark.parametrize("candidates", ["ABCDEFGHIJ", "ABCDEFGHIJKL"])
def test_a_text_that_is_no_ranking_is_refused(ranking, candidates):
    with pytest.raises(ValueError, match="not a candidate"):
        matrices({"0>1": 1, ranking: 2, "2": 3}, len(candidates))

"""Instant runoff: by hand on small elections, and what must hold of all."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, permutations, product
from math import factorial, prod

from hypothesis import assume, given, settings

from foundation.tally import irv
from foundation.tally.ballots import Ballots, groups_of
from foundation.tally.result import Result

from .examples import EQUAL_CYCLE, TENNESSEE, election
from .test_properties import elections

some = settings(max_examples=20, deadline=None)


def rounds(result):
    return [(each.tally, each.threshold, each.exhausted, each.eliminated, each.elected) for each in result.rounds]


def moved(each):
    return {(transfer.source, transfer.destination): transfer.votes for transfer in each.transfers}


def test_the_last_goes_and_the_ballots_move_on():
    result = irv.count(TENNESSEE)
    tallies = [each.tally for each in result.rounds]
    assert tallies == [
        {"Chattanooga": "15", "Knoxville": "17", "Memphis": "42", "Nashville": "26"},
        {"Knoxville": "32", "Memphis": "42", "Nashville": "26"},
        {"Knoxville": "58", "Memphis": "42"},
    ]
    assert moved(result.rounds[1]) == {("Nashville", "Knoxville"): "26"}
    assert result.winners == ("Knoxville",)
    assert result.places == (("Knoxville", 1), ("Memphis", 2), ("Nashville", 3), ("Chattanooga", 4))


def test_a_majority_ends_the_count_and_the_others_stand_by_their_votes():
    result = irv.count(election("6: A\n2: B > C\n2: C > B\n1: D"))
    assert rounds(result) == [({"A": "6", "B": "2", "C": "2", "D": "1"}, "6", "0", (), ("A",))]
    assert result.places == (("A", 1), ("B", 2), ("C", 2), ("D", 4))
    assert [(tie.where, tie.names, tie.settled) for tie in result.ties] == [("places", ("B", "C"), "left")]


def test_the_majority_is_of_the_ballots_still_counted():
    result = irv.count(election("5: A\n4: B\n3: C"))
    assert rounds(result)[1] == ({"A": "5", "B": "4"}, "5", "3", (), ("A",))
    assert moved(result.rounds[0]) == {("C", None): "3"}


def test_blank_ballots_are_counted_and_make_no_difference():
    with_blank = irv.count(election("2: A\n1: B\n7:"))
    assert (with_blank.total, with_blank.blank, with_blank.winners) == (10, 7, ("A",))
    assert with_blank.rounds[0].threshold == "2"


def test_equals_share_a_ballot_in_halves_and_thirds():
    result = irv.count(election("1: A = B = C\n1: A = B\n2: C > A\n2: A\n2: B\n1: D > A = C"))
    assert result.rounds[0].tally == {"A": "17/6", "B": "17/6", "C": "7/3", "D": "1"}
    assert moved(result.rounds[0]) == {("D", "A"): "0.5", ("D", "C"): "0.5"}


def test_when_one_of_the_equals_goes_the_others_share_what_was_theirs():
    result = irv.count(election("3: A = B = C\n3: B\n3: C"))
    assert result.rounds[0].eliminated == ("A",)
    assert moved(result.rounds[0]) == {("A", "B"): "0.5", ("A", "C"): "0.5"}
    assert result.rounds[1].tally == {"B": "4.5", "C": "4.5"}


def test_the_threshold_counts_in_the_parts_that_votes_are_shared_in():
    result = irv.count(election("1: A = B\n1: A\n1: B\n1: A = B = C"))
    first = result.rounds[0]
    assert (first.tally, first.threshold) == ({"A": "11/6", "B": "11/6", "C": "1/3"}, "13/6")


def test_a_tie_for_elimination_looks_back_to_the_latest_round_that_differs():
    result = irv.count(election("5: A\n4: B\n3: C\n1: D > C"))
    assert [each.eliminated for each in result.rounds] == [("D",), ("C",), ()]
    assert [(tie.where, tie.names, tie.settled, tie.round) for tie in result.ties] == [
        ("elimination", ("B", "C"), "earlier round", 2)
    ]
    assert result.lots == ()


def test_a_tie_that_never_differed_is_settled_by_a_lot_that_depends_on_the_seed():
    results = [irv.count(EQUAL_CYCLE, seed=str(seed)) for seed in range(20)]
    assert {result.winners for result in results} == {("A",), ("B",), ("C",)}
    first = results[0]
    assert first.lots[0].names == ("A", "B", "C")
    assert first.rounds[0].eliminated == (first.lots[0].chosen,)
    assert irv.count(EQUAL_CYCLE, seed="0").as_json() == first.as_json()


def test_two_left_with_as_many_votes_are_settled_by_lot():
    result = irv.count(election("3: A\n3: B"), seed="x")
    assert len(result.lots) == 1
    assert set(result.winners) == {"A", "B"} - {result.lots[0].chosen}


def test_without_votes_all_share_the_first_place():
    result = irv.count(Ballots(("A", "B"), {"": 3}))
    assert (result.winners, result.places, result.rounds) == (("A", "B"), (("A", 1), ("B", 1)), ())
    assert irv.count(Ballots((), {})).winners == ()


def test_one_candidate_wins_in_one_round():
    assert irv.count(election("1: A")).winners == ("A",)


def test_what_unranked_means_makes_no_difference():
    one, other = irv.count(TENNESSEE), irv.count(TENNESSEE, unranked="no-opinion")
    assert one.rounds == other.rounds


def test_a_result_can_be_stored_and_read_again():
    result = irv.count(EQUAL_CYCLE, seed="x")
    assert Result.from_json(result.as_json()) == result


@some
@given(elections())
def test_no_ballot_is_lost_in_any_round(cast):
    for each in irv.count(cast).rounds:
        held = sum(map(Fraction, each.tally.values()))
        assert held + Fraction(each.exhausted) + Fraction(each.residue) == cast.total - cast.blank


@some
@given(elections())
def test_transfers_lead_from_each_round_to_the_next(cast):
    counted = irv.count(cast).rounds
    for before, after in pairwise(counted):
        tally = {name: Fraction(votes) for name, votes in before.tally.items()}
        for transfer in before.transfers:
            tally[transfer.source] -= Fraction(transfer.votes)
            if transfer.destination is not None:
                tally[transfer.destination] += Fraction(transfer.votes)
        (gone,) = before.eliminated
        assert tally.pop(gone) == 0
        assert tally == {name: Fraction(votes) for name, votes in after.tally.items()}


@some
@given(elections())
def test_whoever_most_voters_rank_first_alone_wins(cast):
    firsts = [
        sum(n for r, n in cast.counts.items() if r.partition(">")[0] == str(i)) for i in range(len(cast.candidates))
    ]
    ahead = [name for name, n in zip(cast.candidates, firsts, strict=True) if 2 * n > cast.total - cast.blank]
    assume(ahead)
    assert list(irv.count(cast).winners) == ahead


@some
@given(elections())
def test_equals_count_as_every_strict_order_with_an_equal_part(cast):
    """Many copies of each ballot, or as many of its strict orders, elect alike and round by round."""
    size = 120  # divisible by the number of orders of up to five equals
    copies = Ballots(cast.candidates, {ranking: n * size for ranking, n in cast.counts.items()})
    assert tallies(irv.count(copies)) == tallies(irv.count(strict(cast, size)))


def tallies(result):
    return [({name: Fraction(votes) for name, votes in each.tally.items()}, each.eliminated) for each in result.rounds]


def strict(cast: Ballots, size: int) -> Ballots:
    """Every ballot as `size` strict ones, spread evenly over the orders of its equals."""
    counts: dict[str, int] = {}
    for ranking, count in cast.counts.items():
        groups = groups_of(ranking)
        share = Fraction(count * size, prod(factorial(len(group)) for group in groups))
        assume(share.denominator == 1)
        for orders in product(*(permutations(group) for group in groups)):
            text = ">".join(str(each) for order in orders for each in order)
            counts[text] = counts.get(text, 0) + int(share)
    return Ballots(cast.candidates, counts)

"""STV by the Scottish rules and by Meek's: by hand on small elections, and what must hold of all."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foundation.tally import irv, stv
from foundation.tally.ballots import Ballots
from foundation.tally.result import Result

from .examples import EQUAL_CYCLE, TENNESSEE, election
from .test_irv import strict
from .test_properties import elections

some = settings(max_examples=15, deadline=None)
BOTH = pytest.mark.parametrize("count", [stv.scottish, stv.meek], ids=["scottish", "meek"])

# Castor has more than he needs; what is over makes Pollux, not Helen.
TWINS = election("5: Castor > Pollux\n1: Pollux\n2: Helen\n1: Iris > Helen", "Castor Pollux Helen Iris")


def moved(each):
    return {(transfer.source, transfer.destination): transfer.votes for transfer in each.transfers}


# --- Scottish ---


def test_the_surplus_moves_with_a_value_cut_after_five_decimals():
    result = stv.scottish(election("7: A > B\n2: C\n1: B"), seats=2)
    first, second = result.rounds[:2]
    assert (first.threshold, first.elected) == ("4.00000", ("A",))
    assert moved(first) == {("A", "B"): "2.99999"}  # 7 papers worth 3/7 = 0.42857 each
    assert second.tally == {"A": "4.00000", "B": "3.99999", "C": "2.00000"}
    assert second.residue == "0.00001"


def test_the_quota_is_the_whole_part_of_the_division_and_one():
    for ballots, seats, quota in ((9, 2, "4.00000"), (8, 2, "3.00000"), (8, 1, "5.00000"), (1, 3, "1.00000")):
        assert stv.scottish(election(f"{ballots}: A", "A B"), seats=seats).rounds[0].threshold == quota


def test_an_exact_quota_is_no_surplus_and_makes_no_stage():
    result = stv.scottish(election("3: A > B\n2: B\n2: C\n1: D > C"), seats=2)
    first, second = result.rounds
    assert (first.threshold, first.tally["A"], first.elected, first.eliminated) == (
        "3.00000",
        "3.00000",
        ("A",),
        ("D",),
    )
    assert second.elected == ("C",)


def test_the_largest_surplus_moves_first_one_a_stage():
    result = stv.scottish(election("6: A > D\n7: B > E\n2: C\n1: D\n1: E\n1: F"), seats=4)
    assert [set(moved(each)) for each in result.rounds[:2]] == [{("B", "E")}, {("A", "D")}]


def test_equal_surpluses_go_by_the_latest_stage_that_differs_else_by_lot():
    result = stv.scottish(election("6: A > D\n6: B > E\n1: C\n1: D\n1: E"), seats=3, seed="x")
    tie = result.ties[0]
    assert (tie.where, tie.names, tie.settled, tie.round) == ("transfer", ("A", "B"), "lot", 1)
    assert {source for source, _ in moved(result.rounds[0])} == {result.lots[0].chosen}


def test_an_excluded_candidates_papers_keep_the_value_they_came_with():
    result = stv.scottish(election("8: A > B > C\n3: C\n3: D\n1: B > D", "A B C D"), seats=2)
    first, second = result.rounds[:2]
    assert moved(first) == {("A", "B"): "2.00000"}
    assert second.tally == {"A": "6.00000", "B": "3.00000", "C": "3.00000", "D": "3.00000"}
    assert second.eliminated == ("B",)  # who had fewest at the first stage
    assert moved(second) == {("B", "C"): "2.00000", ("B", "D"): "1.00000"}


def test_those_left_are_elected_when_there_are_seats_for_all():
    result = stv.scottish(TWINS, seats=3)
    assert set(result.winners) >= {"Castor", "Helen"}
    assert len(result.winners) == 3
    assert sum(len(each.elected) for each in result.rounds) == 3


def test_a_paper_with_equals_is_cut_into_equal_papers():
    first, second = stv.scottish(election("1: A = B = C\n2: A\n2: B\n1: C"), seats=1).rounds[:2]
    assert (first.tally, first.residue) == ({"A": "2.33333", "B": "2.33333", "C": "1.33333"}, "0.00001")
    assert second.tally == {"A": "2.49999", "B": "2.49999"}
    assert second.exhausted == "1.00000"


def test_many_equals_take_no_longer_than_few():
    names = [f"C{number:02}" for number in range(40)]
    ballots = Ballots(tuple(names), {"=".join(map(str, range(40))): 7, "0>1=2=3": 2})
    for count in (stv.scottish, stv.meek):
        assert "C00" in count(ballots, seats=3).winners


# --- Meek ---


def test_the_elected_keep_just_the_quota_and_the_rest_flows_on():
    result = stv.meek(election("5: Castor > Pollux\n1: Pollux\n3: Helen"), seats=2)
    first, second = result.rounds
    assert (first.elected, first.threshold) == (("Castor",), "3.000000001")
    assert second.tally == {"Castor": "3.000000005", "Helen": "3.000000000", "Pollux": "2.999999995"}
    assert second.keep == {"Castor": "0.600000001", "Helen": "1.000000000", "Pollux": "1.000000000"}
    assert (second.eliminated, second.elected) == (("Pollux",), ("Helen",))


def test_the_quota_falls_as_ballots_run_out():
    result = stv.meek(election("6: A\n3: B\n2: C\n1: D", "A B C D"), seats=2)
    quotas = [Fraction(each.threshold) for each in result.rounds]
    assert quotas == sorted(quotas, reverse=True)
    assert quotas[-1] < quotas[0]


def test_votes_are_dealt_out_until_less_than_a_millionth_is_left_over_and_no_longer():
    result = stv.meek(election("5: A > B > C\n4: B > A > D\n2: C\n2: D\n1: E > A > B", "A B C D E"), seats=3)
    second, third = result.rounds[1:]
    assert {name: second.tally[name] for name in "ABCD"} == {
        "A": "3.500000417",
        "B": "3.500000143",
        "C": "3.111110800",  # 28/9, were it dealt out for ever
        "D": "2.888888640",
    }
    assert (second.keep["A"], second.keep["B"], second.eliminated) == ("0.512846309", "0.543835622", ("E",))
    assert (third.keep["A"], third.keep["B"], third.threshold) == ("0.428183946", "0.466066790", "3.423672105")


def test_equals_get_the_mean_of_what_every_order_would_give_them():
    one = stv.MEEK_VOTE
    keeps = [one // 2, one // 4, one]
    means = [Fraction(0)] * 3
    for order in permutations(range(3)):
        weight = Fraction(1, 6)
        for each in order:
            means[each] += weight * Fraction(keeps[each], one)
            weight -= weight * Fraction(keeps[each], one)
    assert stv.shares(one, keeps) == [int(mean * one) for mean in means]


def test_votes_that_differ_by_less_than_the_surplus_are_tied():
    ballots = election("""
        333: A > X
        333: A > Y
        333: A > Z
        333: B > X
        333: B > Y
        333: B > Z
        667: X
        667: Y
        667: Z
        1: A > B > X
        1: A > B > Y
        2: B > A > X
    """)
    result = stv.meek(ballots, seats=3)
    assert result.rounds[1].tally == {
        "A": "1000.750000126",
        "B": "1000.750000126",
        "X": "667.166666686",
        "Y": "667.166666562",
        "Z": "667.166666500",
    }
    assert result.lots[0].names == ("X", "Y", "Z")


def test_what_is_kept_is_rounded_up_in_the_ninth_decimal():
    """The weight that passes A, 1 - 0.666666667, times what B keeps of it, is no whole number of units."""
    result = stv.meek(election("6: A > B > C\n3: B > C\n1: C\n2: D", "A B C D"), seats=3)
    last = result.rounds[-1]
    weight = 1 - Fraction(last.keep["A"])
    kept = weight * Fraction(last.keep["B"]) * stv.MEEK_VOTE
    assert kept.denominator != 1
    up = Fraction(-(-kept.numerator // kept.denominator), stv.MEEK_VOTE)
    assert Fraction(last.tally["B"]) == 6 * up + 3 * Fraction(last.keep["B"])


# --- both ---


@BOTH
def test_without_votes_nobody_is_elected_unless_there_are_seats_for_all(count):
    blank = Ballots(("A", "B"), {"": 3})
    assert (count(blank, seats=1).winners, count(blank, seats=2).winners) == ((), ("A", "B"))
    assert count(blank, seats=1).places == (("A", 1), ("B", 1))
    assert count(Ballots((), {}), seats=1).winners == ()


@BOTH
def test_more_seats_than_candidates_elect_all(count):
    assert set(count(TENNESSEE, seats=9).winners) == set(TENNESSEE.candidates)


@BOTH
def test_places_follow_the_order_of_election_then_of_exclusion(count):
    result = count(TENNESSEE, seats=2)
    assert [name for name, _ in result.places[:2]] == list(result.winners)
    gone = [name for each in result.rounds for name in each.eliminated]
    assert [name for name, _ in result.places if name in gone] == gone[::-1]


@BOTH
def test_a_lot_depends_on_the_seed_alone(count):
    results = {count(EQUAL_CYCLE, seats=2, seed=str(seed)).as_json() for seed in range(12)}
    assert len(results) > 3
    assert count(EQUAL_CYCLE, seats=2, seed="3").as_json() in results


@BOTH
def test_a_result_can_be_stored_and_read_again(count):
    result = count(TWINS, seats=2, seed="x")
    assert Result.from_json(result.as_json()) == result


@BOTH
@some
@given(elections(), st.integers(1, 4))
def test_no_vote_is_lost_in_any_round(count, cast, seats):
    for each in count(cast, seats=seats).rounds:
        held = sum(map(Fraction, each.tally.values()))
        assert held + Fraction(each.exhausted) + Fraction(each.residue) == cast.total - cast.blank


@BOTH
@some
@given(elections(), st.integers(1, 4))
def test_as_many_are_elected_as_there_are_seats_and_each_once(count, cast, seats):
    result = count(cast, seats=seats)
    assert len(set(result.winners)) == len(result.winners) <= seats
    if cast.total > cast.blank:
        assert len(result.winners) == min(seats, len(cast.candidates))
        assert result.winners == tuple(name for each in result.rounds for name in each.elected)


@BOTH
@some
@given(elections(), st.data(), st.integers(1, 4))
def test_any_order_of_ballots_and_candidates_gives_the_same_bytes(count, cast, data, seats):
    order = data.draw(st.permutations(cast.candidates))
    shuffled = Ballots(cast.candidates, dict(data.draw(st.permutations(list(cast.counts.items()))))).in_order(order)
    assert count(shuffled, seats=seats).as_json() == count(cast, seats=seats).as_json()


@BOTH
@some
@given(elections(), st.integers(2, 4))
def test_the_whole_of_a_solid_majority_gets_the_first_seat(count, cast, seats):
    """Whoever is ranked first, alone, by more than a quota of the voters is elected."""
    valid = cast.total - cast.blank
    firsts = {
        name: sum(n for r, n in cast.counts.items() if r.partition(">")[0] == str(i))
        for i, name in enumerate(cast.candidates)
    }
    sure = {name for name, votes in firsts.items() if votes > valid // (seats + 1)}
    assert sure <= set(count(cast, seats=seats).winners)


@some
@given(elections(), st.integers(1, 4))
def test_scottish_transfers_lead_from_each_stage_to_the_next(cast, seats):
    counted = stv.scottish(cast, seats=seats).rounds
    for before, after in pairwise(counted):
        assert before.transfers or before.eliminated
        exhausted = Fraction(before.exhausted)
        gains = dict.fromkeys(after.tally, Fraction(0))
        for transfer in before.transfers:
            if transfer.destination is None:
                exhausted += Fraction(transfer.votes)
            else:
                gains[transfer.destination] += Fraction(transfer.votes)
        assert exhausted == Fraction(after.exhausted)
        for name, votes in after.tally.items():
            surplus = Fraction(before.tally[name]) > Fraction(votes)
            assert Fraction(votes) == (
                Fraction(after.threshold) if surplus else Fraction(before.tally[name]) + gains[name]
            )


@BOTH
@some
@given(elections(complete=True))
def test_one_seat_goes_where_an_instant_runoff_sends_it_when_nothing_is_tied_or_shared(count, cast):
    unshared = Ballots(cast.candidates, {ranking: n for ranking, n in cast.counts.items() if "=" not in ranking})
    runoff, one = irv.count(unshared), count(unshared, seats=1)
    if unshared.total and not runoff.lots and not any(tie.round for tie in runoff.ties):
        assert one.winners == runoff.winners


@some
@given(elections(most=4), st.integers(1, 3))
def test_by_meek_equals_count_as_every_strict_order_with_an_equal_part(cast, seats):
    """To within what rounding does to the last decimals."""
    size = 24
    copies = Ballots(cast.candidates, {ranking: n * size for ranking, n in cast.counts.items()})
    one, other = stv.meek(copies, seats=seats), stv.meek(strict(cast, size), seats=seats)
    same = [(each.elected, each.eliminated) for each in one.rounds] == [
        (each.elected, each.eliminated) for each in other.rounds
    ]  # after a near tie the two may go different ways
    for ours, theirs in list(zip(one.rounds, other.rounds, strict=False))[: None if same else 1]:
        for name, votes in ours.tally.items():
            assert abs(Fraction(votes) - Fraction(theirs.tally[name])) < Fraction(1, 10**4)

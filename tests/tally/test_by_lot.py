"""Whom a lot elected, by every method that draws lots, and with whom they were tied."""

from __future__ import annotations

import pytest

from foundation.tally.ballots import Ballots
from foundation.tally.explain import explain
from foundation.tally.lots import ByLot, elected_by_lot
from foundation.tally.methods import count

from .examples import election
from .published_marks import FIVES_THEN_LOT
from .test_marks import scored

TIED = election("2: A\n2: B\n1: C")
MARKED = Ballots(("A", "B", "C", "D"), {"0": 4, "1": 2, "2": 2, "3": 2})


def drawn(ballots: Ballots, method: str, **settings) -> list[tuple[int, int, str, str]]:
    """How many were elected by each lot, how many were tied with them, and at how many votes."""
    result = count(ballots, method, seed="s", **settings)
    found = elected_by_lot(result)
    for each in found:
        assert set(each.names) <= set(result.winners)
        assert not set(each.tied_with) & set(result.winners)
    return [(len(each.names), len(each.tied_with), each.number, each.unit) for each in found]


def test_who_is_not_eliminated_by_lot_and_wins_has_won_by_lot():
    result = count(TIED, "irv", seed="s")
    (won,), lost = result.winners, result.lots[-1].chosen
    assert {won, lost} == {"A", "B"}
    assert elected_by_lot(result) == (ByLot((won,), (lost,), "2", "votes"),)
    assert str(explain(result)[0]) == f"{won} won by lot."


def test_a_lot_between_those_who_lose_anyway_elects_nobody():
    assert drawn(election("5: A\n1: B\n1: C\n3: D"), "irv") == []
    result = count(election("4: A\n1: B\n1: C\n3: D > A"), "irv", seed="s")
    assert (result.winners, len(result.lots), elected_by_lot(result)) == (("A",), 1, ())
    assert str(explain(result)[0]) == "A won."


@pytest.mark.parametrize(("method", "votes"), [("stv-scottish", "2.00000"), ("stv-meek", "2.000000000")])
def test_of_several_seats_the_last_may_be_filled_by_lot(method, votes):
    result = count(election("6: A\n2: B\n2: C\n1: D"), method, seats=2, seed="s")
    (lot,) = elected_by_lot(result)
    assert (lot.names, lot.number) == (result.winners[1:], votes)
    assert str(explain(result)[0]) == f"Elected: A, {lot.names[0]}; by lot: {lot.names[0]}."


def test_lots_for_two_seats_between_the_same_tied_are_one():
    assert drawn(MARKED, "approval", seats=3) == [(2, 1, "2", "votes")]
    assert drawn(Ballots(("A", "B", "C"), {"0": 2, "1": 2, "2": 2}), "most-votes", seats=2) == [(2, 1, "2", "votes")]
    all_by_lot = count(Ballots(("A", "B", "C"), {"0": 2, "1": 2, "2": 2}), "most-votes", seats=2, seed="s")
    assert str(explain(all_by_lot)[0]) == f"Elected by lot: {', '.join(all_by_lot.winners)}."


def test_who_reaches_the_runoff_by_lot_and_wins_it_has_won_by_lot():
    results = [count(scored("ABCD", FIVES_THEN_LOT), "star", seed=str(seed)) for seed in range(20)]
    by_lot = {each.winners: elected_by_lot(each) for each in results}
    assert by_lot == {("A",): (), ("C",): (ByLot(("C",), ("B",), "26", "points"),)}


def test_a_lot_in_the_runoff_decides_nothing_if_the_other_gets_the_next_seat():
    rows = [[3, 1, 0], [1, 3, 0]]
    assert drawn(scored("ABC", rows), "star") == [(1, 1, "1", "votes")]
    assert drawn(scored("ABC", rows), "star", seats=2) == []


def test_the_last_of_several_lots_counts():
    result = count(election("2: A\n2: B\n2: C\n2: D"), "irv", seed="s")
    (lot,) = elected_by_lot(result)
    assert lot.tied_with == (result.lots[-1].chosen,)


def test_a_few_names_are_kept_with_the_number_of_others():
    lot = ByLot(tuple("ABCD"), ("E",), "2", "votes")
    assert lot.cut(3) == ByLot(tuple("ABC"), ("E",), "2", "votes", more_names=1)
    assert lot.cut(3).cut(2) == ByLot(tuple("AB"), ("E",), "2", "votes", more_names=2)

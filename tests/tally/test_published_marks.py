"""Counts of marks and scores come out as they were published."""

from __future__ import annotations

import pytest

from foundation.tally.methods import count

from .published_marks import CASES, VOTE_CORE, block


@pytest.mark.parametrize("name", CASES)
def test_winners_and_reasons_are_as_published(name):
    case = CASES[name]
    result = count(case.ballots, case.method, **case.rules)
    assert set(result.winners) == case.winners, case.source
    assert {key: result.reasons[key] for key in case.reasons} == case.reasons, case.source


def test_a_tie_for_the_last_seat_is_between_those_published_as_tied():
    case = block({"0=1": 30, "0=2": 22, "1=2": 22, "0=3": 4, "2=3": 8}, "c1 c2 c3 c4", {"c1"}, [56, 52, 52, 12])
    results = [count(case.ballots, "most-votes", seats=2, seed=str(seed)) for seed in range(20)]
    assert {result.lots[0].names for result in results} == {("c2", "c3")}, VOTE_CORE
    assert {result.winners for result in results} == {("c1", "c2"), ("c1", "c3")}
    assert results[0].reasons == case.reasons

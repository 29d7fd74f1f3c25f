"""Before the lots are drawn, whoever wins by one draw and not by another is tied; who wins by all of them has won."""

from __future__ import annotations

import pytest

from foundation.tally import provisional
from foundation.tally.ballots import Ballots
from foundation.tally.lots import elected_by_lot
from foundation.tally.methods import count

NAMES = ("Ada", "Bo", "Cy")


def before_lots(*rankings: str, method: str = "irv", **settings) -> provisional.ProvisionalResult:
    ballots = Ballots.of(NAMES, rankings)
    result = count(ballots, method, seed="seed", **settings)
    return provisional.provisional_result(result, provisional.winners_with_other_lots(ballots, result))


def test_those_between_whom_a_lot_would_choose_share_the_first_place():
    found = before_lots("0", "1", "2")
    assert found.between == found.result.winners == NAMES
    assert found.result.places == (("Ada", 1), ("Bo", 1), ("Cy", 1))


def test_a_lot_that_changes_no_winner_changes_nothing():
    ballots = Ballots.of(NAMES, ["0", "0", "1", "2"])
    result = count(ballots, "irv", seed="seed")
    assert result.lots
    assert before_lots("0", "0", "0", "1", "2") == provisional.ProvisionalResult(
        count(Ballots.of(NAMES, "00012"), "irv", seed="seed"), ()
    )


def test_of_several_seats_those_are_won_that_every_draw_gives_to_the_same():
    found = before_lots("0", "0", "1", "2", method="stv-scottish", seats=2)
    assert (found.result.winners, found.between) == (("Ada",), ("Bo", "Cy"))


@pytest.mark.parametrize("seats", [1, 2])
def test_nobody_is_elected_by_a_lot_that_is_not_drawn_yet(seats):
    ballots = ("0@5>1@3>2@1", "0@5>2@3>1@1") if seats == 2 else ("0@5>1@1", "1@5>0@1")
    found = before_lots(*ballots, method="star", seats=seats)
    assert found.between == (("Bo", "Cy") if seats == 2 else ("Ada", "Bo"))
    assert elected_by_lot(found.result) == found.result.lots == ()


def test_where_no_lot_was_drawn_nothing_is_counted_again(monkeypatch):
    monkeypatch.setattr(provisional, "count", lambda *_args, **_settings: pytest.fail("counted again"))
    ballots = Ballots.of(NAMES, ["0", "0", "1"])
    assert provisional.winners_with_other_lots(ballots, count(ballots, "irv")) == ()


def test_what_takes_too_long_to_count_again_is_left_at_one_draw(monkeypatch):
    monkeypatch.setattr(provisional, "MAX_OTHER_LOTS_RANKINGS", 2)
    ballots = Ballots.of(NAMES, ["0", "1", "2"])
    assert provisional.winners_with_other_lots(ballots, count(ballots, "irv", seed="seed")) == ()


def test_nobody_voted_and_nobody_is_drawn():
    assert before_lots().between == ()


def places(*rankings: str) -> dict[str, int]:
    ballots = Ballots.of(NAMES, rankings)
    result = count(ballots, "irv", seed="seed")
    return dict(provisional.places_without_lots(result, provisional.recount_with_other_lots(ballots, result)))


def test_lower_places_that_only_a_lot_told_apart_are_shared():
    assert places(*"0" * 5, *"1" * 4, *"2" * 4) == {"Ada": 1, "Bo": 2, "Cy": 2}
    assert places(*"0" * 5, *"1" * 4, *"2" * 3) == {"Ada": 1, "Bo": 2, "Cy": 3}
    assert places("0", "1", "2") == {"Ada": 1, "Bo": 1, "Cy": 1}

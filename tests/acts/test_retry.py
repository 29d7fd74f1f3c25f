"""Trying again, and knowing when to stop."""

from __future__ import annotations

import pytest

from acts.refusals import LostRace
from acts.retry import MAX_REFUSALS, repeat_until_done
from store.table import Refused


def refused() -> None:
    raise Refused([0])


def test_a_long_work_goes_on_until_a_step_answers_something():
    steps = iter([None, refused, None, refused, refused, False])

    def step() -> bool | None:
        each = next(steps)
        return each() if callable(each) else each

    assert repeat_until_done(step) is False
    assert list(steps) == []


def test_a_work_that_is_always_refused_fails_instead_of_going_round_for_ever():
    calls = []
    with pytest.raises(LostRace):
        repeat_until_done(lambda: calls.append(1) or refused())
    assert len(calls) == MAX_REFUSALS


def test_refusals_that_others_cause_are_forgotten_with_every_step_that_is_taken():
    turns = iter(range(3 * MAX_REFUSALS))

    def step() -> int | None:
        turn = next(turns)
        if turn % 2:
            refused()
        return turn if turn == 2 * MAX_REFUSALS else None

    assert repeat_until_done(step) == 2 * MAX_REFUSALS

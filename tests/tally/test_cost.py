"""What a count will cost: it grows with everything that makes it longer, and says which of these makes it dear."""

from __future__ import annotations

from dataclasses import replace

import pytest

from foundation.tally import cost
from foundation.tally.ballots import Ballots
from foundation.tally.cost import Size
from foundation.tally.methods import METHODS

COUNCIL = Size(candidates=15, rankings=3_000, marks=18_000, seats=4)


def test_the_size_of_ballots_is_read_from_their_rankings():
    ballots = Ballots(tuple("ABCDE"), {"0>1=2>3": 7, "0=1=4>2": 1, "3": 2, "": 5})
    size = Size.of(ballots, seats=2)
    assert size == Size(candidates=5, rankings=4, marks=10, tied=5, squares=4 + 9, seats=2)


@pytest.mark.parametrize("grown", ["candidates", "rankings", "marks", "tied", "squares", "seats"])
def test_more_of_anything_never_costs_less(grown):
    size = replace(COUNCIL, tied=300, squares=900)
    more = replace(size, **{grown: getattr(size, grown) * 2})
    for method in METHODS:
        assert cost.of_methods(more, [method]) >= cost.of_methods(size, [method])
    assert cost.of_methods(more) > cost.of_methods(size)


def test_every_method_has_its_cost():
    assert cost.COSTS.keys() == METHODS.keys()
    assert all(cost.of_methods(COUNCIL, [method]) > 0 for method in METHODS)


def test_an_election_of_a_council_is_cheap_and_a_hundred_seats_are_not():
    assert cost.of_methods(COUNCIL) < 1_000_000
    assert cost.of_methods(Size(100, 200, 20_000, seats=90)) > 10_000_000


def test_seats_beyond_the_candidates_cost_nothing():
    assert cost.of_methods(replace(COUNCIL, seats=15)) == cost.of_methods(replace(COUNCIL, seats=90))


@pytest.mark.parametrize(
    ("size", "dear"),
    [
        (COUNCIL, None),
        (Size(100, 200, 20_000, seats=60), "seats"),
        (Size(100, 200, 20_000, tied=20_000, squares=20_000_000, seats=1), "equals"),
        (Size(100, 200, 20_000, tied=2_000, squares=20_000, seats=20), "seats"),
        (Size(100, 10_000, 1_000_000), "rankings"),
        (Size(500, 10, 10), "rankings"),
    ],
)
def test_what_makes_it_dear_is_named(size, dear):
    assert cost.limiting_factor(size, 3_000_000, cost.of_methods) == dear

"""What many shards cost an election of a hundred voters, as docs/explanation/scale.md states it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest

from ballots import services as voting
from elections import rolls
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from elections.turnout.counts import turnout
from foundation.acts.storage import use_table
from foundation.ranking.candidates import Candidate
from foundation.store import round_trips

from .ledger import READ, WRITE
from .site import electorate, found, site

NAME = "Board"


class Cost(NamedTuple):
    written: float
    read: float
    requests: int
    in_a_row: int


EXPECTED = {
    1: {
        "opening": Cost(56, 3, 5, 5),
        "a cast": Cost(21, 10, 5, 5),
        "turnout": Cost(0, 18, 2, 2),
        "a page of the roll": Cost(0, 4, 2, 2),
        "closing": Cost(65, 18, 22, 7),
    },
    48: {
        "opening": Cost(512, 3, 229, 6),
        "a cast": Cost(21, 6, 4, 4),
        "turnout": Cost(0, 242, 4, 2),
        "a page of the roll": Cost(0, 49, 49, 2),
        "closing": Cost(529, 242, 249, 8),
    },
}


@pytest.mark.deep
@pytest.mark.parametrize("shards", EXPECTED)
def test_a_small_election_pays_for_its_shards_in_units_and_not_in_waiting(django_test_environment, shards):
    costs: dict[str, Cost] = {}
    with site(shards=shards) as here:
        voters = electorate(100)
        rules = here.start(1, seed=1)

        def noted(name: str, act: Callable[[], object]) -> None:
            rules.ledger.taken()
            with round_trips.count_round_trips() as asked:
                act()
            taken = rules.ledger.taken().items()
            units = {kind: sum(each for (of, _place), each in taken if of == kind) for kind in (WRITE, READ)}
            costs[name] = Cost(units[WRITE], units[READ], asked.count, asked.in_a_row)

        def play() -> None:
            with use_table(here.processes[0]):
                drafts.create(here.owner, NAME)
                add_candidates(here.owner, found(NAME), [Candidate("Ada"), Candidate("Bo"), Candidate("Cy")])
                add_voters(here.owner, found(NAME), [each.name for each in voters])
                noted("opening", lambda: lifecycle.open_(here.owner, found(NAME), editable=False))
                noted("a cast", lambda: voting.cast(voters[0], NAME, {"0": ["1"]}, "form"))
                noted("turnout", lambda: turnout(found(NAME)))
                noted("a page of the roll", lambda: rolls.list_voters(found(NAME), limit=50))
                noted("closing", lambda: closing.close(here.owner, found(NAME)))

        here.time.run(play)
    assert costs == EXPECTED[shards]

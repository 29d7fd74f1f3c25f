"""An election that takes votes, and ranks as rank boxes say them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from elections import repository, services
from elections.rules import Election
from ranking.candidates import Candidate
from tests.people import enrol


@pytest.fixture
def opened(person) -> Callable[..., Election]:
    """Open an election of "the organiser"; its candidates are Ada, Bo and Cy, in this order."""

    def make(*voters: str, name: str = "Board", editable: bool = False, **settings) -> Election:
        from accounts import repository as people

        owner = people.find("the organiser") or person("the organiser")
        election = services.create(owner, name, **settings)
        services.add_candidates(owner, election, [Candidate("Ada"), Candidate("Bo"), Candidate("Cy")])
        enrol(*voters)
        services.add_voters(owner, election, voters)
        return services.open_(owner, repository.find(name), editable=editable)

    return make


def ranks(**typed: int | str) -> dict[str, list[str]]:
    """`ranks(Ada=1, Cy=2)` as the form says it."""
    numbers = {"Ada": "0", "Bo": "1", "Cy": "2"}
    return {numbers[name]: [str(rank)] for name, rank in typed.items()}

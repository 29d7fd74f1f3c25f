"""An election that takes votes, and ranks as rank boxes say them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from accounts.models import User
from elections import repository
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from elections.rules import Election
from foundation.ranking.candidates import Candidate
from tests.people import enrol


@pytest.fixture
def opened(person) -> Callable[..., Election]:
    """Open an election of "the organiser"; its candidates are Ada, Bo and Cy, in this order, in so many questions."""

    def make(*voters: str, name: str = "Board", editable: bool = False, asking: int = 1, **settings) -> Election:
        from accounts import repository as people

        owner = people.find("the organiser") or person("the organiser")
        election = drafts.create(owner, name, **settings)
        if election.kind != "yes-no":
            add_candidates(owner, election, [Candidate("Ada"), Candidate("Bo"), Candidate("Cy")])
        for number in range(2, asking + 1):
            another = drafts.add_question(owner, repository.find(name), f"Question {number}", first_title="Question 1")
            add_candidates(owner, another, [Candidate("Ada"), Candidate("Bo"), Candidate("Cy")])
        enrol(*voters)
        add_voters(owner, repository.find(name), voters)
        return lifecycle.open_(owner, repository.find(name), editable=editable)

    return make


def draft_asking(owner: User, name: str, *titles: str, **settings) -> Election:
    """A draft with a question of each of these titles, and candidates Ada and Bo in all of them."""
    first, *others = titles
    election = drafts.create(owner, name, **settings)
    for each in others:
        election = drafts.add_question(owner, election, each, first_title=first)
    for each in election.questions:
        add_candidates(owner, repository.find(name).at(each.number), [Candidate("Ada"), Candidate("Bo")])
    return repository.find(name)


def ranks(**typed: int | str) -> dict[str, list[str]]:
    """`ranks(Ada=1, Cy=2)` as the form says it."""
    numbers = {"Ada": "0", "Bo": "1", "Cy": "2"}
    return {numbers[name]: [str(rank)] for name, rank in typed.items()}

"""Elections to look at, and an auditor who looks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from django.test import Client

from accounts import repository as people
from accounts.rules import Role
from elections import repository
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.drafts.services import add_question
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from elections.rules import Election
from foundation.ranking.candidates import Candidate
from tests.people import enrol

CANDIDATES = ("Ada #1", "Bo 🦜", "Cy/Di")


@pytest.fixture
def auditor(signed_in) -> Client:
    return signed_in("the auditor", Role.AUDITOR)


@pytest.fixture
def opened(person) -> Callable[..., Election]:
    """Open an election of "the organiser"."""

    def make(name: str, *voters: str, questions: Sequence[str] = (), **settings) -> Election:
        owner = people.find("the organiser") or person("the organiser")
        election = drafts.create(owner, name, **settings)
        add_candidates(owner, election, [Candidate(each) for each in CANDIDATES])
        for title in questions:
            asked = add_question(owner, repository.find(name), title)
            add_candidates(owner, asked, [Candidate(f"{each} in {title}") for each in CANDIDATES])
        enrol(*voters)
        add_voters(owner, election, voters)
        return lifecycle.open_(owner, repository.find(name), editable=False)

    return make


def ranks(*order: int) -> dict[str, list[str]]:
    """The candidates by number, best first, as the form says it."""
    return {str(number): [str(place)] for place, number in enumerate(order, 1)}

"""A group of the demo: those who voted together before, ready for the next election."""

from __future__ import annotations

from accounts import repository as people
from elections.demo import VOTERS

from . import repository, services

KEEPER = "Ada Lovelace"
NAME = "Members of the workshop"


def load() -> int:
    """Answers how many were made; whoever has groups keeps them as they are."""
    keeper = people.find(KEEPER)
    if keeper is None or repository.names_taken(keeper.name):
        return 0
    made = services.make(keeper, NAME)
    services.add(keeper, made.id, [*VOTERS, "new.member@example.org"])
    return 1

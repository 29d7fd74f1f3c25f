"""What is kept about somebody in question sets, and what becomes of theirs when they leave."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from accounts.models import User
from accounts.telling import MAX_COUNTED_THINGS
from store.table import Item

from . import repository
from .csv_out import as_json


def made(user: User) -> Iterator[Item]:
    """Each with all that is in it."""
    for set_ in repository.each_of(user.name):
        if (whole := repository.whole(set_.id)) is not None:
            yield as_json(whole)


def how_many(user: User) -> tuple[int, int]:
    """Of theirs, that others use, and that nobody else does."""
    sets = list(islice(repository.each_of(user.name), MAX_COUNTED_THINGS))
    passed = sum(each.is_offered for each in sets)
    return passed, len(sets) - passed

"""Entries by which people are found and told apart, made for accounts that were there before such entries were.

Every account is made with its entries. A store of an earlier version, or one whose entries were made by other rules,
gets them from the worker: it walks through all people once and then notes the version of the rules.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from acts.site import table
from store import keys
from store.table import Check, Equals, Missing, Put, Refused, Write

from . import repository
from .repository import ListedPerson

VERSION = 1  # to be raised when names are split, folded or made into skeletons in another way
A_PAGE = 100


def is_due() -> bool:
    """Not on a site where nobody is yet, which has nothing to look through."""
    note = table().get(keys.people_index())
    if note is None:
        return bool(table().page(keys.people(), limit=1).items)
    return bool(note["version"] < VERSION)


def complete(goes_on: Callable[[], bool] = lambda: True) -> int:
    """Make the entries that are missing; answers of how many people they are all there. What is cut off is begun
    again: every entry may be made twice."""
    done, cursor, overtaken = 0, None, False
    while goes_on():
        people, cursor = repository.people(limit=A_PAGE, cursor=cursor)
        completed = sum(_complete(person) for person in people)
        overtaken |= completed < len(people)
        done += completed
        if cursor is None:
            if not overtaken:
                _note_version()
            break
    return done


def _complete(person: ListedPerson) -> bool:
    """False if the person was changed at the same moment. Of two who look alike, the first has the name to itself."""
    guard = repository.lookalike_guard(person.name)
    writes: list[Write] = [*repository.word_entries(person.name, person.role)]
    with suppress(Refused):
        table().write(Put(guard, when=Missing()), _is_unchanged(person))
    try:
        table().write(*writes, _is_unchanged(person))
    except Refused:
        return repository.find(person.name) is None
    return True


def _is_unchanged(person: ListedPerson) -> Check:
    same = Equals("created_at", person.created_at) & Equals("role", person.role.name)
    return Check(keys.user(person.name), same)


def _note_version() -> None:
    place = keys.people_index()
    table().write(Put({"PK": place.pk, "SK": place.sk, "version": VERSION}))

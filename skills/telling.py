"""What is kept of somebody's skills, for themselves."""

from __future__ import annotations

from collections.abc import Iterator

from accounts.models import User
from accounts.telling import Part
from store.table import Item

from . import repository


def told(user: User) -> list[Part]:
    return [("skills", held(user))]


def held(user: User) -> Iterator[Item]:
    """Who may see them, and then each."""
    own = repository.own_skills(user.name)
    if own.version:
        yield {"visible_to": own.visibility.value}
    for each in own.held.values():
        yield {"skill": each.skill, **each.told, "added_at": each.added_at, "confirmed_at": each.confirmed_at}

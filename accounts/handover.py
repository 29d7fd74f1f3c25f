"""Handing over what a removed person ran to the site's owner, so that a later account of that name cannot run it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from foundation.acts.queues import process_each
from foundation.acts.retry import retry_lost_race
from foundation.store import keys
from foundation.store.table import Check, Equals, Write

from . import repository
from .models import User

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Handover(Generic[T]):
    """One kind of thing that people run."""

    listed: Callable[[str], Iterable[str]]  # a person's name to the names of their things
    find: Callable[[str], T | None]
    is_theirs: Callable[[str, T], bool]
    hand_on: Callable[[T, str, str | None], None]  # from, to; no heir on a site without an owner

    def pass_on(self, gone: User) -> None:
        """Hand over everything they ran, retrying on concurrent changes."""

        def pass_one_on(name: str) -> None:
            thing, heir = self.find(name), repository.owner_name()
            if thing is not None and self.is_theirs(gone.name, thing):
                self.hand_on(thing, gone.name, heir)

        process_each(list(self.listed(gone.name)), lambda each: retry_lost_race(lambda: pass_one_on(each)))


def is_still_owner(heir: str | None) -> list[Write]:
    """Check that the heir still owns the site."""
    return [Check(keys.OWNER, Equals("name", heir))] if heir else []

"""Handing over what a removed person ran to the site's owner, so that the next person of that name cannot run it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from acts.queues import process_each
from acts.retry import retry_lost_race
from store import keys
from store.table import Check, Equals, Write

from . import repository
from .models import User

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Handover(Generic[T]):
    """One kind of thing that people run."""

    listed: Callable[[str], Iterable[str]]  # by whom, and which
    find: Callable[[str], T | None]
    is_theirs: Callable[[str, T], bool]
    hand_on: Callable[[T, str, str | None], None]  # from whom, and to whom; a site without an owner has no heir

    def pass_on(self, gone: User) -> None:
        """Everything they ran gets its heir, also if somebody changes it at the same moment."""
        process_each(list(self.listed(gone.name)), lambda each: retry_lost_race(lambda: self._pass_on(each, gone.name)))

    def _pass_on(self, name: str, gone: str) -> None:
        thing, heir = self.find(name), repository.owner_name()
        if thing is not None and self.is_theirs(gone, thing):
            self.hand_on(thing, gone, heir)


def is_still_owner(heir: str | None) -> list[Write]:
    """That the heir still owns the site."""
    return [Check(keys.owner(), Equals("name", heir))] if heir else []

"""Who may open which page about a question set. One that somebody may not see is not there for them."""

from __future__ import annotations

from typing import Any

from django.http import Http404

from accounts.access import requires
from accounts.models import User
from accounts.rules import Permission

from . import repository, rules
from .rules import Whole

Part = tuple[Whole, int]  # a set, and the number of something in it


def _visible(user: User, whole: Whole) -> None:
    if not rules.sees(user.name, user.role, whole.set):
        raise Http404


def _owned(user: User, whole: Whole) -> None:
    _visible(user, whole)
    rules.check_owns(user.name, whole.set)


def _taken_away(user: User, whole: Whole) -> None:
    _visible(user, whole)
    rules.check_takes_away(user.name, user.role, whole.set)


def _part(set_id: str, number: int) -> Part | None:
    whole = repository.whole(set_id)
    return (whole, number) if whole else None


def _part_owned(user: User, part: Part) -> None:
    _owned(user, part[0])


seen: Any = requires(Permission.USE_APPLICATION, load=repository.whole, rule=_visible)
owned: Any = requires(Permission.USE_APPLICATION, load=repository.whole, rule=_owned)
taken_away: Any = requires(Permission.USE_APPLICATION, load=repository.whole, rule=_taken_away)
part_owned: Any = requires(Permission.USE_APPLICATION, load=_part, rule=_part_owned)

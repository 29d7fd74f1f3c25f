"""Access to pages about question sets. A set that a user may not see does not exist for them."""

from __future__ import annotations

from typing import Any

from django.http import Http404

from accounts.access import requires
from accounts.models import User
from accounts.rules import Permission

from . import repository, rules
from .rules import FullSet

Part = tuple[FullSet, int]  # a set, and the number of something in it


def check_visible(user: User, full: FullSet) -> None:
    if not rules.may_see(user.name, user.role, full.set):
        raise Http404


def check_owned(user: User, full: FullSet) -> None:
    check_visible(user, full)
    rules.check_owns(user.name, full.set)


def _withdrawable(user: User, full: FullSet) -> None:
    check_visible(user, full)
    rules.check_may_withdraw(user.name, user.role, full.set)


def _part(set_id: str, number: int) -> Part | None:
    full = repository.find_full(set_id)
    return (full, number) if full else None


visible: Any = requires(Permission.USE_APPLICATION, load=repository.find_full, rule=check_visible)
owned: Any = requires(Permission.USE_APPLICATION, load=repository.find_full, rule=check_owned)
withdrawable: Any = requires(Permission.USE_APPLICATION, load=repository.find_full, rule=_withdrawable)
part_owned: Any = requires(Permission.USE_APPLICATION, load=_part, rule=lambda user, part: check_owned(user, part[0]))

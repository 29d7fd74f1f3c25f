"""Whom pages about skills are for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from accounts.access import View, requires
from accounts.models import User
from accounts.rules import Permission
from accounts.services import who
from store import keys

from . import merging, repository, rules
from .repository import Profile
from .rules import Skill, State


def profile_for(user: User, name: str) -> Profile | None:
    """The profile of somebody, if it is there for this person: of a hidden one nobody can tell that it is."""
    found = repository.profile(name)
    if found is None or not rules.may_see(who(user), keys.fold(found.person.name), found.own.visibility):
        return None
    return found


def listed_for(user: User, skill_id: str) -> Skill | None:
    """A skill to look at: an old id leads to the new one, and a proposal is for those who decide about it."""
    skill = merging.current(skill_id)
    return None if skill is None or (skill.state == State.PROPOSED and not user.can_manage_people) else skill


def own_for(user: User, skill_id: str) -> Skill | None:
    """A skill to have."""
    skill = merging.current(skill_id)
    return None if skill is None or skill.state == State.PROPOSED else skill


def any_for(user: User, skill_id: str) -> Skill | None:
    """A skill to change, under its own id."""
    return repository.find(skill_id)


def of_admins(methods: Callable[..., Any]) -> Callable[..., Any]:
    """For those who look after the catalogue, at any skill that is there."""
    return lambda view: requires(Permission.MANAGE_USERS, load_for=any_for)(methods(view))


def of_owners(methods: Callable[..., Any]) -> Callable[[View], View]:
    """For whoever may have skills here, at any skill of the catalogue."""
    return lambda view: requires(Permission.VOTE, load_for=own_for)(methods(view))

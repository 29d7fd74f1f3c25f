"""Access rules of the pages about skills."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from accounts.access import View, allow_everyone, requires
from accounts.models import User
from accounts.rules import Permission
from accounts.services import name_and_role
from foundation.store import keys

from . import endorsements, merging, repository, rules
from .endorsements import Endorsement
from .repository import Profile
from .rules import Held, Skill, State


def may_see_profile(user: User, name: str) -> bool:
    """Reads only the visibility of the profile."""
    visibility = endorsements.visibilities([name])[keys.fold(name)]
    return rules.may_see(name_and_role(user), keys.fold(name), visibility)


def profile_for(user: User, name: str, find: Callable[[str], Profile | None] = repository.profile) -> Profile | None:
    """The profile, if this user may see it; a hidden one is indistinguishable from a missing one."""
    profile = find(name)
    if profile and rules.may_see(name_and_role(user), keys.fold(profile.person.name), profile.own.visibility):
        return profile
    return None


def skill_at(word: str) -> Skill | None:
    """By its id, the id of a skill that became part of it, or one of its names."""
    return merging.follow_merges(word) or repository.find_by_name(word)


def listed_for(user: User, skill_id: str) -> Skill | None:
    """A skill to view; proposals are only for those who decide about them."""
    skill = skill_at(skill_id)
    return None if skill is None or (skill.state == State.PROPOSED and not user.can_manage_people) else skill


def own_for(user: User, skill_id: str) -> Skill | None:
    """A skill to add to one's profile."""
    skill = skill_at(skill_id)
    return None if skill is None or skill.state == State.PROPOSED else skill


def of_admins(methods: Callable[..., Any]) -> Callable[[View], View]:
    """For admins of the catalogue, on any existing skill."""
    return lambda view: requires(Permission.MANAGE_USERS, load=repository.find, rule=allow_everyone)(methods(view))


def of_owners(methods: Callable[..., Any]) -> Callable[[View], View]:
    """For everyone who may have skills, on any skill of the catalogue."""
    return lambda view: requires(Permission.VOTE, load_for=own_for)(methods(view))


# --- endorsements ---


@dataclass(frozen=True, slots=True)
class Entry:
    """A skill on a person's profile."""

    profile: Profile
    skill: Skill
    held: Held


def entry_for(user: User, name: str, skill_id: str) -> Entry | None:
    """During a merge, the entry may still be under the old id. Endorsements are read by the pages."""
    profile = profile_for(user, name, repository.profile_without_endorsements)
    skill = merging.follow_merges(skill_id)
    if profile is None or skill is None:
        return None
    held = profile.own.held.get(skill.id) or profile.own.held.get(skill_id)
    return Entry(profile, skill, held) if held else None


def endorsable_for(user: User, name: str, skill_id: str) -> Entry | None:
    """Only on profiles visible to members, even for admins, who see more."""
    entry = entry_for(user, name, skill_id)
    return entry if entry is not None and entry.profile.own.visibility == rules.Visibility.MEMBERS else None


def endorsement_by(user: User, name: str, skill_id: str) -> Endorsement | None:
    """The user's own endorsement, whether or not the profile is still visible."""
    return _endorsement(name, skill_id, user.name)


def endorsement_of(user: User, skill_id: str, by: str) -> Endorsement | None:
    """An endorsement the user received, if they may see who gave it."""
    endorsement = _endorsement(user.name, skill_id, by)
    return endorsement if endorsement is not None and may_see_profile(user, by) else None


def _endorsement(name: str, skill_id: str, by: str) -> Endorsement | None:
    """Under this id, or the one the skill has been merged into."""
    skill = merging.follow_merges(skill_id)
    return endorsements.find(name, skill_id, by) or (endorsements.find(name, skill.id, by) if skill else None)

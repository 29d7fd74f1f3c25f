"""Changing the skill catalogue: proposing, approving, naming."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from accounts import repository as people
from accounts.models import User
from accounts.services import role_unchanged
from acts.refusals import LostRace, NameTaken, NotNow, TooMany
from acts.retry import unique_suffixes
from acts.storage import now_text, record
from skills import repository, rules
from skills.rules import NAME_TAKEN, NOT_NOW, TOO_MANY_ALIASES, Skill, State
from store import keys
from store.log import Event
from store.table import Check, Write


def propose(user: User, name: str, category: str, description: str) -> Skill:
    """Proposes a skill for the catalogue; only the log records who proposed it."""
    skill = Skill("", name, category, description, state=State.PROPOSED, at=now_text())
    return _create(user, "SkillProposed", skill, people.is_same_account(user))


def add(admin: User, name: str, category: str, description: str) -> Skill:
    """Adds a skill directly to the catalogue."""
    return _create(admin, "SkillAdded", Skill("", name, category, description, at=now_text()), role_unchanged(admin))


def _create(user: User, kind: str, skill: Skill, is_still: Check) -> Skill:
    for suffix in unique_suffixes():
        made = replace(skill, id=rules.new_id(skill.name, suffix))
        fields = ("name", "category", "description", "at")
        event_data = {"skill_id": made.id, **{name: getattr(made, name) for name in fields}}
        try:
            record(Event(user.name, kind, event_data), *repository.creation(made), is_still)
        except LostRace as refused:
            _check_free(refused, made.name)
            if repository.ID_TAKEN not in refused.parts:
                raise
        else:
            return made
    raise LostRace


def _check_free(refused: LostRace, name: str) -> None:
    """Looks up the name, because the first failed part may hide others."""
    if repository.NAME_TAKEN in refused.parts:
        there = repository.find_by_name(name)
        raise NameTaken(NAME_TAKEN % {"name": there.name if there else name}) from None


def _record(
    user: User, kind: str, skill: Skill, event_data: dict[str, Any], writes: Iterable[Write], name: str = ""
) -> None:
    """Pass a `name` if it might be taken."""
    try:
        record(Event(user.name, kind, {"skill_id": skill.id, **event_data}), *writes, role_unchanged(user))
    except LostRace as refused:
        if name:
            _check_free(refused, name)
        raise


# --- proposals ---


def approve(admin: User, skill: Skill) -> None:
    _decide(admin, "SkillApproved", skill, repository.approval)


def refuse(admin: User, skill: Skill) -> None:
    _decide(admin, "SkillRefused", skill, repository.refusal)


def _decide(admin: User, kind: str, skill: Skill, decision: Callable[[Skill], list[Write]]) -> None:
    if skill.state != State.PROPOSED:
        raise NotNow(NOT_NOW)
    _record(admin, kind, skill, {}, decision(skill))


# --- names and descriptions ---


def check_changeable(skill: Skill) -> None:
    """Refuses skills being merged, and merged ones, which only redirect."""
    if skill.closing or skill.state == State.MERGED:
        raise NotNow(NOT_NOW)


def edit(admin: User, skill: Skill, category: str, description: str) -> None:
    check_changeable(skill)
    if (category, description) == (skill.category, skill.description):
        return
    after = replace(skill, category=category, description=description)
    event_data = {"category": category, "description": description}
    _record(admin, "SkillEdited", skill, event_data, repository.change(skill, after))


def rename(admin: User, skill: Skill, name: str) -> None:
    """Keeps the id, and the old name as an alias."""
    check_changeable(skill)
    if name == skill.name:
        return
    _record(admin, "SkillRenamed", skill, {"name": name}, repository.renaming(skill, name), name)


def add_alias(admin: User, skill: Skill, alias: str) -> None:
    check_changeable(skill)
    if len(skill.aliases) >= rules.MAX_ALIASES:
        raise TooMany(TOO_MANY_ALIASES)
    # its own names count as taken, too
    if keys.fold(alias) in map(keys.fold, skill.names):
        raise NameTaken(NAME_TAKEN % {"name": skill.name})
    _record(admin, "SkillAliasAdded", skill, {"alias": alias}, repository.adding_alias(skill, alias), alias)


def remove_alias(admin: User, skill: Skill, alias: str) -> None:
    check_changeable(skill)
    if alias not in skill.aliases:
        raise NotNow(NOT_NOW)
    _record(admin, "SkillAliasRemoved", skill, {"alias": alias}, repository.removing_alias(skill, alias))

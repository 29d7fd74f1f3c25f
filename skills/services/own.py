"""Changing one's own skills: adding, confirming, removing, and who can see them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from accounts import repository as people
from accounts import services as accounts
from accounts.models import User
from acts.refusals import NotThere
from acts.retry import retried, run_once
from acts.storage import SITE, now_text, record
from skills import repository, rules
from skills.merging import settle_merges
from skills.rules import NOT_THERE, Held, OwnSkills, Visibility
from store.log import Event
from store.table import Write


def hold(user: User, skill_id: str, form: str, **event_data: Any) -> None:
    """Adds a skill to the profile, or updates it. Idempotent per form token.

    Of two windows, the later one wins.
    """
    mark = f"{user.name} {form}"
    run_once(mark, lambda: _hold(user, skill_id, mark, event_data), None)


@retried
def _hold(user: User, skill_id: str, mark: str, event_data: dict[str, Any]) -> None:
    skill, now = settle_merges(skill_id, user.name), now_text()
    own = repository.own_skills(user.name)
    rules.check_room(own, skill.id)
    before = own.held.get(skill.id)
    after = Held(skill.id, **event_data, added_at=before.added_at if before else now, confirmed_at=now)
    kind = "PersonSkillAdded" if before is None else "PersonSkillChanged"
    if before is not None and before.statement == after.statement:
        kind = "PersonSkillConfirmed"
    # The log does not keep notes: they are only for those who may see the entry, and are deleted with it.
    changes = {name: value for name, value in after.statement.items() if name != "notes"}
    writes = (*repository.holding(own, after), repository.skill_unchanged(skill))
    data = {"skill_id": skill.id, **({} if kind == "PersonSkillConfirmed" else changes), "at": now}
    _record(user, kind, data, *writes, mark=mark)


@retried
def confirm(user: User, skill_id: str, seen: str) -> None:
    """Confirms that the entry is still right; confirming twice from one page counts once."""
    skill, own, now = settle_merges(skill_id, user.name), repository.own_skills(user.name), now_text()
    before = _held(own, skill.id)
    if seen and before.confirmed_at != seen:
        return
    writes = (*repository.holding(own, replace(before, confirmed_at=now)), repository.skill_unchanged(skill))
    _record(user, "PersonSkillConfirmed", {"skill_id": skill.id, "at": now}, *writes)


@retried
def let_go(user: User, skill_id: str) -> None:
    skill, own = settle_merges(skill_id, user.name), repository.own_skills(user.name)
    _held(own, skill.id)
    writes = (*repository.removing(own, skill.id), repository.skill_unchanged(skill))
    _record(user, "PersonSkillRemoved", {"skill_id": skill.id}, *writes)


def _held(own: OwnSkills, skill_id: str) -> Held:
    if skill_id not in own.held:
        raise NotThere(NOT_THERE)
    return own.held[skill_id]


def show_to(user: User, visibility: Visibility) -> None:
    """Adds all entries to the index, or removes them, in the same transaction. If fewer people may see the profile, its
    picture gets a new URL."""
    before = _show_to(user, visibility)
    widest_first = list(Visibility)
    if widest_first.index(visibility) > widest_first.index(before):
        accounts.move_picture(user)


@retried
def _show_to(user: User, visibility: Visibility) -> Visibility:
    """Returns the previous visibility."""
    own = repository.own_skills(user.name)
    if own.visibility != visibility:
        data = {"visibility": visibility.value}
        _record(user, "ProfileVisibilityChanged", data, *repository.changing_visibility(own, visibility))
    return own.visibility


def _record(user: User, kind: str, event_data: dict[str, Any], *writes: Write, mark: str | None = None) -> None:
    event = Event(user.name, kind, {"name": user.name, **event_data})
    record(event, *writes, people.is_same_account(user), once=mark)


# --- leaving ---


def delete_skills(gone: User) -> None:
    """Delete all skills of a removed person."""
    own = repository.own_skills(gone.name)
    if own.version:
        event = Event(SITE, "PersonSkillsRemoved", {"name": own.name})
        record(event, *repository.deleting_all(own))

"""Actions on skills: load, decide, record in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from accounts import repository as people
from accounts import services as accounts
from accounts.models import User
from accounts.services import role_unchanged
from foundation.acts.refusals import LostRace, NameTaken, NotNow, NotThere, TooMany
from foundation.acts.retry import retried, retry_lost_race, run_once, unique_suffixes
from foundation.acts.storage import SITE, now_text, record, table, unchanged
from foundation.store import keys
from foundation.store.log import Event
from foundation.store.splitting import by_count
from foundation.store.table import Check, Delete, Exists, Key, Write

from . import endorsements, repository, rules
from .endorsements import Endorsement, Ground
from .merging import settle_merges
from .rules import Held, OwnSkills, Skill, State, Visibility

TRANSACTION_ENDORSEMENTS = 85  # per transaction, in addition to the log's parts


# --- the catalogue ---


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
        raise NameTaken(rules.NAME_TAKEN % {"name": there.name if there else name}) from None


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
        raise NotNow(rules.NOT_NOW)
    _record(admin, kind, skill, {}, decision(skill))


# --- names and descriptions ---


def check_changeable(skill: Skill) -> None:
    """Refuses skills being merged, and merged ones, which only redirect."""
    if skill.closing or skill.state == State.MERGED:
        raise NotNow(rules.NOT_NOW)


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
        raise TooMany(rules.TOO_MANY_ALIASES)
    # its own names count as taken, too
    if keys.fold(alias) in map(keys.fold, skill.names):
        raise NameTaken(rules.NAME_TAKEN % {"name": skill.name})
    _record(admin, "SkillAliasAdded", skill, {"alias": alias}, repository.adding_alias(skill, alias), alias)


def remove_alias(admin: User, skill: Skill, alias: str) -> None:
    check_changeable(skill)
    if alias not in skill.aliases:
        raise NotNow(rules.NOT_NOW)
    _record(admin, "SkillAliasRemoved", skill, {"alias": alias}, repository.removing_alias(skill, alias))


# --- own skills ---


def hold(user: User, skill_id: str, form: str, **event_data: Any) -> None:
    """Adds a skill to the profile, or updates it. Idempotent per form token.

    Of two windows, the later one wins.
    """
    mark = f"{user.name} {form}"
    run_once(mark, lambda: _hold(user, skill_id, mark, event_data), None)


def add_to_profile(user: User, skill_id: str, **event_data: Any) -> None:
    """As `hold`, but refused if the profile has it already."""
    _hold(user, skill_id, None, event_data, is_new=True)


def change_in_profile(user: User, skill_id: str, **event_data: Any) -> None:
    """As `hold`, but refused if the profile does not have it."""
    _hold(user, skill_id, None, event_data, is_new=False)


@retried
def _hold(user: User, skill_id: str, mark: str | None, event_data: dict[str, Any], is_new: bool | None = None) -> None:
    skill, now = settle_merges(skill_id, user.name), now_text()
    own = repository.own_skills(user.name)
    rules.check_room(own, skill.id)
    before = own.held.get(skill.id)
    if is_new and before is not None:
        raise NotNow(rules.ALREADY_HELD)
    if is_new is False:
        _held(own, skill.id)
    after = Held(skill.id, **event_data, added_at=before.added_at if before else now, confirmed_at=now)
    kind = "PersonSkillAdded" if before is None else "PersonSkillChanged"
    if before is not None and before.statement == after.statement:
        kind = "PersonSkillConfirmed"
    # The log does not keep notes: they are only for those who may see the entry, and are deleted with it.
    changes = {name: value for name, value in after.statement.items() if name != "notes"}
    writes = (*repository.holding(own, after), repository.skill_unchanged(skill))
    data = {"skill_id": skill.id, **({} if kind == "PersonSkillConfirmed" else changes), "at": now}
    _record_held(user, kind, data, *writes, mark=mark)


@retried
def confirm(user: User, skill_id: str, seen: str) -> None:
    """Confirms that the entry is still right; confirming twice from one page counts once."""
    skill, own, now = settle_merges(skill_id, user.name), repository.own_skills(user.name), now_text()
    before = _held(own, skill.id)
    if seen and before.confirmed_at != seen:
        return
    writes = (*repository.holding(own, replace(before, confirmed_at=now)), repository.skill_unchanged(skill))
    _record_held(user, "PersonSkillConfirmed", {"skill_id": skill.id, "at": now}, *writes)


@retried
def remove_from_profile(user: User, skill_id: str) -> None:
    skill, own = settle_merges(skill_id, user.name), repository.own_skills(user.name)
    _held(own, skill.id)
    writes = (*repository.removing(own, skill.id), repository.skill_unchanged(skill))
    _record_held(user, "PersonSkillRemoved", {"skill_id": skill.id}, *writes)


def _held(own: OwnSkills, skill_id: str) -> Held:
    if skill_id not in own.held:
        raise NotThere(rules.NOT_THERE)
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
        _record_held(user, "ProfileVisibilityChanged", data, *repository.changing_visibility(own, visibility))
    return own.visibility


def _record_held(user: User, kind: str, event_data: dict[str, Any], *writes: Write, mark: str | None = None) -> None:
    event = Event(user.name, kind, {"name": user.name, **event_data})
    record(event, *writes, people.is_same_account(user), once=mark)


# --- leaving ---


def delete_skills(gone: User) -> None:
    """Delete all skills of a removed person."""
    own = repository.own_skills(gone.name)
    if own.version:
        event = Event(SITE, "PersonSkillsRemoved", {"name": own.name})
        record(event, *repository.deleting_all(own))


# --- endorsements ---


def endorse(user: User, whom: User, skill_id: str, grounds: Iterable[Ground], form: str) -> None:
    """Endorses once, with the person's current level. Idempotent per form token."""
    mark, why = f"{user.name} {form}", [ground.value for ground in grounds]
    run_once(mark, lambda: _endorse(user, whom, skill_id, why, mark), None)


@retried
def _endorse(user: User, whom: User, skill_id: str, grounds: list[str], mark: str) -> None:
    skill, count = settle_merges(skill_id, whom.name), endorsements.count_of(user.name)
    own = repository.own_skills(whom.name)
    if keys.fold(own.name) == keys.fold(user.name):
        raise NotNow(rules.ONESELF)
    # people hidden from members cannot be endorsed, whatever the endorser's role
    if own.visibility != Visibility.MEMBERS or skill.id not in own.held:
        raise NotThere(rules.NOT_THERE)
    if endorsements.find(whom.name, skill.id, user.name) is not None:
        raise NotNow(rules.ENDORSED_ALREADY)
    level, now = own.held[skill.id].level, now_text()
    made = Endorsement(whom.name, skill.id, user.name, tuple(grounds), level, now, given=count + 1)
    event_data = {"name": whom.name, "skill_id": skill.id, "grounds": grounds, "level": level, "at": now}
    checks = (
        repository.skill_unchanged(skill),
        Check(keys.own_skills(own.name), unchanged(own)),
        people.is_same_account(whom),
        people.is_same_account(user),
    )
    record(Event(user.name, "PersonEndorsed", event_data), *endorsements.giving(made, count), *checks, once=mark)


@retried
def withdraw(user: User, name: str, skill_id: str) -> None:
    """Allowed even if the profile is no longer visible, because it is the user's own endorsement."""
    skill, count = settle_merges(skill_id, name), endorsements.count_of(user.name)
    found = _find_endorsement(name, skill.id, user.name)
    event_data = {"name": found.name, "skill_id": skill.id}
    writes = (*endorsements.withdrawing(found, count), repository.skill_unchanged(skill), people.is_same_account(user))
    record(Event(user.name, "EndorsementWithdrawn", event_data), *writes)


@retried
def hide(user: User, skill_id: str, by: str, hidden: bool = True) -> None:
    """Hides it from others, or shows it again; the endorser is not notified."""
    skill = settle_merges(skill_id, user.name)
    found = _find_endorsement(user.name, skill.id, by)
    if found.hidden == hidden:
        return
    kind = "EndorsementHidden" if hidden else "EndorsementShown"
    event = Event(user.name, kind, {"name": user.name, "skill_id": skill.id, "by": found.by})
    checks = (repository.skill_unchanged(skill), people.is_same_account(user))
    record(event, *endorsements.hiding(found, hidden), *checks)


def _find_endorsement(name: str, skill_id: str, by: str) -> Endorsement:
    found = endorsements.find(name, skill_id, by)
    if found is None:
        raise NotThere(rules.NOT_ENDORSED)
    return found


# --- leaving ---


def delete_endorsements(gone: User) -> None:
    """Deletes all endorsements given and received; repeats, because a concurrent merge may have moved some."""
    found = 1
    while found:
        # endorsements the index does not have yet are found by the final cleanup
        spans = (keys.endorsements(gone.name), keys.endorses(gone.name))
        places = [Key(item["PK"], item["SK"]) for span in spans for item in table().each(span)]
        batches = by_count([keys.endorsing(gone.name), *places], TRANSACTION_ENDORSEMENTS)
        found = sum(retry_lost_race(partial(_removed, gone.name, some)) for some in batches)


def _removed(name: str, places: list[Key]) -> bool:
    """Whether there was anything to delete; the index may be out of date."""
    there = table().get_many(places)
    if not there:
        return False
    counter = [Delete(place, when=Exists()) for place in there if place == keys.endorsing(name)]
    gone = [endorsements.endorsement_of(item) for place, item in there.items() if place != keys.endorsing(name)]
    event_data = {  # parallel lists, so that the log can erase each name
        "name": name,
        "people": [each.name for each in gone],
        "skills": [each.skill for each in gone],
        "by": [each.by for each in gone],
    }
    record(Event(SITE, "EndorsementsRemoved", event_data), *map(endorsements.going, gone), *counter)
    return True

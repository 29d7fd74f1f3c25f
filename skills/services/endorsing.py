"""Endorsing a person's skill, withdrawing that, and hiding endorsements of one's own skills.

Nobody is prompted, mailed or ranked because of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from accounts import repository as people
from accounts.models import User
from acts.refusals import NotNow, NotThere
from acts.retry import retried, retry_lost_race, run_once
from acts.storage import SITE, now_text, record, table
from acts.versions import unchanged
from skills import endorsements, repository, rules
from skills.endorsements import Endorsement, Ground
from skills.merging import settle_merges
from skills.rules import ENDORSED_ALREADY, NOT_ENDORSED, ONESELF, Skill, Visibility
from store import keys
from store.log import Event
from store.splitting import by_count
from store.table import Check, Delete, Exists, Key

TRANSACTION_ENDORSEMENTS = 85  # per transaction, in addition to the log's parts


def endorse(user: User, whom: User, skill_id: str, grounds: Iterable[Ground], form: str) -> None:
    """Endorses once, with the person's current level. Idempotent per form token."""
    mark, why = f"{user.name} {form}", [ground.value for ground in grounds]
    run_once(mark, lambda: _endorse(user, whom, skill_id, why, mark), None)


@retried
def _endorse(user: User, whom: User, skill_id: str, grounds: list[str], mark: str) -> None:
    skill, count = settle_merges(skill_id, whom.name), endorsements.count_of(user.name)
    own = repository.own_skills(whom.name)
    _check(user, own, skill)
    if endorsements.find(whom.name, skill.id, user.name) is not None:
        raise NotNow(ENDORSED_ALREADY)
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


def _check(user: User, own: rules.OwnSkills, skill: Skill) -> None:
    """People hidden from members cannot be endorsed, whatever the endorser's role."""
    if keys.fold(own.name) == keys.fold(user.name):
        raise NotNow(ONESELF)
    if own.visibility != Visibility.MEMBERS or skill.id not in own.held:
        raise NotThere(rules.NOT_THERE)


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
        raise NotThere(NOT_ENDORSED)
    return found


# --- leaving ---


def delete_endorsements(gone: User) -> None:
    """Deletes all endorsements given and received; repeats, because a concurrent merge may have moved some."""
    while sum(retry_lost_race(partial(_removed, gone.name, some)) for some in _batches_of(gone.name)):
        pass


def _batches_of(name: str) -> Iterable[list[Key]]:
    """Endorsements the index does not have yet are found by the final cleanup."""
    spans = (keys.endorsements(name), keys.endorses(name))
    places = [Key(item["PK"], item["SK"]) for span in spans for item in table().each(span)]
    return by_count([keys.endorsing(name), *places], TRANSACTION_ENDORSEMENTS)


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

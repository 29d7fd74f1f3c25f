"""Replaying events about skills: for each event type, the same writes as the live act."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from acts.storage import table, use_table
from store import keys
from store.replay import DoesNotFit, Happened, Step, begins
from store.schema import EventType
from store.table import Delete, Put, Table, Write

from . import endorsements, merging, repository
from .endorsements import Endorsement
from .repository import MERGING
from .rules import Held, OwnSkills, Skill, State, Visibility


def skill_of(event: Happened) -> Skill:
    skill = repository.find(event.data["skill_id"])
    if skill is None:
        raise DoesNotFit(f"is about the skill {event.data['skill_id']}, which does not exist at that point.")
    return skill


# --- the catalogue ---


def created(event: Happened) -> Iterator[Step]:
    data, state = event.data, State.PROPOSED if event.kind == "SkillProposed" else State.LISTED
    fields = (data["skill_id"], data["name"], data["category"], data["description"])
    yield repository.creation(Skill(*fields, state=state, at=data["at"]))


def edited(event: Happened) -> Iterator[Step]:
    skill, data = skill_of(event), event.data
    yield repository.change(skill, replace(skill, category=data["category"], description=data["description"]))


def merged(event: Happened) -> Iterator[Step]:
    """Moves everything at once, since the log has no action in between."""
    source, target = skill_of(event), repository.find(event.data["into"])
    if target is None:
        raise DoesNotFit(f"merges a skill into {event.data['into']}, which does not exist at that point.")
    yield repository.closing_for_merge(source, target, event.actor)
    shut, into = skill_of(event), repository.find(target.id)
    assert into is not None
    yield repository.finishing_merge(shut, into)
    MERGING.advance(source.id)


# --- own skills ---


def own_of(event: Happened) -> OwnSkills:
    return repository.own_skills(event.data["name"])


def held(event: Happened) -> Iterator[Step]:
    data, own = event.data, own_of(event)
    before = own.held.get(data["skill_id"])
    if (before is None) != (event.kind == "PersonSkillAdded"):
        having = "to have the skill" if before is None else "not to have the skill yet"
        raise DoesNotFit(f"expects {own.name} {having} at that point.")
    changes: dict[str, Any] = {name: data[name] for name in ("level", "years", "last_used", "interest") if name in data}
    entry = before or Held(data["skill_id"], 0, 0, added_at=data["at"])
    yield repository.holding(own, replace(entry, **changes, confirmed_at=data["at"]))


# --- endorsing ---


def endorsed(event: Happened) -> Iterator[Step]:
    data, count = event.data, endorsements.count_of(event.actor)
    fields = (data["name"], data["skill_id"], event.actor, tuple(data["grounds"]), data["level"], data["at"])
    yield endorsements.giving(Endorsement(*fields, given=count + 1), count)


def endorsement_of(event: Happened, by: str) -> Endorsement:
    data = event.data
    found = endorsements.find(data["name"], data["skill_id"], by)
    if found is None:
        raise DoesNotFit(f"is about an endorsement by {by}, which does not exist at that point.")
    return found


def withdrawn(event: Happened) -> Iterator[Step]:
    yield endorsements.withdrawing(endorsement_of(event, event.actor), endorsements.count_of(event.actor))


def hidden(event: Happened) -> Iterator[Step]:
    yield endorsements.hiding(endorsement_of(event, event.data["by"]), event.kind == "EndorsementHidden")


def endorsements_removed(event: Happened) -> Iterator[Step]:
    """Endorsements not yet moved to the merged skill at that time have already been moved here."""
    data = event.data
    places = set()
    for name, skill_id, by in zip(data["people"], data["skills"], data["by"], strict=True):
        skill = merging.follow_merges(skill_id)
        places.add(keys.endorsement(name, skill.id if skill else skill_id, by))
    yield [*map(Delete, sorted(places)), Delete(keys.endorsing(data["name"]))]


OF_A_SKILL = "skill_id name category description at"
HELD = "name:person skill_id level:int years:int last_used interest:bool shard:int at"
EVENTS = (
    EventType("SkillProposed", created, OF_A_SKILL),
    EventType("SkillAdded", created, OF_A_SKILL),
    EventType("SkillApproved", lambda event: repository.approval(skill_of(event)), "skill_id"),
    EventType("SkillRefused", lambda event: repository.refusal(skill_of(event)), "skill_id"),
    EventType("SkillEdited", edited, "skill_id category description"),
    EventType("SkillRenamed", lambda event: repository.renaming(skill_of(event), event.data["name"]), "skill_id name"),
    EventType("SkillAliasAdded", lambda event: repository.adding_alias(skill_of(event), event.data["alias"]),
              "skill_id alias"),
    EventType("SkillAliasRemoved", lambda event: repository.removing_alias(skill_of(event), event.data["alias"]),
              "skill_id alias"),
    EventType("SkillMerged", merged, "skill_id into"),
    EventType("PersonSkillAdded", held, HELD),
    EventType("PersonSkillChanged", held, HELD),
    EventType("PersonSkillConfirmed", held, "name:person skill_id at"),
    EventType("PersonSkillRemoved", lambda event: repository.removing(own_of(event), event.data["skill_id"]),
              "name:person skill_id"),
    EventType("ProfileVisibilityChanged", lambda event: repository.changing_visibility(
        own_of(event), Visibility(event.data["visibility"])), "name:person visibility"),
    EventType("PersonSkillsRemoved", lambda event: repository.deleting_all(own_of(event)), "name:person"),
    EventType("PersonEndorsed", endorsed, "name:person skill_id grounds:list level:int at"),
    EventType("EndorsementWithdrawn", withdrawn, "name:person skill_id"),
    EventType("EndorsementHidden", hidden, "name:person skill_id by:person"),
    EventType("EndorsementShown", hidden, "name:person skill_id by:person"),
    EventType("EndorsementsRemoved", endorsements_removed, "name:person people:people skills:list by:people"),
)  # fmt: skip


# --- events that take several transactions ---


def is_merge_step(writes: Sequence[Write]) -> bool:
    """Whether this moves one person's entries to the other skill during a merge."""
    tasks = [each for each in writes if each.key.pk.startswith(MERGING.key("").pk)]
    return bool(tasks) and all(map(_is_of_own_skills, (each for each in writes if each not in tasks)))


def _is_of_own_skills(write: Write) -> bool:
    """An entry, an endorsement of it, or the person's summary item."""
    entries = (keys.person_skill("", "").sk, keys.endorsements("").prefix)
    of_them = write.key.sk == keys.own_skills("").sk or begins(write.key.sk) in entries
    return of_them and isinstance(write, Put | Delete)


STEPS = (is_merge_step,)


def close_merging_skills(there: Table) -> None:
    """Closes skills being merged in that table, although the merge is not in the log yet."""
    with use_table(there):
        tasks = MERGING.unfinished()
    for task in tasks:
        stored = there.get(keys.skill(task.subject)) or {}
        source, target = repository.find(task.subject), repository.find(task.data["into"])
        if stored.get("closing") and source is not None and target is not None:
            table().write(*repository.closing_for_merge(source, target, stored["closing"]))


def finish_recorded_merges(there: Table) -> None:
    """Moves entries in that table for merges that the log already has."""
    with use_table(there):
        for task in MERGING.unfinished():
            skill = repository.find(task.subject)
            if skill is not None and not skill.closing:
                MERGING.advance(skill.id)

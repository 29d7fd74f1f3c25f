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
        raise DoesNotFit(f"is about the skill {event.data['skill_id']}, and there is none of that id by then.")
    return skill


# --- the catalogue ---


def created(event: Happened) -> Iterator[Step]:
    said, state = event.data, State.PROPOSED if event.kind == "SkillProposed" else State.LISTED
    words = (said["skill_id"], said["name"], said["category"], said["description"])
    yield repository.creation(Skill(*words, state=state, at=said["at"]))


def edited(event: Happened) -> Iterator[Step]:
    skill, said = skill_of(event), event.data
    yield repository.change(skill, replace(skill, category=said["category"], description=said["description"]))


def merged(event: Happened) -> Iterator[Step]:
    """Moves everything at once, since the log has no action in between."""
    source, target = skill_of(event), repository.find(event.data["into"])
    if target is None:
        raise DoesNotFit(f"merges a skill into {event.data['into']}, and there is none of that id by then.")
    yield repository.closing_for_merge(source, target, event.actor)
    shut, into = skill_of(event), repository.find(target.id)
    assert into is not None
    yield repository.finishing_merge(shut, into)
    MERGING.advance(source.id)


# --- own skills ---


def own_of(event: Happened) -> OwnSkills:
    return repository.own_skills(event.data["name"])


def held(event: Happened) -> Iterator[Step]:
    said, own = event.data, own_of(event)
    before = own.held.get(said["skill_id"])
    if (before is None) != (event.kind == "PersonSkillAdded"):
        raise DoesNotFit(f"takes {own.name} for somebody with{'' if before is None else 'out'} the skill by then.")
    words: dict[str, Any] = {name: said[name] for name in ("level", "years", "last_used", "interest") if name in said}
    since = before or Held(said["skill_id"], 0, 0, added_at=said["at"])
    yield repository.holding(own, replace(since, **words, confirmed_at=said["at"]))


def visibility_changed(event: Happened) -> Iterator[Step]:
    yield repository.changing_visibility(own_of(event), Visibility(event.data["visibility"]))


# --- endorsing ---


def endorsed(event: Happened) -> Iterator[Step]:
    said, count = event.data, endorsements.count_of(event.actor)
    words = (said["name"], said["skill_id"], event.actor, tuple(said["grounds"]), said["level"], said["at"])
    yield endorsements.giving(Endorsement(*words, given=count + 1), count)


def endorsement_of(event: Happened, by: str) -> Endorsement:
    said = event.data
    found = endorsements.find(said["name"], said["skill_id"], by)
    if found is None:
        raise DoesNotFit(f"is about an endorsement by {by}, and there is none by then.")
    return found


def withdrawn(event: Happened) -> Iterator[Step]:
    yield endorsements.withdrawing(endorsement_of(event, event.actor), endorsements.count_of(event.actor))


def hidden(event: Happened) -> Iterator[Step]:
    yield endorsements.hiding(endorsement_of(event, event.data["by"]), event.kind == "EndorsementHidden")


def endorsements_removed(event: Happened) -> Iterator[Step]:
    """Endorsements not yet moved to the merged skill at that time have already been moved here."""
    said = event.data
    three = zip(said["people"], said["skills"], said["by"], strict=True)
    places = {keys.endorsement(name, _merged_id(skill), by) for name, skill, by in three}
    yield [*map(Delete, sorted(places)), Delete(keys.endorsing(said["name"]))]


def _merged_id(skill_id: str) -> str:
    skill = merging.follow_merges(skill_id)
    return skill.id if skill else skill_id


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
    EventType("ProfileVisibilityChanged", visibility_changed, "name:person visibility"),
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

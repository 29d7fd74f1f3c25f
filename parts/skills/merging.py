"""Merges one skill of the catalogue into another: all who have it get the other one, even if a process dies on the way.

First the old skill is closed, then the merge is logged (`foundation.acts.gates`), and then people's entries are moved
in the background. The job iterates over people rather than the index, which lacks people who hide their skills. A
person's endorsements are moved before their entry, in separate transactions, because there may be any number of them.

Meanwhile nobody can add the old skill, and any action on the new one first moves the person's own entry. So the log has
everything in the order in which it happened.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from accounts.models import User
from accounts.services import role_unchanged
from foundation.acts.background import Batch, Task, finished
from foundation.acts.gates import Closing
from foundation.acts.refusals import LostRace, NotThere
from foundation.acts.storage import table, write
from foundation.store import keys
from foundation.store.log import Event
from foundation.store.table import Write

from . import endorsements, repository, rules
from .repository import MERGING
from .rules import NOT_THERE, OwnSkills, Skill, State

TRANSACTION_PEOPLE = 30  # per transaction: each changes at most three items
REQUEST_BATCHES = 5  # done within the request; the worker does the rest
MAX_CHAINED_MERGES = 1_000  # length of a chain of merges that is followed
MAX_PREVIEWED_HOLDERS = 1_000  # checked for a preview


# --- preview ---


@dataclass(frozen=True, slots=True)
class Preview:
    """The visible effects of a merge; hidden entries are moved as well, but not counted here."""

    holders: int
    both: int
    is_complete: bool = True  # whether all holders were checked


def preview(source: Skill, target: Skill) -> Preview:
    rules.check_merge(source, target)
    span = keys.skill_holders(source.id)
    page = table().page(span, limit=MAX_PREVIEWED_HOLDERS)
    places = [keys.person_skill(item["name"], target.id) for item in page.items]
    both = table().get_many(places) if places else {}
    visible = sum("GSI1PK" in item for item in both.values())
    total = table().count(span) if page.cursor else len(page.items)
    return Preview(total, visible, total == len(page.items))


# --- merging ---


def merge(admin: User, source: Skill, target: Skill) -> None:
    rules.check_merge(source, target)
    closing = Closing(partial(_close, admin), _merge_event)
    closing.close(replace(source, into=target.id), admin.name)
    MERGING.start(source.id, REQUEST_BATCHES)


def _close(admin: User | None, source: Skill, who: str) -> tuple[Skill, list[Write]]:
    target = _target(source)
    rules.check_merge(source, target)
    writes = [*repository.closing_for_merge(source, target, who), *([role_unchanged(admin)] if admin else [])]
    return replace(source, closing=who, version=source.version + 1), writes


def _merge_event(shut: Skill) -> tuple[Skill, Event, list[Write]]:
    event = Event(str(shut.closing), "SkillMerged", {"skill_id": shut.id, "into": shut.into})
    return replace(shut, closing=None, state=State.MERGED), event, repository.finishing_merge(shut, _target(shut))


MERGE_CLOSING = Closing(partial(_close, None), _merge_event)


def _target(source: Skill) -> Skill:
    target = repository.find(source.into)
    if target is None:
        raise NotThere(NOT_THERE)
    return target


# --- background work ---


@MERGING.step
def merge_batch(task: Task) -> Batch:
    """Moves some people's entries of a merged skill; first records the merge, in case the request was interrupted."""
    old, new = task.subject, task.data["into"]
    source = repository.find(old)
    if source is not None and source.closing:
        _merged, event, writes = _merge_event(source)
        return Batch(writes, event=event)
    page = table().page(keys.people(), limit=TRANSACTION_PEOPLE, cursor=task.progress.get("after"))
    names = [item["name"] for item in page.items]
    for name in names:
        endorsements.merge_endorsements(name, old, new, repository.merge_is_running(old))
    moved = [write for own in _own_of(names, old, new) for write in repository.moving(own, old, new)]
    return Batch(moved, {"after": page.cursor}) if page.cursor else finished(*moved, repository.ending_merge(old, new))


def _own_of(names: list[str], old: str, new: str) -> list[OwnSkills]:
    """Own skills of those who have the old skill, as a move needs them: the total, and the two entries involved."""
    held = table().get_many(keys.person_skill(name, old) for name in names)
    who = [name for name in names if keys.person_skill(name, old) in held]
    places = [place for name in who for place in (keys.own_skills(name), keys.person_skill(name, new))]
    items = held | (table().get_many(places) if places else {})
    owners = []
    for name in who:
        both = [
            repository.held_of(items[place])
            for skill in (old, new)
            if (place := keys.person_skill(name, skill)) in items
        ]
        head = items.get(keys.own_skills(name), {})
        owners.append(replace(repository.own_of(name, head, both), more=head.get("skills", len(both)) - len(both)))
    return owners


# --- actions during a merge ---


def settle_merges(skill_id: str, name: str) -> Skill:
    """The skill an id now refers to, after moving the person's entries of skills merged into it.

    Raises `LostRace` if others keep winning the race; a later retry finds the work done.
    """
    for _step in range(MAX_CHAINED_MERGES):
        skill = repository.find(skill_id)
        if skill is None or skill.state == State.PROPOSED:
            raise NotThere(NOT_THERE)
        source = repository.find(skill.merging) if skill.merging else skill if skill.into else None
        if source is None:
            return skill
        if source.closing:
            MERGE_CLOSING.record_closed(source)
            continue
        is_under_way = repository.merge_is_running(source.id)
        endorsements.merge_endorsements(name, source.id, source.into, is_under_way)
        if writes := repository.moving(repository.own_skills(name), source.id, source.into):
            write(is_under_way, *writes)
        if not skill.into:
            return skill
        skill_id = skill.into
    raise LostRace


def follow_merges(skill_id: str) -> Skill | None:
    """The skill an id now refers to; `None` if the chain is circular."""
    for _step in range(MAX_CHAINED_MERGES):
        skill = repository.find(skill_id)
        if skill is None or skill.state != State.MERGED:
            return skill
        skill_id = skill.into
    return None

"""Skills in the store: find them by id or name, and the writes that keep their items consistent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from django.utils.translation import gettext_lazy as _

from accounts import repository as people
from accounts.models import User
from accounts.services import name_and_role
from foundation.acts import storage
from foundation.acts.background import TaskType
from foundation.acts.storage import table, unchanged, unchanged_or_new
from foundation.store import keys
from foundation.store.parallel import run_parallel
from foundation.store.table import Check, Condition, Delete, Equals, Exists, Item, Missing, Put, Update, Write

from . import endorsements
from .endorsements import MAX_COUNTED_PER_SKILL, MAX_ENDORSEMENTS_READ, Endorsement, endorsement_of
from .rules import LEVELS, Held, OwnSkills, Skill, State, Visibility, newer, similar_names

MERGING = TaskType("merge skill", _("Merging skills"))

MAX_NAMES_SUGGESTED = 1000
SKILL_FIELDS = ("id", "name", "category", "description", "at", "version")
HELD_FIELDS = ("skill", "level", "years", "last_used", "notes", "interest", "added_at", "confirmed_at")


# --- the catalogue ---


def find(skill_id: str) -> Skill | None:
    item = table().get(keys.skill(skill_id))
    return skill_of(item) if item else None


def find_many(skill_ids: Iterable[str]) -> dict[str, Skill]:
    places = [keys.skill(each) for each in dict.fromkeys(skill_ids)]
    found = table().get_many(places) if places else {}
    return {item["id"]: skill_of(item) for item in found.values()}


def find_by_name(name: str) -> Skill | None:
    """By name or alias, ignoring spelling variants."""
    item = table().get(keys.skill_name(name))
    return find(item["skill"]) if item else None


def find_each_by_name(names: Iterable[str]) -> dict[str, Skill | None]:
    """The skill for each name, in two round trips."""
    places = {name: keys.skill_name(name) for name in names}
    named = table().get_many(places.values()) if places else {}
    ids = {name: named[place]["skill"] for name, place in places.items() if place in named}
    found = find_many(ids.values())
    return {name: found.get(ids.get(name, "")) for name in places}


def catalogue(*, category: str = "", limit: int, cursor: str | None = None) -> tuple[list[Skill], str | None]:
    page = table().page(keys.skills(category), limit=limit, cursor=cursor)
    return [skill_of(item) for item in page.items], page.cursor


def proposals(*, limit: int, cursor: str | None = None) -> tuple[list[Skill], str | None]:
    """Oldest first."""
    page = table().page(keys.PROPOSED_SKILLS, limit=limit, cursor=cursor)
    return [skill_of(item) for item in page.items], page.cursor


@dataclass(frozen=True, slots=True)
class Match:
    """A skill, and the name it was found by."""

    skill: Skill
    by: str


def search(prefix: str, *, limit: int, cursor: str | None = None) -> tuple[list[Match], str | None]:
    """Skills with a name that starts like this, each once per page; if there is none, similar ones."""
    page = table().page(keys.skill_names(prefix), limit=limit, cursor=cursor)
    names: dict[str, str] = {}
    for item in page.items:
        names.setdefault(item["skill"], item["name"])
    if not names and not cursor:
        by_name = skills_by_name()
        names = {by_name[each]: each for each in similar_names(by_name, prefix)[0]}
    found = find_many(names)
    return [
        Match(found[each], by) for each, by in names.items() if each in found and found[each].is_listed
    ], page.cursor


def skills_by_name() -> dict[str, str]:
    """The skill of each name and alias, to suggest them: all of an ordinary catalogue, or the first of a huge one."""
    return {item["name"]: item["skill"] for item in table().page(keys.skill_names(), limit=MAX_NAMES_SUGGESTED).items}


@dataclass(frozen=True, slots=True)
class Category:
    name: str
    skills: int


def categories() -> list[Category]:
    """Categories with at least one skill, by name."""
    items = table().each(keys.SKILL_CATEGORIES)
    return [Category(item["name"], item["skills"]) for item in items if item["skills"] > 0]


def skill_of(item: Item) -> Skill:
    return Skill(
        **{name: item[name] for name in SKILL_FIELDS},
        aliases=tuple(item["aliases"]),
        state=State(item["state"]),
        into=item.get("into", ""),
        merging=item.get("merging", ""),
        closing=item.get("closing"),
    )


def _item(skill: Skill) -> Item:
    """Indexed in the catalogue, among the proposals, or not at all."""
    index = {}
    if skill.state == State.PROPOSED:
        index = {"GSI1PK": keys.PROPOSED_SKILLS.pk, "GSI1SK": keys.id_by_date(skill.at, skill.id)}
    elif skill.is_listed:
        index = {"GSI1PK": keys.skills().pk, "GSI1SK": keys.skill_by_name(skill.category, skill.name)}
    fields = {name: getattr(skill, name) for name in SKILL_FIELDS}
    optional = {name: value for name in ("into", "merging", "closing") if (value := getattr(skill, name))}
    fixed = {**keys.skill(skill.id).item, **index}
    return {**fixed, **fields, "aliases": list(skill.aliases), "state": skill.state.value, **optional}


def skill_unchanged(skill: Skill) -> Check:
    """Requires that the skill has not changed since it was read; above all, that it has not been merged."""
    return Check(keys.skill(skill.id), unchanged(skill))


# --- writes to the catalogue: each returns parts of a transaction ---

ID_TAKEN, NAME_TAKEN = 0, 1  # parts of `creation`


def creation(skill: Skill) -> list[Write]:
    """Fails in part 0 if the id is taken, in part 1 if the name is."""
    return [
        Put(_item(skill), when=Missing()),
        _claiming_name(skill, skill.name, when=Missing()),
        *_counting(None, skill),
    ]


def change(before: Skill, after: Skill) -> list[Write]:
    """Fails in part 0 on a concurrent change."""
    return [storage.change(before, after, _item), *_counting(before, after)]


def approval(before: Skill) -> list[Write]:
    after = replace(before, state=State.LISTED)
    return [*change(before, after), *(_claiming_name(after, name, when=Exists()) for name in after.names)]


def refusal(skill: Skill) -> list[Write]:
    """Deletes a proposal and releases its names."""
    names = [Delete(keys.skill_name(name)) for name in skill.names]
    return [Delete(keys.skill(skill.id), when=unchanged(skill)), *names]


def renaming(before: Skill, name: str) -> list[Write]:
    """Keeps the old name as an alias, except for proposals. Fails in part 1 if the name is another skill's."""
    is_ours = Equals("skill", before.id) if _has(before.names, name) else Missing()
    others = before.names if before.state == State.LISTED else before.aliases
    after = replace(before, name=name, aliases=_without(others, name))
    changed, *counted = change(before, after)
    gone = [Delete(keys.skill_name(each)) for each in before.names if not _has(after.names, each)]
    return [changed, _claiming_name(after, name, when=is_ours), *counted, *gone]


def adding_alias(before: Skill, alias: str) -> list[Write]:
    """Fails in part 1 if the name is taken."""
    after = replace(before, aliases=(*before.aliases, alias))
    return [*change(before, after), _claiming_name(after, alias, when=Missing())]


def removing_alias(before: Skill, alias: str) -> list[Write]:
    after = replace(before, aliases=_without(before.aliases, alias))
    return [*change(before, after), Delete(keys.skill_name(alias))]


def _has(names: Iterable[str], name: str) -> bool:
    return keys.fold(name) in map(keys.fold, names)


def _without(names: Sequence[str], name: str) -> tuple[str, ...]:
    return tuple(each for each in names if keys.fold(each) != keys.fold(name))


def _claiming_name(skill: Skill, name: str, when: Condition) -> Put:
    """Claims a name for the skill exclusively; searchable once the skill is listed."""
    index = {"GSI1PK": keys.skill_names().pk, "GSI1SK": keys.part(name)} if skill.is_listed else {}
    return Put({**keys.skill_name(name).item, **index, "skill": skill.id, "name": name}, when=when)


def _counting(before: Skill | None, after: Skill) -> list[Write]:
    """Updates the number of skills per category, unless the category stays the same."""
    was = before.category if before is not None and before.is_listed else ""
    now = after.category if after.is_listed else ""
    if keys.part(was) == keys.part(now):
        return []
    gone = [Update(keys.skill_category(was), add={"skills": -1})] if was else []
    return [*gone, *([Update(keys.skill_category(now), set={"name": now}, add={"skills": 1})] if now else [])]


# --- merging ---


def closing_for_merge(source: Skill, target: Skill, who: str) -> list[Write]:
    """Locks the old skill; from now on, changing the new one requires moving one's own entry of the old one first."""
    shut = {"closing": who, "into": target.id, "version": source.version + 1}
    opened = {"merging": source.id, "version": target.version + 1}
    return [
        Update(keys.skill(source.id), set=shut, when=unchanged(source)),
        Update(keys.skill(target.id), set=opened, when=unchanged(target)),
        MERGING.begin(source.id, into=target.id),
    ]


def finishing_merge(source: Skill, target: Skill) -> list[Write]:
    """Removes the old skill from the catalogue; its names become aliases of the new one."""
    gone = replace(source, state=State.MERGED, closing=None, aliases=())
    more = replace(target, aliases=(*target.aliases, *source.names))
    listed = replace(source, closing=None)  # as it was until closed
    return [
        storage.change(source, gone, _item),
        storage.change(target, more, _item),
        *(_claiming_name(target, name, when=Equals("skill", source.id)) for name in source.names),
        *_counting(listed, gone),
    ]


def merge_is_running(skill_id: str) -> Check:
    """Requires that the skill's entries are still being moved."""
    return Check(MERGING.key(skill_id), Exists())


def ending_merge(source_id: str, target_id: str) -> Update:
    """Unmarks the target once everything has been moved."""
    was = Equals("merging", source_id)
    return Update(keys.skill(target_id), add={"version": 1}, remove=("merging",), when=was)


# --- own skills ---


@dataclass(frozen=True, slots=True)
class Profile:
    """A person and their skills."""

    person: User
    own: OwnSkills
    endorsements: tuple[Endorsement, ...] = ()
    uncounted: frozenset[str] = frozenset()  # skills with more endorsements than were read


def profile(name: str) -> Profile | None:
    """A person, their skills, and the endorsements that a page counts."""
    found, page = run_parallel(
        table(),
        lambda: profile_without_endorsements(name),
        lambda: table().page(keys.endorsements(name), limit=MAX_ENDORSEMENTS_READ),
    )
    if found is None or page.cursor is None:
        return replace(found, endorsements=tuple(map(endorsement_of, page.items))) if found else None
    # slightly more per skill than is counted, so that a page's cost does not grow with what it does not show
    spans = {skill: keys.endorsements(found.person.name, skill) for skill in found.own.held}
    asks = [partial(table().page, span, limit=MAX_COUNTED_PER_SKILL + 1) for span in spans.values()]
    pages = dict(zip(spans, run_parallel(table(), *asks), strict=True))
    some = tuple(endorsement_of(item) for page in pages.values() for item in page.items[:MAX_COUNTED_PER_SKILL])
    uncounted = frozenset(skill for skill, page in pages.items() if len(page.items) > MAX_COUNTED_PER_SKILL)
    return replace(found, endorsements=some, uncounted=uncounted)


def profile_without_endorsements(name: str) -> Profile | None:
    """A person and their skills, in a single query."""
    items = list(table().each(keys.profile(name)))
    person = next((item for item in items if item["SK"] == keys.METADATA), None)
    return Profile(people.user_of(person), _own_of(name, items)) if person else None


def own_skills(name: str) -> OwnSkills:
    return _own_of(name, list(table().each(keys.person_skills(name))))


def holders(skill: Skill, least: int = 1) -> Iterator[tuple[str, int]]:
    """Who shows members that they have the skill at this level or above, with their level."""
    found = table().each(keys.skill_holders_at(skill.id, least, LEVELS[-1].number))
    return ((item["name"], item["level"]) for item in found)


def _own_of(name: str, items: Iterable[Item]) -> OwnSkills:
    head = keys.own_skills(name).sk
    about = next((item for item in items if item["SK"] == head), {})
    held = [held_of(item) for item in items if item["SK"].startswith(keys.person_skill(name, "").sk)]
    return own_of(name, about, held)


def own_of(name: str, head: Item, held: Iterable[Held]) -> OwnSkills:
    visibility = Visibility(head.get("visibility", Visibility.MEMBERS))
    return OwnSkills(name, visibility, {each.skill: each for each in held}, head.get("version", 0))


def held_of(item: Item) -> Held:
    return Held(**{name: item[name] for name in HELD_FIELDS})


def held_item(own: OwnSkills, held: Held) -> Item:
    """Only entries visible to members have index keys."""
    item: Item = {**keys.person_skill(own.name, held.skill).item, "name": own.name}
    if own.visibility == Visibility.MEMBERS:
        sort_key = keys.skill_held(held.level, held.years, held.last_used, own.name)
        item |= {"GSI1PK": keys.skill_holders(held.skill).pk, "GSI1SK": sort_key}
    return item | {name: getattr(held, name) for name in HELD_FIELDS}


def updating_own(before: OwnSkills, after: OwnSkills) -> Put:
    """The summary item of a person's skills. Every action changes it, so that concurrent ones are detected."""
    totals = {"name": before.name, "visibility": after.visibility.value, "skills": len(after.held) + after.more}
    item = {**keys.own_skills(before.name).item, **totals, "version": before.version + 1}
    return Put(item, when=unchanged_or_new(before))


def holding(before: OwnSkills, held: Held) -> list[Write]:
    return [updating_own(before, before.with_(held)), Put(held_item(before, held))]


def removing(before: OwnSkills, skill_id: str) -> list[Write]:
    return [
        updating_own(before, before.without(skill_id)),
        Delete(keys.person_skill(before.name, skill_id), when=Exists()),
    ]


def changing_visibility(before: OwnSkills, visibility: Visibility) -> list[Write]:
    """Adds all entries to the index, or removes them, in one transaction."""
    after = replace(before, visibility=visibility)
    return [updating_own(before, after), *(Put(held_item(after, each)) for each in before.held.values())]


def deleting_all(before: OwnSkills) -> list[Write]:
    """Deletes the summary and all entries."""
    gone = [Delete(keys.person_skill(before.name, each)) for each in before.held]
    return [Delete(keys.own_skills(before.name), when=unchanged(before)), *gone]


def moving(own: OwnSkills, old: str, new: str) -> list[Write]:
    """Moves an entry from a merged skill to the new one; if the person has both, the newer entry wins."""
    was, there = own.held.get(old), own.held.get(new)
    if was is None:
        return []
    brought = replace(was, skill=new)
    after = own.without(old).with_(brought)
    entries = [Put(held_item(own, brought))] if newer(was, there) else []
    return [updating_own(own, after), Delete(keys.person_skill(own.name, old), when=Exists()), *entries]


def export_held(user: User) -> Iterator[Item]:
    """The visibility setting, then each skill."""
    own = own_skills(user.name)
    if own.version:
        yield {"visible_to": own.visibility.value}
    for each in own.held.values():
        yield {"skill": each.skill, **each.statement, "added_at": each.added_at, "confirmed_at": each.confirmed_at}


def export_endorsed(user: User) -> Iterator[Item]:
    """Endorsements given, then those received from people the user may see."""
    for each in map(endorsements.endorsement_of, table().each(keys.endorses(user.name))):
        yield {"given_to": each.name, **_endorsement_data(each)}
    got = [endorsements.endorsement_of(item) for item in table().each(keys.endorsements(user.name))]
    for each in endorsements.visible_to(name_and_role(user), got):
        yield {"got_from": each.by, **_endorsement_data(each), "hidden": each.hidden}


def _endorsement_data(each: Endorsement) -> Item:
    return {"skill": each.skill, "grounds": list(each.grounds), "level": each.level, "at": each.at}

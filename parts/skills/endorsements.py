"""Endorsements of one person's skill by another: values, items, and the writes that keep them consistent.

Each endorsement is one item under the person who has the skill, so that nobody endorses twice. They are counted from
the items; no stored total could get out of step with them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from django.utils.translation import gettext_lazy as _

from accounts.rules import Role
from foundation.acts.storage import table, write
from foundation.store import keys
from foundation.store.parallel import run_parallel
from foundation.store.splitting import by_count
from foundation.store.table import Check, Condition, Delete, Equals, Item, Missing, Put, Update, Write

from .rules import Level, Visibility, level_of, may_see

OF_ENDORSEMENTS = ("name", "skill", "by", "level", "at", "given", "hidden", "changes")
MAX_COUNTED_PER_SKILL = 100  # on a profile with very many endorsements
MAX_ENDORSEMENTS_READ = 200  # for all skills of a person: up to here all are counted
NONE_COUNTED = {"endorsements": 0, "peers": 0}
TRANSACTION_ENDORSEMENTS = 40  # per transaction of a merge: each changes two items


class Ground(StrEnum):
    """How the endorser knows."""

    WORKED = "worked"
    TAUGHT = "taught"
    SAW = "saw"

    @property
    def label(self) -> str:
        return str(GROUNDS[self])


GROUNDS = {
    Ground.WORKED: _("We worked together"),
    Ground.TAUGHT: _("One of us taught the other"),
    Ground.SAW: _("I saw the result"),
}


@dataclass(frozen=True, slots=True)
class Endorsement:
    name: str  # the person who has the skill
    skill: str
    by: str
    grounds: tuple[str, ...]
    level: int  # at the time of the endorsement
    at: str
    given: int = 0  # the endorser's counter at that time: distinguishes an endorsement withdrawn and given again
    hidden: bool = False  # by the person who has the skill
    changes: int = 0  # how often it was hidden or shown

    @property
    def about(self) -> Level:
        return level_of(self.level)

    @property
    def reasons(self) -> list[str]:
        return [Ground(each).label for each in self.grounds]


EndorsementPage = tuple[list[Endorsement], str | None]  # with the cursor


def endorsement_of(item: Item) -> Endorsement:
    return Endorsement(grounds=tuple(item["grounds"]), **{name: item[name] for name in OF_ENDORSEMENTS})


def find(name: str, skill_id: str, by: str) -> Endorsement | None:
    item = table().get(keys.endorsement(name, skill_id, by))
    return endorsement_of(item) if item else None


def given_to(name: str, skill_ids: Iterable[str], by: str) -> set[str]:
    """Which of a person's skills another person endorses."""
    places = {keys.endorsement(name, each, by): each for each in skill_ids}
    return {places[place] for place in table().get_many(places)} if places else set()


def received(name: str, skill_id: str, *, limit: int, cursor: str | None = None) -> EndorsementPage:
    """By endorser's name."""
    page = table().page(keys.endorsements(name, skill_id), limit=limit, cursor=cursor)
    return [endorsement_of(item) for item in page.items], page.cursor


def given(by: str, *, limit: int, cursor: str | None = None) -> EndorsementPage:
    """By recipient's name."""
    page = table().page(keys.endorses(by), limit=limit, cursor=cursor)
    return [endorsement_of(item) for item in page.items], page.cursor


def visibilities(names: Iterable[str]) -> dict[str, Visibility]:
    """Profile visibility by folded name."""
    places = {keys.fold(name): keys.own_skills(name) for name in names}
    items = table().get_many(places.values()) if places else {}
    return {
        name: Visibility(items.get(place, {}).get("visibility", Visibility.MEMBERS)) for name, place in places.items()
    }


def visible_to(viewer: tuple[str, Role], found: Sequence[Endorsement]) -> list[Endorsement]:
    """Endorsements by people the viewer may see, unless hidden from the viewer. One's own are always visible."""
    by_name = visibilities(each.by for each in found)
    shown = [each for each in found if not each.hidden or viewer[0] in (keys.fold(each.name), keys.fold(each.by))]
    return [each for each in shown if may_see(viewer, keys.fold(each.by), by_name[keys.fold(each.by)])]


def by_peers(found: Iterable[Endorsement]) -> set[Endorsement]:
    """Endorsements by people who have the skill themselves."""
    places = {each: keys.person_skill(each.by, each.skill) for each in found}
    held = table().get_many(places.values()) if places else {}
    return {each for each, place in places.items() if place in held}


def counts(viewer: tuple[str, Role], found: Sequence[Endorsement]) -> dict[tuple[str, str], dict[str, int]]:
    """For each person and skill: how many endorsements the viewer may see, and how many of them are by peers."""
    visible, peers = run_parallel(table(), lambda: visible_to(viewer, found), lambda: by_peers(found))
    total = Counter((each.name, each.skill) for each in visible)
    skilled = Counter((each.name, each.skill) for each in visible if each in peers)
    return {place: {"endorsements": total[place], "peers": skilled[place]} for place in total}


# --- writes: each returns parts of a transaction ---


def count_of(by: str) -> int:
    """How often a person has endorsed or withdrawn."""
    item = table().get(keys.endorsing(by))
    return int(item["version"]) if item else 0


def counted(by: str, before: int) -> Put:
    """Fails if the endorser has acted meanwhile; otherwise events could be logged out of order."""
    same = Equals("version", before) if before else Missing()
    return Put({**keys.endorsing(by).item, "name": by, "version": before + 1}, when=same)


def _item(each: Endorsement) -> Item:
    index = {"GSI1PK": keys.endorses(each.by).pk, "GSI1SK": keys.endorsed_skill(each.name, each.skill)}
    fields = {name: getattr(each, name) for name in OF_ENDORSEMENTS}
    fixed = {**keys.endorsement(each.name, each.skill, each.by).item, **index}
    return {**fixed, **fields, "grounds": list(each.grounds)}


def unchanged(each: Endorsement) -> Condition:
    """A condition of every write; otherwise the log might record that it was hidden after it was withdrawn."""
    return Equals("given", each.given) & Equals("changes", each.changes)


def giving(each: Endorsement, before: int) -> list[Write]:
    """Fails in part 0 if it already exists."""
    return [Put(_item(each), when=Missing()), counted(each.by, before)]


def withdrawing(each: Endorsement, before: int) -> list[Write]:
    place = keys.endorsement(each.name, each.skill, each.by)
    return [Delete(place, when=unchanged(each)), counted(each.by, before)]


def hiding(each: Endorsement, hidden: bool) -> list[Write]:
    place = keys.endorsement(each.name, each.skill, each.by)
    return [Update(place, set={"hidden": hidden}, add={"changes": 1}, when=unchanged(each))]


def going(each: Endorsement) -> Delete:
    """Deletes an endorsement when one of the two people leaves."""
    return Delete(keys.endorsement(each.name, each.skill, each.by), when=unchanged(each))


# --- merging skills ---


def merge_endorsements(name: str, old: str, new: str, is_under_way: Check) -> None:
    """Moves a person's endorsements from one skill to another; of two by the same endorser, the newer one stays.

    Fails on a concurrent change; what has been moved by then stays moved.
    """
    for handful in by_count(table().each(keys.endorsements(name, old)), TRANSACTION_ENDORSEMENTS):
        ours = [endorsement_of(item) for item in handful]
        there = table().get_many(keys.endorsement(name, new, each.by) for each in ours)
        others = {each.by: each for each in map(endorsement_of, there.values())}
        moves: list[Write] = []
        for each in ours:
            moves.append(going(each))
            other = others.get(each.by)
            if other is None or other.given <= each.given:
                moves.append(Put(_item(replace(each, skill=new)), when=unchanged(other) if other else Missing()))
        write(is_under_way, *moves)

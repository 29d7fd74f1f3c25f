"""The catalogue of skills, people's skills, and who has one."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import msgspec
from django.http import Http404
from msgspec import Meta

from accounts.api.calls import Call, Page, Paging, cleaned
from accounts.api.operations import Area, link, operation
from accounts.api.people import reading
from accounts.api.problems import invalid
from accounts.api_tokens import Scope
from accounts.rules import Permission
from accounts.services import name_and_role
from foundation.acts.refusals import NotAllowed
from foundation.pages.names import MAX_NAME_CHARS, natural_sort_key
from foundation.store.keys import fold
from parts.skills import endorsements, rules
from parts.skills.access import listed_for, own_for, profile_for, skill_at
from parts.skills.forms import HeldForm

from . import finding, repository, services

AREA = Area("skills", "Skills", "The catalogue of skills, and what people say they can do.")
MONTH = r"^([0-9]{4}-(0[1-9]|1[0-2]))?$"

Level = Annotated[int, Meta(ge=1, le=4, description="1: beginner; 2: intermediate; 3: advanced; 4: expert.")]
Years = Annotated[int, Meta(ge=0, le=rules.MAX_YEARS)]
Month = Annotated[str, Meta(pattern=MONTH, description="Such as 2026-11, or empty.")]


class Skill(msgspec.Struct):
    """A skill of the catalogue."""

    id: str
    name: str
    category: str
    description: str
    other_names: list[str]
    proposed: Annotated[bool, Meta(description="Not in the catalogue yet; only admins see it.")]
    page: str


class Statement(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """What somebody says about a skill of theirs."""

    level: Level
    years: Years = 0
    last_used: Month = ""
    notes: Annotated[str, Meta(max_length=rules.MAX_NOTES_CHARS)] = ""
    interest: Annotated[bool, Meta(description="Wants to use it more.")] = False


class NewSkill(Statement):
    """A skill to add, and what to say about it."""

    skill: Annotated[
        str,
        Meta(min_length=1, max_length=rules.MAX_ID_CHARS, description="Its id in the catalogue, or one of its names."),
    ]


class PersonSkill(msgspec.Struct):
    """A skill that somebody has."""

    skill: str
    name: str
    level: Level
    years: int
    last_used: str
    notes: str
    interest: bool
    added_at: datetime
    confirmed_at: Annotated[datetime, Meta(description="When they last said so.")]
    endorsements: Annotated[int, Meta(description="That you can see; of very many, at least so many.")]
    peers: Annotated[int, Meta(description="Endorsements by people who have the skill themselves.")]


class PersonSkills(msgspec.Struct):
    """All skills of a person, highest level first."""

    skills: list[PersonSkill]


class Holder(msgspec.Struct):
    """Somebody who has the skill."""

    name: str
    level: Level
    years: int
    last_used: str
    interest: bool
    profile: str


class Catalogue(Paging):
    """Which skills to list."""

    q: Annotated[str, Meta(max_length=MAX_NAME_CHARS, description="How one of its names begins.")] = ""
    category: Annotated[str, Meta(max_length=MAX_NAME_CHARS * 2)] = ""


class Criteria(Paging):
    """Whom to list."""

    level: Annotated[int, Meta(ge=1, le=4, description="At least.")] = 1
    years: Annotated[int, Meta(ge=0, le=rules.MAX_YEARS, description="At least.")] = 0
    since: Annotated[str, Meta(pattern=MONTH, description="A month: last used then or later.")] = ""
    interest: Annotated[bool, Meta(description="Only those who want to use it more.")] = False


# --- the catalogue ---

looking = {"scope": Scope.READ, "permission": Permission.VIEW_APPLICATION}


@operation("GET", "skills", AREA, "List the catalogue", query=Catalogue, answers=Page[Skill], **looking)
def list_(call: Call) -> Page[Skill]:
    """By category and name, or by the beginning of a name."""
    asked = call.query
    if asked.q:
        matches, cursor = repository.search(asked.q, limit=asked.limit, cursor=call.cursor)
        return call.page([_skill(each.skill) for each in matches], cursor)
    found, cursor = repository.catalogue(category=asked.category, limit=asked.limit, cursor=call.cursor)
    return call.page([_skill(each) for each in found], cursor)


def _skill(found: rules.Skill) -> Skill:
    plain = found.id, found.name, found.category, found.description, list(found.aliases)
    return Skill(*plain, found.state == rules.State.PROPOSED, link("skill", found.id))


@operation("GET", "skills/<slug:skill_id>", AREA, "Read a skill", answers=Skill, **looking)
def read(call: Call, skill_id: str) -> Skill:
    """Its other names lead to it, and the ids of skills that became part of it."""
    return _skill(_load(call, skill_id))


def _load(call: Call, skill_id: str) -> rules.Skill:
    if (found := listed_for(call.user, skill_id)) is None:
        raise Http404
    return found


@operation(
    "GET", "skills/<slug:skill_id>/people", AREA, "List who has a skill, best first", query=Criteria,
    answers=Page[Holder], **reading,
)  # fmt: skip
def holders(call: Call, skill_id: str) -> Page[Holder]:
    """Those who show it to members."""
    skill, asked = _load(call, skill_id), call.query
    criteria = finding.SkillSearch((skill,), asked.level, asked.years, asked.since, asked.interest)
    names, cursor = finding.search(criteria, limit=asked.limit, cursor=call.cursor)
    found = finding.held_by(names, skill)
    return call.page([_holder(name, each) for name, each in found.items()], cursor)


def _holder(name: str, held: rules.Held) -> Holder:
    return Holder(name, held.level, held.years, held.last_used, held.interest, link("profile", name))


# --- people's skills ---


@operation("GET", "people/<name:name>/skills", AREA, "List a person's skills", answers=PersonSkills, **reading)
def list_held(call: Call, name: str) -> PersonSkills:
    if (profile := profile_for(call.user, name)) is None:
        raise Http404
    named = repository.find_many(profile.own.held)
    counts = endorsements.counts(name_and_role(call.user), profile.endorsements)
    found = [
        PersonSkill(
            skill=each.skill,
            name=named[each.skill].name,
            added_at=datetime.fromisoformat(each.added_at),
            confirmed_at=datetime.fromisoformat(each.confirmed_at),
            **each.statement | counts.get((profile.person.name, each.skill), endorsements.NONE_COUNTED),
        )
        for each in profile.own.held.values()
        if each.skill in named
    ]
    return PersonSkills(sorted(found, key=lambda each: (-each.level, natural_sort_key(each.name))))


@operation(
    "GET", "people/<name:name>/skills/<slug:skill_id>", AREA, "Read a person's skill", answers=PersonSkill, **reading
)
def read_held(call: Call, name: str, skill_id: str) -> PersonSkill:
    there, skill = list_held(call, name).skills, skill_at(skill_id)
    ids = (skill.id, skill_id) if skill else ()  # during a merge, still under the old id
    if (found := next((each for each in there if each.skill in ids), None)) is None:
        raise Http404
    return found


changing = {"scope": Scope.PEOPLE, "permission": Permission.VOTE}


@operation(
    "POST", "people/<name:name>/skills", AREA, "Add a skill to your profile", takes=NewSkill, answers=PersonSkill,
    status=201, refusals=("not-now", "too-many"), example={"skill": "python", "level": 3, "years": 5}, **changing,
)  # fmt: skip
def add(call: Call, name: str) -> PersonSkill:
    _check_own(call, name)
    if (skill := own_for(call.user, call.body.skill)) is None:
        raise invalid("skill", rules.NOT_THERE)
    values = _statement(call)
    call.run(lambda: services.add_to_profile(call.user, skill.id, **values))
    return call.made(read_held, name, skill.id)


@operation(
    "PUT", "people/<name:name>/skills/<slug:skill_id>", AREA, "Change a skill in your profile", takes=Statement,
    answers=PersonSkill, edits=read_held, example={"level": 4, "years": 6}, **changing,
)  # fmt: skip
def change(call: Call, name: str, skill_id: str) -> PersonSkill:
    """Also confirms it. What is left out becomes empty."""
    _check_own(call, name)
    values = _statement(call)
    call.run(lambda: services.change_in_profile(call.user, _id_at(skill_id), **values))
    return read_held(call, name, skill_id)


@operation(
    "DELETE", "people/<name:name>/skills/<slug:skill_id>", AREA, "Remove a skill from your profile", status=204,
    edits=read_held, **changing,
)  # fmt: skip
def remove(call: Call, name: str, skill_id: str) -> None:
    _check_own(call, name)
    call.run(lambda: services.remove_from_profile(call.user, _id_at(skill_id)))


def _id_at(word: str) -> str:
    skill = skill_at(word)
    return skill.id if skill else word


def _check_own(call: Call, name: str) -> None:
    """Somebody who hides their profile does not exist here either."""
    if fold(name) != fold(call.user.name):
        if profile_for(call.user, name, repository.profile_without_endorsements) is None:
            raise Http404
        raise NotAllowed(rules.NOT_YOURS)


def _statement(call: Call) -> dict[str, Any]:
    return cleaned(HeldForm({each: getattr(call.body, each) for each in HeldForm.base_fields}))

"""Skills, levels and visibility: pure decisions and frozen values."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from difflib import get_close_matches
from enum import StrEnum
from typing import Any

from django.utils.translation import gettext_lazy as _

from accounts.rules import Permission, Role, has
from foundation.acts.refusals import NotNow, TooMany
from foundation.pages.times import from_text
from foundation.store.keys import fold
from foundation.store.log import as_text

MAX_SKILLS = 80  # per person: all of them change in one transaction
MAX_ALIASES = 20  # that admins may add to a skill
MAX_NAMES = 80  # of a skill that others were merged into: all of them change in one transaction
MAX_ID_CHARS = 60
MAX_DESCRIPTION_CHARS = 500
MAX_NOTES_CHARS = 500
MAX_YEARS = 80
MAX_SUGGESTIONS = 6
CONFIRMATION_PERIOD = timedelta(days=365)  # after which an entry is shown as unconfirmed


NOT_THERE = _("That skill is not in the catalogue. Check its name.")
DID_YOU_MEAN = _("That skill is not in the catalogue. Did you mean: %(names)s?")
ALREADY_HELD = _("This skill is already in your profile.")
NOT_YOURS = _("You can only change your own skills.")
NOT_NOW = _("That is not possible with this skill in its present state.")
TOO_MANY_SKILLS = _("A profile can have up to 80 skills. Remove a less important one first.")
TOO_MANY_ALIASES = _("A skill can have up to 20 other names.")
TOO_MANY_NAMES = _("Together these two would have more than 80 names. Remove some first.")
INTO_ITSELF = _("A skill cannot be merged into itself.")
BEING_MERGED = _("One of the two is being merged right now. Please try again in a moment.")
ONESELF = _("You cannot endorse yourself.")
ENDORSED_ALREADY = _("You have already endorsed this.")
NOT_ENDORSED = _("That endorsement no longer exists.")
NAME_TAKEN = _("A skill with this name is already in the catalogue or proposed: %(name)s.")


# --- levels ---


@dataclass(frozen=True, slots=True)
class Level:
    number: int
    label: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.label}: {self.sentence}"


LEVELS = (
    Level(1, _("Beginner"), _("works with help")),
    Level(2, _("Intermediate"), _("works alone on ordinary tasks")),
    Level(3, _("Advanced"), _("handles hard cases")),
    Level(4, _("Expert"), _("others ask for advice")),
)


def level_of(number: int) -> Level:
    return LEVELS[number - 1]


# --- visibility ---


class Visibility(StrEnum):
    """Who may see a profile, widest first."""

    MEMBERS = "members"
    ADMINS = "admins"
    NOBODY = "nobody"

    @property
    def label(self) -> str:
        return str(VISIBILITIES[self])


VISIBILITIES = {
    Visibility.MEMBERS: _("Members: everyone with access to this site"),
    Visibility.ADMINS: _("Admins: those who manage people here"),
    Visibility.NOBODY: _("Only me"),
}


def may_see(viewer: tuple[str, Role], whose: str, visibility: Visibility) -> bool:
    """Whether the viewer may see a profile; names are folded, like keys."""
    name, role = viewer
    if name == whose:
        return True
    needed = {Visibility.MEMBERS: Permission.VIEW_APPLICATION, Visibility.ADMINS: Permission.MANAGE_USERS}
    return visibility in needed and has(role, needed[visibility])


# --- the catalogue ---


class State(StrEnum):
    PROPOSED = "proposed"
    LISTED = "listed"
    MERGED = "merged"  # into another skill; its entries are being moved, or have been


@dataclass(frozen=True, slots=True)
class Skill:
    """One entry of the catalogue."""

    id: str
    name: str
    category: str
    description: str = ""
    aliases: tuple[str, ...] = ()
    state: State = State.LISTED
    at: str = ""  # when it was added or proposed
    into: str = ""  # the skill it was merged into
    merging: str = ""  # the skill being merged into this one
    closing: str | None = None  # who is merging it, until the merge is logged
    version: int = 0

    @property
    def is_listed(self) -> bool:
        return self.state == State.LISTED and not self.closing

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.aliases)


def similar_names(skills_by_name: Mapping[str, str], typed: str) -> tuple[list[str], bool]:
    """Names of different skills that contain what was typed, or else resemble it, and whether they contain it."""
    names = {fold(name): name for name in skills_by_name}
    parts = [name for each, name in names.items() if fold(typed) in each]
    found = parts or [names[each] for each in get_close_matches(fold(typed), names, MAX_SUGGESTIONS)]
    by_skill = {skills_by_name[name]: name for name in reversed(found)}
    return [*reversed(by_skill.values())][:MAX_SUGGESTIONS], bool(parts)


def new_id(name: str, suffix: str = "") -> str:
    """A URL-safe id of a-z, 0-9 and -, with a suffix if it is taken."""
    spelt = name.replace("+", " plus ").replace("#", " sharp ").replace("&", " and ")
    plain = unicodedata.normalize("NFKD", spelt.casefold().replace("ß", "ss"))
    letters = "".join(each for each in plain if not unicodedata.combining(each))
    tail = f"-{suffix}" if suffix else ""
    slug = re.sub(r"[^a-z0-9]+", "-", letters).strip("-")[: MAX_ID_CHARS - len(tail)].rstrip("-") or "skill"
    return slug + tail


def check_merge(source: Skill, target: Skill) -> None:
    """Refuses merges that lead nowhere, or in a circle."""
    if source.id == target.id:
        raise NotNow(INTO_ITSELF)
    if source.merging or target.merging or source.closing or target.closing:
        raise NotNow(BEING_MERGED)
    if not (source.is_listed and target.is_listed):
        raise NotNow(NOT_NOW)
    if len(source.names) + len(target.names) > MAX_NAMES:
        raise TooMany(TOO_MANY_NAMES)


# --- own skills ---


@dataclass(frozen=True, slots=True)
class Held:
    """A skill that a person says they have."""

    skill: str
    level: int
    years: int
    last_used: str = ""  # a month such as 2026-11; empty if not stated
    notes: str = ""
    interest: bool = False  # wants to use it more
    added_at: str = ""
    confirmed_at: str = ""  # when the person last confirmed it

    @property
    def about(self) -> Level:
        return level_of(self.level)

    def is_stale(self, now: str) -> bool:
        """Whether it has not been confirmed for a year."""
        return bool(self.confirmed_at) and self.confirmed_at < as_text(from_text(now) - CONFIRMATION_PERIOD)

    @property
    def statement(self) -> dict[str, Any]:
        """What the person states about it, without dates."""
        names = ("level", "years", "last_used", "notes", "interest")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True)
class OwnSkills:
    """All skills of a person, and their visibility."""

    name: str
    visibility: Visibility = Visibility.MEMBERS
    held: Mapping[str, Held] = field(default_factory=dict)
    version: int = 0
    more: int = 0  # further skills that were not read: a merge reads only two

    def with_(self, held: Held) -> OwnSkills:
        return replace(self, held={**self.held, held.skill: held})

    def without(self, skill_id: str) -> OwnSkills:
        return replace(self, held={name: each for name, each in self.held.items() if name != skill_id})


def check_room(own: OwnSkills, skill_id: str) -> None:
    if skill_id not in own.held and len(own.held) >= MAX_SKILLS:
        raise TooMany(TOO_MANY_SKILLS)


def newer(one: Held, other: Held | None) -> bool:
    """Whether the first was confirmed later; in a tie the other one stays."""
    return other is None or one.confirmed_at > other.confirmed_at

"""Keys of skills: the catalogue, people's skills, and endorsements."""

from __future__ import annotations

from dataclasses import replace

from ..table import Key, Span
from .parts import METADATA, escape, fitted, part

NEVER = "0000-00"  # sorts before every month


def skill(skill_id: str) -> Key:
    return Key(f"SKILL#{escape(skill_id)}", METADATA)


def skills(category: str = "") -> Span:
    """The catalogue by category and name, or one category of it."""
    return Span("SKILLS", prefix=f"{part(category)}#" if category else "", index=True)


def skill_by_name(category: str, name: str) -> str:
    return fitted(f"{part(category)}#{part(name)}")


PROPOSED_SKILLS = Span("SKILLS#PROPOSED", index=True)


def skill_name(name: str) -> Key:
    """A name or alias of a skill; spellings that fold to the same are the same."""
    return Key(f"SKILLALIAS#{part(name)}", METADATA)


def skill_names(prefix: str = "") -> Span:
    """All names in the catalogue with this prefix."""
    return Span("SKILLNAMES", prefix=part(prefix), index=True)


def skill_category(name: str) -> Key:
    return Key("SKILLCATEGORIES", part(name))


SKILL_CATEGORIES = Span("SKILLCATEGORIES")


def own_skills(name: str) -> Key:
    """Who may see a person's skills, how many there are, and how often they were changed."""
    return Key(f"USER#{part(name)}", "SKILLS")


def person_skill(name: str, skill_id: str) -> Key:
    return Key(f"USER#{part(name)}", f"SKILL#{escape(skill_id)}")


def person_skills(name: str) -> Span:
    """A person's skills, and the item about all of them."""
    return Span(f"USER#{part(name)}", prefix="SKILL")


def profile(name: str) -> Span:
    """The person and their skills without the endorsements, in one query."""
    return Span(f"USER#{part(name)}", first=METADATA, last=own_skills(name).sk)


def skill_holders(skill_id: str) -> Span:
    """People whose skill is visible to members, by level, years and last use."""
    return Span(f"SKILL#{escape(skill_id)}", index=True)


def skill_holders_at(skill_id: str, lowest: int, highest: int, years: int = 0) -> Span:
    """Those with these levels. A minimum of years works within one level only."""
    return replace(skill_holders(skill_id), first=f"L{lowest}#Y{years:02d}", last=f"L{highest}#Z")


def skill_held(level: int, years: int, last_used: str, name: str) -> str:
    """The level is one digit, so that a minimum level is a range."""
    return f"L{level}#Y{years:02d}#{last_used or NEVER}#USER#{part(name)}"


def endorsement(name: str, skill_id: str, by: str) -> Key:
    """One person's endorsement of another's skill; there is at most one."""
    return Key(f"USER#{part(name)}", f"ENDORSED#{escape(skill_id)}#{part(by)}")


def endorsements(name: str, skill_id: str = "") -> Span:
    """The endorsements of a person, or of one of their skills."""
    return Span(f"USER#{part(name)}", prefix=f"ENDORSED#{escape(skill_id)}#" if skill_id else "ENDORSED#")


def endorses(by: str) -> Span:
    """The endorsements that a person has given."""
    return Span(f"ENDORSES#{part(by)}", index=True)


def endorsed_skill(name: str, skill_id: str) -> str:
    return f"{part(name)}#{escape(skill_id)}"


def endorsing(by: str) -> Key:
    """How often a person has endorsed or withdrawn, so that concurrent acts are noticed."""
    return Key(f"USER#{part(by)}", "ENDORSING")

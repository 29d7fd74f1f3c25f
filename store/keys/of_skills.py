"""Keys of skills: the catalogue, and what people say they can do."""

from __future__ import annotations

from dataclasses import replace

from ..table import Key, Span
from .parts import METADATA, escape, fitted, part

NEVER = "0000-00"  # a month before all others


def skill(skill_id: str) -> Key:
    return Key(f"SKILL#{escape(skill_id)}", METADATA)


def skills(category: str = "") -> Span:
    """The catalogue by category and name, or the part of it that is one category."""
    return Span("SKILLS", prefix=f"{part(category)}#" if category else "", index=True)


def skill_by_name(category: str, name: str) -> str:
    return fitted(f"{part(category)}#{part(name)}")


PROPOSED_SKILLS = Span("SKILLS#PROPOSED", index=True)


def skill_by_date(moment: str, skill_id: str) -> str:
    return f"{moment}#{escape(skill_id)}"


def skill_name(name: str) -> Key:
    """A name or another name of a skill: whatever is folded to the same is the same."""
    return Key(f"SKILLALIAS#{part(name)}", METADATA)


def skill_names(prefix: str = "") -> Span:
    """All names of the catalogue that begin so."""
    return Span("SKILLNAMES", prefix=part(prefix), index=True)


def skill_category(name: str) -> Key:
    return Key("SKILLCATEGORIES", part(name))


SKILL_CATEGORIES = Span("SKILLCATEGORIES")


def own_skills(name: str) -> Key:
    """Who may see somebody's skills, how many there are, and how often they were changed."""
    return Key(f"USER#{part(name)}", "SKILLS")


def person_skill(name: str, skill_id: str) -> Key:
    return Key(f"USER#{part(name)}", f"SKILL#{escape(skill_id)}")


def person_skills(name: str) -> Span:
    """Somebody's skills, and the item about all of them."""
    return Span(f"USER#{part(name)}", prefix="SKILL")


def profile(name: str) -> Span:
    """The person and their skills, without whoever vouches for these: one Query, however many that are."""
    return Span(f"USER#{part(name)}", first=METADATA, last=own_skills(name).sk)


def skill_holders(skill_id: str) -> Span:
    """Whoever lets members see that they have the skill, by level, years and last use."""
    return Span(f"SKILL#{escape(skill_id)}", index=True)


def skill_holders_at(skill_id: str, lowest: int, highest: int, years: int = 0) -> Span:
    """Those of these levels. Least years are a range within one level only."""
    return replace(skill_holders(skill_id), first=f"L{lowest}#Y{years:02d}", last=f"L{highest}#Z")


def skill_held(level: int, years: int, last_used: str, name: str) -> str:
    """A digit for the level, so that “at least so good” is a range."""
    return f"L{level}#Y{years:02d}#{last_used or NEVER}#USER#{part(name)}"


def endorsement(name: str, skill_id: str, by: str) -> Key:
    """That somebody vouches for a skill of somebody: once, so the two and the skill are the key."""
    return Key(f"USER#{part(name)}", f"ENDORSED#{escape(skill_id)}#{part(by)}")


def endorsements(name: str, skill_id: str = "") -> Span:
    """Whoever vouches for somebody, or for one of their skills."""
    return Span(f"USER#{part(name)}", prefix=f"ENDORSED#{escape(skill_id)}#" if skill_id else "ENDORSED#")


def endorses(by: str) -> Span:
    """For whom somebody vouches."""
    return Span(f"ENDORSES#{part(by)}", index=True)


def endorsed_skill(name: str, skill_id: str) -> str:
    return f"{part(name)}#{escape(skill_id)}"


def endorsing(by: str) -> Key:
    """How often somebody has endorsed or withdrawn: none of their acts passes another unseen."""
    return Key(f"USER#{part(by)}", "ENDORSING")

"""Keys of skills: the catalogue, people's skills, and endorsements."""

from __future__ import annotations

from dataclasses import replace

from foundation.store.table import Span

from .declared import computed_list, index, key, single_list
from .parts import METADATA, escape, fitted, part

NEVER = "0000-00"  # sorts before every month

# fmt: off

skill = key("SKILL", "SKILL#{skill}", METADATA, escape, about="A skill of the catalogue.")
skill_name = key("SKILL_NAME", "SKILLALIAS#{name}", METADATA, part,
                 about="A name or alias of a skill; spellings that fold to the same are the same.")
skill_category = key("SKILL_CATEGORY", "SKILLCATEGORIES", "{name}", part,
                     about="A category of the catalogue, and how many skills it has.")
own_skills = key("OWN_SKILLS", "USER#{name}", "SKILLS", part,
                 about="Who may see a person's skills, how many there are, and how often they were changed.")
person_skill = key("PERSON_SKILL", "USER#{name}", "SKILL#{skill}", part, escape,
                   about="A skill of a person, as they describe it.")
endorsement = key("ENDORSEMENT", "USER#{name}", "ENDORSED#{skill}#{by}", part, escape, part,
                  about="One person's endorsement of another's skill; there is at most one.")
endorsing = key("ENDORSING", "USER#{by}", "ENDORSING", part,
                about="How often a person has endorsed or withdrawn, so that concurrent acts are noticed.")

PROPOSED_SKILLS = single_list("SKILLS#PROPOSED", "{at}#{skill}")
SKILL_CATEGORIES = Span("SKILLCATEGORIES")
# People whose skill is visible to members, by level, years and last use.
skill_holders = index("SKILL#{skill}", "L{level}#Y{years}#{last_used}#USER#{name}", escape)
endorses = index("ENDORSES#{by}", "{name}#{skill}", part)

# fmt: on


@computed_list("SKILLS", "{category}#{name}")
def skills(category: str = "") -> Span:
    """The catalogue by category and name, or one category of it."""
    return Span("SKILLS", prefix=f"{part(category)}#" if category else "", index=True)


def skill_by_name(category: str, name: str) -> str:
    return fitted(f"{part(category)}#{part(name)}")


@computed_list("SKILLNAMES", "{name}")
def skill_names(prefix: str = "") -> Span:
    """All names in the catalogue with this prefix."""
    return Span("SKILLNAMES", prefix=part(prefix), index=True)


def person_skills(name: str) -> Span:
    """A person's skills, and the item about all of them."""
    return Span(f"USER#{part(name)}", prefix="SKILL")


def profile(name: str) -> Span:
    """The person and their skills without the endorsements, in one query."""
    return Span(f"USER#{part(name)}", first=METADATA, last=own_skills(name).sk)


def skill_holders_at(skill_id: str, lowest: int, highest: int, years: int = 0) -> Span:
    """Those with these levels. A minimum of years works within one level only."""
    return replace(skill_holders(skill_id), first=f"L{lowest}#Y{years:02d}", last=f"L{highest}#Z")


def skill_held(level: int, years: int, last_used: str, name: str) -> str:
    """The level is one digit, so that a minimum level is a range."""
    return f"L{level}#Y{years:02d}#{last_used or NEVER}#USER#{part(name)}"


def endorsements(name: str, skill_id: str = "") -> Span:
    """The endorsements of a person, or of one of their skills."""
    return Span(f"USER#{part(name)}", prefix=f"ENDORSED#{escape(skill_id)}#" if skill_id else "ENDORSED#")


def endorsed_skill(name: str, skill_id: str) -> str:
    return f"{part(name)}#{escape(skill_id)}"

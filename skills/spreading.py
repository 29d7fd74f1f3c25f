"""Popular skills: what people have of one is written to several parts of the index from then on, and found in all.

One part of DynamoDB's index takes a thousand writes and answers three thousand reads a second. What was written before
stays where it is until somebody says it anew, so that nothing has to be moved, and nobody is missing meanwhile.
"""

from __future__ import annotations

from dataclasses import replace

from acts.recording import try_record
from acts.site import SITE, table
from store import keys
from store.log import Event

from . import repository
from .rules import Skill

POPULAR = 5_000  # people who show a skill
SHARDS = 8


def spread_popular() -> int:
    """Look through the catalogue; answers how many skills are spread from now on."""
    skills = [repository.skill_of(item) for item in table().each(keys.skills())]
    return sum(spread(each) for each in skills if not each.shards and is_popular(each))


def is_popular(skill: Skill) -> bool:
    return table().count(keys.skill_holders(skill.id)) >= POPULAR


def spread(skill: Skill) -> bool:
    """Whoever changes the skill at the same moment goes first: the next look is soon enough."""
    event = Event(SITE, "SkillSpread", {"skill_id": skill.id, "shards": SHARDS})
    return try_record(event, *repository.change(skill, replace(skill, shards=SHARDS)))

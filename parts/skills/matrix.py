"""The matrix of people by skills, with the level each person shows to members.

It is read from the index, which has no keys for hidden skills, so these appear in no cell or count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from django.utils.translation import gettext as _

from foundation.acts.storage import table
from foundation.pages import lists
from foundation.pages.names import natural_sort_key
from foundation.store.parallel import run_parallel

from . import repository
from .rules import Skill

MAX_HOLDERS = 200  # per skill on a page; the file has all of them
BATCH_SKILLS = 100  # skills of the catalogue per batch


@dataclass(frozen=True, slots=True)
class Matrix:
    skills: Sequence[Skill]
    rows: list[tuple[str, list[int]]]  # one level per skill, 0 for none
    is_complete: bool


def skill_matrix(skills: Sequence[Skill], most: int | None = None) -> Matrix:
    """Everybody who shows at least one of these skills, by name."""
    levels: dict[str, dict[str, int]] = {}
    asks = (lambda skill=skill: list(islice(repository.holders(skill), most and most + 1)) for skill in skills)
    found = run_parallel(table(), *asks)
    for skill, holders in zip(skills, found, strict=True):
        for name, level in holders[:most]:
            levels.setdefault(name, {})[skill.id] = level
    is_complete = most is None or all(len(holders) <= most for holders in found)
    names = sorted(levels, key=natural_sort_key)
    return Matrix(skills, [(name, [levels[name].get(each.id, 0) for each in skills]) for name in names], is_complete)


def every_skill() -> Iterator[Skill]:
    cursor = None
    while True:
        found, cursor = repository.catalogue(limit=BATCH_SKILLS, cursor=cursor)
        yield from found
        if cursor is None:
            return


def as_csv() -> Iterator[str]:
    """The whole matrix: levels as numbers, empty cells for none."""
    matrix = skill_matrix(list(every_skill()))
    header = [_("Person"), *(each.name for each in matrix.skills)]
    return lists.as_csv(header, ([name, *(level or "" for level in levels)] for name, levels in matrix.rows))

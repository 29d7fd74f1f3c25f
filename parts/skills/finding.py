"""Searches for people by one or several skills and a minimum level, using only the index.

Every match is read once more from the person's own entries, because the index may lag behind a person who has just
hidden their skills, or left.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

from django.utils.translation import gettext as _

from foundation.acts.storage import table
from foundation.pages import lists
from foundation.pages.names import natural_sort_key
from foundation.store import cursors, keys
from foundation.store.parallel import run_parallel
from foundation.store.table import BadCursor, Item, Key, Span

from . import repository
from .repository import held_of
from .rules import LEVELS, Held, Skill

MAX_SKILLS_SEARCHED = 5
BATCH_ENTRIES = 100  # entries per batch, if not all of them match
MAX_ENTRIES_PER_PAGE = 500  # then the page offers to continue
COUNT_LIMITS = (50, 400)  # how many entries are counted to find the rarest skill


@dataclass(frozen=True, slots=True)
class SkillSearch:
    """Search criteria; level and use apply to each of the skills."""

    skills: tuple[Skill, ...]
    level: int = 1
    years: int = 0
    since: str = ""  # a month: last used then or later
    interest: bool = False

    @property
    def is_by_key(self) -> bool:
        """Whether the index alone answers the search, so that every entry read matches."""
        return len(self.skills) == 1 and not self.since and not self.interest

    def fits(self, held: Held) -> bool:
        skilled = held.level >= self.level and held.years >= self.years
        return skilled and held.last_used >= self.since and (held.interest or not self.interest)


def search(criteria: SkillSearch, *, limit: int, cursor: str | None = None) -> tuple[list[str], str | None]:
    """Names of people who match, best first; there may be more even after an empty page."""
    leading, known = (_leading(criteria, cursor), None) if cursor else rarest(criteria)
    found: list[str] = []
    looked = 0
    while looked < MAX_ENTRIES_PER_PAGE:
        batch = limit - len(found) if criteria.is_by_key else BATCH_ENTRIES
        entries, cursor = known or entries_of(leading, criteria, limit=batch, cursor=cursor)
        known = None
        fitting = _matching(criteria, entries)
        looked += len(entries)
        matches = fitting[: limit - len(found)]
        found += (entry["name"] for entry in matches)
        if len(fitting) > len(matches) or (len(found) == limit and cursor):
            return found, _cursor_after(leading, matches[-1])
        if cursor is None:
            return found, None
    return found, cursor


def held_by(names: Iterable[str], skill: Skill) -> dict[str, Held]:
    """What people who were found state about the skill, without those who have just hidden it."""
    places = [keys.person_skill(name, skill.id) for name in names]
    found = table().get_many(places) if places else {}
    return {item["name"]: held_of(item) for item in map(found.get, places) if item and "GSI1PK" in item}


# --- choosing the skill to scan ---


def rarest(criteria: SkillSearch) -> tuple[Skill, tuple[list[Item], str | None] | None]:
    """The skill with the fewest entries to scan, as far as they are counted; the first in a tie. Also returns the
    result of `entries_of`, if already known."""
    if len(criteria.skills) == 1:
        return criteria.skills[0], None
    for bound in COUNT_LIMITS:
        pages = run_parallel(
            table(),
            *(lambda each=each, bound=bound: entries_of(each, criteria, limit=bound) for each in criteria.skills),
        )
        skill, page = min(zip(criteria.skills, pages, strict=True), key=lambda pair: len(pair[1][0]))
        if len(page[0]) < bound:
            break
    return skill, page


def _leading(criteria: SkillSearch, cursor: str) -> Skill:
    """The skill that the previous page scanned, even if another one is the rarest by now."""
    for skill in criteria.skills:
        try:
            cursors.decode(_full_span(skill, criteria), cursor)
        except BadCursor:
            continue
        return skill
    raise BadCursor("This cursor belongs to another search.")


# --- entries of one skill, in index order ---


def entries_of(
    skill: Skill, criteria: SkillSearch, *, limit: int, cursor: str | None = None
) -> tuple[list[Item], str | None]:
    """Entries by minimum level and years: one range, or one per level if there is a minimum of years."""
    place = cursors.decode(_full_span(skill, criteria), cursor) if cursor else None
    spans = [keys.skill_holders_at(skill.id, *levels, criteria.years) for levels in _levels(criteria)]
    ahead = [span for span in spans if place is None or str(span.first) <= place["GSI1SK"]]
    pages = run_parallel(table(), *(partial(_read_backwards, span, place, limit + 1) for span in ahead))
    found = [item for page in pages for item in page]
    return (found[:limit], _cursor_after(skill, found[limit - 1])) if len(found) > limit else (found, None)


def _levels(criteria: SkillSearch) -> list[tuple[int, int]]:
    """Best first."""
    best = LEVELS[-1].number
    return (
        [(each, each) for each in range(best, criteria.level - 1, -1)] if criteria.years else [(criteria.level, best)]
    )


def _read_backwards(span: Span, place: dict[str, str] | None, limit: int) -> list[Item]:
    # the same position in this span, or its start if the position is before it
    cursor = cursors.encode(span, place) if place and span.holds(place["GSI1SK"]) else None
    page = table().page(span, limit=limit, cursor=cursor, backwards=True)
    items = page.items
    while len(items) < limit and page.cursor:
        page = table().page(span, limit=limit - len(items), cursor=page.cursor, backwards=True)
        items = [*items, *page.items]
    return items


def _full_span(skill: Skill, criteria: SkillSearch) -> Span:
    """All entries of a skill that a search may scan."""
    return keys.skill_holders_at(skill.id, criteria.level, LEVELS[-1].number)


def _cursor_after(skill: Skill, entry: Item) -> str:
    return cursors.encode(keys.skill_holders(skill.id), entry)


# --- matching people ---


def _matching(criteria: SkillSearch, entries: Iterable[Item]) -> list[Item]:
    """The entries of people who match in every skill, read afresh.

    Hidden entries have no index keys, and are treated as missing.
    """
    likely = [entry for entry in entries if criteria.fits(held_of(entry))]
    places = [_entry_key(entry, skill) for entry in likely for skill in criteria.skills]
    now = table().get_many(places) if places else {}
    fitting = {place for place, item in now.items() if "GSI1PK" in item and criteria.fits(held_of(item))}
    return [entry for entry in likely if all(_entry_key(entry, skill) in fitting for skill in criteria.skills)]


def _entry_key(entry: Item, skill: Skill) -> Key:
    return keys.person_skill(entry["name"], skill.id)


# --- the matrix of people by skills, with the level each person shows to members ---
# It is read from the index, which has no keys for hidden skills, so these appear in no cell or count.

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

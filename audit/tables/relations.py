"""The relational view: what is stored, as tables with natural keys that refer to each other.

Each table is read by the beginning of its natural key, a page at a time, in a number of round trips that does not grow
with it. Rows are made from the masked items of `masks`, so that nothing is shown here that is hidden there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any

from django.utils.translation import gettext_lazy as _

from accounts import repository as people
from acts.storage import now_text, table
from elections import repository as elections
from elections import sharding
from elections.rules import Election
from elections.turnout.disclosure import Allowed, allowed
from ranking.candidates import Candidate
from results import published
from results.published import Position
from store import keys, sharded_reads
from store.log import layout
from store.schema import SCHEMA, Sheet, parsed
from store.table import DATA, LOG, BadCursor, Invalid, Item, Key
from tally.ballots import groups_of

from . import masks
from .masks import HIDDEN
from .raw import BAD_CURSOR, Link, lock, unlock
from .sheets import Asked, Cell, NoSuch, Page, Row, cells_of, election_cell, href, item_link, person_cell

PAGE_ROWS = 50
PLACE = re.compile(r"(\d{1,6})\.(\d{1,6})")


BAD_NAME = _("This is not a name that the store could have.")
NO_ELECTION = _("There is no election of that name.")
NOT_BEFORE_CLOSE = _("The ballots of a secret election are shown when it is closed.")


# --- users ---


def _users(asked: Asked) -> Page:
    if "@" in asked.name:
        person = people.find_by_email(asked.name)
        item = table().get(keys.listed_person(person.name)) if person else None
        return Page([_user(item)] if item else [], count=_counts("user_count"))
    page = table().page(keys.people(asked.name), limit=PAGE_ROWS, cursor=asked.cursor)
    return Page([_user(item) for item in page.items], page.cursor, _counts("user_count"))


def _user(item: Item) -> Row:
    seen = masks.shown(DATA, item) or {}
    return Row(cells_of(seen, "name", "email", "role", "created_at"), (item_link(item),))


def _counts(name: str) -> int | None:
    return (table().get(keys.counts()) or {}).get(name)


# --- elections ---


def _elections(asked: Asked) -> Page:
    page = table().page(keys.elections(asked.name), limit=PAGE_ROWS, cursor=asked.cursor)
    places = [keys.election(item["name"]) for item in page.items]
    found = table().get_many([*places, keys.counts()])
    rows = [_election_row(found[place]) for place in places if place in found]
    return Page(rows, page.cursor, found.get(keys.counts(), {}).get("election_count"))


def _election_row(item: Item) -> Row:
    seen = masks.shown(DATA, item) or {}
    state = elections.election_of(item).state(now_text())
    cells = (
        Cell(seen["name"]),
        person_cell(seen["owner_name"]),
        Cell(state.value),
        *cells_of(seen, "secret_ballot", "method", "seats", "electorate", "voter_count"),
        *cells_of(seen, "no_voting_before", "no_voting_after", "created_at"),
    )
    leads = [
        Link(each.label, href(each.name, election=seen["name"])) for each in SCHEMA.sheets.values() if each.of_election
    ]
    return Row(cells, (*leads, item_link(item)))


@dataclass(frozen=True, slots=True)
class Known:
    """An election, how many have voted in it, and what may be known of their ballots."""

    election: Election
    voted: int
    may: Allowed


def _known(name: str) -> Known:
    """In one round trip."""
    item, voted = sharding.read_with_gates(name)
    if item is None:
        raise NoSuch(NO_ELECTION)
    return Known(elections.election_of(item), voted, allowed(item, voted))


# --- voters ---


def _voters(asked: Asked) -> Page:
    there = _known(asked.election)
    roll = sharding.roll_spans(there.election, asked.begins)
    page = sharded_reads.page(table(), roll, limit=PAGE_ROWS, cursor=asked.cursor)
    rows = [_voter(item, there.may) for item in page.items]
    return Page(rows, page.cursor, there.election.voter_count)


def _voter(item: Item, may: Allowed) -> Row:
    seen = masks.shown(DATA, item, may) or {}
    voted = (seen.get("voted"), seen.get("paper", False)) if may.who else (HIDDEN, HIDDEN)
    cells = (election_cell(seen["election_name"]), person_cell(seen["voter_name"]), *map(Cell, voted))
    ballot = Link(_("Ballots"), href("ballots", election=seen["election_name"], ballot=seen["voter_name"]))
    return Row(cells, (ballot, item_link(item)) if may.ballots and seen.get("voted") else (item_link(item),))


# --- ballots and rankings ---


@dataclass(frozen=True, slots=True)
class Seen:
    """A ballot under what it is known by: of a public election its voter, of a secret one its code."""

    known_by: str
    voter: str
    rankings: str
    when_cast: str | None


def _ballots(asked: Asked) -> Page:
    there = _known(asked.election)
    seen, cursor = _seen(there, asked, PAGE_ROWS)
    rows = [_ballot(there.election.name, each) for each in seen]
    return Page(rows, cursor, there.voted if there.may.published else None)


def _ballot(election: str, seen: Seen) -> Row:
    voter = person_cell(seen.voter) if seen.voter else Cell(None)
    cells = (election_cell(election), Cell(seen.known_by), voter, Cell(seen.rankings), Cell(seen.when_cast))
    return Row(cells, (Link(_("Rankings"), href("rankings", election=election, ballot=seen.known_by)),))


def _rankings(asked: Asked) -> Page:
    there = _known(asked.election)
    candidates = elections.candidates(there.election.name)
    seen, cursor = _seen(there, asked, max(1, PAGE_ROWS // max(1, len(candidates))))
    return Page([row for each in seen for row in _ranking(there.election.name, each, candidates)], cursor)


def _ranking(election: str, seen: Seen, candidates: list[Candidate]) -> Iterator[Row]:
    """The place each candidate has on a ballot, best first; those it leaves out have none."""
    places = {number: place for place, group in enumerate(groups_of(seen.rankings), 1) for number in group}
    ballot = Cell(seen.known_by, href("ballots", election=election, ballot=seen.known_by))
    for each in sorted(candidates, key=lambda each: (places.get(each.number, len(candidates) + 1), each.number)):
        named = Cell(each.name, href("candidates", election=election, begins=each.name))
        yield Row((election_cell(election), ballot, named, Cell(places.get(each.number))))


def _seen(there: Known, asked: Asked, limit: int) -> tuple[list[Seen], str | None]:
    """Some ballots of an election, as far as they may be seen."""
    if not there.may.published:
        raise NoSuch(NOT_BEFORE_CLOSE)
    read = _by_voter if there.may.ballots else _by_code
    return read(there.election, asked, limit)


def _by_voter(election: Election, asked: Asked, limit: int) -> tuple[list[Seen], str | None]:
    """Ballots of a public election. One without a name would be a secret one, and is left out."""
    beginning = keys.ballot(election.name, asked.ballot).sk
    box = [replace(span, prefix=beginning) for span in sharding.ballot_spans(election)]
    page = sharded_reads.page(table(), box, limit=limit, cursor=asked.cursor)
    named = [item for item in page.items if "voter_name" in item]
    seen = [Seen(each["voter_name"], each["voter_name"], each["rankings"], each["when_cast"]) for each in named]
    return seen, page.cursor


def _by_code(election: Election, asked: Asked, limit: int) -> tuple[list[Seen], str | None]:
    """Published ballots of a secret election, from a code on, or from where the last page ended."""
    beginning = asked.ballot.strip().upper()
    start = _place(asked.after) if asked.after else published.find_prefix(election.name, beginning)
    following = published.ballots_from(election.name, start)
    found = [
        (place, each) for place, each in islice(following, limit + 1) if each["confirmation"].startswith(beginning)
    ]
    seen = [Seen(each["confirmation"], "", each["rankings"], None) for _place_, each in found[:limit]]
    more = found[limit][0] if len(found) > limit else None
    return seen, f"{more.part}.{more.row}" if more else None


def _place(cursor: str) -> Position:
    if (found := PLACE.fullmatch(cursor)) is None:
        raise BadCursor("This is not a cursor.")
    return Position(int(found[1]), int(found[2]))


# --- skills ---


def _skills(asked: Asked) -> Page:
    page = table().page(keys.skill_names(asked.name), limit=PAGE_ROWS, cursor=asked.cursor)
    found = table().get_many({keys.skill(item["skill"]) for item in page.items})
    places = [keys.skill(item["skill"]) for item in page.items if keys.fold(item["name"]) == _own_name(found, item)]
    return Page([_skill(found[place]) for place in places], page.cursor)


def _own_name(found: dict[Key, Item], item: Item) -> str:
    """Every skill stands under its own name; its other names are in its row."""
    skill = found.get(keys.skill(item["skill"]))
    return keys.fold(skill["name"]) if skill else ""


def _skill(item: Item) -> Row:
    seen = masks.shown(DATA, item) or {}
    return Row(cells_of(seen, "id", "name", "category", "aliases", "description", "state"), (item_link(item),))


# --- multi-question ballots ---


def _multi_ballots(asked: Asked) -> Page:
    """The questions of one multi-question ballot, by its id."""
    item = table().get(keys.multi_ballot(asked.name))
    seen = (masks.shown(DATA, item) if item else None) or {"questions": ()}
    return Page([_bound(seen, place, name) for place, name in enumerate(seen["questions"], 1)])


def _bound(multi_ballot: Item, place: int, election_name: str) -> Row:
    leads = Cell(keys.fold(election_name) == keys.fold(multi_ballot["leader"]))
    return Row((*cells_of(multi_ballot, "id", "name"), Cell(place), election_cell(election_name), leads), ())


# --- the site's page ---


def _site_page(asked: Asked) -> Page:
    item = table().get(keys.site_page())
    return Page(list(_told(masks.shown(DATA, item) or {}, item)) if item else [])


def _told(seen: Item, item: Item) -> Iterator[Row]:
    """What it says, part by part; of links and projects one row each, in their order."""
    for part in ("name", "colour", "text"):
        yield Row((Cell(part), Cell(0), Cell(seen[part]), Cell(""), Cell("")), (item_link(item),))
    if photo := seen.get("photo"):
        yield Row((Cell("photo"), Cell(0), *cells_of(photo, "alt", "words", "id")), (item_link(item),))
    for number, each in enumerate(seen["links"], 1):
        yield Row((Cell("links"), Cell(number), *cells_of(each, "title", "words", "address")), (item_link(item),))
    for number, each in enumerate(seen["projects"], 1):
        yield Row((Cell("projects"), Cell(number), *cells_of(each, "title", "words", "link")), (item_link(item),))


# --- the log, and what follows it ---


def _sync(asked: Asked) -> Page:
    """How far each of those that follow the log has come."""
    places = {"SYNC": keys.sync(), "COUNTS": keys.counts(), "FIGURES": keys.figures(), "EVENTS": keys.event_number()}
    found = table().get_many(places.values())
    seen = {name: masks.shown(place.table, found[place]) or {} for name, place in places.items() if place in found}
    return Page([_follower(name, item) for name, item in seen.items()])


def _follower(name: str, item: Item) -> Row:
    last = item.get("last_event_id", item.get("last"))
    return Row((Cell(name), Cell(last, href("events", number=last) if last else ""), Cell(item.get("last_updated"))))


def _events(asked: Asked) -> Page:
    """The newest first."""
    page = layout.page(table(), last=asked.number, limit=PAGE_ROWS, cursor=asked.cursor, backwards=True)
    return Page([_event(item) for item in page.items], page.cursor, _counts("event_count"))


def _event(item: Item) -> Row:
    seen = masks.shown(LOG, item) or {}
    said = dict(seen["event_data"])
    name = said.pop("election_name", None)
    cells = (
        *cells_of(seen, "event_id", "when_occurred"),
        person_cell(seen["actor"]),
        Cell(seen["event_type"]),
        election_cell(name) if isinstance(name, str) else Cell(None),
        Cell(said),
    )
    return Row(cells, (item_link(layout.laid_out(item, table().log_partitions), LOG),))


# --- all of them ---

READERS: dict[str, Callable[[Asked], Page]] = {
    "users": _users,
    "elections": _elections,
    "voters": _voters,
    "ballots": _ballots,
    "rankings": _rankings,
    "skills": _skills,
    "books": _multi_ballots,
    "site-page": _site_page,
    "sync": _sync,
    "events": _events,
}


def page(sheet: Sheet, asked: Asked) -> Page:
    """Cursors leave the site locked, for they quote a key."""
    read = READERS.get(sheet.name, partial(_rows, sheet))
    try:
        found = read(replace(asked, after=unlock(asked.after)) if asked.after else asked)
        return replace(found, cursor=lock(found.cursor) if found.cursor else None)
    except BadCursor:
        raise NoSuch(BAD_CURSOR) from None
    except Invalid:
        raise NoSuch(BAD_NAME) from None


def _rows(sheet: Sheet, asked: Asked) -> Page:
    """Of a sheet that declares where its items lie and what its cells are."""
    if sheet.of_election:
        asked = replace(asked, election=_known(asked.election).election.name)
    span = sheet.span(asked) if sheet.span else None
    if span is None:
        return Page([])
    found = table().page(span, limit=PAGE_ROWS, cursor=asked.cursor, backwards=sheet.backwards)
    return Page([_row(sheet, asked, item) for item in found.items], found.cursor)


def _row(sheet: Sheet, asked: Asked, item: Item) -> Row:
    seen = masks.shown(DATA, item) or {}
    cells = (
        _cell(kind, asked.name if kind == "asked" else seen.get(name)) for name, kind in parsed(sheet.cells).items()
    )
    leads = (Link(text, href(name, name=seen[by])) for text, name, by in sheet.leads)
    return Row(tuple(cells), (*leads, item_link(item)))


def _cell(kind: str, value: Any) -> Cell:
    if kind == "person" or kind == "election":
        return (person_cell if kind == "person" else election_cell)(value) if value else Cell(None)
    return Cell(value)


def find(relation: str) -> Sheet | None:
    return SCHEMA.sheets.get(relation)


def choices(relation: Sheet) -> list[Link]:
    """The first elections by name, for a table that is read for one."""
    page = table().page(keys.elections(), limit=20)
    return [Link(item["name"], href(relation.name, election=item["name"])) for item in page.items]

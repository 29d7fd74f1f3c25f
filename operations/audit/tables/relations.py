"""The relational view: the stored data as tables with natural keys that refer to each other.

Each table is read by a prefix of its natural key, a page at a time, in a constant number of round trips. Rows are made
from the masked items of `masks`, so nothing is shown here that is hidden there. Only a sheet with a `read` of its own
decides itself what may be shown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any

from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy as _

from accounts import repository as people
from elections import repository as elections
from elections import rolls, sharding
from elections.rules import Election
from elections.turnout.counts import Allowed, allowed
from foundation.acts.refusals import Refusal
from foundation.acts.storage import now_text, table
from foundation.ranking.candidates import Candidate
from foundation.ranking.marks import ranks_of
from foundation.store import keys, sharded_reads
from foundation.store.log import layout
from foundation.store.schema import SCHEMA, Sheet, parsed
from foundation.store.table import DATA, LOG, BadCursor, Invalid, Item, Key
from results import repository
from results.repository import Position

from . import masks
from .masks import HIDDEN, Hidden
from .raw import BAD_CURSOR, Link, decrypt_cursor, encrypt_cursor, item_href

MAX_CELL_CHARS = 300  # characters of a cell on a page; files and item pages show all
PAGE_ROWS = 50
PLACE = re.compile(r"(\d{1,6})\.(\d{1,6})")

BAD_NAME = _("This is not a valid name.")
NO_ELECTION = _("No election has this name.")
NO_QUESTION = _("This election does not ask a question of that number.")
NOT_BEFORE_CLOSE = _("The ballots of a secret election are shown after it closes.")


# --- pages, rows, cells and links ---


class NoSuch(Refusal):
    """What was requested does not exist or is hidden; the message says which."""


@dataclass(frozen=True, slots=True)
class Cell:
    value: Any
    href: str = ""

    @property
    def is_hidden(self) -> bool:
        return isinstance(self.value, Hidden)

    @property
    def text(self) -> str:
        """The text shown on a page."""
        if self.value is None:
            return ""
        if isinstance(self.value, bool):
            return str(_("yes") if self.value else _("no"))
        text = as_text(self.value)
        return text if len(text) <= MAX_CELL_CHARS else f"{text[: MAX_CELL_CHARS - 1]}…"


def as_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, dict | list) else str(value)


@dataclass(frozen=True, slots=True)
class Row:
    cells: tuple[Cell, ...]
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    rows: list[Row]
    cursor: str | None = None
    count: int | None = None  # of the whole table, if a total is stored

    @property
    def leads(self) -> bool:
        """Whether its rows have links beside their cells."""
        return any(row.links for row in self.rows)


@dataclass(frozen=True, slots=True)
class TableQuery:
    """The filter of a table, and where the last page ended."""

    name: str = ""
    election: str = ""
    question: int | None = None  # the first, unless a number is given
    begins: str = ""
    ballot: str = ""
    number: int | None = None
    after: str = ""

    @property
    def cursor(self) -> str | None:
        return self.after or None


def href(relation: str, **values: Any) -> str:
    parameters = {name: word for name, word in values.items() if word not in ("", None)}
    return reverse("table", args=[relation]) + (f"?{urlencode(parameters)}" if parameters else "")


def person_cell(name: Any) -> Cell:
    """A person with a link to them; the site itself and strangers have no account."""
    return Cell(name, href("users", name=name) if isinstance(name, str) and name != "plenum" else "")


def election_cell(name: str) -> Cell:
    return Cell(name, href("elections", name=name))


def item_link(item: Item, table_name: str = DATA) -> Link:
    return Link(_("Item"), item_href(Key(item["PK"], item["SK"], table_name)))


def cells_of(item: Item, *names: str) -> tuple[Cell, ...]:
    return tuple(Cell(item.get(name)) for name in names)


# --- users ---


def _users(query: TableQuery) -> Page:
    names = ("name", "email", "role", "created_at")
    if "@" in query.name:
        person = people.find_by_email(query.name)
        item = table().get(keys.listed_person(person.name)) if person else None
        return Page([_plain_row(item, *names)] if item else [], count=_stored_count("user_count"))
    page = table().page(keys.people(query.name), limit=PAGE_ROWS, cursor=query.cursor)
    return Page([_plain_row(item, *names) for item in page.items], page.cursor, _stored_count("user_count"))


def _plain_row(item: Item, *names: str) -> Row:
    return Row(cells_of(masks.mask_item(DATA, item) or {}, *names), (item_link(item),))


def _stored_count(name: str) -> int | None:
    return (table().get(keys.COUNTS) or {}).get(name)


# --- elections ---


def _elections(query: TableQuery) -> Page:
    page = table().page(keys.elections(query.name), limit=PAGE_ROWS, cursor=query.cursor)
    places = [keys.election(item["name"]) for item in page.items]
    found = table().get_many([*places, keys.COUNTS])
    rows = [_election_row(found[place]) for place in places if place in found]
    return Page(rows, page.cursor, found.get(keys.COUNTS, {}).get("election_count"))


def _election_row(item: Item) -> Row:
    masked = masks.mask_item(DATA, item) or {}
    state = elections.election_of(item).state(now_text())
    cells = (
        Cell(masked["name"]),
        person_cell(masked["owner_name"]),
        Cell(state.value),
        *cells_of(masked, "secret_ballot", "method", "seats"),
        Cell(1 + len(masked.get("more", ()))),
        *cells_of(masked, "electorate", "voter_count"),
        *cells_of(masked, "no_voting_before", "no_voting_after", "created_at"),
    )
    leads = [
        Link(each.label, href(each.name, election=masked["name"]))
        for each in SCHEMA.sheets.values()
        if each.of_election
    ]
    return Row(cells, (*leads, item_link(item)))


def _questions(query: TableQuery) -> Page:
    election = _load_election(query).election
    return Page([_question_row(each) for each in election.questions])


def _question_row(election: Election) -> Row:
    names = ("number", "title", "kind", "method", "seats", "fewest", "most", "majority", "unranked", "for_groups")
    cells = (election_cell(election.name), *(Cell(_plain(getattr(election, name))) for name in names))
    about = {"election": election.name, "question": election.number}
    own = (each for each in SCHEMA.sheets.values() if "question" in each.filters)
    return Row(cells, tuple(Link(each.label, href(each.name, **about)) for each in own))


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


@dataclass(frozen=True, slots=True)
class ElectionAccess:
    """An election as it asks one of its questions, its turnout, and what may be shown of its ballots."""

    election: Election
    voted: int
    may: Allowed


def _load_election(query: TableQuery) -> ElectionAccess:
    """In one round trip."""
    item, voted = sharding.read_with_gates(keys.election(query.election))
    if item is None:
        raise NoSuch(NO_ELECTION)
    election = elections.election_of(item)
    if not election.has_question(query.question or 1):
        raise NoSuch(NO_QUESTION)
    return ElectionAccess(election.at(query.question or 1), voted, allowed(item, voted))


# --- voters ---


def _voters(query: TableQuery) -> Page:
    there = _load_election(query)
    roll = sharding.roll_spans(there.election, query.begins)
    page = sharded_reads.page(table(), roll, limit=PAGE_ROWS, cursor=query.cursor)
    rows = [_voter(item, there.may) for item in page.items]
    return Page(rows, page.cursor, there.election.voter_count)


def _voter(item: Item, may: Allowed) -> Row:
    masked = masks.mask_item(DATA, item, may) or {}
    voted = (masked.get("voted"), masked.get("paper", False)) if may.who else (HIDDEN, HIDDEN)
    details = ", ".join(masked.get("groups", ())), rolls.weight_of(masked)
    cells = (election_cell(masked["election_name"]), person_cell(masked["voter_name"]), *map(Cell, (*details, *voted)))
    ballot = Link(_("Ballots"), href("ballots", election=masked["election_name"], ballot=masked["voter_name"]))
    return Row(cells, (ballot, item_link(item)) if may.ballots and masked.get("voted") else (item_link(item),))


# --- ballots and rankings ---


@dataclass(frozen=True, slots=True)
class BallotView:
    """A ballot and its identifier: the voter in a public election, the code in a secret one."""

    known_by: str
    voter: str
    rankings: str
    when_cast: str | None


def _ballots(query: TableQuery) -> Page:
    there = _load_election(query)
    ballots, cursor = _read_ballots(there, query, PAGE_ROWS)
    rows = [_ballot(there.election, each) for each in ballots]
    return Page(rows, cursor, there.voted if there.may.published else None)


def _ballot(election: Election, ballot: BallotView) -> Row:
    voter = person_cell(ballot.voter) if ballot.voter else Cell(None)
    about = {"election": election.name, "question": election.number, "ballot": ballot.known_by}
    own = (Cell(ballot.known_by), voter, Cell(ballot.rankings), Cell(ballot.when_cast))
    return Row(
        (election_cell(election.name), Cell(election.number), *own), (Link(_("Rankings"), href("rankings", **about)),)
    )


def _rankings(query: TableQuery) -> Page:
    there = _load_election(query)
    candidates = elections.candidates(there.election.name, there.election.number)
    ballots, cursor = _read_ballots(there, query, max(1, PAGE_ROWS // max(1, len(candidates))))
    return Page([row for each in ballots for row in _ranking(there.election, each, candidates)], cursor)


def _ranking(election: Election, ballot: BallotView, candidates: list[Candidate]) -> Iterator[Row]:
    """Each candidate's place on a ballot, best first, also by values; those left out have none."""
    given = ranks_of(ballot.rankings)
    values = sorted(set(given.values()), reverse="@" in ballot.rankings)
    places = {number: values.index(value) + 1 for number, value in given.items()}
    about = {"election": election.name, "question": election.number}
    ballot_cell = Cell(ballot.known_by, href("ballots", **about, ballot=ballot.known_by))
    for each in sorted(candidates, key=lambda each: (places.get(each.number, len(candidates) + 1), each.number)):
        named = Cell(each.name, href("candidates", **about, begins=each.name))
        cells = (election_cell(election.name), Cell(election.number), ballot_cell, named)
        yield Row((*cells, Cell(places.get(each.number))))


def _read_ballots(there: ElectionAccess, query: TableQuery, limit: int) -> tuple[list[BallotView], str | None]:
    """A page of an election's ballots, masked as allowed."""
    if not there.may.published:
        raise NoSuch(NOT_BEFORE_CLOSE)
    read = _by_voter if there.may.ballots else _by_code
    return read(there.election, query, limit)


def _by_voter(election: Election, query: TableQuery, limit: int) -> tuple[list[BallotView], str | None]:
    """Ballots of a public election. One without a name would be secret, and is left out."""
    beginning = keys.ballot(election.name, query.ballot, question=election.number).sk
    box = [replace(span, prefix=beginning) for span in sharding.ballot_spans(election)]
    page = sharded_reads.page(table(), box, limit=limit, cursor=query.cursor)
    named = [item for item in page.items if "voter_name" in item]
    ballots = [
        BallotView(each["voter_name"], each["voter_name"], each["rankings"], each["when_cast"]) for each in named
    ]
    return ballots, page.cursor


def _by_code(election: Election, query: TableQuery, limit: int) -> tuple[list[BallotView], str | None]:
    """Published ballots of a secret election, starting at a code, or where the last page ended."""
    beginning = query.ballot.strip().upper()
    start = _place(query.after) if query.after else repository.find_prefix(election, beginning)
    following = repository.ballots_from(election, start)
    found = [
        (place, each) for place, each in islice(following, limit + 1) if each["confirmation"].startswith(beginning)
    ]
    ballots = [BallotView(each["confirmation"], "", each["rankings"], None) for _place_, each in found[:limit]]
    more = found[limit][0] if len(found) > limit else None
    return ballots, f"{more.part}.{more.row}" if more else None


def _place(cursor: str) -> Position:
    if (found := PLACE.fullmatch(cursor)) is None:
        raise BadCursor("This is not a cursor.")
    return Position(int(found[1]), int(found[2]))


# --- skills ---


def _skills(query: TableQuery) -> Page:
    page = table().page(keys.skill_names(query.name), limit=PAGE_ROWS, cursor=query.cursor)
    found = table().get_many({keys.skill(item["skill"]) for item in page.items})
    places = [keys.skill(item["skill"]) for item in page.items if keys.fold(item["name"]) == _own_name(found, item)]
    names = ("id", "name", "category", "aliases", "description", "state")
    return Page([_plain_row(found[place], *names) for place in places], page.cursor)


def _own_name(found: dict[Key, Item], item: Item) -> str:
    """Each skill is listed under its own name; its other names are in its row."""
    skill = found.get(keys.skill(item["skill"]))
    return keys.fold(skill["name"]) if skill else ""


# --- the site's page ---


def _site_page(query: TableQuery) -> Page:
    item = table().get(keys.SITE_PAGE)
    return Page(list(_site_page_rows(item)) if item else [])


def _site_page_rows(item: Item) -> Iterator[Row]:
    """Its content, part by part; links and projects have one row each, in order."""
    masked = masks.mask_item(DATA, item) or {}
    for part in ("name", "colour", "text"):
        yield Row((Cell(part), Cell(0), Cell(masked[part]), Cell(""), Cell("")), (item_link(item),))
    if photo := masked.get("photo"):
        yield Row((Cell("photo"), Cell(0), *cells_of(photo, "alt", "words", "id")), (item_link(item),))
    for part, target in (("links", "address"), ("projects", "link")):
        for number, each in enumerate(masked[part], 1):
            yield Row((Cell(part), Cell(number), *cells_of(each, "title", "words", target)), (item_link(item),))


# --- the log and its followers ---


def _sync(query: TableQuery) -> Page:
    """How far each follower of the log has come."""
    places = {"SYNC": keys.SYNC, "COUNTS": keys.COUNTS, "FIGURES": keys.FIGURES, "EVENTS": keys.EVENT_NUMBER}
    found = table().get_many(places.values())
    masked = {
        name: masks.mask_item(place.table, found[place]) or {} for name, place in places.items() if place in found
    }
    return Page([_follower(name, item) for name, item in masked.items()])


def _follower(name: str, item: Item) -> Row:
    last = item.get("last_event_id", item.get("last"))
    return Row((Cell(name), Cell(last, href("events", number=last) if last else ""), Cell(item.get("last_updated"))))


def _events(query: TableQuery) -> Page:
    """Newest first."""
    page = layout.page(table(), last=query.number, limit=PAGE_ROWS, cursor=query.cursor, backwards=True)
    return Page([_event(item) for item in page.items], page.cursor, _stored_count("event_count"))


def _event(item: Item) -> Row:
    masked = masks.mask_item(LOG, item) or {}
    data = dict(masked["event_data"])
    name = data.pop("election_name", None)
    cells = (
        *cells_of(masked, "event_id", "when_occurred"),
        person_cell(masked["actor"]),
        Cell(masked["event_type"]),
        election_cell(name) if isinstance(name, str) else Cell(None),
        Cell(data),
    )
    return Row(cells, (item_link(layout.laid_out(item, table().log_partitions), LOG),))


# --- all of them ---

READERS: dict[str, Callable[[TableQuery], Page]] = {
    "users": _users,
    "elections": _elections,
    "election-questions": _questions,
    "voters": _voters,
    "ballots": _ballots,
    "rankings": _rankings,
    "skills": _skills,
    "site-page": _site_page,
    "sync": _sync,
    "events": _events,
}


def page(sheet: Sheet, query: TableQuery) -> Page:
    """Cursors are encrypted before they leave the site, as they contain a key."""
    read = READERS.get(sheet.name, partial(_rows, sheet))
    try:
        found = read(replace(query, after=decrypt_cursor(query.after)) if query.after else query)
        return replace(found, cursor=encrypt_cursor(found.cursor) if found.cursor else None)
    except BadCursor:
        raise NoSuch(BAD_CURSOR) from None
    except Invalid:
        raise NoSuch(BAD_NAME) from None


def _rows(sheet: Sheet, query: TableQuery) -> Page:
    """The rows of a sheet that declares where its items are and what its cells are."""
    if sheet.of_election:
        query = replace(query, election=_load_election(query).election.name)
    if sheet.read:
        rows, cursor = sheet.read(query, PAGE_ROWS)
        return Page([Row(_cells(sheet, query, row)) for row in rows], cursor)
    span = sheet.span(query) if sheet.span else None
    if span is None:
        return Page([])
    found = table().page(span, limit=PAGE_ROWS, cursor=query.cursor, backwards=sheet.backwards)
    items = found.items
    if sheet.whole:
        places = [sheet.whole(item) for item in items]
        stored = table().get_many(places)
        items = [stored[place] for place in places if place in stored]
    return Page([_row(sheet, query, item) for item in items], found.cursor)


def _row(sheet: Sheet, query: TableQuery, item: Item) -> Row:
    stored_at = Key(item["PK"], item["SK"])
    question, _key = keys.question_of(stored_at)
    item_type = SCHEMA.type_of(stored_at)
    unstored = item_type.unstored if item_type else {}
    values = {**unstored, "question": question, **(masks.mask_item(DATA, item) or {})}
    leads = (Link(text, href(name, name=values[by])) for text, name, by in sheet.leads)
    return Row(_cells(sheet, query, values), (*leads, item_link(item)))


def _cells(sheet: Sheet, query: TableQuery, values: Item) -> tuple[Cell, ...]:
    declared = parsed(sheet.cells).items()
    return tuple(_cell(kind, query.name if kind == "asked" else values.get(name)) for name, kind in declared)


def _cell(kind: str, value: Any) -> Cell:
    if kind == "person" or kind == "election":
        return (person_cell if kind == "person" else election_cell)(value) if value else Cell(None)
    return Cell(value)


def find(relation: str) -> Sheet | None:
    return SCHEMA.sheets.get(relation)


def choices(relation: Sheet) -> list[Link]:
    """The first elections by name, for a table that needs one."""
    page = table().page(keys.elections(), limit=20)
    return [Link(item["name"], href(relation.name, election=item["name"])) for item in page.items]

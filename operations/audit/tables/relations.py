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
TEXTS_OF_PAGE = ("name", "colour", "text")  # of the site's page
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
    def as_text(self) -> str:
        """Whole, as in a file."""
        if isinstance(self.value, dict | list):
            return json.dumps(self.value, ensure_ascii=False, default=str)
        return "" if self.value is None else str(self.value)

    @property
    def text(self) -> str:
        """The text shown on a page."""
        if isinstance(self.value, bool):
            return str(_("yes") if self.value else _("no"))
        text = self.as_text
        return text if len(text) <= MAX_CELL_CHARS else f"{text[: MAX_CELL_CHARS - 1]}…"


@dataclass(frozen=True, slots=True)
class Row:
    cells: tuple[Cell, ...]
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class TablePage:
    rows: list[Row]
    cursor: str | None = None
    count: int | None = None  # of the whole table, if a total is stored

    @property
    def has_links(self) -> bool:
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


def _users(query: TableQuery) -> TablePage:
    names = ("name", "email", "role", "created_at")
    if "@" in query.name:
        person = people.find_by_email(query.name)
        item = table().get(keys.listed_person(person.name)) if person else None
        return TablePage([_plain_row(item, *names)] if item else [], count=_stored_count("user_count"))
    page = table().page(keys.people(query.name), limit=PAGE_ROWS, cursor=query.cursor)
    return TablePage([_plain_row(item, *names) for item in page.items], page.cursor, _stored_count("user_count"))


def _plain_row(item: Item, *names: str) -> Row:
    return Row(cells_of(masks.mask_item(DATA, item) or {}, *names), (item_link(item),))


def _stored_count(name: str) -> int | None:
    return (table().get(keys.COUNTS) or {}).get(name)


# --- elections ---


def _elections(query: TableQuery) -> TablePage:
    page = table().page(keys.elections(query.name), limit=PAGE_ROWS, cursor=query.cursor)
    places = [keys.election(item["name"]) for item in page.items]
    found = table().get_many([*places, keys.COUNTS])
    sheets = [each for each in SCHEMA.sheets.values() if each.of_election]
    rows = []
    for item in (found[place] for place in places if place in found):
        masked = masks.mask_item(DATA, item) or {}
        cells = (
            Cell(masked["name"]),
            person_cell(masked["owner_name"]),
            Cell(elections.election_of(item).state(now_text()).value),
            *cells_of(masked, "secret_ballot", "method", "seats"),
            Cell(1 + len(masked.get("more", ()))),
            *cells_of(masked, "electorate", "voter_count", "no_voting_before", "no_voting_after", "created_at"),
        )
        links = (Link(each.label, href(each.name, election=masked["name"])) for each in sheets)
        rows.append(Row(cells, (*links, item_link(item))))
    return TablePage(rows, page.cursor, found.get(keys.COUNTS, {}).get("election_count"))


def _questions(query: TableQuery) -> TablePage:
    names = ("number", "title", "kind", "method", "seats", "fewest", "most", "majority", "unranked", "for_groups")
    sheets, rows = [each for each in SCHEMA.sheets.values() if "question" in each.filters], []
    for question in _load_election(query).election.questions:
        values = (getattr(question, name) for name in names)
        cells = (Cell(list(value) if isinstance(value, tuple) else value) for value in values)
        about = {"election": question.name, "question": question.number}
        links = tuple(Link(each.label, href(each.name, **about)) for each in sheets)
        rows.append(Row((election_cell(question.name), *cells), links))
    return TablePage(rows)


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


def _voters(query: TableQuery) -> TablePage:
    there, rows = _load_election(query), []
    roll = sharding.roll_spans(there.election, query.begins)
    page = sharded_reads.page(table(), roll, limit=PAGE_ROWS, cursor=query.cursor)
    for item in page.items:
        masked = masks.mask_item(DATA, item, there.may) or {}
        election, name = masked["election_name"], masked["voter_name"]
        voted = (masked.get("voted"), masked.get("paper", False)) if there.may.who else (HIDDEN, HIDDEN)
        details = ", ".join(masked.get("groups", ())), rolls.weight_of(masked)
        cells = (election_cell(election), person_cell(name), *map(Cell, (*details, *voted)))
        has_ballot = there.may.ballots and masked.get("voted")
        ballots = (Link(_("Ballots"), href("ballots", election=election, ballot=name)),) if has_ballot else ()
        rows.append(Row(cells, (*ballots, item_link(item))))
    return TablePage(rows, page.cursor, there.election.voter_count)


# --- ballots and rankings ---


@dataclass(frozen=True, slots=True)
class BallotView:
    """A ballot and its identifier: the voter in a public election, the code in a secret one."""

    known_by: str
    voter: str
    rankings: str
    when_cast: str | None


def _ballots(query: TableQuery) -> TablePage:
    there = _load_election(query)
    election, rows = there.election, []
    ballots, cursor = _read_ballots(there, query, PAGE_ROWS)
    for each in ballots:
        voter = person_cell(each.voter) if each.voter else Cell(None)
        about = {"election": election.name, "question": election.number, "ballot": each.known_by}
        own = (Cell(each.known_by), voter, Cell(each.rankings), Cell(each.when_cast))
        rankings = Link(_("Rankings"), href("rankings", **about))
        rows.append(Row((election_cell(election.name), Cell(election.number), *own), (rankings,)))
    return TablePage(rows, cursor, there.voted if there.may.published else None)


def _rankings(query: TableQuery) -> TablePage:
    there = _load_election(query)
    candidates = elections.candidates(there.election.name, there.election.number)
    ballots, cursor = _read_ballots(there, query, max(1, PAGE_ROWS // max(1, len(candidates))))
    return TablePage([row for each in ballots for row in _ranking(there.election, each, candidates)], cursor)


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
    if query.after:
        if (place := PLACE.fullmatch(query.after)) is None:
            raise BadCursor("This is not a cursor.")
        start = Position(int(place[1]), int(place[2]))
    else:
        start = repository.find_prefix(election, beginning)
    following = islice(repository.ballots_from(election, start), limit + 1)
    found = [(place, each) for place, each in following if each["confirmation"].startswith(beginning)]
    ballots = [BallotView(each["confirmation"], "", each["rankings"], None) for _place, each in found[:limit]]
    more = found[limit][0] if len(found) > limit else None
    return ballots, f"{more.part}.{more.row}" if more else None


# --- skills ---


def _skills(query: TableQuery) -> TablePage:
    """Each skill under its own name; its other names are in its row."""
    page = table().page(keys.skill_names(query.name), limit=PAGE_ROWS, cursor=query.cursor)
    found, rows = table().get_many({keys.skill(item["skill"]) for item in page.items}), []
    for item in page.items:
        skill = found.get(keys.skill(item["skill"]))
        if skill and keys.fold(item["name"]) == keys.fold(skill["name"]):
            rows.append(_plain_row(skill, "id", "name", "category", "aliases", "description", "state"))
    return TablePage(rows, page.cursor)


# --- the site's page ---


def _site_page(query: TableQuery) -> TablePage:
    """Its content, part by part; links and projects have one row each, in order."""
    if (item := table().get(keys.SITE_PAGE)) is None:
        return TablePage([])
    masked, links = masks.mask_item(DATA, item) or {}, (item_link(item),)
    rows = [Row((Cell(part), Cell(0), Cell(masked[part]), Cell(""), Cell("")), links) for part in TEXTS_OF_PAGE]
    if photo := masked.get("photo"):
        rows.append(Row((Cell("photo"), Cell(0), *cells_of(photo, "alt", "words", "id")), links))
    for part, target in (("links", "address"), ("projects", "link")):
        for number, each in enumerate(masked[part], 1):
            rows.append(Row((Cell(part), Cell(number), *cells_of(each, "title", "words", target)), links))
    return TablePage(rows)


# --- the log and its followers ---


def _sync(query: TableQuery) -> TablePage:
    """How far each follower of the log has come."""
    places = {"SYNC": keys.SYNC, "COUNTS": keys.COUNTS, "FIGURES": keys.FIGURES, "EVENTS": keys.EVENT_NUMBER}
    found, rows = table().get_many(places.values()), []
    for name, place in places.items():
        if place in found:
            masked = masks.mask_item(place.table, found[place]) or {}
            last = masked.get("last_event_id", masked.get("last"))
            number = Cell(last, href("events", number=last) if last else "")
            rows.append(Row((Cell(name), number, Cell(masked.get("last_updated")))))
    return TablePage(rows)


def _events(query: TableQuery) -> TablePage:
    """Newest first."""
    page = layout.page(table(), last=query.number, limit=PAGE_ROWS, cursor=query.cursor, backwards=True)
    rows = []
    for item in page.items:
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
        rows.append(Row(cells, (item_link(layout.laid_out(item, table().log_partitions), LOG),)))
    return TablePage(rows, page.cursor, _stored_count("event_count"))


# --- all of them ---

READERS: dict[str, Callable[[TableQuery], TablePage]] = {
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


def page(sheet: Sheet, query: TableQuery) -> TablePage:
    """Cursors are encrypted before they leave the site, as they contain a key."""
    read = READERS.get(sheet.name, partial(_rows, sheet))
    try:
        found = read(replace(query, after=decrypt_cursor(query.after)) if query.after else query)
        return replace(found, cursor=encrypt_cursor(found.cursor) if found.cursor else None)
    except BadCursor:
        raise NoSuch(BAD_CURSOR) from None
    except Invalid:
        raise NoSuch(BAD_NAME) from None


def _rows(sheet: Sheet, query: TableQuery) -> TablePage:
    """The rows of a sheet that declares where its items are and what its cells are."""
    if sheet.of_election:
        query = replace(query, election=_load_election(query).election.name)
    if sheet.read:
        rows, cursor = sheet.read(query, PAGE_ROWS)
        return TablePage([Row(_cells(sheet, query, row)) for row in rows], cursor)
    span = sheet.span(query) if sheet.span else None
    if span is None:
        return TablePage([])
    found = table().page(span, limit=PAGE_ROWS, cursor=query.cursor, backwards=sheet.backwards)
    items = found.items
    if sheet.whole:
        places = [sheet.whole(item) for item in items]
        stored = table().get_many(places)
        items = [stored[place] for place in places if place in stored]
    return TablePage([_row(sheet, query, item) for item in items], found.cursor)


def _row(sheet: Sheet, query: TableQuery, item: Item) -> Row:
    stored_at = Key(item["PK"], item["SK"])
    question, _key = keys.question_of(stored_at)
    item_type = SCHEMA.type_of(stored_at)
    unstored = item_type.unstored if item_type else {}
    values = {**unstored, "question": question, **(masks.mask_item(DATA, item) or {})}
    links = (Link(text, href(name, name=values[by])) for text, name, by in sheet.leads)
    return Row(_cells(sheet, query, values), (*links, item_link(item)))


def _cells(sheet: Sheet, query: TableQuery, values: Item) -> tuple[Cell, ...]:
    linking, cells = {"person": person_cell, "election": election_cell}, []
    for name, kind in parsed(sheet.cells).items():
        value = query.name if kind == "asked" else values.get(name)
        if kind in linking:
            cells.append(linking[kind](value) if value else Cell(None))
        else:
            cells.append(Cell(value))
    return tuple(cells)


def find(relation: str) -> Sheet | None:
    return SCHEMA.sheets.get(relation)


def choices(relation: Sheet) -> list[Link]:
    """The first elections by name, for a table that needs one."""
    page = table().page(keys.elections(), limit=20)
    return [Link(item["name"], href(relation.name, election=item["name"])) for item in page.items]

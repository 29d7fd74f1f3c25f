"""The relational view: what is stored, as tables with natural keys that refer to each other.

Each table is read by the beginning of its natural key, a page at a time, in a number of round trips that does not grow
with it. Rows are made from the masked items of `masks`, so that nothing is shown here that is hidden there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy as _

from accounts import repository as people
from acts.refusals import Refusal
from acts.site import now_text, table
from elections import repository as elections
from elections.rules import Election
from ranking.candidates import Candidate
from results import published
from results.published import Place
from store import keys
from store.table import DATA, LOG, BadCursor, Invalid, Item, Key, Span
from tally.ballots import groups_of

from . import masks
from .masks import HIDDEN, Allowed, Hidden
from .raw import BAD_CURSOR, Link, item_href, lock, unlock

A_PAGE = 50
LONGEST_TEXT = 300  # characters of a cell on a page; files and the pages of items have all
PLACE = re.compile(r"(\d{1,6})\.(\d{1,6})")


class NoSuch(Refusal):
    """What the table was asked for is not there or not to be seen; the words say which."""


NO_ELECTION = _("There is no election of that name.")
NOT_BEFORE_CLOSE = _("The ballots of a secret election are shown when it is closed.")
BAD_NAME = _("This is not a name that the store could have.")


@dataclass(frozen=True, slots=True)
class Cell:
    value: Any
    href: str = ""

    @property
    def is_hidden(self) -> bool:
        return isinstance(self.value, Hidden)

    @property
    def text(self) -> str:
        """As a page shows it."""
        if self.value is None:
            return ""
        if isinstance(self.value, bool):
            return str(_("yes") if self.value else _("no"))
        text = as_text(self.value)
        return text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 1]}…"


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
    count: int | None = None  # of the whole table, where somebody keeps it

    @property
    def leads(self) -> bool:
        """Whether its rows have links beside their cells."""
        return any(row.links for row in self.rows)


@dataclass(frozen=True, slots=True)
class Asked:
    """What somebody filtered a table by, and where the last page ended."""

    name: str = ""
    election: str = ""
    begins: str = ""
    ballot: str = ""
    number: int | None = None
    after: str = ""

    @property
    def cursor(self) -> str | None:
        return self.after or None


@dataclass(frozen=True, slots=True)
class Relation:
    name: str
    label: str
    about: str
    columns: tuple[str, ...]
    key: tuple[str, ...]  # the natural key, its leading part first
    filters: tuple[str, ...]
    read: Callable[[Asked], Page] = field(repr=False)

    @property
    def of_election(self) -> bool:
        """Whether the table can only be read for one election."""
        return "election" in self.filters

    def page(self, asked: Asked) -> Page:
        """Cursors leave the site locked, for they quote a key."""
        try:
            page = self.read(replace(asked, after=unlock(asked.after)) if asked.after else asked)
            return replace(page, cursor=lock(page.cursor) if page.cursor else None)
        except BadCursor:
            raise NoSuch(BAD_CURSOR) from None
        except Invalid:
            raise NoSuch(BAD_NAME) from None


def href(relation: str, **words: Any) -> str:
    asked = {name: word for name, word in words.items() if word not in ("", None)}
    return reverse("table", args=[relation]) + (f"?{urlencode(asked)}" if asked else "")


def _person(name: Any) -> Cell:
    """Somebody, with the way to them; the site itself and strangers are nobody's account."""
    return Cell(name, href("users", name=name) if isinstance(name, str) and name != "plenum" else "")


def _election(name: str) -> Cell:
    return Cell(name, href("elections", name=name))


def _item(item: Item, table_name: str = DATA) -> Link:
    return Link(_("Item"), item_href(Key(item["PK"], item["SK"], table_name)))


def _cells(item: Item, *names: str) -> tuple[Cell, ...]:
    return tuple(Cell(item.get(name)) for name in names)


# --- users ---


def _users(asked: Asked) -> Page:
    if "@" in asked.name:
        person = people.find_by_email(asked.name)
        item = table().get(keys.listed_person(person.name)) if person else None
        return Page([_user(item)] if item else [], count=_counts("user_count"))
    page = table().page(keys.people(asked.name), limit=A_PAGE, cursor=asked.cursor)
    return Page([_user(item) for item in page.items], page.cursor, _counts("user_count"))


def _user(item: Item) -> Row:
    seen = masks.shown(DATA, item) or {}
    return Row(_cells(seen, "name", "email", "role", "created_at"), (_item(item),))


def _counts(name: str) -> int | None:
    return (table().get(keys.counts()) or {}).get(name)


# --- elections ---


def _elections(asked: Asked) -> Page:
    page = table().page(keys.elections(asked.name), limit=A_PAGE, cursor=asked.cursor)
    places = [keys.election(item["name"]) for item in page.items]
    found = table().get_many([*places, keys.counts()])
    rows = [_election_row(found[place]) for place in places if place in found]
    return Page(rows, page.cursor, found.get(keys.counts(), {}).get("election_count"))


def _election_row(item: Item) -> Row:
    seen = masks.shown(DATA, item) or {}
    state = elections.election_of(item).state(now_text())
    cells = (
        Cell(seen["name"]),
        _person(seen["owner_name"]),
        Cell(state.value),
        *_cells(seen, "secret_ballot", "method", "seats", "electorate", "voter_count"),
        *_cells(seen, "no_voting_before", "no_voting_after", "created_at"),
    )
    leads = [Link(each.label, href(each.name, election=seen["name"])) for each in RELATIONS if each.of_election]
    return Row(cells, (*leads, _item(item)))


@dataclass(frozen=True, slots=True)
class Standing:
    """An election, how many have voted in it, and what may be known of their ballots."""

    election: Election
    voted: int
    may: Allowed


def _standing(name: str) -> Standing:
    """In one round trip."""
    at, gates = keys.election(name), elections.GATES.keys(name)
    found = table().get_many([at, *gates])
    if at not in found:
        raise NoSuch(NO_ELECTION)
    voted = sum(found[place].get("voted", 0) for place in gates if place in found)
    return Standing(elections.election_of(found[at]), voted, masks.allowed(found[at], voted))


# --- candidates and voters ---


def _candidates(asked: Asked) -> Page:
    election = _standing(asked.election).election
    span = Span(keys.election(election.name).pk, prefix=keys.candidate(election.name, asked.begins).sk)
    page = table().page(span, limit=A_PAGE, cursor=asked.cursor)
    return Page([_candidate(item) for item in page.items], page.cursor)


def _candidate(item: Item) -> Row:
    seen = masks.shown(DATA, item) or {}
    cells = _cells(seen, "candidate_name", "number", "statement", "link")
    return Row((_election(seen["election_name"]), *cells), (_item(item),))


def _voters(asked: Asked) -> Page:
    there = _standing(asked.election)
    page = table().page(keys.voters(there.election.name, asked.begins), limit=A_PAGE, cursor=asked.cursor)
    rows = [_voter(item, there.may) for item in page.items]
    return Page(rows, page.cursor, there.election.voter_count)


def _voter(item: Item, may: Allowed) -> Row:
    seen = masks.shown(DATA, item, may) or {}
    voted = (seen.get("voted"), seen.get("paper", False)) if may.who else (HIDDEN, HIDDEN)
    cells = (_election(seen["election_name"]), _person(seen["voter_name"]), *map(Cell, voted))
    ballot = Link(_("Ballots"), href("ballots", election=seen["election_name"], ballot=seen["voter_name"]))
    return Row(cells, (ballot, _item(item)) if may.ballots and seen.get("voted") else (_item(item),))


# --- ballots and rankings ---


@dataclass(frozen=True, slots=True)
class Seen:
    """A ballot under what it is known by: of a public election its voter, of a secret one its code."""

    known_by: str
    voter: str
    rankings: str
    when_cast: str | None


def _ballots(asked: Asked) -> Page:
    there = _standing(asked.election)
    seen, cursor = _seen(there, asked, A_PAGE)
    rows = [_ballot(there.election.name, each) for each in seen]
    return Page(rows, cursor, there.voted if there.may.published else None)


def _ballot(election: str, seen: Seen) -> Row:
    voter = _person(seen.voter) if seen.voter else Cell(None)
    cells = (_election(election), Cell(seen.known_by), voter, Cell(seen.rankings), Cell(seen.when_cast))
    return Row(cells, (Link(_("Rankings"), href("rankings", election=election, ballot=seen.known_by)),))


def _rankings(asked: Asked) -> Page:
    there = _standing(asked.election)
    candidates = elections.candidates(there.election.name)
    seen, cursor = _seen(there, asked, max(1, A_PAGE // max(1, len(candidates))))
    return Page([row for each in seen for row in _ranking(there.election.name, each, candidates)], cursor)


def _ranking(election: str, seen: Seen, candidates: list[Candidate]) -> Iterator[Row]:
    """The place each candidate has on a ballot, best first; those it leaves out have none."""
    places = {number: place for place, group in enumerate(groups_of(seen.rankings), 1) for number in group}
    ballot = Cell(seen.known_by, href("ballots", election=election, ballot=seen.known_by))
    for each in sorted(candidates, key=lambda each: (places.get(each.number, len(candidates) + 1), each.number)):
        named = Cell(each.name, href("candidates", election=election, begins=each.name))
        yield Row((_election(election), ballot, named, Cell(places.get(each.number))))


def _seen(there: Standing, asked: Asked, limit: int) -> tuple[list[Seen], str | None]:
    """Some ballots of an election, as far as they may be seen."""
    if not there.may.published:
        raise NoSuch(NOT_BEFORE_CLOSE)
    read = _by_voter if there.may.ballots else _by_code
    return read(there.election.name, asked, limit)


def _by_voter(election: str, asked: Asked, limit: int) -> tuple[list[Seen], str | None]:
    """Ballots of a public election. One without a name would be a secret one, and is left out."""
    span = Span(keys.election(election).pk, prefix=keys.ballot(election, asked.ballot).sk)
    page = table().page(span, limit=limit, cursor=asked.cursor)
    named = [item for item in page.items if "voter_name" in item]
    seen = [Seen(each["voter_name"], each["voter_name"], each["rankings"], each["when_cast"]) for each in named]
    return seen, page.cursor


def _by_code(election: str, asked: Asked, limit: int) -> tuple[list[Seen], str | None]:
    """Published ballots of a secret election, from a code on, or from where the last page ended."""
    beginning = asked.ballot.strip().upper()
    start = _place(asked.after) if asked.after else published.find(election, beginning)
    following = published.following(election, start)
    found = [(place, each) for place, each in islice(following, limit + 1) if _begins(each, beginning)]
    seen = [Seen(each["confirmation"], "", each["rankings"], None) for _place_, each in found[:limit]]
    more = found[limit][0] if len(found) > limit else None
    return seen, f"{more.part}.{more.row}" if more else None


def _begins(ballot: Item, beginning: str) -> bool:
    return bool(ballot["confirmation"].startswith(beginning))


def _place(cursor: str) -> Place:
    if (found := PLACE.fullmatch(cursor)) is None:
        raise BadCursor("This is not a cursor.")
    return Place(int(found[1]), int(found[2]))


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
    span = keys.events(last=asked.number)
    page = table().page(span, limit=A_PAGE, cursor=asked.cursor, backwards=True)
    return Page([_event(item) for item in page.items], page.cursor, _counts("event_count"))


def _event(item: Item) -> Row:
    seen = masks.shown(LOG, item) or {}
    said = dict(seen["event_data"])
    name = said.pop("election_name", None)
    cells = (
        *_cells(seen, "event_id", "when_occurred"),
        _person(seen["actor"]),
        Cell(seen["event_type"]),
        _election(name) if isinstance(name, str) else Cell(None),
        Cell(said),
    )
    return Row(cells, (_item(item, LOG),))


# --- all of them ---

RELATIONS = (
    Relation(
        "users",
        _("Users"),
        _("Everybody with an account."),
        ("name", "email", "role", "created_at"),
        ("name",),
        ("name",),
        _users,
    ),
    Relation(
        "elections",
        _("Elections"),
        _("Every election, drafts included."),
        (
            "name",
            "owner_name",
            "state",
            "secret_ballot",
            "method",
            "seats",
            "electorate",
            "voter_count",
            "no_voting_before",
            "no_voting_after",
            "created_at",
        ),
        ("name",),
        ("name",),
        _elections,
    ),
    Relation(
        "candidates",
        _("Candidates"),
        _("Who or what stands in an election."),
        ("election_name", "candidate_name", "number", "statement", "link"),
        ("election_name", "candidate_name"),
        ("election", "begins"),
        _candidates,
    ),
    Relation(
        "voters",
        _("Voters"),
        _("Who is on the roll of an election, and whether they have voted."),
        ("election_name", "voter_name", "voted", "paper"),
        ("election_name", "voter_name"),
        ("election", "begins"),
        _voters,
    ),
    Relation(
        "ballots",
        _("Ballots"),
        _("Those of a public election by voter; those of a closed secret election by code, without a voter."),
        ("election_name", "ballot", "voter_name", "rankings", "when_cast"),
        ("election_name", "ballot"),
        ("election", "ballot"),
        _ballots,
    ),
    Relation(
        "rankings",
        _("Rankings"),
        _("One row for each ballot and candidate, with the place the ballot gives the candidate."),
        ("election_name", "ballot", "candidate_name", "place"),
        ("election_name", "ballot", "candidate_name"),
        ("election", "ballot"),
        _rankings,
    ),
    Relation(
        "sync",
        _("Sync state"),
        _("How far those have come that follow the event log."),
        ("name", "last_event_id", "last_updated"),
        ("name",),
        (),
        _sync,
    ),
    Relation(
        "events",
        _("Events"),
        _("The event log, the newest first."),
        ("event_id", "when_occurred", "actor", "event_type", "election_name", "event_data"),
        ("event_id",),
        ("number",),
        _events,
    ),
)


def find(relation: str) -> Relation | None:
    return next((each for each in RELATIONS if each.name == relation), None)


def choices(relation: Relation) -> list[Link]:
    """The first elections by name, for a table that is read for one."""
    page = table().page(keys.elections(), limit=20)
    return [Link(item["name"], href(relation.name, election=item["name"])) for item in page.items]

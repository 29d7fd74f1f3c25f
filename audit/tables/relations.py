"""The relational view: what is stored, as tables with natural keys that refer to each other.

Each table is read by the beginning of its natural key, a page at a time, in a number of round trips that does not grow
with it. Rows are made from the masked items of `masks`, so that nothing is shown here that is hidden there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from django.utils.translation import gettext_lazy as _

from accounts import repository as people
from acts.site import now_text, table
from elections import places
from elections import repository as elections
from elections.rules import Election
from ranking.candidates import Candidate
from results import published
from results.published import Place
from store import keys, spans
from store.log import layout
from store.table import DATA, LOG, BadCursor, Item, Key, Span
from tally.ballots import groups_of

from . import masks
from .masks import HIDDEN, Allowed
from .raw import Link
from .sheets import Asked, Cell, NoSuch, Page, Row, Sheet, cells_of, election_cell, href, item_link, person_cell

A_PAGE = 50
PLACE = re.compile(r"(\d{1,6})\.(\d{1,6})")


NO_ELECTION = _("There is no election of that name.")
NOT_BEFORE_CLOSE = _("The ballots of a secret election are shown when it is closed.")


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
    return Row(cells_of(seen, "name", "email", "role", "created_at"), (item_link(item),))


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
        person_cell(seen["owner_name"]),
        Cell(state.value),
        *cells_of(seen, "secret_ballot", "method", "seats", "electorate", "voter_count"),
        *cells_of(seen, "no_voting_before", "no_voting_after", "created_at"),
    )
    leads = [Link(each.label, href(each.name, election=seen["name"])) for each in RELATIONS if each.of_election]
    return Row(cells, (*leads, item_link(item)))


@dataclass(frozen=True, slots=True)
class Known:
    """An election, how many have voted in it, and what may be known of their ballots."""

    election: Election
    voted: int
    may: Allowed


def _known(name: str) -> Known:
    """In one round trip."""
    item, voted = places.with_gates(name)
    if item is None:
        raise NoSuch(NO_ELECTION)
    return Known(elections.election_of(item), voted, masks.allowed(item, voted))


# --- candidates and voters ---


def _candidates(asked: Asked) -> Page:
    election = _known(asked.election).election
    span = Span(keys.election(election.name).pk, prefix=keys.candidate(election.name, asked.begins).sk)
    page = table().page(span, limit=A_PAGE, cursor=asked.cursor)
    return Page([_candidate(item) for item in page.items], page.cursor)


def _candidate(item: Item) -> Row:
    seen = masks.shown(DATA, item) or {}
    cells = cells_of(seen, "candidate_name", "number", "statement", "link")
    return Row((election_cell(seen["election_name"]), *cells), (item_link(item),))


def _needs(asked: Asked) -> Page:
    election = _known(asked.election).election
    page = table().page(keys.needs(election.name), limit=A_PAGE, cursor=asked.cursor)
    return Page([_of_election(item, "skill", "level", "count") for item in page.items], page.cursor)


def _agreements(asked: Asked) -> Page:
    election = _known(asked.election).election
    page = table().page(keys.agreements(election.name), limit=A_PAGE, cursor=asked.cursor)
    return Page([_of_election(item, "candidate_name", "person", "skills") for item in page.items], page.cursor)


def _of_election(item: Item, *shown: str) -> Row:
    seen = masks.shown(DATA, item) or {}
    return Row((election_cell(seen["election_name"]), *cells_of(seen, *shown)), (item_link(item),))


def _voters(asked: Asked) -> Page:
    there = _known(asked.election)
    roll = places.roll(there.election, asked.begins)
    page = spans.page(table(), roll, limit=A_PAGE, cursor=asked.cursor)
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
    seen, cursor = _seen(there, asked, A_PAGE)
    rows = [_ballot(there.election.name, each) for each in seen]
    return Page(rows, cursor, there.voted if there.may.published else None)


def _ballot(election: str, seen: Seen) -> Row:
    voter = person_cell(seen.voter) if seen.voter else Cell(None)
    cells = (election_cell(election), Cell(seen.known_by), voter, Cell(seen.rankings), Cell(seen.when_cast))
    return Row(cells, (Link(_("Rankings"), href("rankings", election=election, ballot=seen.known_by)),))


def _rankings(asked: Asked) -> Page:
    there = _known(asked.election)
    candidates = elections.candidates(there.election.name)
    seen, cursor = _seen(there, asked, max(1, A_PAGE // max(1, len(candidates))))
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
    box = [replace(span, prefix=beginning) for span in places.box(election)]
    page = spans.page(table(), box, limit=limit, cursor=asked.cursor)
    named = [item for item in page.items if "voter_name" in item]
    seen = [Seen(each["voter_name"], each["voter_name"], each["rankings"], each["when_cast"]) for each in named]
    return seen, page.cursor


def _by_code(election: Election, asked: Asked, limit: int) -> tuple[list[Seen], str | None]:
    """Published ballots of a secret election, from a code on, or from where the last page ended."""
    beginning = asked.ballot.strip().upper()
    start = _place(asked.after) if asked.after else published.find(election.name, beginning)
    following = published.following(election.name, start)
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


# --- skills ---


def _skills(asked: Asked) -> Page:
    page = table().page(keys.skill_names(asked.name), limit=A_PAGE, cursor=asked.cursor)
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


def _person_skills(asked: Asked) -> Page:
    """Of one person: of somebody without any, or of nobody, there are none."""
    span = Span(keys.own_skills(asked.name).pk, prefix=keys.person_skill(asked.name, "").sk)
    page = table().page(span, limit=A_PAGE, cursor=asked.cursor)
    return Page([_person_skill(item) for item in page.items], page.cursor)


def _person_skill(item: Item) -> Row:
    seen = masks.shown(DATA, item) or {}
    cells = cells_of(seen, "skill", "level", "years", "last_used", "interest", "confirmed_at")
    return Row((person_cell(seen["name"]), *cells), (item_link(item),))


def _endorsements(asked: Asked) -> Page:
    """Of one person, as for their skills."""
    page = table().page(keys.endorsements(asked.name), limit=A_PAGE, cursor=asked.cursor)
    return Page([_endorsement(item) for item in page.items], page.cursor)


def _endorsement(item: Item) -> Row:
    seen = masks.shown(DATA, item) or {}
    whose, by = person_cell(seen["name"]), person_cell(seen["by"])
    cells = cells_of(seen, "grounds", "level", "at", "hidden")
    return Row((whose, *cells_of(seen, "skill"), by, *cells), (item_link(item),))


# --- news ---


def _posts(asked: Asked) -> Page:
    """With a date, the latest first; of one author, if a name is given. Drafts are in the raw tables."""
    span = keys.posts_by(asked.name) if asked.name else keys.POSTS
    page = table().page(span, limit=A_PAGE, cursor=asked.cursor, backwards=True)
    return Page([_post(item) for item in page.items], page.cursor)


def _post(item: Item) -> Row:
    seen = masks.shown(DATA, item) or {}
    author = person_cell(seen["author"]) if seen["author"] else Cell(None)
    about = election_cell(seen["election"]) if seen["election"] else Cell(None)
    cells = (*cells_of(seen, "id", "published_at", "title", "slug", "tags"), author, about, *cells_of(seen, "result"))
    return Row(cells, (item_link(item),))


# --- books ---


def _books(asked: Asked) -> Page:
    """The questions of one book, by its id."""
    item = table().get(keys.book(asked.name))
    seen = (masks.shown(DATA, item) if item else None) or {"questions": ()}
    return Page([_bound(seen, place, name) for place, name in enumerate(seen["questions"], 1)])


def _bound(book: Item, place: int, election_name: str) -> Row:
    leads = Cell(keys.fold(election_name) == keys.fold(book["leader"]))
    return Row((*cells_of(book, "id", "name"), Cell(place), election_cell(election_name), leads), ())


# --- groups ---


def _groups(asked: Asked) -> Page:
    """Of one owner, by name; without a name none: whose they are is theirs to say. Nobody sees who is in them."""
    if not asked.name:
        return Page([], None)
    page = table().page(keys.groups_of(asked.name), limit=A_PAGE, cursor=asked.cursor)
    return Page([_group(item) for item in page.items], page.cursor)


def _group(item: Item) -> Row:
    seen = masks.shown(DATA, item) or {}
    owner = person_cell(seen["owner_name"])
    return Row((*cells_of(seen, "id", "name"), owner, *cells_of(seen, "members", "created_at")), (item_link(item),))


# --- question sets ---


def _question_sets(asked: Asked) -> Page:
    """Of one owner, the one changed last first; without a name those that are shared."""
    span = keys.sets_of(asked.name) if asked.name else keys.SHARED_SETS
    page = table().page(span, limit=A_PAGE, cursor=asked.cursor, backwards=True)
    return Page([_question_set(item) for item in page.items], page.cursor)


def _question_set(item: Item) -> Row:
    seen = masks.shown(DATA, item) or {}
    owner = person_cell(seen["created_by"]) if seen["created_by"] else Cell(None)
    words = ("total_questions", "categories", "is_active", "shared", "version", "created_at", "changed_at")
    asked = Link(_("Questions"), href("questions", name=seen["id"]))
    return Row((*cells_of(seen, "id", "name"), owner, *cells_of(seen, *words)), (asked, item_link(item)))


def _questions(asked: Asked) -> Page:
    """Of one set, by its id."""
    page = table().page(keys.set_questions(asked.name), limit=A_PAGE, cursor=asked.cursor)
    return Page([_question(asked.name, item) for item in page.items], page.cursor)


def _question(set_id: str, item: Item) -> Row:
    seen = masks.shown(DATA, item) or {}
    words = ("category_id", "number", "order_in_category", "title", "kind", "options", "right", "seconds")
    return Row((Cell(set_id), *cells_of(seen, *words)), (item_link(item),))


# --- live sessions ---


OF_A_RUNNING_SESSION = ("total_questions", "debug_mode", "entitled", "quorum", "has_roll")


def _live_sessions(asked: Asked) -> Page:
    """Those that run, the latest first."""
    page = table().page(keys.RUNNING_GAMES, limit=A_PAGE, cursor=asked.cursor, backwards=True)
    return Page([_live_session(item, *OF_A_RUNNING_SESSION) for item in page.items], page.cursor)


def _live_history(asked: Asked) -> Page:
    """Of one host, the latest first; of somebody who never hosted, or of nobody, there is none."""
    page = table().page(keys.games_of(asked.name), limit=A_PAGE, cursor=asked.cursor, backwards=True)
    return Page([_live_session(item, "ended_at", "players", "rounds", "answers") for item in page.items], page.cursor)


def _live_outcomes(asked: Asked) -> Page:
    """Of one session, by its id."""
    page = table().page(keys.onwards(asked.name), limit=A_PAGE, cursor=asked.cursor)
    return Page([_live_outcome(item) for item in page.items], page.cursor)


def _live_outcome(item: Item) -> Row:
    seen = masks.shown(DATA, item) or {}
    cells = cells_of(seen, "game", "number", "round", "kind", "what", "title", "at")
    return Row((*cells, person_cell(seen["by"])), (item_link(item),))


def _live_session(item: Item, *also: str) -> Row:
    seen = masks.shown(DATA, item) or {}
    cells = cells_of(seen, "id", "title", "engagement_type", "created_at")
    return Row((*cells, person_cell(seen["created_by"]), *cells_of(seen, *also)), (item_link(item),))


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
    page = layout.page(table(), last=asked.number, limit=A_PAGE, cursor=asked.cursor, backwards=True)
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

RELATIONS = (
    Sheet(
        "users",
        _("Users"),
        _("Everybody with an account."),
        ("name", "email", "role", "created_at"),
        ("name",),
        ("name",),
        _users,
    ),
    Sheet(
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
    Sheet(
        "candidates",
        _("Candidates"),
        _("Who or what stands in an election."),
        ("election_name", "candidate_name", "number", "statement", "link"),
        ("election_name", "candidate_name"),
        ("election", "begins"),
        _candidates,
    ),
    Sheet(
        "needs",
        _("Needs"),
        _("Which skills an election needs, how well and of how many."),
        ("election_name", "skill", "level", "count"),
        ("election_name", "skill"),
        ("election",),
        _needs,
    ),
    Sheet(
        "agreements",
        _("Agreements"),
        _("Which candidates let an election show which of their skills."),
        ("election_name", "candidate_name", "person", "skills"),
        ("election_name", "candidate_name"),
        ("election",),
        _agreements,
    ),
    Sheet(
        "voters",
        _("Voters"),
        _("Who is on the roll of an election, and whether they have voted."),
        ("election_name", "voter_name", "voted", "paper"),
        ("election_name", "voter_name"),
        ("election", "begins"),
        _voters,
    ),
    Sheet(
        "ballots",
        _("Ballots"),
        _("Those of a public election by voter; those of a closed secret election by code, without a voter."),
        ("election_name", "ballot", "voter_name", "rankings", "when_cast"),
        ("election_name", "ballot"),
        ("election", "ballot"),
        _ballots,
    ),
    Sheet(
        "rankings",
        _("Rankings"),
        _("One row for each ballot and candidate, with the place the ballot gives the candidate."),
        ("election_name", "ballot", "candidate_name", "place"),
        ("election_name", "ballot", "candidate_name"),
        ("election", "ballot"),
        _rankings,
    ),
    Sheet(
        "skills",
        _("Skills"),
        _("The catalogue, by name."),
        ("id", "name", "category", "aliases", "description", "state"),
        ("id",),
        ("name",),
        _skills,
    ),
    Sheet(
        "person-skills",
        _("Skills of people"),
        _("What one person can do, as they say: give the whole name."),
        ("name", "skill", "level", "years", "last_used", "interest", "confirmed_at"),
        ("name", "skill"),
        ("name",),
        _person_skills,
    ),
    Sheet(
        "endorsements",
        _("Endorsements"),
        _("Who vouches for the skills of one person: give the whole name."),
        ("name", "skill", "by", "grounds", "level", "at", "hidden"),
        ("name", "skill", "by"),
        ("name",),
        _endorsements,
    ),
    Sheet(
        "posts",
        _("Posts"),
        _("News with a date, the latest first; give the whole name for those of one author."),
        ("id", "published_at", "title", "slug", "tags", "author", "election", "result"),
        ("id",),
        ("name",),
        _posts,
    ),
    Sheet(
        "books",
        _("Several questions on one ballot"),
        _("Which elections one ballot binds together: give its id."),
        ("book_id", "name", "place", "election", "leads"),
        ("book_id", "place"),
        ("name",),
        _books,
    ),
    Sheet(
        "groups",
        _("Groups"),
        _("Groups of voters that one person keeps, without who is in them: give the whole name."),
        ("id", "name", "owner_name", "members", "created_at"),
        ("id",),
        ("name",),
        _groups,
    ),
    Sheet(
        "question-sets",
        _("Question sets"),
        _("Those that are shared, the one changed last first; give the whole name for those of one owner."),
        (
            "id",
            "name",
            "created_by",
            "total_questions",
            "categories",
            "is_active",
            "shared",
            "version",
            "created_at",
            "changed_at",
        ),
        ("id",),
        ("name",),
        _question_sets,
    ),
    Sheet(
        "questions",
        _("Questions"),
        _("What one question set asks: give its id."),
        ("set_id", "category_id", "number", "order_in_category", "title", "kind", "options", "right", "seconds"),
        ("set_id", "category_id", "number"),
        ("name",),
        _questions,
    ),
    Sheet(
        "live-sessions",
        _("Live sessions"),
        _("Those that run now, without anybody who plays along."),
        ("id", "title", "engagement_type", "created_at", "created_by", *OF_A_RUNNING_SESSION),
        ("id",),
        (),
        _live_sessions,
    ),
    Sheet(
        "live-history",
        _("History of live sessions"),
        _("Sessions that one person hosts or has hosted: give the whole name."),
        ("id", "title", "engagement_type", "created_at", "created_by", "ended_at", "players", "rounds", "answers"),
        ("id",),
        ("name",),
        _live_history,
    ),
    Sheet(
        "live-outcomes",
        _("What came of live sessions"),
        _("Polls and elections that were made of one session: give its id."),
        ("game", "number", "round", "kind", "what", "title", "at", "by"),
        ("game", "number"),
        ("name",),
        _live_outcomes,
    ),
    Sheet(
        "site-page",
        _("Site page"),
        _("What the site says of itself, part by part."),
        ("part", "number", "title", "words", "address"),
        ("part", "number"),
        (),
        _site_page,
    ),
    Sheet(
        "sync",
        _("Sync state"),
        _("How far those have come that follow the event log."),
        ("name", "last_event_id", "last_updated"),
        ("name",),
        (),
        _sync,
    ),
    Sheet(
        "events",
        _("Events"),
        _("The event log, the newest first."),
        ("event_id", "when_occurred", "actor", "event_type", "election_name", "event_data"),
        ("event_id",),
        ("number",),
        _events,
    ),
)


def find(relation: str) -> Sheet | None:
    return next((each for each in RELATIONS if each.name == relation), None)


def choices(relation: Sheet) -> list[Link]:
    """The first elections by name, for a table that is read for one."""
    page = table().page(keys.elections(), limit=20)
    return [Link(item["name"], href(relation.name, election=item["name"])) for item in page.items]

"""A person's own elections: to vote in, voted in, decided, run by them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from accounts.models import User
from foundation.acts.caches import Cacheable, get_cached
from foundation.acts.storage import table
from foundation.store import keys
from foundation.store.cursors import decode, encode
from foundation.store.parallel import run_parallel
from foundation.store.table import Item, Key, Span

from .repository import Description, Listed, description_among, election_of, listed_of
from .rolls import entries_of, groups_of, newest_entries
from .rules import Election, Relation, State, is_for, relation

MAX_ELECTIONS_READ_WHOLE = 25  # elections of which it is cheaper to read all than to look first which are open
# the newest of a person's elections, among which home and the list look for open ones: most others are long over
MAX_RECENT_ELECTIONS = 200
OPEN = (State.EDITABLE, State.OPEN)


# --- what home shows ---


@dataclass(frozen=True, slots=True)
class Votes:
    """A person's votes: to cast, changeable, and decided since."""

    waiting: list[Election]  # the one that ends first on top
    cast: list[Election]
    decided: list[Listed]  # the newest on top
    about: Mapping[str, Description]  # what those that wait say of themselves


def votes_of(person: User, now: str, since: str = "") -> Votes:
    """With results that were sealed since then, of elections on whose roll they are.

    Looked for among all elections that they have not voted in yet, and the newest of the others.
    """
    spans = (keys.elections_of_voter(person.name), keys.elections_of_voter(person.email), keys.FOR_EVERYONE)
    by_name, by_email, everyone = run_parallel(table(), *(partial(newest_entries, span) for span in spans))
    entries = entries_of(person, [*by_name, *by_email])
    on_roll, voted = _groups(entries), {keys.fold(each["election_name"]) for each in entries if each.get("voted")}
    found_in = {keys.fold(each["election_name"]): each for each in (*entries, *everyone)}
    old = set(sorted((found_in[name]["GSI1SK"] for name in voted), reverse=True)[MAX_RECENT_ELECTIONS:])
    names = [each["election_name"] for each in found_in.values() if each["GSI1SK"] not in old]
    listed, open_, about = _read_elections(person, names, now, voted)
    found = [each for each in open_ if _is_entitled(each, on_roll) or each.is_open_to(person.votes_since)]
    found.sort(key=lambda each: each.no_voting_after or "~")
    decided = [each for each in listed if each.sealed_at > since and _is_entitled(each, on_roll)]
    return Votes(
        [each for each in found if keys.fold(each.name) not in voted],
        [each for each in found if keys.fold(each.name) in voted],
        sorted(decided, key=lambda each: each.sealed_at, reverse=True),
        about,
    )


def _groups(entries: Iterable[Item]) -> dict[str, set[str]]:
    """The elections on whose rolls these entries are, and the voter groups they have there."""
    found: dict[str, set[str]] = {}
    for each in entries:
        found.setdefault(keys.fold(each["election_name"]), set()).update(groups_of(each))
    return found


def _is_entitled(election: Election | Listed, on_roll: Mapping[str, set[str]]) -> bool:
    groups = on_roll.get(keys.fold(election.name))
    return groups is not None and is_for(election.voting_groups, groups)


def _read_elections(
    person: User, names: list[str], now: str, voted: set[str]
) -> tuple[list[Listed], list[Election], dict[str, Description]]:
    """Listed elections, those taking votes, and descriptions of those not voted in.

    A few are read at once and may be a second old; of many, the short entries first.
    """
    entries = [keys.listed_election(name) for name in names]
    if len(names) <= MAX_ELECTIONS_READ_WHOLE:
        found = get_cached(Cacheable([*entries, *_complete_keys(names, voted)], partial(_runs_none, person, names)))
    else:
        found = table().get_many(entries)
    listed = [listed_of(found[place]) for place in entries if place in found]
    open_ = [each.name for each in listed if each.state(now) in OPEN]
    if len(names) > MAX_ELECTIONS_READ_WHOLE and open_:
        found = table().get_many(_complete_keys(open_, voted))
    elections = [election_of(found[place]) for name in open_ if (place := keys.election(name)) in found]
    about = {keys.fold(name): description_among(found, name) for name in open_ if keys.fold(name) not in voted}
    return listed, [each for each in elections if each.takes_votes(now)], about


def _runs_none(person: User, names: list[str], items: Mapping[Key, Item]) -> bool:
    places = [keys.election(name) for name in names]
    return all(
        place in items and relation(person.name, person.role, election_of(items[place])) == Relation.NOBODY
        for place in places
    )


def _complete_keys(names: list[str], voted: set[str]) -> list[Key]:
    waiting = [keys.description(name) for name in names if keys.fold(name) not in voted]
    return [*map(keys.election, names), *waiting]


# --- the list ---


@dataclass(frozen=True, slots=True)
class OwnElection:
    """An election in a person's own list, and their relation to it."""

    listed: Listed
    runs: bool
    votes: bool
    voted: bool

    @property
    def date(self) -> str:
        return keys.by_date(self.listed.created_at, self.listed.name)

    def waits(self, now: str) -> bool:
        return self.votes and not self.voted and self.listed.takes_votes(now)


def own_elections(person: User, *, limit: int, cursor: str | None = None) -> tuple[list[OwnElection], str | None]:
    """The newest first, by when they were made: the order that all lists they are gathered from share. The first page
    also has older ones that are still open."""
    rows: list[OwnElection] = []
    while not rows:  # on some rolls there may be drafts alone
        rows, cursor = _read_page(person, limit, cursor)
        if cursor is None:
            break
    return rows, cursor


def _read_page(person: User, limit: int, cursor: str | None) -> tuple[list[OwnElection], str | None]:
    spans = [keys.elections_of_voter(person.name), keys.elections_of_voter(person.email), keys.FOR_EVERYONE]
    spans = [*(spans if person.can_vote else ()), *([keys.run_by(person.name)] if person.can_run_elections else ())]
    last = decode(keys.OWN_ELECTIONS, cursor)["SK"] if cursor else None
    most = limit if cursor else max(limit, MAX_RECENT_ELECTIONS)
    found = run_parallel(table(), *(partial(_before, span, last, most + 1) for span in spans))
    entries = [each for some in found for each in some]
    dates = sorted({each["GSI1SK"] for each in entries}, reverse=True)
    looked_at, visible = set(dates[:most]), set(dates[:limit])
    rows = _rows(person, [each for each in entries if each["GSI1SK"] in looked_at])
    rows = [each for each in rows if each.date in visible or each.listed.stored_state in OPEN]
    if len(dates) <= limit:
        return rows, None
    return rows, encode(keys.OWN_ELECTIONS, {"PK": keys.OWN_ELECTIONS.pk, "SK": dates[limit - 1]})


def _before(span: Span, last: str | None, most: int) -> list[Item]:
    """Without the one that was shown last."""
    items: list[Item] = []
    cursor, bounded = None, replace(span, last=last) if last else span
    while len(items) <= most:
        page = table().page(bounded, limit=most + 1, cursor=cursor, backwards=True)
        items += [each for each in page.items if each["GSI1SK"] != last]
        if (cursor := page.cursor) is None:
            break
    return items[:most]


def _rows(person: User, entries: list[Item]) -> list[OwnElection]:
    """Drafts only if they run them; elections for every member only if they run or may vote in them."""
    on_roll = entries_of(person, (each for each in entries if "voter_name" in each))
    listed_on, voted = _groups(on_roll), {keys.fold(each["election_name"]) for each in on_roll if each["voted"]}
    run = {keys.fold(each["name"]): each for each in entries if "person" in each}
    everyone = {
        keys.fold(each["election_name"]): each for each in entries if not {"voter_name", "person"} & each.keys()
    }
    names = {name: keys.listed_election(name) for name in (*listed_on, *run, *everyone)}
    places = [keys.election(name) for name in everyone if name not in listed_on]
    found = table().get_many([*names.values(), *places]) if names else {}
    there = {name: found[place] for name in everyone if (place := keys.election(name)) in found}
    theirs = {name for name, item in there.items() if election_of(item).is_open_to(person.votes_since)}
    listed = {name: listed_of(found[place]) for name, place in names.items() if place in found}
    rows = [
        OwnElection(each, name in run, _is_entitled(each, listed_on) or name in theirs, name in voted)
        for name, each in listed.items()
    ]
    rows = [each for each in rows if each.runs or (each.votes and each.listed.stored_state != State.DRAFT)]
    return sorted(rows, key=lambda each: each.date, reverse=True)

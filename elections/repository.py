"""Elections in the table: names in, values out, and the writes that keep every item of an election in step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import islice
from typing import Any

from accounts.repository import table
from store import keys
from store.log import as_text, utc_now
from store.table import AllOf, Check, Delete, Equals, Item, Key, Missing, Put, Span, Update, Write

from .rules import Election, State, is_over

GATES = 16  # a cast checks one of them, so that casts meet one in sixteen others; closing shuts them all
LOOKED_AT = 1000  # entries on rolls, the newest, among which home looks for what waits for one's vote
COPIED = ("name", "no_voting_before", "no_voting_after", "created_at", "closing")  # what lists show beside the state


@dataclass(frozen=True, slots=True)
class Candidate:
    name: str
    statement: str = ""
    link: str = ""
    number: int = 0  # by which rankings name the candidate, steady from the day it was added


@dataclass(frozen=True, slots=True)
class Voter:
    """Somebody on the roll: a user name, or an email address that may get an account later."""

    name: str
    voted: bool = False


@dataclass(frozen=True, slots=True)
class Listed:
    """An election as a list shows it."""

    name: str
    stored_state: State
    no_voting_before: str | None
    no_voting_after: str | None
    created_at: str
    closing: str | None

    def state(self, now: str) -> State:
        is_open = self.stored_state in (State.EDITABLE, State.OPEN)
        return State.CLOSED if is_open and is_over(self, now) else self.stored_state


def now_text() -> str:
    return as_text(utc_now())


# --- finding ---


def find(name: str) -> Election | None:
    item = table().get(keys.election(name))
    return election_of(item) if item else None


def find_with_entry(name: str, voter_names: Iterable[str]) -> tuple[Election, Voter | None] | None:
    """The election and somebody's entry on its roll, in one round trip. They may be on it by name and by address."""
    at, entries = keys.election(name), [keys.voter(name, each) for each in voter_names if each]
    found = table().get_many([at, *entries])
    if at not in found:
        return None
    there = sorted((voter_of(found[key]) for key in entries if key in found), key=lambda voter: not voter.voted)
    return election_of(found[at]), there[0] if there else None


def candidates(name: str) -> list[Candidate]:
    return [candidate_of(item) for item in table().each(keys.candidates(name))]


def find_candidate(name: str, candidate: str) -> Candidate | None:
    item = table().get(keys.candidate(name, candidate))
    return candidate_of(item) if item else None


def voters(
    name: str, *, prefix: str = "", limit: int, cursor: str | None = None, by_name: bool = True
) -> tuple[list[Item], str | None]:
    """A page of the roll; without those who are on it by name, it is filled up, so that no gap tells of them."""
    if by_name:
        page = table().page(keys.voters(name, prefix), limit=limit, cursor=cursor)
        return page.items, page.cursor
    found, on = _by_address(keys.voters(name, prefix), limit, cursor)
    is_last = on is None or not _by_address(keys.voters(name, prefix), 1, on)[0]
    return found, None if is_last else on


def _by_address(span: Span, limit: int, cursor: str | None) -> tuple[list[Item], str | None]:
    found: list[Item] = []
    while True:
        page = table().page(span, limit=limit - len(found), cursor=cursor)
        found += [item for item in page.items if is_by_address(item["voter_name"])]
        cursor = page.cursor
        if cursor is None or len(found) == limit:
            return found, cursor


def is_by_address(voter_name: str) -> bool:
    """A user name has no @ in it."""
    return "@" in voter_name


def every_voter(name: str, *, by_name: bool = True) -> Iterator[Voter]:
    found = map(voter_of, table().each(keys.voters(name)))
    return (voter for voter in found if by_name or is_by_address(voter.name))


def lists(
    *, state: State | None = None, prefix: str = "", run_by: str = "", limit: int, cursor: str | None = None
) -> tuple[list[Listed], str | None]:
    """By name from a prefix on; or the newest first: all, of one state, or run by somebody."""
    if prefix:
        page = table().page(keys.elections(prefix), limit=limit, cursor=cursor)
    else:
        span = keys.run_by(run_by) if run_by else list_of(state) if state else keys.ELECTIONS
        page = table().page(span, limit=limit, cursor=cursor, backwards=True)
    return [listed_of(item) for item in page.items], page.cursor


def list_of(state: State) -> Span:
    """The list an election is in: whether candidates may still be added makes no difference to who looks for it."""
    return keys.elections_in_state(State.OPEN.value if state == State.EDITABLE else state.value)


def waiting_for(name: str, email: str, now: str) -> list[Election]:
    """Open elections somebody may vote in and has not, the one that ends first on top."""
    spans = (keys.elections_of_voter(name), keys.elections_of_voter(email), keys.FOR_EVERYONE)
    listed = [item for span in spans for item in newest(span)]
    names = {keys.fold(item["election_name"]): item["election_name"] for item in listed}
    voted = {keys.fold(item["election_name"]) for item in listed if item.get("voted")}
    found = taking_votes([each for folded, each in names.items() if folded not in voted], now)
    return sorted(found, key=lambda each: each.no_voting_after or "~")


def newest(span: Span) -> Iterator[Item]:
    """Somebody is on the rolls of closed elections, too, and of drafts: what is open must not hide behind a hundred."""
    return islice(table().each(span, backwards=True), LOOKED_AT)


def taking_votes(names: Iterable[str], now: str) -> list[Election]:
    """Those that are open. Of the others, only their short entries in the list of elections are read."""
    places = [keys.listed_election(name) for name in names]
    entries = [listed_of(item) for item in table().get_many(places).values()] if places else []
    open_ = [keys.election(each.name) for each in entries if each.state(now) in (State.EDITABLE, State.OPEN)]
    found = [election_of(item) for item in table().get_many(open_).values()] if open_ else []
    return [each for each in found if each.takes_votes(now)]


# --- items ---


def election_of(item: Item) -> Election:
    fields = {name: item[name] for name in Election.__dataclass_fields__ if name in item}
    return Election(**{name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()})


def candidate_of(item: Item) -> Candidate:
    return Candidate(item["candidate_name"], item["statement"], item["link"], item["number"])


def voter_of(item: Item) -> Voter:
    return Voter(item["voter_name"], item["voted"])


def listed_of(item: Item) -> Listed:
    state = item.get("state") or election_of(item).stored_state.value
    return Listed(item["name"], State(state), *(item[name] for name in COPIED[1:]))


def _copied(election: Election) -> Item:
    shown = {name: getattr(election, name) for name in COPIED}
    return {"state": election.stored_state.value, "remind_before": list(election.remind_before)} | shown


def storable(fields: Mapping[str, Any]) -> Item:
    """As items and events hold them: lists, where values have tuples."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in fields.items()}


# --- writes; each answers the parts of a transaction ---


def creation(election: Election) -> list[Write]:
    """Refused in part 0 if the name is taken; in the last, if the one who had it is still moving out."""
    key, entry = keys.election(election.name), keys.listed_election(election.name)
    date = keys.by_date(election.created_at, election.name)
    state = {"GSI1PK": list_of(election.stored_state).pk, "GSI1SK": date}
    return [
        Put({"PK": key.pk, "SK": key.sk, "entity_type": "ELECTION", **storable(asdict(election))}, when=Missing()),
        Put({"PK": entry.pk, "SK": entry.sk, **state, **_copied(election)}),
        runner(election, election.owner_name),
        Check(keys.renamed(election.name), Missing()),
    ]


def to_be_filled(copy: Election, source: Election) -> Put:
    """The mark by which a copy that was cut short is taken to its end."""
    place = keys.copying(copy.name)
    index = {"GSI1PK": keys.COPYING.pk, "GSI1SK": keys.by_date(copy.created_at, copy.name)}
    words = {"election_name": copy.name, "copied_from": source.name, "created_at": source.created_at}
    return Put({"PK": place.pk, "SK": place.sk, **index, **words})


def runner(election: Election, person: str) -> Put:
    """The entry of an election in the list of somebody who runs it."""
    place = keys.manager(election.name, person)
    index = {"GSI1PK": keys.run_by(person).pk, "GSI1SK": keys.by_date(election.created_at, election.name)}
    return Put({"PK": place.pk, "SK": place.sk, **index, "person": person, **_copied(election)})


def change(before: Election, after: Election) -> list[Write]:
    """Every item that shows the election. Refused in part 0 if anybody changed it since it was read."""
    after = replace(after, version=before.version + 1)
    kept = ("name", "created_at", "voter_count", "renamed_from")  # the roll counts for itself, and so does a move
    stored = {name: value for name, value in storable(asdict(after)).items() if name not in kept}
    if after.stored_state != State.DRAFT:  # a draft is in nobody's list but its organisers'
        date = keys.by_date(before.created_at, before.name)
        stored |= {"GSI1PK": keys.ELECTIONS.pk, "GSI1SK": date}
    shown = _copied(after)
    state = {"GSI1PK": list_of(after.stored_state).pk}
    writes: list[Write] = [
        Update(keys.election(before.name), set=stored, when=unchanged(before)),
        Update(keys.listed_election(before.name), set=shown | state),
    ]
    people = {keys.fold(name): name for name in (after.owner_name, *after.managers)}
    writes += [runner(after, name) for name in people.values()]
    gone = {keys.fold(name): name for name in (before.owner_name, *before.managers)}
    writes += [Delete(keys.manager(before.name, name)) for folded, name in gone.items() if folded not in people]
    return writes


def unchanged(election: Election) -> Equals:
    return Equals("version", election.version)


def touched(election: Election, voters: int = 0, *, candidates: bool = False) -> Update:
    """What a change of candidates or roll does to the election itself: it has a new version.

    Refused if the election was opened, fixed or shut since it was read. Because closing depends on the version, no
    such change can get a later number in the log than the close it came before. New candidates also depend on the
    version, so that no two of them get the same number.
    """
    state = {name: getattr(election, name) for name in ("allow_edit", "allow_vote", "closing")}
    when = AllOf(tuple(Equals(name, value) for name, value in state.items()))
    return Update(
        keys.election(election.name),
        add={"version": 1, "voter_count": voters},
        when=when & unchanged(election) if candidates else when,
    )


def gates(election: Election, *, open_: bool) -> list[Write]:
    """What every cast checks; and, while it is open to everybody, the entry by which everybody finds it.

    Each gate also counts the votes that came through it: the turnout is what all of them counted.
    """
    state = {"open": open_, "until": election.no_voting_after}
    moved: list[Write] = [Update(place, set=state) for place in gate_keys(election.name)]
    return [*moved, *_everyone(election, open_=open_)]


def gate_keys(election_name: str) -> list[Key]:
    return [keys.gate(election_name, number) for number in range(GATES)]


def _everyone(election: Election, *, open_: bool) -> list[Write]:
    if election.electorate != "everyone":
        return []
    place = keys.for_everyone(election.name)
    if not open_:
        return [Delete(place)]
    index = {"GSI1PK": keys.FOR_EVERYONE.pk, "GSI1SK": keys.by_date(election.created_at, election.name)}
    return [Put({"PK": place.pk, "SK": place.sk, **index, "election_name": election.name})]


def reminders_from_now(election: Election) -> Update:
    """Moments at which voters were to be reminded, but which have passed by now, are let pass."""
    return Update(keys.reminders(election.name), set={"from": now_text()})


def new_candidate(election_name: str, candidate: Candidate) -> Put:
    place = keys.candidate(election_name, candidate.name)
    shown = {"election_name": election_name, "candidate_name": candidate.name, "number": candidate.number}
    text = {"statement": candidate.statement, "link": candidate.link}
    return Put({"PK": place.pk, "SK": place.sk, "entity_type": "CANDIDATE", **shown, **text}, when=Missing())


def changed_candidate(election_name: str, before: Candidate, after: Candidate) -> Update:
    """Refused if anybody changed it since it was read: so the log has changes in the order they happened."""
    unchanged = Equals("statement", before.statement) & Equals("link", before.link)
    text = {"statement": after.statement, "link": after.link}
    return Update(keys.candidate(election_name, before.name), set=text, when=unchanged)


def new_voter(election: Election, name: str) -> Put:
    place = keys.voter(election.name, name)
    index = {"GSI1PK": keys.elections_of_voter(name).pk, "GSI1SK": keys.by_date(election.created_at, election.name)}
    shown = {"election_name": election.name, "voter_name": name, "voted": False, "acts": 0}
    return Put({"PK": place.pk, "SK": place.sk, **index, "entity_type": "VOTER", **shown}, when=Missing())


def on_roll(election_name: str, names: Iterable[str]) -> set[str]:
    """Those of the names, folded, that are on the roll."""
    places = {keys.voter(election_name, name): keys.fold(name) for name in names}
    return {places[place] for place in table().get_many(places)}


def removal_of_all(election_name: str) -> Iterator[list[Key]]:
    """Every item of the election's partition but its metadata and the mark of a move, in handfuls that fit a write."""
    handful: list[Key] = []
    for item in table().each(keys.all_of_election(election_name)):
        if item["SK"] not in (keys.METADATA, keys.renamed(election_name).sk):
            handful.append(Key(item["PK"], item["SK"]))
        if len(handful) == 90:
            yield handful
            handful = []
    if handful:
        yield handful


def to_be_sealed(election: Election) -> Put:
    """The mark by which the worker finds a closed election whose ballots are not sealed yet."""
    place = keys.sealing(election.name)
    index = {"GSI1PK": keys.SEALING.pk, "GSI1SK": keys.by_date(election.created_at, election.name)}
    return Put({"PK": place.pk, "SK": place.sk, **index, "election_name": election.name, "parts": 0})

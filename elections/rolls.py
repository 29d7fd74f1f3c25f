"""The roll in the table: who is on it, and the writes that put them there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, islice

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from elections.voter_lists import Details
from foundation.acts.background import OVERWRITE, TaskType
from foundation.acts.caches import Cacheable
from foundation.acts.storage import table
from foundation.mail.names import isolated, turned_as_here
from foundation.store import keys, sharded_reads
from foundation.store.splitting import by_count
from foundation.store.table import Exists, Item, Key, Missing, Put, Refused, Span, Update

from . import sharding
from .repository import Description, description_among, election_of, recent_read
from .rules import Election, State
from .sharding import ElectionOrName

NUMBER_SIGN = "@"  # follows member numbers on the roll
LETTER_FIELDS = ("display_name", "postal", "language", "check")  # of somebody listed by member number
LETTER_OF_MEMBER = "letter"  # these fields of a member of a saved group
IMPORTING = TaskType("import voters", _("Importing voters"))
MAX_RECENT_ROLL_ENTRIES = 1000  # entries on rolls, the newest, among which home looks for what waits for one's vote
MAX_SEARCHED = 20_000  # voters of a roll that is read for a name


@dataclass(frozen=True, slots=True)
class Voter:
    """An entry on the roll: a user name, an address that may get an account later, or a member number."""

    name: str
    voted: bool = False
    account: str | None = None  # which account of the name, by when it was made
    invited: str = ""  # the number of the mail that invited them
    display_name: str = ""  # of someone listed by address, if the organiser gave it, or by member number
    weight: int = 1  # how many times their vote counts; it no longer changes once the election is open
    groups: tuple[str, ...] = ()  # voter groups they are in; they no longer change either
    postal: tuple[str, ...] = ()  # of someone listed by member number: the lines below the name on a letter
    language: str = ""  # of their letter
    check: str = ""  # a keyed hash of their date of birth
    letter_turn: int = 1  # which letter they get: the first, or another if one was reissued
    letter_batch: int = 0  # in which it was printed; 0 while it waits

    @property
    def details(self) -> Details:
        of_letter = self.postal, self.language, self.check
        return Details(self.display_name, self.groups, False, self.weight, *of_letter)

    @property
    def label(self) -> str:
        return voter_label(self.name, self.display_name)


def voter_of(item: Item) -> Voter:
    invited, display_name = (item.get(name, "") for name in ("invited", "display_name"))
    known = invited, display_name, weight_of(item), groups_of(item)
    of_letter = tuple(item.get("postal", ())), item.get("language", ""), item.get("check", "")
    letter = item.get("letter_turn", 1), item.get("letter_batch", 0)
    return Voter(item["voter_name"], item["voted"], item.get("account"), *known, *of_letter, *letter)


def groups_of(entry: Item) -> tuple[str, ...]:
    return tuple(entry.get("groups", ()))


def weight_of(item: Item) -> int:
    """How many times a vote counts, by an entry on the roll, a ballot or an event."""
    return int(item.get("weight", 1))


def weight_fields(weight: int) -> Item:
    """What an item or an event says of it, where it is not once."""
    return {"weight": weight} if weight != 1 else {}


def is_by_account(voter_name: str) -> bool:
    """Whether it is a user name: these never contain @."""
    return "@" not in voter_name


def is_by_number(voter_name: str) -> bool:
    """Whether it is a member number, which is followed by @ on the roll. No address ends with it."""
    return voter_name.endswith(NUMBER_SIGN)


def is_by_address(voter_name: str) -> bool:
    return not is_by_account(voter_name) and not is_by_number(voter_name)


def number_of(voter_name: str) -> str:
    """The member number of somebody listed by it."""
    return voter_name.removesuffix(NUMBER_SIGN)


def voter_label(voter_name: str, display_name: str = "") -> str:
    """What pages call a voter, within one `<bdi>`."""
    if not is_by_number(voter_name):
        return display_name or voter_name
    values = {"name": isolated(display_name), "number": isolated(number_of(voter_name))}
    label = gettext("%(name)s (member %(number)s)") if display_name else gettext("member %(number)s")
    return turned_as_here(label % values)


# --- the entries of one person ---


def find_with_entry(name: str, person: User) -> tuple[Election, Voter | None] | None:
    """The election and a person's roll entry, by name or address, in one round trip."""
    items, entry = _read_with_entry(person, name)
    item = items.get(keys.election(name))
    return (election_of(item), entry) if item else None


def find_for_page(name: str, person: User) -> tuple[Election, Voter | None, Description] | None:
    """Like `find_with_entry`, with the election's description."""
    items, entry = _read_with_entry(person, name, recent_read(name, person, keys.description(name), is_open=True))
    item = items.get(keys.election(name))
    return (election_of(item), entry, description_among(items, name)) if item else None


def find_for_guest(name: str, voter: str) -> tuple[Election, Voter | None, Description] | None:
    """Like `find_for_page`, for the holder of a link to this entry."""

    def places(shards: int) -> list[Key]:
        return [keys.voter(name, voter, shards), keys.description(name)]

    shards, items = sharding.read(name, places)
    if (item := items.get(keys.election(name))) is None:
        return None
    election, entry = election_of(item), items.get(keys.voter(name, voter, shards))
    own = voter_of(entry) if entry and election.questions_for(groups_of(entry)) else None
    return election, own, description_among(items, name)


def _read_with_entry(
    person: User, name: str, recently: Cacheable | None = None
) -> tuple[Mapping[Key, Item], Voter | None]:
    def places(shards: int) -> list[Key]:
        return [keys.voter(name, each, shards) for each in (person.name, person.email) if each]

    shards, items = sharding.read(name, places, recently)
    own = map(voter_of, entries_of(person, (items[key] for key in places(shards) if key in items)))
    election = election_of(items[keys.election(name)]) if keys.election(name) in items else None
    entitled = [voter for voter in own if election and election.questions_for(voter.groups)]
    return items, min(entitled, key=lambda voter: not voter.voted, default=None)


def entries_of(person: User, entries: Iterable[Item]) -> list[Item]:
    """The entries under a person's name or address that belong to them."""
    return [entry for entry in entries if belongs_to(person, entry)]


def belongs_to(person: User, entry: Item) -> bool:
    """An entry by name belongs to the account it was made for, so a reused name gives no right."""
    return not is_by_account(entry["voter_name"]) or entry.get("account") == person.created_at


def newest_entries(span: Span) -> list[Item]:
    """Bounded, newest first: entries on the rolls of many closed elections must not hide open ones."""
    return list(islice(table().each(span, backwards=True), MAX_RECENT_ROLL_ENTRIES))


# --- the roll of one election ---


def list_voters(
    election: ElectionOrName, *, prefix: str = "", limit: int, cursor: str | None = None, by_name: bool = True
) -> tuple[list[Item], str | None]:
    """A page of the roll. Without those listed by name, pages are filled up, so that no gap reveals them."""
    roll = sharding.roll_spans(election, prefix)
    if by_name:
        page = sharded_reads.page(table(), roll, limit=limit, cursor=cursor)
        return page.items, page.cursor
    found, cursor = _without_accounts(roll, limit, cursor)
    is_last = cursor is None or not _without_accounts(roll, 1, cursor)[0]
    return found, None if is_last else cursor


def _without_accounts(roll: Sequence[Span], limit: int, cursor: str | None) -> tuple[list[Item], str | None]:
    found: list[Item] = []
    while True:
        page = sharded_reads.page(table(), roll, limit=limit - len(found), cursor=cursor)
        found += [item for item in page.items if not is_by_account(item["voter_name"])]
        cursor = page.cursor
        if cursor is None or len(found) == limit:
            return found, cursor


def find_voters(election: Election, typed: str, *, limit: int, by_name: bool = True) -> tuple[list[Item], bool]:
    """Those on the roll whose user name, address or number begins so, then those whose name has all these words; and
    whether there are more."""
    found, cursor = list_voters(election, prefix=typed, limit=limit, by_name=by_name)
    words, there = keys.fold(typed).split(), {each["SK"] for each in found}
    if cursor or not words or election.voter_count > MAX_SEARCHED:
        return found, bool(cursor)
    every = sharded_reads.each(table(), sharding.roll_spans(election))
    others = (each for each in every if each["SK"] not in there and (by_name or not is_by_account(each["voter_name"])))
    called = (each for each in others if all(word in keys.fold(each.get("display_name", "")) for word in words))
    found = [*found, *islice(called, limit + 1 - len(found))]
    return found[:limit], len(found) > limit


def sizes_by_weight(election: ElectionOrName) -> Counter[tuple[tuple[str, ...], int]]:
    """How many on the roll are in each combination of voter groups and have each weight."""
    found = sharded_reads.values(table(), sharding.roll_spans(election), "groups", "weight")
    return Counter((tuple(groups or ()), weight or 1) for groups, weight in found)


def weights(election: Election) -> Counter[int]:
    """How many on the roll have each weight; empty if it never had any."""
    counts = Counter[int]()
    for (_groups, weight), size in sizes_by_weight(election).items() if election.weighted else ():
        counts[weight] += size
    return counts


def as_it_would_open(election: Election) -> Election:
    """A draft for some groups or with weights, with what the people on its roll today make of it."""
    is_for_some = any(each.for_groups for each in election.questions)
    if not (is_for_some or election.weighted) or election.stored_state != State.DRAFT:
        return election
    sizes = sizes_by_weight(election)
    if election.more:
        unasked = sum(size for (groups, _weight), size in sizes.items() if not election.questions_for(groups))
        election = replace(election, unasked=unasked)
    for question in election.questions:
        entitled = {each: size for each, size in sizes.items() if question.is_for(each[0])}
        extra = sum((weight - 1) * size for (_groups, weight), size in entitled.items())
        excluded = sum(sizes.values()) - sum(entitled.values())
        election = election.at(question.number).with_question(excluded=excluded, extra_votes=extra)
    return election


def every_voter(election: ElectionOrName, *, by_name: bool = True) -> Iterator[Voter]:
    found = map(voter_of, sharded_reads.each(table(), sharding.roll_spans(election)))
    return (voter for voter in found if by_name or not is_by_account(voter.name))


def current_voters(election: ElectionOrName, *, by_name: bool = True) -> Iterator[str]:
    """The names on the roll, without those of deleted accounts; or only those by address or member number."""
    for some in by_count(every_voter(election, by_name=by_name)):
        accounts = {each.name: keys.user(each.name) for each in some if is_by_account(each.name)}
        found = table().get_many(accounts.values()) if accounts else {}
        made = {name: found[place]["created_at"] for name, place in accounts.items() if place in found}
        yield from (
            each.name for each in some if not is_by_account(each.name) or made.get(each.name, "") == each.account
        )


def on_roll(election: ElectionOrName, names: Iterable[str]) -> dict[str, Voter]:
    """Those of the names, folded, that are on the roll."""
    entries = _entries(election, names)
    return {entries[place]: voter_of(item) for place, item in table().get_many(entries).items()}


def _entries(election: ElectionOrName, names: Iterable[str]) -> dict[Key, str]:
    name, shards = sharding.name_of(election), sharding.shards_of(election)
    return {keys.voter(name, each, shards): keys.fold(each) for each in names}


def roll_and_accounts(election: ElectionOrName, names: Sequence[str]) -> tuple[dict[str, Voter], dict[str, str]]:
    """Who of the names, folded, is on the roll; and of those that are names of people here, which account has them."""
    named = {keys.user(name): keys.fold(name) for name in names if is_by_account(name)}
    entries = _entries(election, names)
    found = table().get_many([*entries, *named])
    accounts = {folded: found[key]["created_at"] for key, folded in named.items() if key in found}
    return {folded: voter_of(found[place]) for place, folded in entries.items() if place in found}, accounts


# --- writes ---


def new_voter(election: Election, name: str, account: str | None = None, details: Details = Details()) -> Put:  # noqa: B008 - it never changes
    """An entry on the roll; by name, with the account of that name it is made for."""
    index = {"GSI1PK": keys.elections_of_voter(name).pk, "GSI1SK": keys.by_date(election.created_at, election.name)}
    fields: Item = {"election_name": election.name, "voter_name": name, "voted": False}
    fields |= {} if account is None else {"account": account}
    fields |= letter_fields(details if is_by_number(name) else Details(details.display_name))
    fields |= {"groups": list(details.groups)} if details.groups else {}
    fields |= weight_fields(details.weight or 1)
    return Put({**sharding.voter_key(election, name).item, **index, **fields}, when=Missing())


def letter_fields(details: Details) -> Item:
    """What an entry keeps for a letter, as far as it is known."""
    known = {name: getattr(details, name) for name in LETTER_FIELDS}
    return {name: list(value) if name == "postal" else value for name, value in known.items() if value}


def forget_display_names(voter: str) -> None:
    """Removes the name that mails greet somebody by, or all that letters need, from every roll and every saved group;
    the record of who may vote stays as it is."""
    for entry in chain(table().each(keys.elections_of_voter(voter)), table().each(keys.groups_with(voter))):
        if known := tuple(name for name in (*LETTER_FIELDS, LETTER_OF_MEMBER) if name in entry):
            with suppress(Refused):  # taken off the roll meanwhile
                table().write(Update(Key(entry["PK"], entry["SK"]), remove=known, when=Exists()))


def import_subject(election_name: str, digest: str) -> str:
    return f"{election_name} {digest}"


def import_task(election_name: str, digest: str, asked_by: str) -> Put:
    """Overwrites the task of an import under way, which then continues."""
    subject, data = import_subject(election_name, digest), {"election_name": election_name, "digest": digest}
    return IMPORTING.begin(subject, when=OVERWRITE, asked_by=asked_by, **data)

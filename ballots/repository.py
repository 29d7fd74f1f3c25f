"""Ballots in the table: names in, values out, and the writes of the transaction that casts a ballot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import methodcaller
from typing import Any, NamedTuple

from django.conf import settings

from accounts import repository as people
from accounts.models import User
from elections import repository as elections
from elections import rolls, sharding
from elections.invitations.voting_link import Link, are_unchanged
from elections.repository import Description
from elections.rules import Election
from elections.sharding import ElectionOrName
from elections.turnout.counts import counted_in
from foundation.acts.caches import Cacheable
from foundation.acts.storage import table
from foundation.store import keys, sharded_reads
from foundation.store.purging import purge_marks
from foundation.store.splitting import by_count
from foundation.store.table import Check, Condition, Delete, Equals, Exists, Item, Key, Missing, Put, Update, Write
from foundation.tally import ballots as tally

from .external_sort import Line, Sorter
from .rules import Ballot, Ballots, PublishedBallot
from .secret import ballot_id

Row = tuple[str, ...]
as_line: Callable[[Row], Line] = "\t".join  # of a ballot, or of where it lies; only in a voter's name might be a tab
_row: Callable[[Line], list[str]] = methodcaller("split", "\t", 3)


@dataclass(frozen=True)
class VoterContext:
    """Everything that decisions about somebody's ballot in an election need, read at once. With the secret of a ballot
    alone, it is that of somebody unknown."""

    election: Election
    voter: str | None  # the name they have on the roll; `None` if they are not on it, or unknown
    entry: Item | None  # their entry on the roll, if there is one already
    others: tuple[Key, ...] = ()  # where else they are on the roll, or may be once they vote: by name, by address
    repeated: bool = False  # whether the form was carried out before
    person: User | None = None  # who it is, if they have an account
    account: str | None = None  # which account of that name votes, by when it was made
    link: Link | None = None  # by which they came, if they did not sign in
    link_is_secret: bool = False  # whether the secret of their ballot is that of the link
    home: Key | None = None  # where the entry lies that the link was made for
    linked_items: Mapping[Key, Item] = field(default_factory=dict)  # what was read with it of the link
    about: Description | None = None  # what the election says of itself, if that was to be read, too
    secret: str = ""  # of the form, of the link, or typed by somebody who wants to change their ballot
    found: Mapping[int, Item] = field(default_factory=dict)  # what lies under that secret in each question

    @property
    def label(self) -> str:
        """What pages for organisers call the voter."""
        return rolls.voter_label(self.voter or "", (self.entry or {}).get("display_name", ""))

    @property
    def voted(self) -> bool:
        return bool(self.entry and self.entry["voted"])

    @property
    def revision(self) -> int:
        """How often they have cast, changed or withdrawn, as far as the roll tells: of a secret ballot only whether it
        was cast. A page compares it to notice that it is out of date."""
        return self.entry.get("acts", int(self.voted)) if self.entry else 0

    @property
    def weight(self) -> int:
        """How many times their vote counts: fixed when the election opened, and stored with each ballot."""
        return rolls.weight_of(next(iter(self.found.values()), self.entry or {}))

    @property
    def is_unknown(self) -> bool:
        """Whether nothing is known but a secret."""
        return self.voter is None and bool(self.found)

    @cached_property
    def questions(self) -> tuple[Election, ...]:
        """Those that they may vote on; of somebody unknown, those that they have voted on."""
        if self.found:
            return tuple(each for each in self.election.questions if each.number in self.found)
        return self.election.questions_for(rolls.groups_of(self.entry or {}))

    @property
    def may_change(self) -> bool:
        """Whether there is a ballot that they can replace."""
        return bool(self.found) if self.election.secret_ballot else self.voted

    @property
    def ballots(self) -> Ballots:
        """The secret ballot that was found by its secret, unless it was withdrawn."""
        return {number: ballot_from(item) for number, item in self.found.items() if "rankings" in item}

    def ballot_key(self, question: int) -> Key:
        election = self.election
        name = ballot_id(self.secret, election.name, question) if election.secret_ballot else self.voter or ""
        return keys.ballot(election.name, name, election.shards, question)


# --- reading it, in one round trip: who votes decides where on the roll they may be ---


@dataclass(frozen=True, slots=True)
class Lookup:
    """What is read of an election for a voter besides their entries on its roll: whether the form was carried out, what
    lies under the secret of a ballot, and what the election says of itself."""

    election_name: str
    form: str = ""
    secret: str = ""
    described: bool = False


def context_of_account(
    person: User, lookup: Lookup, *, to_show: bool = False, open_mark: Key | None = None
) -> VoterContext | None:
    """A page that only shows it may get a cached election, up to a second old. So may a cast that has an open mark read
    with it: there is no context if the mark is gone."""
    recent, name = None, lookup.election_name
    if to_show or open_mark:
        about = [keys.description(name)] if lookup.described else []
        recent = elections.recent_read(name, person, *about, is_open=True)
    read = _read(lookup, (person.name, person.email), also=[open_mark] if open_mark else [], recent=recent)
    if read and open_mark and read.found.get(open_mark, {}).get("created_at") != read.election.created_at:
        return None
    return read and _context_of(lookup, read, person)


def context_of_entry(voter: str, lookup: Lookup) -> VoterContext | None:
    """Of a name on the roll, whoever has it."""
    read = _read(lookup, (voter,))
    return read and _context_of(lookup, read)


def context_of_link(link: Link, lookup: Lookup) -> VoterContext | None:
    """Of the name on the roll that a link or a letter was made for, with what tells whether it still holds."""
    read = _read(lookup, (link.voter,), link=link)
    return read and _context_of(lookup, read, home=link.place(read.shards[-1]), linked_items=read.found)


def context_of_secret(lookup: Lookup) -> VoterContext | None:
    """Of somebody unknown."""
    read = _read(lookup, ())
    return read and _context_of(lookup, read)


class Read(NamedTuple):
    """What was found for a lookup, and where entries of the voter may be, by the names they may have."""

    election: Election
    places: dict[str, Key]
    found: Mapping[Key, Item]
    shards: list[int]  # of the election, and of that of the link


def _read(
    lookup: Lookup,
    names: Sequence[str],
    *,
    also: Sequence[Key] = (),
    link: Link | None = None,
    recent: Cacheable | None = None,
) -> Read | None:
    name, places = lookup.election_name, dict[str, Key]()
    marks = [keys.once(lookup.form)] if lookup.form else []
    about = [keys.description(name)] if lookup.described else []

    def where(shards: int, of_link: int = 1) -> list[Key]:
        places.update({each: keys.voter(name, each, shards) for each in names if each})
        ballots = [keys.ballot(name, ballot_id(lookup.secret, name), shards)] if lookup.secret else []
        of_the_link = [link.place(of_link), link.account_place] if link else []
        return [*ballots, *marks, *about, *also, *places.values(), *of_the_link]

    shards, found = sharding.read_all([name, link.election_name] if link else [name], where, recent)
    item = found.get(keys.election(name))
    return Read(elections.election_of(item), places, found, shards) if item is not None else None


def _context_of(lookup: Lookup, read: Read, person: User | None = None, **of_link: Any) -> VoterContext:
    """With the entry that may vote; of several, that which has. Without one, a person joins where they may, by a name
    that no earlier holder of it has taken."""
    election, places, found, _shards = read
    own = [found[place] for place in places.values() if place in found]
    own = rolls.entries_of(person, own) if person else own
    own = [entry for entry in own if election.questions_for(rolls.groups_of(entry))]
    entry = min(own, key=lambda entry: not entry["voted"], default=None)
    voter = entry["voter_name"] if entry else None
    if entry is None and person and election.is_open_to(person.votes_since):
        voter = next((name for name, place in places.items() if place not in found), None)
    own_place = Key(entry["PK"], entry["SK"]) if entry else places.get(voter or "")
    return VoterContext(
        election,
        voter,
        entry,
        tuple(place for place in places.values() if place != own_place and (place not in found or found[place] in own)),
        bool(lookup.form) and keys.once(lookup.form) in found,
        person,
        account=person.created_at if person and voter and rolls.is_by_account(voter) else None,
        about=elections.description_among(found, lookup.election_name) if lookup.described else None,
        secret=lookup.secret,
        found=_under_secret(election, lookup.secret, found) if lookup.secret and election.secret_ballot else {},
        **of_link,
    )


def _under_secret(election: Election, secret: str, found: Mapping[Key, Item]) -> dict[int, Item]:
    """What lies under a secret in each question. Of the first one it was read with the election; how many others there
    are is known only by then."""
    name, shards = election.name, election.shards
    places = {
        number: keys.ballot(name, ballot_id(secret, name, number), shards, number)
        for number in (each.number for each in election.questions)
    }
    if election.more:
        found = table().get_many(places.values())
    return {number: found[place] for number, place in places.items() if place in found}


def ballots_of(context: VoterContext) -> Ballots:
    """A voter's own ballot, to show to themselves only: a secret one to who has its secret, and none to the holder of a
    link, because others can read a mail."""
    if context.link is not None:
        return {}
    if context.election.secret_ballot:
        return context.ballots
    places = {each.number: context.ballot_key(each.number) for each in context.questions} if context.voted else {}
    found = table().get_many(places.values()) if places else {}
    return {number: ballot_from(found[place]) for number, place in places.items() if place in found}


def ballot_from(item: Item) -> Ballot:
    return Ballot(item["rankings"], item["confirmation"], item.get("when_cast"), rolls.weight_of(item))


def every_ballot(election: ElectionOrName) -> Iterator[Ballot]:
    """In its question."""
    found = sharded_reads.each(table(), sharding.ballot_spans(election))
    return (ballot_from(item) for item in found if "rankings" in item)


def ballot_rows(election: ElectionOrName) -> Iterator[Row]:
    """Every ballot that was not withdrawn as a row of code, ranking, weight and voter, in no meaningful order."""
    names = ("confirmation", "rankings", "weight", "voter_name")
    found = sharded_reads.values(table(), sharding.ballot_spans(election), *names)
    return ((code, ranking, str(weight or ""), voter or "") for code, ranking, weight, voter in found if code)


# --- ballots that are sorted: by code, and two with one code stay two ---


def sorter() -> Sorter:
    return Sorter(settings.DATA_DIR)


def ballots_with_keys(election: ElectionOrName) -> Iterator[tuple[Line | None, Line]]:
    """Every ballot, unless it was withdrawn, and its key, as sortable lines."""
    names = ("confirmation", "rankings", "weight", "PK", "SK")
    for code, ranking, weight, pk, sk in sharded_reads.values(table(), sharding.ballot_spans(election), *names):
        yield as_line((code, ranking, str(weight or ""), "")) if code else None, as_line((sk, pk))


def sort_ballots(election: ElectionOrName) -> Sorter:
    found = sorter()
    found.add(map(as_line, ballot_rows(election)))
    return found


def published_ballots_in(box: Sorter) -> Iterator[PublishedBallot]:
    return map(PublishedBallot._make, map(_row, box))


def emptying(election: Election, found: Sorter) -> Iterator[list[Write]]:
    """Deletes these ballots in batches of one transaction each, and purges them from the store's files. In key order,
    so that the embedded store touches fewer pages. Refused unless the sealing mark allows it."""
    check = Check(keys.sealing(election.name, election.number), may_be_removed(election))
    for batch in by_count(found):
        yield [*(Delete(Key(pk, sk)) for sk, pk in map(_row, batch)), *purge_marks(table()), check]


def is_mark_for(election: Election) -> Condition:
    """That the mark belongs to this election, not to a later one of the same name."""
    return Equals("GSI1SK", keys.by_date(election.created_at, election.name))


def may_be_removed(election: Election) -> Condition:
    """What the sealing mark says once all ballots are safely published."""
    return Equals("removing", True) & is_mark_for(election)


def as_published(ballots: Iterable[Line]) -> list[Item]:
    """Ballots in published form; only those of a public election name their voters."""
    return [
        {"confirmation": code, "rankings": ranking}
        | ({"weight": int(weight)} if weight else {})
        | ({"voter_name": voter} if voter else {})
        for code, ranking, weight, voter in map(_row, ballots)
    ]


def last_published(election: Election, parts: int) -> Line | None:
    """The last line of so many parts, if any: parts of an election without votes are empty."""
    part = table().get(keys.published(election.name, parts - 1, election.number)) if parts else None
    return as_line(PublishedBallot.of(part["ballots"][-1])) if part and part["ballots"] else None


def publishing_part(election: Election, number: int, ballots: list[Item]) -> Put:
    place = keys.published(election.name, number, election.number)
    return Put({"PK": place.pk, "SK": place.sk, "ballots": ballots})


def every_published(election_name: str, question: int = 1) -> Iterator[Item]:
    """The ballots of a sealed election, sorted by their codes."""
    for part in table().each(keys.all_published(election_name, question)):
        yield from part["ballots"]


def read_ballots(election: Election, counts: Mapping[str, int] | None = None) -> tally.Ballots:
    """All ballots as input for counting: how many votes each ranking got. Unless the counts are given, ballots are
    streamed page by page."""
    names = elections.candidate_names(election.name, election.number)
    if counts is None:
        counts = votes_of(Counter(sharded_reads.values(table(), sharding.ballot_spans(election), "rankings", "weight")))
    numbers = range(max(names, default=-1) + 1)
    every = tally.Ballots(tuple(names.get(number, f"#{number}") for number in numbers), counts)
    return every.in_order([names[number] for number in sorted(names)])  # a removed candidate leaves a gap


def votes_of(ballots: Mapping[tuple[Any, Any], int]) -> dict[str, int]:
    """How many votes each ranking got, by how many ballots of each weight have it; those withdrawn have none."""
    votes: dict[str, int] = {}
    for (ranking, weight), number in ballots.items():
        if ranking is not None:
            votes[ranking] = votes.get(ranking, 0) + number * int(weight or 1)
    return votes


# --- writes; each returns parts of a transaction ---


def casting(context: VoterContext, ballots: Ballots, *, paper: bool) -> list[Write]:
    """The gate, the roll and the ballot. Refused if voting is closed, or if they voted elsewhere since `context` was
    read."""
    stored = [_stored(context, number, ballot) for number, ballot in ballots.items()]
    # Elsewhere on the roll an entry may have been added, and have voted, since then.
    nothing = Missing() | Equals("voted", False)
    others = [Check(place, _if_links_are_unchanged(context, place, nothing)) for place in context.others]
    return [*recording_vote(context, paper=paper), *stored, *others]


def recording_vote(context: VoterContext, *, paper: bool) -> list[Write]:
    """What a cast writes besides the ballot, in public and secret elections alike."""
    more, is_paper = int(not context.voted), int(paper) - int(_was_paper(context))
    gate = passing_gate(context.election, context.questions, more, context.weight, paper=is_paper)
    return [gate, marking_roll(context, voted=True, paper=paper)]


def withdrawing(context: VoterContext) -> list[Write]:
    """Of a public ballot."""
    gate = passing_gate(context.election, context.questions, -1, context.weight, paper=-int(_was_paper(context)))
    gone = [Delete(context.ballot_key(each.number), when=Exists()) for each in context.questions]
    return [gate, marking_roll(context, voted=False, paper=False), *gone]


def replacing(context: VoterContext, ballots: Ballots) -> list[Write]:
    """Changes a secret ballot, or withdraws it. The roll does not change: between two copies of the store, it would
    point at the one ballot that did."""
    was_withdrawn = not context.ballots
    before = Equals("withdrawn", True) if was_withdrawn else Exists() & Missing("withdrawn")
    withdrawn: Item = {"withdrawn": True, **rolls.weight_fields(context.weight)}
    puts = [
        Put({**context.ballot_key(number).item, **(_fields(ballots[number]) if ballots else withdrawn)}, when=before)
        for number in context.found
    ]
    more = int(bool(ballots)) - int(not was_withdrawn)
    return [passing_gate(context.election, context.questions, more, context.weight, withdrawn=-more), *puts]


def passing_gate(election: Election, questions: Iterable[Election], more: int, weight: int, **also: int) -> Write:
    """Any gate: it must be open, and counts the votes that pass; where there are several questions, in each of them,
    too."""
    gates, counts = sharding.gates_of(election), {"voted": more, "extra": more * (weight - 1), **also}
    asked = [each.number for each in questions] if election.more else []
    each_too = {counted_in(name, number): by for number in asked for name, by in counts.items()}
    return gates.passing(election.name, gates.pick(), counts | each_too)


def marking_roll(context: VoterContext, *, voted: bool, paper: bool) -> Write:
    """Marks on the roll that they voted, never how; only in a public election how often, and whether on paper. Refused
    if they acted since `context` was read, or were removed and are back with another weight or other groups."""
    assert context.voter is not None
    is_public = not context.election.secret_ballot
    fields: Item = {"voted": voted, **({"paper": paper} if is_public else {})}
    if context.entry is None:
        put = rolls.new_voter(context.election, context.voter, context.account)
        return Put(put.item | fields | ({"acts": 1} if is_public else {}), when=put.when)
    place = Key(context.entry["PK"], context.entry["SK"])
    weight = context.entry.get("weight")
    unchanged: Condition = Equals("voted", context.voted)
    unchanged &= Equals("weight", weight) if weight else Missing("weight")
    if any(each.for_groups for each in context.election.questions):
        groups = context.entry.get("groups")
        unchanged &= Equals("groups", groups) if groups else Missing("groups")
    if is_public:
        unchanged &= Equals("acts", context.revision) if "acts" in context.entry else Missing("acts")
    when = _if_links_are_unchanged(context, place, unchanged)
    return Update(place, set=fields, add={"acts": 1} if is_public else {}, when=when)


def _fields(ballot: Ballot) -> Item:
    """A secret ballot has nothing else: no time, name or order that could reveal when it was cast; and a weight only in
    an election that an earlier version opened."""
    return {"rankings": ballot.rankings, "confirmation": ballot.confirmation, **rolls.weight_fields(ballot.weight)}


def _stored(context: VoterContext, question: int, ballot: Ballot) -> Put:
    place, fields, election, voter = (
        context.ballot_key(question),
        _fields(ballot),
        context.election,
        context.voter or "",
    )
    if not context.election.secret_ballot:
        fields |= {"voter_name": context.voter, "when_cast": ballot.when_cast, "entity_type": "BALLOT"}
    if not election.secret_ballot and election.results_visible == "live":  # found by the time they were cast, too
        fields["GSI1PK"] = keys.ballot_by_time(election.name, voter, election.shards, question)
        fields["GSI1SK"] = keys.by_date(ballot.when_cast or "", voter)
    return Put({"PK": place.pk, "SK": place.sk, **fields}, when=Exists() if context.voted else Missing())


def _if_links_are_unchanged(context: VoterContext, place: Key, when: Condition) -> Condition:
    """For voters by link, also that their link has not ended since `context` was read."""
    return when & are_unchanged(context.linked_items[place]) if context.link and context.home == place else when


def checking_link(context: VoterContext, written: Iterable[Write]) -> list[Write]:
    """Checks that the link is still valid and its recipient's account unchanged, unless `written` already depends on
    it."""
    link, person, home = context.link, context.person, context.home
    assert link is not None
    assert home is not None
    account = people.is_same_account(person) if person else Check(link.account_place, Missing())
    known = {each.key for each in written}
    return [account, *([] if home in known else [Check(home, are_unchanged(context.linked_items[home]))])]


def _was_paper(context: VoterContext) -> bool:
    return context.voted and bool(context.entry and context.entry.get("paper"))

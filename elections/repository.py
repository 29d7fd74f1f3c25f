"""Elections and candidates in the table, and the writes that keep their items consistent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, NamedTuple

from django.utils.translation import gettext_lazy as _

from accounts.models import User
from foundation.acts import storage
from foundation.acts.background import TaskType
from foundation.acts.caches import Cacheable, ParseCache, SizedCache, get_cached
from foundation.acts.gates import as_of
from foundation.acts.storage import now_text, table, unchanged
from foundation.pages import markdown
from foundation.pages.markdown import Html
from foundation.pages.names import natural_sort_key
from foundation.photos import photos
from foundation.photos.photos import Photo, photo_of
from foundation.ranking.candidates import Candidate
from foundation.ranking.marks import ANSWERS
from foundation.store import keys
from foundation.store.parallel import run_parallel
from foundation.store.table import AllOf, Check, Delete, Equals, Exists, Item, Key, Missing, Put, Span, Update, Write

from .convening import convened_of
from .rules import Election, Question, Relation, State, is_over, relation
from .sharding import gates_of

RENAMING = TaskType("rename election", _("Renaming an election"))
DELETING = TaskType("delete election", _("Deleting an election"))
SEALING = TaskType("seal election", _("Sealing a result"), keys.SEALING_TASKS)

# what lists show beside the state
LISTED_FIELDS = ("name", "no_voting_before", "no_voting_after", "created_at", "closing", "time_zone")
OF_THE_ROLL = ("voter_count", "by_letter", "voter_groups", "weighted")


@dataclass(frozen=True, slots=True)
class Brief:
    """How a sealed election ended, in short: of several questions only how many have an answer."""

    winners: tuple[str, ...] = ()  # the first few
    winner_count: int = 0  # how many there are in total
    seats: int = 1
    vote: tuple[int, ...] = ()  # on yes or no: how many said yes and no, abstained, and were needed
    by_lot: tuple[str, ...] = ()  # those of all winners whom a lot elected
    questions: int = 1
    decided: int = 0  # of several questions

    @property
    def item(self) -> Item:
        """As stored with other fields of an item."""
        if self.questions > 1:
            return {"questions": self.questions, "decided": self.decided}
        shown = {"winners": list(self.winners), "winner_count": self.winner_count, "seats": self.seats}
        return shown | {name: list(value) for name in ("vote", "by_lot") if (value := getattr(self, name))}

    @property
    def is_decided(self) -> bool:
        """Whether a question has an answer: neither is there a tie, nor did nobody give one."""
        return any(self.vote[:-1]) if self.vote else 0 < self.winner_count <= self.seats


def brief_fields(item: Item) -> dict[str, Any]:
    fields = {name: item[name] for name in Brief.__dataclass_fields__ if name in item}
    return {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed(Brief):
    """An election as a list shows it."""

    name: str
    stored_state: State
    no_voting_before: str | None
    no_voting_after: str | None
    created_at: str
    closing: str | None
    time_zone: str
    sealed_at: str = ""
    voting_groups: tuple[str, ...] = ()

    def takes_votes(self, now: str) -> bool:
        has_begun = self.no_voting_before is None or self.no_voting_before <= now
        return has_begun and self.state(now) in (State.EDITABLE, State.OPEN)

    def state(self, now: str) -> State:
        is_open = self.stored_state in (State.EDITABLE, State.OPEN)
        return State.CLOSED if is_open and is_over(self, now) else self.stored_state


@dataclass(frozen=True, slots=True)
class Description:
    """The description in Markdown, an item of its own, as most pages and every cast do not need it."""

    place: Key
    description: str = ""
    html: Html | None = None  # as stored beside the text


class RollCounts(NamedTuple):
    """Of some people on the roll, for one question."""

    excluded: int = 0  # how many may not vote on it
    extra_votes: int = 0  # how many votes the others have beyond one each

    def __bool__(self) -> bool:
        return any(self)

    @property
    def negative(self) -> RollCounts:
        return RollCounts(-self.excluded, -self.extra_votes)


NO_COUNTS: Mapping[int, RollCounts] = {}
NO_QUESTION = 0  # instead of the number of a question: for none of several


# --- finding ---


def find(name: str) -> Election | None:
    item = table().get(keys.election(name))
    return election_of(item) if item else None


def recent_read(name: str, person: User | None, *more: Key, is_open: bool = False) -> Cacheable:
    """A read that may be a second old, for people who do not run the election.

    With `is_open`, only if it took votes, so that no one who is in time is turned away.
    """
    at = keys.election(name)

    def is_good(items: Mapping[Key, Item]) -> bool:
        if at not in items:
            return False
        election = election_of(items[at])
        runs_it = person is not None and relation(person.name, person.role, election) != Relation.NOBODY
        return not runs_it and (not is_open or election.takes_votes(now_text()))

    return Cacheable((at, *more), is_good)


def find_recent(name: str) -> Election | None:
    """For visitors who are not signed in; may be a second old."""
    item = get_cached(recent_read(name, None)).get(keys.election(name))
    return election_of(item) if item else None


def find_settled(name: str) -> Election | None:
    """The election of that name, with everything it had under another."""
    election = find(name)
    if election is None or not election.renamed_from:
        return election
    RENAMING.advance(election.renamed_from)
    return find(name)


def find_created(name: str, created_at: str) -> Election | None:
    """The election that was made at that moment under this name, whatever its name is by now."""
    election = find(name)
    if election is not None and election.created_at == created_at:
        return election
    states = (State.DRAFT, State.OPEN, State.CLOSED)
    found = [each for state in states for each in table().each(keys.elections_made_at(state.value, created_at))]
    return find(found[0]["name"]) if len(found) == 1 else None


def find_with_description(name: str) -> tuple[Election, Description] | None:
    """The election and its description, in one round trip."""
    at = keys.election(name)
    found = table().get_many([at, keys.description(name)])
    return (election_of(found[at]), description_among(found, name)) if at in found else None


def description_among(found: Mapping[Key, Item], name: str) -> Description:
    """From items that were read together."""
    place = keys.description(name)
    if (item := found.get(place)) is None:
        return Description(place)
    return Description(place, item["description"], markdown.stored_html(item, "description"))


def description_of(name: str) -> Description:
    place = keys.description(name)
    item = table().get(place)
    return description_among({place: item} if item else {}, name)


def candidates(name: str, question: int = 1) -> list[Candidate]:
    return [candidate_of(item) for item in table().each(keys.candidates(name, question))]


def candidate_counts(election: Election) -> dict[int, int]:
    """How many each of its questions has."""
    questions = election.questions
    found = run_parallel(table(), *(partial(candidates, *each.address) for each in questions))
    return {each.number: len(own) for each, own in zip(questions, found, strict=True)}


def candidate_names(name: str, question: int = 1) -> dict[int, str]:
    """By number, without the statements and pictures that counting does not need."""
    return {item["number"]: item["candidate_name"] for item in table().each(keys.candidates(name, question))}


def candidates_by_name(name: str, question: int = 1) -> list[Candidate]:
    return sorted(candidates(name, question), key=lambda each: natural_sort_key(each.name))


def candidates_by_question(election: Election) -> dict[int, list[Candidate]]:
    """Of each of its questions, by name."""
    questions = election.questions
    found = run_parallel(table(), *(partial(candidates_by_name, *each.address) for each in questions))
    return {each.number: own for each, own in zip(questions, found, strict=True)}


def candidates_with_html(name: str, question: int = 1) -> tuple[Candidate, ...]:
    """Sorted by name, with statements rendered as far as one request may."""
    budget = markdown.RenderBudget()

    def html(each: Candidate) -> Html | None:
        place = keys.candidate(name, each.name, question)
        return budget.load_or_render(place, "statement", each.statement, each.html)

    return tuple(replace(each, html=html(each)) for each in candidates_by_name(name, question))


def candidates_of(election: Election) -> tuple[Candidate, ...]:
    """Cached `candidates_with_html` of its question; every change of candidates changes the version."""
    version = election.name, election.created_at, election.version, election.number
    return _known_candidates.get(version, lambda: candidates_with_html(election.name, election.number))


def _bytes_of(candidates: Sequence[Candidate]) -> int:
    """Too large to be cached if not all statements could be rendered within one request."""
    is_complete = all(each.html is not None for each in candidates if each.statement)
    return sum(each.weight for each in candidates) if is_complete else _known_candidates.most


_known_candidates = SizedCache[tuple[Candidate, ...]](64_000_000, _bytes_of)


def find_candidate(name: str, candidate: str, question: int = 1) -> Candidate | None:
    item = table().get(keys.candidate(name, candidate, question))
    return candidate_of(item) if item else None


def list_elections(
    *, state: State | None = None, prefix: str = "", run_by: str = "", limit: int, cursor: str | None = None
) -> tuple[list[Listed], str | None]:
    """By name from a prefix, or newest first: all, of one state, or run by a person."""
    if prefix:
        page = table().page(keys.elections(prefix), limit=limit, cursor=cursor)
    else:
        span = keys.run_by(run_by) if run_by else list_of(state) if state else keys.ELECTIONS
        page = table().page(span, limit=limit, cursor=cursor, backwards=True)
    return [listed_of(item) for item in page.items], page.cursor


def public_elections(*, limit: int, cursor: str | None = None) -> tuple[list[Election], str | None]:
    """Newest first: elections that have opened, and whose results anyone may see, now or later."""
    page = table().page(keys.PUBLIC_ELECTIONS, limit=limit, cursor=cursor, backwards=True)
    places = [keys.election(item["election_name"]) for item in page.items]
    found = table().get_many(places) if places else {}
    return [election_of(found[place]) for place in places if place in found], page.cursor


def list_of(state: State) -> Span:
    """The list an election is in: whether candidates may still be added makes no difference to who looks for it."""
    return keys.elections_in_state(State.OPEN.value if state == State.EDITABLE else state.value)


def open_elections(names: Iterable[str], now: str) -> list[Election]:
    """The elections among these that are open, even if voting begins later. Of the others only their short entries in
    the list are read."""
    places = [keys.listed_election(name) for name in names]
    entries = [listed_of(item) for item in table().get_many(places).values()] if places else []
    open_ = [keys.election(each.name) for each in entries if each.state(now) in (State.EDITABLE, State.OPEN)]
    found = [election_of(item) for item in table().get_many(open_).values()] if open_ else []
    return [each for each in found if each.state(now) in (State.EDITABLE, State.OPEN)]


# --- items ---


def _election_of(item: Item) -> Election:
    fields = Election.__dataclass_fields__
    values: Item = {
        name: tuple(value) if type(value) is list else value for name, value in item.items() if name in fields
    }
    if item.get("convened"):
        values["convened"] = convened_of(item["convened"])
    values["more"] = questions_of(item)
    return Election(**values)


def questions_of(item: Item) -> tuple[Question, ...]:
    """Those after the first, as an election or an event has them."""
    return tuple(Question(**each | {"for_groups": tuple(each["for_groups"])}) for each in item.get("more", ()))


election_of = ParseCache(_election_of)


def candidate_of(item: Item) -> Candidate:
    html, photo = markdown.stored_html(item, "statement"), photo_of(item.get("photo"))
    return Candidate(item["candidate_name"], item["statement"], item["link"], item["number"], html, photo)


def listed_of(item: Item) -> Listed:
    state = item.get("state") or election_of(item).stored_state.value
    fields = {name: item[name] for name in LISTED_FIELDS} | {"voting_groups": tuple(item.get("for_groups", ()))}
    outcome = {"sealed_at": item["sealed_at"], **brief_fields(item)} if "sealed_at" in item else {}
    return Listed(stored_state=State(state), **fields, **outcome)


def _listed_fields(election: Election) -> Item:
    fields = {name: getattr(election, name) for name in LISTED_FIELDS}
    more = {"remind_before": list(election.remind_before), "for_groups": list(election.voting_groups)}
    return {"state": election.stored_state.value, **more} | fields


def storable(fields: Mapping[str, Any]) -> Item:
    """Fields as stored: lists for tuples, without what is rendered, stored elsewhere or worked out."""
    kept = {name: value for name, value in fields.items() if name not in ("html", "photo")}
    stored = {name: list(value) if isinstance(value, tuple) else value for name, value in kept.items()}
    return stored | ({"more": [storable(asdict(each)) for each in fields["more"]]} if "more" in fields else {})


def fields_of(election: Election) -> Item:
    """All that is stored of an election: of the whole, not of what one of its questions makes of it."""
    assert election.number == 1
    names = (name for name in Election.__dataclass_fields__ if name not in ("number", "whole"))
    fields = {name: getattr(election, name) for name in names}
    return storable(fields | ({"convened": asdict(election.convened)} if election.convened else {}))


# --- writes; each returns parts of a transaction ---


def _item(election: Election) -> Item:
    listed = {"GSI1PK": keys.ELECTIONS.pk, "GSI1SK": keys.by_date(election.created_at, election.name)}
    is_draft = election.stored_state == State.DRAFT  # listed only for its organisers
    fields = fields_of(election)
    return {**keys.election(election.name).item, **({} if is_draft else listed), **fields}


def creation(election: Election, description: str = "") -> tuple[Put, *tuple[Write, ...]]:
    """Refused in part 0 if the name is taken; in the last two, if what had it is still moving out or being cleared."""
    entry = keys.listed_election(election.name)
    date = keys.by_date(election.created_at, election.name)
    state = {"GSI1PK": list_of(election.stored_state).pk, "GSI1SK": date}
    others: list[Write] = [
        Put({**entry.item, **state, **_listed_fields(election)}),
        manager_entry(election, election.owner_name),
        *([group_used(election.group, election.name, election.created_at)] if election.group else []),
        *([description_written(election.name, description)] if description else []),
        *(
            write
            for each in election.questions
            if each.kind == "yes-no" and not election.renamed_from
            for write in answers(election.name, each.number)
        ),
        *(Check(task.key(election.name), Missing()) for task in (RENAMING, DELETING)),
    ]
    return Put(_item(election), when=Missing()), *tuple(others)


def description_written(name: str, text: str) -> Write:
    place = keys.description(name)
    if not text:
        return Delete(place)
    html = markdown.html_attributes("description", text)
    return Put({**place.item, "description": text, **html})


def manager_entry(election: Election, person: str) -> Put:
    """The election's entry in the list of a person who runs it."""
    index = {"GSI1PK": keys.run_by(person).pk, "GSI1SK": keys.by_date(election.created_at, election.name)}
    return Put({**keys.manager(election.name, person).item, **index, "person": person, **_listed_fields(election)})


def change(before: Election, after: Election, description: str | None = None) -> tuple[Update, *tuple[Write, ...]]:
    """Update all items that show the election; refused in part 0 if it has changed since it was read.

    Casts read the end from the election, not from gates. It moves only later, so a cast that read the earlier end was
    in time by the new one as well.
    """
    # The roll and answers count themselves, renaming and filling end by themselves, shards and the assembly never
    # change.
    unchanged_fields = ("name", "created_at", "renamed_from", "filling", "shards", "convened", "answers", *OF_THE_ROLL)
    own = storage.change(before, after, _item, unchanged_fields)
    after = storage.next_version(before, after)
    fields = _listed_fields(after)
    state = {"GSI1PK": list_of(after.stored_state).pk}
    writes: list[Write] = [Update(keys.listed_election(before.name), set=fields | state)]
    people = {keys.fold(name): name for name in (after.owner_name, *after.managers)}
    writes += [manager_entry(after, name) for name in people.values()]
    gone = {keys.fold(name): name for name in (before.owner_name, *before.managers)}
    writes += [Delete(keys.manager(before.name, name)) for folded, name in gone.items() if folded not in people]
    if description is not None:
        writes.append(description_written(before.name, description))
    known = {each.number: each.kind for each in before.questions}
    for each in after.questions:
        if each.kind != "yes-no" == known.get(each.number):
            writes += [Delete(keys.candidate(before.name, answer, each.number)) for answer in ANSWERS]
        if each.kind == "yes-no" != known.get(each.number):
            writes += answers(before.name, each.number)
    return own, *tuple(writes)


def answers(name: str, question: int = 1) -> list[Write]:
    """The candidates of a yes-or-no ballot, which it has from the beginning."""
    return [new_candidate(name, Candidate(answer, number=number), question) for number, answer in enumerate(ANSWERS)]


def touched(
    election: Election,
    voters: int = 0,
    *,
    by_letter: int = 0,
    counts: Mapping[int, RollCounts] = NO_COUNTS,
    groups: Sequence[str] = (),
    weighted: bool = False,
    candidates: bool = False,
) -> Update:
    """Give the election a new version after a change of candidates or roll: so many more voters, of whom so many
    get letters, and so many more that each question counts; all groups of the roll, if there are new ones; and that it
    has weights.

    Refused if it was opened, locked or shut since it was read, so that no change follows the close in the log. New
    candidates depend on the version, too, so that no two get the same number.
    """
    state = {name: getattr(election, name) for name in ("allow_edit", "allow_vote", "closing")}
    when = AllOf(tuple(Equals(name, value) for name, value in state.items()))
    if groups:
        known = Equals("voter_groups", list(election.voter_groups))
        when &= known if election.voter_groups else known | Missing("voter_groups")
    own = counts.get(1, RollCounts())
    more: Item = {"by_letter": by_letter, "excluded": own.excluded, "extra_votes": own.extra_votes}
    more["unasked"] = counts.get(NO_QUESTION, RollCounts()).excluded
    set_: Item = ({"voter_groups": list(groups)} if groups else {}) | ({"weighted": True} if weighted else {})
    if any(counted for number, counted in counts.items() if number > 1):
        asked = storable({"more": election.at(1).more})["more"]
        when &= Equals("more", asked)
        set_["more"] = [
            each | {name: each[name] + by for name, by in counts[each["number"]]._asdict().items()} for each in asked
        ]
    return Update(
        keys.election(election.name),
        set=set_,
        add={"version": 1, "voter_count": voters, **{name: number for name, number in more.items() if number}},
        when=when & unchanged(election) if candidates else when,
    )


def opened_gates(election: Election) -> list[Write]:
    """The gates for casting, for an election as it is once open."""
    return gates_of(election).opening(election.name, as_of(election.created_at, election.version))


def shut_gates(election: Election) -> list[Write]:
    """For an election marked as closing."""
    return gates_of(election).shutting(election.name, as_of(election.created_at, election.version))


def open_electorate_entry(election: Election, *, open_: bool) -> list[Write]:
    """The entry by which every member finds it, while it is open to all of them."""
    if election.electorate != "everyone":
        return []
    place = keys.for_everyone(election.name)
    if not open_:
        return [Delete(place)]
    index = {"GSI1PK": keys.FOR_EVERYONE.pk, "GSI1SK": keys.by_date(election.created_at, election.name)}
    return [Put({**place.item, **index, "election_name": election.name})]


def public_entry(election: Election) -> list[Write]:
    """The entry by which anyone finds it, if its result is or will be public."""
    if not election.results_public:
        return []
    index = {"GSI1PK": keys.PUBLIC_ELECTIONS.pk, "GSI1SK": keys.by_date(election.created_at, election.name)}
    return [Put({**keys.public_election(election.name).item, **index, "election_name": election.name})]


def open_marks(election: Election, *, open_: bool) -> list[Write]:
    """Marks by which casts know that a cached election is still open. All are deleted before anybody can read that it
    is being closed, so a cast that finds one decides as if it had read the election itself."""
    places = keys.open_marks(election.name) if election.shards > 1 else []
    if not open_:
        return [Delete(place) for place in places]
    return [Put({**place.item, "created_at": election.created_at}) for place in places]


def lots_secret(election_name: str) -> str:
    """The secret to which the election is committed; empty if there is none, or it has been deleted."""
    item = table().get(keys.lots(election_name))
    return item["secret"] if item else ""


def lots(election_name: str, secret: str) -> Put:
    return Put({**keys.lots(election_name).item, "secret": secret})


def reminders_from_now(election: Election) -> Update:
    """Reminder times that have passed are skipped."""
    return Update(keys.reminders(election.name), set={"from": now_text()})


def new_candidate(election_name: str, candidate: Candidate, question: int = 1) -> Put:
    fields = {"election_name": election_name, "candidate_name": candidate.name, "number": candidate.number}
    fields |= _text(candidate)
    place = keys.candidate(election_name, candidate.name, question)
    return Put({**place.item, **fields}, when=Missing())


def candidate_exists(election_name: str, candidate: str, question: int = 1) -> Check:
    return Check(keys.candidate(election_name, candidate, question), Exists())


def removing_candidate(election_name: str, name: str, question: int = 1) -> list[Write]:
    """Also the picture and the agreement: a new candidate of that name is asked again."""
    candidate = find_candidate(election_name, name, question)
    photo = candidate.photo if candidate else None
    own = Delete(keys.candidate(election_name, name, question), when=Exists() & photos.photo_unchanged(photo))
    return [own, Delete(keys.agreement(election_name, name, question)), *photos.deleting_bytes(photo)]


def picturing_candidate(election_name: str, candidate: Candidate, photo: Photo | None, question: int = 1) -> Update:
    """Refused if the candidate was removed or has another picture by now."""
    place = keys.candidate(election_name, candidate.name, question)
    return photos.setting_photo(place, candidate.photo, photo, Exists())


def pictures_of(item: Item) -> list[Key]:
    """The key of a picture in an election's partition, if there is one."""
    return photos.photo_keys(photo_of(item.get("photo")))


def changing_candidate(election_name: str, before: Candidate, after: Candidate, question: int = 1) -> Update:
    """Refused if it has changed since it was read, so that the log has changes in the order they happened."""
    unchanged = Equals("statement", before.statement) & Equals("link", before.link)
    return Update(keys.candidate(election_name, before.name, question), set=_text(after), when=unchanged)


def _text(candidate: Candidate) -> Item:
    text_fields = {"statement": candidate.statement, "link": candidate.link}
    return text_fields | markdown.html_attributes("statement", candidate.statement)


def group_used(group_id: str, election_name: str, created_at: str) -> Put:
    """Record that a group was put on the roll of an election, so that the next one can be compared with it."""
    place = keys.group_use(group_id, created_at, election_name)
    return Put({**place.item, "election_name": election_name, "created_at": created_at})


def using_group(election: Election, group_id: str) -> list[Write]:
    """Record which group was last put on the election's roll, and that the group was used there."""
    known = replace(touched(election), set={"group": group_id})
    return [known, group_used(group_id, election.name, election.created_at)]


def sealing_marks(election: Election) -> list[Put]:
    """How far the ballots of a closed election are sealed, in each of its questions; its task is `SEALING`."""
    index = {"GSI1PK": keys.SEALING.pk, "GSI1SK": keys.by_date(election.created_at, election.name)}
    mark = {**index, "election_name": election.name, "parts": 0}
    return [Put({**keys.sealing(election.name, each.number).item, **mark}) for each in election.questions]

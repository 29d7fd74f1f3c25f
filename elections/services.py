"""What organisers do: load, decide, record in one transaction, tell people."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from itertools import islice
from typing import Any

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from accounts import repository as people
from accounts.models import User
from accounts.rules import Permission
from acts.queues import take_each
from acts.refusals import OVERTAKEN, Overtaken, Refusal
from acts.site import log, now_text, table
from ranking.candidates import Candidate
from store import keys
from store.forgetting import to_forget
from store.log import Event
from store.table import Check, Delete, Equals, Exists, Item, Missing, Refused, Write
from tally import lots

from . import renaming, repository, rules
from .rules import Action, Election, State

TRIES = 5
A_TRANSACTION = 90  # parts of our own that fit beside the log's
A_TURN = 500  # handfuls of a deleted election that a worker clears away before others have their turn,
AT_ONCE = 10  # and whoever wants its name
NOT_OF_A_DRAFT = ("filling", "lots_commitment", "opened_at")  # so that the event which makes it says nothing of them
AN_EVENT = 200_000  # bytes of candidates in one event; an item holds 400 KB


class NameTaken(Refusal):
    pass


class NobodyHere(Refusal):
    """Names for the roll that nobody here has."""


NAME_TAKEN = _("There is an election of that name already. Please choose another one.")
BEING_CLEARED = _(
    "An election of that name was deleted and is still being cleared away. Please choose another name, or try again in "
    "a moment."
)


def relation(user: User, election: Election) -> rules.Relation:
    return rules.relation(user.name, user.role, election)


def check(user: User, election: Election, action: Action) -> None:
    """Refuse what this person may not do, or what cannot be done now."""
    rules.check_who(relation(user, election), action)
    rules.check_when(election.state(now_text()), action)
    rules.check_in_place(election, action)


def _record(actor: User, event_type: str, election: Election, data: dict[str, Any], *writes: Write) -> None:
    event = Event(actor.name, event_type, {"election_name": election.name, **data})
    try:
        log().record(event, *writes)
    except Refused:
        raise Overtaken(OVERTAKEN) from None


# --- making, changing, renaming ---


def create(actor: User, name: str, **settings: Any) -> Election:
    election = Election(name=name, owner_name=actor.name, created_at=now_text(), **settings)
    create_draft(actor, election)
    return election


def create_draft(actor: User, election: Election, *also: Write, **data: Any) -> None:
    _make_room(election.name)
    fields = repository.storable(asdict(election)).items()
    said = {each: value for each, value in fields if each not in NOT_OF_A_DRAFT}
    said |= {"election_name": election.name, **data}
    writes = [*repository.creation(election), *also]
    try:
        log().record(Event(actor.name, "ElectionCreated", said), *writes, people.is_still(actor))
    except Refused as refused:
        is_gone = refused.parts == (len(writes),)
        raise (Overtaken(OVERTAKEN) if is_gone else NameTaken(NAME_TAKEN)) from None


def _make_room(name: str) -> None:
    if not clear_away(name, AT_ONCE):
        raise NameTaken(BEING_CLEARED)


def change(actor: User, election: Election, action: Action, *also: Write, **changes: Any) -> Election:
    """Change the description, the reminders, or the settings of a draft."""
    check(actor, election, action)
    after = replace(election, **changes)
    different = {name: value for name, value in changes.items() if getattr(election, name) != value}
    if not different:
        return election
    _record(actor, "ElectionUpdated", election, repository.storable(different), *changing(election, after), *also)
    return replace(after, version=election.version + 1)


def changing(before: Election, after: Election) -> list[Write]:
    """What a change of settings writes. While it is open, its end is also the gates' to know."""
    is_moved = before.allow_vote and before.no_voting_after != after.no_voting_after
    return [*repository.change(before, after), *(repository.gates(after, open_=True) if is_moved else [])]


def rename(actor: User, election: Election, name: str) -> Election:
    """A draft under another name, with all it has."""
    check(actor, election, Action.RENAME)
    if name == election.name:
        return election
    if keys.fold(name) == keys.fold(election.name):
        return _respell(actor, election, name)
    _make_room(name)
    _rename(actor, election, name)
    return renaming.found(name) or election


def _rename(actor: User, election: Election, name: str) -> None:
    stored = table().get(keys.election(election.name))
    if stored is None:
        raise Overtaken(OVERTAKEN)
    writes = renaming.rename(election, name, stored)
    try:
        log().record(Event(actor.name, "ElectionRenamed", {"election_name": election.name, "new_name": name}), *writes)
    except Refused as refused:
        is_taken = {0, len(writes) - 2, len(writes) - 1} & set(refused.parts)
        raise (NameTaken(NAME_TAKEN) if is_taken else Overtaken(OVERTAKEN)) from None


def _respell(actor: User, election: Election, name: str) -> Election:
    _record(actor, "ElectionRenamed", election, {"new_name": name}, *respelling(election, name))
    return replace(election, name=name, version=election.version + 1)


def respelling(election: Election, name: str) -> list[Write]:
    """The same name to every key, but other letters to show."""
    first, *others = repository.change(election, replace(election, name=name))
    return [replace(first, set={**first.set, "name": name}), *others]


# --- candidates ---


def add_candidates(actor: User, election: Election, new: Sequence[Candidate]) -> list[str]:
    """Add those that are not there yet; answers their names."""
    return [name for batch in _batches(new) for name in _add_candidates(actor, election.name, batch)]


def _batches(new: Sequence[Candidate]) -> Iterator[list[Candidate]]:
    """As many as fit a transaction, and as long as what is said about them fits its event."""
    batch: list[Candidate] = []
    size = 0
    for each in new:
        weight = len(json.dumps(asdict(each)).encode())
        if batch and (len(batch) == A_TRANSACTION or size + weight > AN_EVENT):
            yield batch
            batch, size = [], 0
        batch.append(each)
        size += weight
    if batch:
        yield batch


def _add_candidates(actor: User, name: str, new: Sequence[Candidate]) -> list[str]:
    for _attempt in range(TRIES):
        election = repository.find(name)
        if election is None:
            break
        check(actor, election, Action.ADD_CANDIDATES)
        batch = _numbered(new, repository.candidates(name))
        with suppress(Overtaken):
            _record_candidates(actor, election, batch)
            return [each.name for each in batch]
    raise Overtaken(OVERTAKEN)


def _numbered(new: Sequence[Candidate], there: Sequence[Candidate]) -> list[Candidate]:
    """Those that are not there yet, each with a number nobody has."""
    names = {keys.fold(each.name) for each in there}
    wanted = [each for each in new if keys.fold(each.name) not in names]
    if len(there) + len(wanted) > rules.MOST_CANDIDATES:
        raise rules.WrongState(_("An election has at most %(most)d candidates.") % {"most": rules.MOST_CANDIDATES})
    first = max((each.number for each in there), default=-1) + 1
    return [replace(each, number=number) for number, each in enumerate(wanted, first)]


def _record_candidates(actor: User, election: Election, batch: Sequence[Candidate]) -> None:
    if batch:
        writes = [repository.new_candidate(election.name, each) for each in batch]
        data = {"candidates": [repository.storable(asdict(each)) for each in batch]}
        _record(actor, "CandidatesAdded", election, data, *writes, repository.touched(election, candidates=True))


def edit_candidate(actor: User, election: Election, candidate: Candidate) -> None:
    """All statements together are bounded, so it depends on the version: of two at once, one looks again."""
    for _attempt in range(TRIES):
        with suppress(Overtaken):
            return _edit_candidate(actor, election, candidate)
        election = repository.find(election.name) or election
    raise Overtaken(OVERTAKEN)


def _edit_candidate(actor: User, election: Election, candidate: Candidate) -> None:
    check(actor, election, Action.CHANGE_CANDIDATES)
    there = {each.name: each for each in repository.candidates(election.name)}
    before = there.pop(candidate.name, None)
    if before is None:
        raise Overtaken(OVERTAKEN)
    if (before.statement, before.link) == (candidate.statement, candidate.link):
        return
    rules.check_statements(candidate.length, before.length, sum(each.length for each in there.values()))
    data = {"candidate_name": candidate.name, "statement": candidate.statement, "link": candidate.link}
    change_ = repository.changed_candidate(election.name, before, candidate)
    _record(actor, "CandidateEdited", election, data, change_, repository.touched(election, candidates=True))


def remove_candidate(actor: User, election: Election, name: str) -> None:
    check(actor, election, Action.CHANGE_CANDIDATES)
    gone = Delete(keys.candidate(election.name, name), when=Exists())
    _record(actor, "CandidatesRemoved", election, {"candidates": [name]}, gone, repository.touched(election))


# --- the roll ---


def add_voters(
    actor: User, election: Election, names: Sequence[str], progress: Callable[[int], None] = lambda done: None
) -> int:
    """Put people on the roll who are not on it yet; answers how many. The same list again changes nothing.

    Nobody is added if a name is among them that nobody here has: whoever registers it later would have its vote.
    """
    check(actor, election, Action.ADD_VOTERS)
    rules.check_listing(election, names)
    distinct = list({keys.fold(name): name for name in names}.values())
    there, accounts = repository.on_roll_or_here(election.name, distinct)
    if unknown := [name for name in distinct if keys.fold(name) not in there and not _is_known(name, accounts)]:
        raise NobodyHere(_nobodys(unknown))
    return put_on_roll(actor, election, distinct, progress)


def _is_known(name: str, accounts: Collection[str]) -> bool:
    return repository.is_by_address(name) or keys.fold(name) in accounts


def _nobodys(names: Sequence[str]) -> str:
    words = {"names": ", ".join(names[:10]) + (" …" if len(names) > 10 else "")}
    return (
        ngettext(
            "Nobody here has this name: %(names)s. List them by their address.",
            "Nobody here has these names: %(names)s. List them by their addresses.",
            len(names),
        )
        % words
    )


def put_on_roll(
    actor: User, election: Election, names: Iterable[str], progress: Callable[[int], None] = lambda done: None
) -> int:
    """A handful at a time; answers how many were new."""
    left, added, done = iter(names), 0, 0
    while batch := list(islice(left, A_TRANSACTION)):
        added += add_handful(actor, election, batch).count
        progress(done := done + len(batch))
    return added


@dataclass(frozen=True, slots=True)
class Added:
    """How many were put on the roll, and how many were not because nobody here has their name."""

    count: int
    unknown: int = 0


def add_handful(
    actor: User, election: Election, batch: Sequence[str], also: Callable[[Added], list[Write]] = lambda added: []
) -> Added:
    """Those of the batch who are new, in one transaction with whatever else goes with so many."""
    rules.check_listing(election, batch)
    there, accounts = repository.on_roll_or_here(election.name, batch)
    missing = [name for name in batch if keys.fold(name) not in there]
    new = [name for name in missing if _is_known(name, accounts)]
    added = Added(len(new), len(missing) - len(new))
    more = also(added)
    if new:
        bound = {name: accounts[keys.fold(name)] for name in new if keys.fold(name) in accounts}
        said = {"voters": new, "accounts": [bound.get(name) for name in new]}
        _record(actor, "VotersAdded", election, said, *adding(election, new, bound), *more)
    elif more:
        table().write(*more)
    return added


def adding(election: Election, names: Sequence[str], accounts: Mapping[str, str]) -> list[Write]:
    entries = [repository.new_voter(election, name, accounts.get(name)) for name in names]
    return [*entries, repository.touched(election, len(names))]


def remove_voter(actor: User, election: Election, name: str) -> None:
    check(actor, election, Action.REMOVE_VOTERS)
    gone = Delete(keys.voter(election.name, name), when=Exists())
    _record(actor, "VotersRemoved", election, {"voters": [name]}, gone, repository.touched(election, -1))


# --- from draft to closed ---

with_opening: list[Callable[[Election], list[Write]]] = []  # what other apps write when an election opens,
with_closing: list[Callable[[Election], list[Write]]] = []  # and when its ballot box is shut


def open_(actor: User, election: Election, *, editable: bool) -> Election:
    check(actor, election, Action.OPEN)
    candidates = repository.candidates(election.name)
    rules.check_opening(election, len(candidates), now_text())
    secret = secrets.token_hex(32)
    said = {"editable": editable, "lots_commitment": lots.commitment(secret), "opened_at": now_text()}
    after = opened(election, **said)
    also = [write for part in with_opening for write in part(after)]
    also += [repository.lots(election.name, secret), repository.reminders_from_now(election)]
    _record(actor, "ElectionOpened", election, said, *opening(election, after), *also)
    return replace(after, version=election.version + 1)


def opened(election: Election, *, editable: bool, lots_commitment: str, opened_at: str | None) -> Election:
    now_open = {"allow_edit": editable, "allow_vote": True}
    return replace(election, **now_open, lots_commitment=lots_commitment, opened_at=opened_at)


def opening(before: Election, after: Election) -> list[Write]:
    return [*repository.change(before, after), *repository.gates(after, open_=True)]


def fix(actor: User, election: Election) -> Election:
    """From now on the candidates stay as they are."""
    check(actor, election, Action.FIX)
    after = replace(election, allow_edit=False)
    _record(actor, "ElectionUpdated", election, {"allow_edit": False}, *changing(election, after))
    return replace(after, version=election.version + 1)


def extend(actor: User, election: Election, end: str | None) -> Election:
    check(actor, election, Action.EXTEND)
    rules.check_new_end(election, end, now_text())
    if end == election.no_voting_after:
        return election
    after = replace(election, no_voting_after=end)
    _record(actor, "ElectionUpdated", election, {"no_voting_after": end}, *changing(election, after))
    return replace(after, version=election.version + 1)


def close(actor: User, election: Election) -> Election:
    """Close it as it is now: that the roll grew meanwhile is no reason to keep it open."""
    for _attempt in range(TRIES):
        check(actor, election, Action.CLOSE)
        with suppress(Overtaken):
            return _close(actor.name, election)
        election = repository.find(election.name) or election
    raise Overtaken(OVERTAKEN)


def _close(actor: str, election: Election) -> Election:
    """First the ballot box is shut, then the log says so.

    In that order every ballot that was in time has a lower number in the log than the close. From the first step on
    nobody can vote; if the second does not happen, whoever comes by next takes it.
    """
    shut = election if election.closing else _shut(actor, election)
    _say_closed(shut)
    return replace(shut, allow_edit=False, allow_vote=False, closing=None, version=shut.version + 1)


def _say_closed(shut: Election) -> bool:
    """Whether it was us who said it: whoever comes by may have done so. Nothing else can happen to it any more."""
    event = Event(str(shut.closing), "ElectionClosed", {"election_name": shut.name})
    try:
        log().record(event, *closing(shut))
    except Refused:
        return False
    return True


def closing(shut: Election) -> list[Write]:
    after = replace(shut, allow_edit=False, allow_vote=False, closing=None)
    return [*repository.change(shut, after), repository.to_be_sealed(after)]


def shutting(before: Election, after: Election) -> list[Write]:
    return [*repository.change(before, after), *repository.gates(after, open_=False)]


def _shut(actor: str, election: Election) -> Election:
    after = replace(election, closing=actor)
    also = [write for part in with_closing for write in part(after)]
    try:
        table().write(*shutting(election, after), *also)
    except Refused:
        raise Overtaken(OVERTAKEN) from None
    return replace(after, version=election.version + 1)


def close_what_is_over() -> int:
    """Record the end of elections whose time has come. Any number may do this at once; each end is recorded once."""
    now = now_text()

    def close_listed(item: Item) -> bool:
        listed = repository.listed_of(item)
        return rules.is_over(listed, now) and close_if_over(listed.name)

    return take_each(table().each(repository.list_of(State.OPEN)), close_listed)


def close_if_over(name: str) -> bool:
    """Whether its end was recorded just now."""
    election, now = repository.find(name), now_text()
    if election is None or election.stored_state == State.CLOSED or election.state(now) != State.CLOSED:
        return False
    try:
        return _say_closed(election if election.closing else _shut("plenum", election))
    except Overtaken:
        return False  # another worker is at it, or its end was moved at the last moment


# --- who runs it ---


def add_manager(actor: User, election: Election, name: str) -> str:
    check(actor, election, Action.CHANGE_MANAGERS)
    person = people.find(name)
    if person is None or not person.can(Permission.USE_APPLICATION):
        raise rules.NotReady(_("There is nobody of that name here who may run elections."))
    if len(election.managers) >= rules.MOST_MANAGERS:
        raise rules.WrongState(_("An election has at most %(most)d managers.") % {"most": rules.MOST_MANAGERS})
    if keys.fold(person.name) in map(keys.fold, (election.owner_name, *election.managers)):
        raise rules.NotReady(_("%(name)s runs this election already.") % {"name": person.name})
    writes = repository.change(election, with_manager(election, person.name))
    _record(actor, "ManagerAdded", election, {"name": person.name}, *writes, people.is_still(person))
    return person.name


def remove_manager(actor: User, election: Election, name: str) -> None:
    check(actor, election, Action.CHANGE_MANAGERS)
    after = without_manager(election, name)
    if after != election:
        _record(actor, "ManagerRemoved", election, {"name": name}, *repository.change(election, after))


def with_manager(election: Election, name: str) -> Election:
    return replace(election, managers=(*election.managers, name))


def without_manager(election: Election, name: str) -> Election:
    left = tuple(each for each in election.managers if keys.fold(each) != keys.fold(name))
    return replace(election, managers=left)


def with_owner(election: Election, name: str) -> Election:
    """Nobody is both owner and manager."""
    return replace(without_manager(election, name), owner_name=name)


def hand_over(actor: User, election: Election, name: str) -> str:
    check(actor, election, Action.HAND_OVER)
    person = people.find(name)
    if person is None or not person.can(Permission.USE_APPLICATION):
        raise rules.NotReady(_("There is nobody of that name here who may run elections."))
    after = with_owner(election, person.name)
    if after == election:
        return person.name
    writes = [*repository.change(election, after), people.is_still(person)]
    _record(actor, "ElectionOwnerChanged", election, {"new_owner": person.name}, *writes)
    return person.name


def pass_on(gone: User) -> None:
    """Elections of somebody who was removed pass to the site's owner; those they helped to run lose a manager."""
    listed = list(table().each(keys.run_by(gone.name)))
    take_each(listed, lambda each: _pass_on(each["name"], gone.name))


def _pass_on(name: str, gone: str) -> None:
    for _attempt in range(TRIES):
        election, heir = repository.find(name), people.owner_name()
        if election is None or heir is None or not _is_run_by(gone, election):
            return
        with suppress(Refused):  # then somebody changed the election at this moment: look again
            _record_heir(election, gone, heir)
            return
    raise Overtaken(OVERTAKEN)


def _is_run_by(name: str, election: Election) -> bool:
    return keys.fold(name) in map(keys.fold, (election.owner_name, *election.managers))


def _record_heir(election: Election, gone: str, heir: str) -> None:
    was_owner = keys.fold(election.owner_name) == keys.fold(gone)
    after = with_owner(election, heir) if was_owner else without_manager(election, gone)
    kind, data = ("ElectionOwnerChanged", {"new_owner": heir}) if was_owner else ("ManagerRemoved", {"name": gone})
    event = Event("plenum", kind, {"election_name": election.name, **data})
    log().record(event, *repository.change(election, after), Check(keys.owner(), Equals("name", heir)))


# --- deleting ---


def delete(actor: User, election: Election) -> None:
    """The event log keeps its events; everything else goes: first the election itself, and then, by the worker and a
    handful at a time, what is left of it."""
    check(actor, election, Action.DELETE)
    _record(actor, "ElectionDeleted", election, {"state": election.stored_state.value}, *deletion(election))


def deletion(election: Election) -> list[Write]:
    """With the gates, so that nobody votes in what is gone already, and with the salt, which ties ballots to voters."""
    own = (keys.salt, keys.lots, keys.for_everyone, keys.sealing)
    return [
        Delete(keys.election(election.name), when=repository.unchanged(election)),
        *(Delete(place) for place in repository.gate_keys(election.name)),
        *(Delete(key(election.name)) for key in own),
        Delete(keys.listed_election(election.name)),
        *(Delete(keys.manager(election.name, name)) for name in {election.owner_name, *election.managers}),
        repository.to_be_cleared(election),
        *([to_forget()] if election.has_secrets else []),
    ]


def clear_away_all() -> int:
    """Clear away what deleted elections have left behind; answers of how many nothing is left."""
    return take_each(list(table().each(keys.DELETED)), lambda mark: clear_away(mark["name"], A_TURN))


def clear_away(name: str, most: int) -> bool:
    """Remove up to so many handfuls of what an election that is gone has left; whether nothing is left by then."""
    return not table().page(keys.all_of_election(name), limit=1).items or (swept(name, most) and _cleared(name))


def swept(name: str, most: int) -> bool:
    """Also if whoever deleted it died on the way. One that was renamed takes along what is its own first."""
    renaming.finish(name)
    left = repository.removal_of_all(name)
    try:
        for handful in islice(left, most):
            table().write(*_is_gone(name), *(Delete(key) for key in handful))
    except Refused:
        return True  # there is an election of that name, and nothing in its place is left over
    return next(left, None) is None


def _is_gone(name: str) -> tuple[Check, Check]:
    return Check(keys.election(name), Missing()), Check(keys.renamed(name), Missing())


def _cleared(name: str) -> bool:
    """The mark goes last; what is still in the store's own files is another's work."""
    mark = table().get(keys.deleted(name))
    if mark is not None:
        forgetting = [to_forget()] if mark["was_secret"] else []
        table().write(*_is_gone(name), Delete(keys.deleted(name)), *forgetting)
    return True

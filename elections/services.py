"""What organisers do: load, decide, record in one transaction, tell people."""

from __future__ import annotations

import json
import logging
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any

from django.utils.translation import gettext_lazy as _

from accounts import repository as people
from accounts.models import User
from accounts.rules import Permission, Refusal
from accounts.services import OVERTAKEN, Overtaken, log
from store import keys
from store.log import Event
from store.table import Check, Delete, Exists, Missing, Refused, Write

from . import renaming, repository, rules
from .repository import Candidate
from .rules import Action, Election, State

TRIES = 5
A_TRANSACTION = 90  # parts of our own that fit beside the log's
AN_EVENT = 200_000  # bytes of candidates in one event; an item holds 400 KB


class NameTaken(Refusal):
    pass


_log = logging.getLogger("plenum.elections")

NAME_TAKEN = _("There is an election of that name already. Please choose another one.")


def relation(user: User, election: Election) -> rules.Relation:
    return rules.relation(user.name, user.role, election)


def check(user: User, election: Election, action: Action) -> None:
    """Refuse what this person may not do, or what cannot be done now."""
    rules.check_who(relation(user, election), action)
    rules.check_when(election.state(repository.now_text()), action)
    rules.check_in_place(election, action)


def _record(actor: User, event_type: str, election: Election, data: dict[str, Any], *writes: Write) -> None:
    event = Event(actor.name, event_type, {"election_name": election.name, **data})
    try:
        log().record(event, *writes)
    except Refused:
        raise Overtaken(OVERTAKEN) from None


# --- making, changing, renaming, copying ---


def create(actor: User, name: str, **settings: Any) -> Election:
    made = {"owner_name": actor.name, "created_at": repository.now_text(), "seed": new_seed()}
    election = Election(name=name, **made, **settings)
    _create(actor, election)
    return election


def new_seed() -> str:
    return secrets.token_hex(8)


def _create(actor: User, election: Election, *also: Write, **data: Any) -> None:
    _sweep(election.name)
    said = repository.storable(asdict(election)) | {"election_name": election.name, **data}
    try:
        log().record(Event(actor.name, "ElectionCreated", said), *repository.creation(election), *also)
    except Refused:
        raise NameTaken(NAME_TAKEN) from None


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
    _sweep(name)
    _rename(actor, election, name)
    return renaming.found(name) or election


def _rename(actor: User, election: Election, name: str) -> None:
    stored = people.table().get(keys.election(election.name))
    if stored is None:
        raise Overtaken(OVERTAKEN)
    writes = renaming.rename(election, name, stored)
    try:
        log().record(Event(actor.name, "ElectionRenamed", {"election_name": election.name, "new_name": name}), *writes)
    except Refused as refused:
        is_taken = {0, len(writes) - 1} & set(refused.parts)
        raise (NameTaken(NAME_TAKEN) if is_taken else Overtaken(OVERTAKEN)) from None


def _respell(actor: User, election: Election, name: str) -> Election:
    _record(actor, "ElectionRenamed", election, {"new_name": name}, *respelling(election, name))
    return replace(election, name=name, version=election.version + 1)


def respelling(election: Election, name: str) -> list[Write]:
    """The same name to every key, but other letters to show."""
    first, *others = repository.change(election, replace(election, name=name))
    return [replace(first, set={**first.set, "name": name}), *others]


def copy(actor: User, election: Election, name: str) -> Election:
    """Candidates, roll and settings; never ballots, and the window is the organiser's to set anew."""
    check(actor, election, Action.COPY)
    window = {"no_voting_before": None, "no_voting_after": None}
    return _copy(actor, election, name, owner_name=actor.name, created_at=repository.now_text(), managers=(), **window)


def _copy(actor: User, election: Election, name: str, **changes: Any) -> Election:
    anew = {"allow_edit": True, "allow_vote": False, "voter_count": 0, "version": 1, "closing": None}
    fresh = replace(election, name=name, seed=new_seed(), **anew, **changes)
    _create(actor, fresh, repository.to_be_filled(fresh, election), copied_from=election.name)
    for _attempt in range(TRIES):
        with suppress(Overtaken):  # by a worker who is at the same: all of it may be done twice
            _fill(actor, fresh, election)
            break
    return fresh


def _fill(actor: User, copy: Election, source: Election) -> None:
    """Candidates and roll are more than fit one transaction; the mark goes when all of them are there."""
    add_candidates(actor, copy, repository.candidates(source.name))
    roll = repository.every_voter(source.name, by_name=rules.takes_names(source))
    add_voters(actor, copy, [voter.name for voter in roll])
    _end_copying(copy.name)


def _end_copying(name: str) -> None:
    people.table().write(Delete(keys.copying(name)))


def finish_copies() -> int:
    """Take every copy that was cut short to its end; answers how many there were."""
    return sum(finish_copy(item["election_name"]) for item in list(people.table().each(keys.COPYING)))


def finish_copy(name: str) -> bool:
    """Whether anything was left to do. If what was copied is gone, the copy stays as it is.

    It is done in the name of whoever owns it now. A try that failed leaves the mark where it is.
    """
    mark = people.table().get(keys.copying(name))
    if mark is None:
        return False
    copy, source = renaming.found(name), repository.find(mark["copied_from"])
    if copy is None or source is None or source.created_at != mark["created_at"]:
        _end_copying(name)
        return True
    try:
        if (owner := people.find(copy.owner_name)) is not None:
            _fill(owner, copy, source)
    except Refusal as refusal:
        _log.error("copy not finished", extra={"words": str(refusal)})
    return True


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
        data = {"candidates": [asdict(each) for each in batch]}
        _record(actor, "CandidatesAdded", election, data, *writes, repository.touched(election, candidates=True))


def edit_candidate(actor: User, election: Election, candidate: Candidate) -> None:
    check(actor, election, Action.CHANGE_CANDIDATES)
    before = repository.find_candidate(election.name, candidate.name)
    if before is None or before.name != candidate.name:
        raise Overtaken(OVERTAKEN)
    if (before.statement, before.link) == (candidate.statement, candidate.link):
        return
    data = {"candidate_name": candidate.name, "statement": candidate.statement, "link": candidate.link}
    change_ = repository.changed_candidate(election.name, before, candidate)
    _record(actor, "CandidateEdited", election, data, change_, repository.touched(election))


def remove_candidate(actor: User, election: Election, name: str) -> None:
    check(actor, election, Action.CHANGE_CANDIDATES)
    gone = Delete(keys.candidate(election.name, name), when=Exists())
    _record(actor, "CandidatesRemoved", election, {"candidates": [name]}, gone, repository.touched(election))


# --- the roll ---


def add_voters(
    actor: User, election: Election, names: Sequence[str], progress: Callable[[int], None] = lambda done: None
) -> int:
    """Put people on the roll who are not on it yet; answers how many. The same list again changes nothing."""
    check(actor, election, Action.ADD_VOTERS)
    rules.check_listing(election, names)
    distinct = list({keys.fold(name): name for name in names}.values())
    added = 0
    for start in range(0, len(distinct), A_TRANSACTION):
        batch = distinct[start : start + A_TRANSACTION]
        added += add_handful(actor, election, batch)
        progress(start + len(batch))
    return added


def add_handful(
    actor: User, election: Election, batch: Sequence[str], also: Callable[[int], list[Write]] = lambda added: []
) -> int:
    """Those of the batch who are new, in one transaction with whatever else goes with so many."""
    rules.check_listing(election, batch)
    there = repository.on_roll(election.name, batch)
    new = [name for name in batch if keys.fold(name) not in there]
    more = also(len(new))
    if new:
        writes = [*(repository.new_voter(election, name) for name in new), repository.touched(election, len(new))]
        _record(actor, "VotersAdded", election, {"voters": new}, *writes, *more)
    elif more:
        people.table().write(*more)
    return len(new)


def remove_voter(actor: User, election: Election, name: str) -> None:
    check(actor, election, Action.REMOVE_VOTERS)
    gone = Delete(keys.voter(election.name, name), when=Exists())
    _record(actor, "VotersRemoved", election, {"voters": [name]}, gone, repository.touched(election, -1))


# --- from draft to closed ---

with_opening: list[Callable[[Election], list[Write]]] = []  # what other apps write when an election opens,
with_closing: list[Callable[[Election], list[Write]]] = []  # and when its ballot box is shut


def open_(actor: User, election: Election, *, editable: bool) -> Election:
    check(actor, election, Action.OPEN)
    if finish_copy(election.name):
        election = repository.find(election.name) or election
    candidates = repository.candidates(election.name)
    rules.check_opening(election, len(candidates), repository.now_text())
    after = opened(election, editable=editable)
    also = [write for part in with_opening for write in part(after)]
    whole = Check(keys.copying(election.name), Missing())
    writes = [*opening(election, after), *also, repository.reminders_from_now(election), whole]
    _record(actor, "ElectionOpened", election, {"editable": editable}, *writes)
    return replace(after, version=election.version + 1)


def opened(election: Election, *, editable: bool) -> Election:
    return replace(election, allow_edit=editable, allow_vote=True)


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
    rules.check_new_end(election, end, repository.now_text())
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
        people.table().write(*shutting(election, after), *also)
    except Refused:
        raise Overtaken(OVERTAKEN) from None
    return replace(after, version=election.version + 1)


def close_what_is_over() -> int:
    """Record the end of elections whose time has come. Any number may do this at once; each end is recorded once."""
    now = repository.now_text()
    listed = map(repository.listed_of, people.table().each(repository.list_of(State.OPEN)))
    return sum(close_if_over(each.name) for each in listed if rules.is_over(each, now))


def close_if_over(name: str) -> bool:
    """Whether its end was recorded just now."""
    election, now = repository.find(name), repository.now_text()
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
    after = with_manager(election, person.name)
    _record(actor, "ManagerAdded", election, {"name": person.name}, *repository.change(election, after))
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
    _record(actor, "ElectionOwnerChanged", election, {"new_owner": person.name}, *repository.change(election, after))
    return person.name


def pass_on(gone: User) -> None:
    """Elections of somebody who was removed pass to the site's owner; those they helped to run lose a manager."""
    heir = people.owner_name()
    for item in list(people.table().each(keys.run_by(gone.name))):
        election = repository.find(item["name"])
        if election is not None and heir is not None:
            _pass_on(election, gone.name, heir)


def _pass_on(election: Election, gone: str, heir: str) -> None:
    was_owner = keys.fold(election.owner_name) == keys.fold(gone)
    after = with_owner(election, heir) if was_owner else without_manager(election, gone)
    kind, data = ("ElectionOwnerChanged", {"new_owner": heir}) if was_owner else ("ManagerRemoved", {"name": gone})
    event = Event("plenum", kind, {"election_name": election.name, **data})
    with suppress(Refused):  # then somebody changed the election at this moment; an admin can still hand it over
        log().record(event, *repository.change(election, after))


# --- deleting ---


def delete(actor: User, election: Election) -> None:
    """The event log keeps its events; everything else goes: first the election itself, then what is left of it."""
    check(actor, election, Action.DELETE)
    _record(actor, "ElectionDeleted", election, {"state": election.stored_state.value}, *deletion(election))
    _sweep(election.name)
    if election.secret_ballot and election.stored_state != State.DRAFT:
        people.table().forget_deleted()


def deletion(election: Election) -> list[Write]:
    """With the gates, so that nobody votes in what is gone already."""
    return [
        Delete(keys.election(election.name), when=repository.unchanged(election)),
        *(Delete(place) for place in repository.gate_keys(election.name)),
        Delete(keys.listed_election(election.name)),
        *(Delete(keys.manager(election.name, name)) for name in {election.owner_name, *election.managers}),
    ]


def _sweep(name: str) -> None:
    """Remove what an election that is gone has left behind, also if the process that deleted it died on the way.

    One that was renamed takes along what is its own first.
    """
    renaming.finish(name)
    is_gone = (Check(keys.election(name), Missing()), Check(keys.renamed(name), Missing()))
    with suppress(Refused):
        for handful in repository.removal_of_all(name):
            people.table().write(*is_gone, *(Delete(key) for key in handful))

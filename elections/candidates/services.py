"""Actions on candidates: add, edit, remove, change the picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial

from accounts.models import User
from elections import repository, rules
from elections.actions import check, record
from elections.rules import Action, Election
from foundation.acts.refusals import LostRace
from foundation.acts.retry import retry_lost_race
from foundation.photos import photos
from foundation.photos.changing import PictureChange
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.limits import check_value
from foundation.store.splitting import TRANSACTION_WRITES, in_parts


def add_candidates(actor: User, election: Election, new: Sequence[Candidate]) -> list[str]:
    """Add those that are new; returns their names. Too many are refused before any is added."""
    batches = list(
        in_parts(new, lambda each: check_value(repository.storable(asdict(each))), max_count=TRANSACTION_WRITES)
    )
    if len(batches) > 1:
        _numbered(election, new)
    return [name for batch in batches for name in retry_lost_race(partial(_add_batch, actor, election, batch))]


def _add_batch(actor: User, election: Election, new: Sequence[Candidate]) -> list[str]:
    election = as_now(election)
    check(actor, election, Action.ADD_CANDIDATES)
    batch = _numbered(election, new)
    if batch:
        writes = [repository.new_candidate(election.name, each, election.number) for each in batch]
        data = {"candidates": [repository.storable(asdict(each)) for each in batch]}
        record(actor, "CandidatesAdded", election, data, *writes, repository.touched(election, candidates=True))
    return [each.name for each in batch]


def as_now(election: Election) -> Election:
    """The question as it is by now."""
    now = repository.find(election.name)
    if now is None or not now.has_question(election.number):
        raise LostRace
    return now.at(election.number)


def _numbered(election: Election, new: Sequence[Candidate]) -> list[Candidate]:
    """The candidates that are new, each with an unused number."""
    there = repository.candidates(election.name, election.number)
    counts = repository.candidate_counts(election) if election.more and new else {}
    names = {keys.fold(each.name) for each in there}
    wanted = [each for each in new if keys.fold(each.name) not in names]
    others = sum(number for question, number in counts.items() if question != election.number)
    rules.check_names([each.name for each in (*there, *wanted)], others)
    first = max((each.number for each in there), default=-1) + 1
    return [replace(each, number=number) for number, each in enumerate(wanted, first)]


def edit_candidate(actor: User, election: Election, candidate: Candidate) -> None:
    """All statements together are bounded, so it depends on the version: of two concurrent edits, one retries."""
    retry_lost_race(lambda: _edit_candidate(actor, as_now(election), candidate))


def _edit_candidate(actor: User, election: Election, candidate: Candidate) -> None:
    check(actor, election, Action.CHANGE_CANDIDATES)
    there = {each.name: each for each in repository.candidates(election.name, election.number)}
    before = there.pop(candidate.name, None)
    if before is None:
        raise LostRace
    if (before.statement, before.link) == (candidate.statement, candidate.link):
        return
    rules.check_statements(candidate.length, before.length, sum(each.length for each in there.values()))
    data = {"candidate_name": candidate.name, "statement": candidate.statement, "link": candidate.link}
    change_ = repository.changing_candidate(election.name, before, candidate, election.number)
    record(actor, "CandidateEdited", election, data, change_, repository.touched(election, candidates=True))


def remove_candidates(actor: User, election: Election, *names: str) -> None:
    """In one transaction, so only a few at once."""
    check(actor, election, Action.CHANGE_CANDIDATES)
    removed = [write for name in names for write in repository.removing_candidate(election.name, name, election.number)]
    record(actor, "CandidatesRemoved", election, {"candidates": list(names)}, *removed, repository.touched(election))


# --- their pictures ---


def change_picture(actor: User, election: Election, name: str, wanted: PictureChange) -> None:
    """Change the picture or its description, or remove it. Of two concurrent changes, the second wins."""

    def change() -> None:
        now = as_now(election)
        check(actor, now, Action.CHANGE_CANDIDATES)
        _change_picture(actor, now, name, wanted)

    retry_lost_race(change)


def _change_picture(actor: User, election: Election, name: str, wanted: PictureChange) -> None:
    candidate = repository.find_candidate(election.name, name, election.number)
    if candidate is None:
        raise LostRace
    before, after = candidate.photo, wanted.instead_of(candidate.photo)
    if before == after:
        return
    change = repository.picturing_candidate(election.name, candidate, after, election.number)
    data = {"candidate_name": candidate.name, **photos.event_data(after)}
    writes = (change, *wanted.writes(before), repository.touched(election))
    record(actor, "CandidatePictured", election, data, *writes)


def copy_pictures(actor: User, election: Election, source: Sequence[Candidate]) -> None:
    """A copy has its candidates' pictures as its own: those of the source go with the source."""
    there = repository.candidates(election.name, election.number)
    without = {keys.fold(each.name) for each in there if each.photo is None}
    for each in source:
        if each.photo and keys.fold(each.name) in without and (new := photos.copy(each.photo)):
            retry_lost_race(partial(_change_picture, actor, as_now(election), each.name, PictureChange(new)))

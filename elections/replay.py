"""What events about elections do, for replay: the same writes as the act itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from elections.voter_lists import Details
from foundation.acts.storage import table
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.log.events import DoesNotFit, Effect, LoggedEvent, Transactions
from foundation.store.splitting import by_count
from foundation.store.table import Item

from . import repository, sharding
from .drafts import services as drafts
from .lifecycle import closing
from .lifecycle import services as lifecycle
from .managers import with_manager, with_owner, without_manager
from .roll import services as roll
from .rules import Election, State


def election_of(event: LoggedEvent) -> Election:
    name = event.data["election_name"]
    election = repository.find(name)
    if election is None or keys.fold(election.name) != keys.fold(name):
        raise DoesNotFit(f"is about the election {name}, and none of that name exists at that time.")
    return election


def question_of(event: LoggedEvent) -> Election:
    """The election as it asks the question that the event is about."""
    election, number = election_of(event), event.data.get("question", 1)
    if not election.has_question(number):
        raise DoesNotFit(f"is about question {number} of the election, which has none at that time.")
    return election.at(number)


# --- making, changing, renaming ---


def created(event: LoggedEvent) -> Transactions:
    election = repository.election_of(event.data)
    if election.name != event.data["election_name"]:
        raise DoesNotFit(f"names the election in two ways, one of them {election.name}.")
    if election.stored_state != State.DRAFT or election.owner_name != event.actor:
        raise DoesNotFit("does not create a draft owned by its actor.")
    yield repository.creation(election, event.data.get("description", ""))


def updated(event: LoggedEvent) -> Transactions:
    election = question_of(event)
    known = Election.__dataclass_fields__.keys() | {"description"}  # others are settings of earlier versions
    changes = {name: value for name, value in event.data.items() if name in known}
    if "convened" in changes:
        raise DoesNotFit("changes who convened the election, which stays as it was when it was made.")
    text = changes.pop("description", None)
    if text == repository.description_of(election.name).description:
        text = None
    fields: Item = {name: tuple(value) if isinstance(value, list) else value for name, value in changes.items()}
    if "more" in changes:
        fields["more"] = repository.questions_of(changes)
    yield repository.change(election.at(1), election.with_question(**fields), text)


def renamed(event: LoggedEvent) -> Transactions:
    election, name = election_of(event), event.data["new_name"]
    if keys.fold(name) == keys.fold(election.name):
        yield drafts.respelling(election, name)
        return
    stored = table().get(keys.election(election.name))
    assert stored is not None
    yield drafts.renaming(election, name, stored)
    repository.RENAMING.advance(election.name)


def deleted(event: LoggedEvent) -> Transactions:
    election = election_of(event)
    if event.data.get("state", election.stored_state.value) != election.stored_state.value:
        raise DoesNotFit(
            f"takes the election for {event.data['state']}, which is {election.stored_state.value} at that time."
        )
    yield [*lifecycle.deletion(election), lifecycle.deletion_task(election, event.actor)]
    repository.DELETING.advance(election.name)


# --- candidates and the roll ---


def candidates_added(event: LoggedEvent) -> Transactions:
    election = question_of(event)
    new = [
        repository.new_candidate(election.name, Candidate(**each), election.number) for each in event.data["candidates"]
    ]
    yield [*new, repository.touched(election, candidates=True)]


def candidate_of(event: LoggedEvent) -> Candidate:
    name = event.data["candidate_name"]
    found = repository.find_candidate(event.data["election_name"], name, event.data.get("question", 1))
    if found is None or found.name != name:
        raise DoesNotFit(f"is about {name}, who is not a candidate at that time.")
    return found


def candidate_edited(event: LoggedEvent) -> Transactions:
    election, before, data = question_of(event), candidate_of(event), event.data
    after = replace(before, statement=data["statement"], link=data["link"])
    change = repository.changing_candidate(election.name, before, after, election.number)
    yield [change, repository.touched(election)]


def candidates_removed(event: LoggedEvent) -> Transactions:
    election = question_of(event)
    names = event.data["candidates"]
    removals = [
        write for name in names for write in repository.removing_candidate(election.name, name, election.number)
    ]
    yield [*removals, repository.touched(election)]


def voters_added(event: LoggedEvent) -> Transactions:
    names, accounts = event.data["voters"], event.data["accounts"]
    bound = {name: account for name, account in zip(names, accounts, strict=True) if account}
    groups = event.data.get("groups", [[]] * len(names))
    weights = event.data.get("weights", [1] * len(names))
    known = {
        name: Details(groups=tuple(own), weight=weight)
        for name, own, weight in zip(names, groups, weights, strict=True)
    }
    yield roll.adding(election_of(event), names, bound, known)


def voters_grouped(event: LoggedEvent) -> Transactions:
    yield roll.grouping(election_of(event), dict(zip(event.data["voters"], event.data["groups"], strict=True)))


def voters_weighted(event: LoggedEvent) -> Transactions:
    yield roll.weighting(election_of(event), dict(zip(event.data["voters"], event.data["weights"], strict=True)))


def voters_removed(event: LoggedEvent) -> Transactions:
    yield roll.removing(election_of(event), event.data["voters"])


def address_corrected(event: LoggedEvent) -> Transactions:
    election = election_of(event)
    entry = table().get(sharding.voter_key(election, event.data["voter"]))
    if entry is None:
        raise DoesNotFit(f"is about {event.data['voter']}, who is not on the roll at that time.")
    new, replaced = roll.correcting(election, entry, event.data["address"])
    yield [new, *replaced]


# --- from draft to closed ---


def opened(event: LoggedEvent) -> Transactions:
    """Without the secret of the lots."""
    election, data = election_of(event), event.data
    commitment, opened_at = data["lots_commitment"], data["opened_at"]
    counts = {name: data.get(name, 0) for name in ("excluded", "extra_votes", "unasked")}
    election = replace(election, **counts)
    election = replace(election, more=repository.questions_of(data)) if "more" in data else election
    after = lifecycle.opened(election, editable=data["editable"], lots_commitment=commitment, opened_at=opened_at)
    after = replace(after, shows_skills=data.get("shows_skills", False))
    early, writes = lifecycle.opening(election, after)
    yield from by_count(early)
    yield writes


def closed(event: LoggedEvent) -> Transactions:
    election = election_of(event)
    yield closing.starting_close(election, replace(election, closing=event.actor, closed_at=event.data["closed_at"]))
    yield from by_count(repository.shut_gates(election_of(event)))
    yield closing.finishing_close(election_of(event))


def interrupted(event: LoggedEvent) -> Transactions:
    """By an earlier version, which could extend the voting with it."""
    election, end = election_of(event), event.data.get("new_end")
    yield repository.change(election, replace(election, no_voting_after=end) if end else election)


# --- who runs it ---


def run_by(change: Callable[[Election, str], Election], field: str) -> Effect:
    def changed(event: LoggedEvent) -> Transactions:
        election = election_of(event)
        after = change(election, event.data[field])
        if after == election:
            raise DoesNotFit("changes nothing.")
        yield repository.change(election, after)

    return changed


EFFECTS: dict[str, Effect] = {
    "ElectionCreated": created,
    "ElectionUpdated": updated,
    "ElectionRenamed": renamed,
    "ElectionOpened": opened,
    "InterruptionRecorded": interrupted,
    "ElectionClosed": closed,
    "ElectionDeleted": deleted,
    "ElectionOwnerChanged": run_by(with_owner, "new_owner"),
    "ManagerAdded": run_by(with_manager, "name"),
    "ManagerRemoved": run_by(without_manager, "name"),
    "CandidatesAdded": candidates_added,
    "CandidateEdited": candidate_edited,
    "CandidatesRemoved": candidates_removed,
    "VotersAdded": voters_added,
    "VotersGrouped": voters_grouped,
    "VotersWeighted": voters_weighted,
    "VotersRemoved": voters_removed,
    "VoterAddressCorrected": address_corrected,
}

"""What happens to elections when the log is replayed: for each kind of event, the writes of the live act."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from acts.following import follow
from acts.site import acting_on, table
from photos.rules import photo_of
from ranking.candidates import Candidate
from store import keys
from store.replay import Act, DoesNotFit, Exempt, Happened, Step, begins, like
from store.splitting import by_count
from store.table import Check, Delete, Exists, Missing, Put, Table, Update, Write

from . import (
    by_link,
    descriptions,
    invitations,
    needs,
    places,
    renaming,
    repository,
    services,
    spreading,
    voting_times,
)
from .needs import Agreement, Need
from .rules import Election, State
from .voting_times import Told


def election_of(event: Happened) -> Election:
    name = event.said["election_name"]
    election = repository.find(name)
    if election is None or keys.fold(election.name) != keys.fold(name):
        raise DoesNotFit(f"is about the election {name}, and there is none of that name by then.")
    return election


# --- making, changing, renaming ---


def created(event: Happened) -> Iterator[Step]:
    election = repository.election_of(event.said)
    if election.name != event.said["election_name"]:
        raise DoesNotFit(f"gives the election two names, of which one is {election.name}.")
    if election.stored_state != State.DRAFT or election.owner_name != event.actor:
        raise DoesNotFit("makes something else than a draft of whoever made it.")
    yield repository.creation(election, event.said.get("description", ""))


def updated(event: Happened) -> Iterator[Step]:
    election = election_of(event)
    changes = {name: value for name, value in event.said.items() if name != "election_name"}
    if "convened" in changes:
        raise DoesNotFit("changes who convened the election, which stays as it was when it was made.")
    text = changes.pop("description", None)
    if text == descriptions.of(election.name).description:
        text = None
    after = replace(election, **{name: _value(value) for name, value in changes.items()})
    if after == election and text is None:
        raise DoesNotFit("changes nothing.")
    yield [*services.changing(election, after, text), *turned_out(event)]


def _value(stored: Any) -> Any:
    return tuple(stored) if isinstance(stored, list) else stored


def renamed(event: Happened) -> Iterator[Step]:
    election, name = election_of(event), event.said["new_name"]
    if keys.fold(name) == keys.fold(election.name):
        yield services.respelling(election, name)
        return
    stored = table().get(keys.election(election.name))
    assert stored is not None
    yield renaming.rename(election, name, stored)
    renaming.finish(election.name)


def deleted(event: Happened) -> Iterator[Step]:
    election = election_of(event)
    if event.said.get("state", election.stored_state.value) != election.stored_state.value:
        raise DoesNotFit(
            f"takes the election for {event.said['state']}, which is {election.stored_state.value} by then."
        )
    yield services.deletion(election)
    while not services.swept(election.name, services.A_TURN):
        pass
    yield [Delete(keys.deleted(election.name))]


# --- candidates and the roll ---


def candidates_added(event: Happened) -> Iterator[Step]:
    election = election_of(event)
    new = [repository.new_candidate(election.name, Candidate(**each)) for each in event.said["candidates"]]
    yield [*new, repository.touched(election, candidates=True)]


def candidate_of(event: Happened) -> Candidate:
    name = event.said["candidate_name"]
    found = repository.find_candidate(event.said["election_name"], name)
    if found is None or found.name != name:
        raise DoesNotFit(f"is about {name}, who does not stand by then.")
    return found


def candidate_edited(event: Happened) -> Iterator[Step]:
    election, before, said = election_of(event), candidate_of(event), event.said
    after = replace(before, statement=said["statement"], link=said["link"])
    yield [repository.changed_candidate(election.name, before, after), repository.touched(election)]


def candidates_removed(event: Happened) -> Iterator[Step]:
    election = election_of(event)
    gone = [each for name in event.said["candidates"] for each in _gone(election.name, name)]
    yield [*gone, repository.touched(election)]


def _gone(election_name: str, name: str) -> list[Write]:
    candidate = repository.find_candidate(election_name, name)
    return repository.gone_candidate(election_name, name, candidate.photo if candidate else None)


def candidate_pictured(event: Happened) -> Iterator[Step]:
    """What is said of the picture; its bytes are in no log."""
    election, candidate = election_of(event), candidate_of(event)
    change = repository.pictured_candidate(election.name, candidate, photo_of(event.said["photo"]))
    yield [change, repository.touched(election)]


def need_set(event: Happened) -> Iterator[Step]:
    election, said = election_of(event), event.said
    need = Need(said["skill_id"], said["level"], said["count"])
    yield [*needs.setting(election.name, need), repository.touched(election)]


def needs_dropped(event: Happened) -> Iterator[Step]:
    election = election_of(event)
    yield [*needs.dropping(election.name, event.said["skills"]), repository.touched(election)]


def agreed(event: Happened) -> Iterator[Step]:
    election, said = election_of(event), event.said
    agreed_to = tuple(said["skills"])
    known = (tuple(said["asked"]), agreed_to) if "asked" in said else ((), ())
    agreement = Agreement(said["candidate_name"], event.actor, said["account"], agreed_to, *known)
    writes = needs.agreeing(election, agreement)
    yield [*writes, repository.stands(election.name, agreement.candidate), repository.touched(election)]


def candidates_asked(event: Happened) -> Iterator[Step]:
    election, said = election_of(event), event.said
    there = {each.candidate: each for each in needs.agreements(election.name)}
    for candidate, account in zip(said["candidates"], said["accounts"], strict=True):
        known = there.get(candidate) or Agreement(candidate, candidate, account, ())
        yield needs.agreeing(election, replace(known, asked=tuple(said["skills"])))
    yield [repository.touched(election)]


def disagreed(event: Happened) -> Iterator[Step]:
    """After the opening, only because somebody left; then the election itself stays as it is."""
    election, said, candidate = election_of(event), event.said, event.said["candidate_name"]
    if "answered" in said:
        answers = tuple(said["asked"]), tuple(said["answered"])
        declined = Agreement(candidate, event.actor, said["account"], (), *answers)
        yield [*needs.agreeing(election, declined), repository.touched(election)]
        return
    touched = [repository.touched(election)] if election.stored_state == State.DRAFT else []
    yield [*needs.withdrawing(election.name, candidate), *touched]


def voters_added(event: Happened) -> Iterator[Step]:
    names, accounts = event.said["voters"], event.said["accounts"]
    bound = {name: account for name, account in zip(names, accounts, strict=True) if account}
    yield services.adding(election_of(event), names, bound, event.said.get("turn", 0))


def voters_removed(event: Happened) -> Iterator[Step]:
    election, names = election_of(event), event.said["voters"]
    gone = [Delete(places.entry(election, name), when=Exists()) for name in names]
    yield [*gone, repository.touched(election, -len(names))]


def spread(event: Happened) -> Iterator[Step]:
    election, shards = election_of(event), event.said["shards"]
    if election.stored_state != State.DRAFT or shards <= election.shards:
        raise DoesNotFit("spreads a roll that is spread so far already, or is voted by.")
    yield spreading.spreading(election, shards)
    spreading.finish(election.name)


# --- from draft to closed ---


def opened(event: Happened) -> Iterator[Step]:
    """Without a salt: the ballots of a secret election that is not sealed are in no log, so nobody adds to them.

    And without the secret of the lots, which the log tells with the result.
    """
    election, said = election_of(event), event.said
    commitment, opened_at = said["lots_commitment"], said["opened_at"]
    after = services.opened(election, editable=said["editable"], lots_commitment=commitment, opened_at=opened_at)
    after = replace(after, shows_skills=said.get("shows_skills", False))
    early, writes = services.opening(election, after)
    yield from by_count(early)
    yield [*writes, voting_times.begun(after, event.number)]


def closed(event: Happened) -> Iterator[Step]:
    election = election_of(event)
    yield services.beginning(election, replace(election, closing=event.actor, closed_at=event.said.get("closed_at")))
    yield from by_count(repository.shut_gates(election_of(event)))
    yield [*services.closing(election_of(event)), *turned_out(event)]


def turned_out(event: Happened) -> list[Update]:
    """What is told of when people voted."""
    return voting_times.counting(table(), Told(event.number, event.kind, event.when, event.said))


# --- who runs it ---


def manager_added(event: Happened) -> Iterator[Step]:
    yield from _changed(event, services.with_manager(election_of(event), event.said["name"]))


def manager_removed(event: Happened) -> Iterator[Step]:
    yield from _changed(event, services.without_manager(election_of(event), event.said["name"]))


def owner_changed(event: Happened) -> Iterator[Step]:
    yield from _changed(event, services.with_owner(election_of(event), event.said["new_owner"]))


def _changed(event: Happened, after: Election) -> Iterator[Step]:
    election = election_of(event)
    if after == election:
        raise DoesNotFit("changes nothing.")
    yield repository.change(election, after)


# --- mail ---


def mailed(event: Happened) -> Iterator[Step]:
    """The log says that mails went out; which of them have arrived, and what they said, it does not."""
    election_of(event)
    yield []


def mailed_again(event: Happened) -> Iterator[Step]:
    election = election_of(event)
    if not repository.on_roll(election, [event.said["voter"]]):
        raise DoesNotFit(f"is about {event.said['voter']}, who is not on the roll by then.")
    yield [by_link.turned(election, event.said["voter"])] if election.vote_by_link else []


def reminders_declined(event: Happened) -> Iterator[Step]:
    yield [invitations.declined(election_of(event), event.said["voter_name"])]


def recorded_only(event: Happened) -> Iterator[Step]:
    """What the log says and the table does not: why something ended early, whose marks are no part of a replay."""
    election_of(event)
    yield []


REPLAY: dict[str, Act] = {
    "ElectionCreated": created,
    "ElectionUpdated": updated,
    "ElectionRenamed": renamed,
    "ElectionOpened": opened,
    "ElectionClosed": closed,
    "ElectionDeleted": deleted,
    "ElectionOwnerChanged": owner_changed,
    "ManagerAdded": manager_added,
    "ManagerRemoved": manager_removed,
    "CandidatesAdded": candidates_added,
    "CandidateEdited": candidate_edited,
    "CandidatesRemoved": candidates_removed,
    "CandidatePictured": candidate_pictured,
    "NeedSet": need_set,
    "NeedsDropped": needs_dropped,
    "CandidateAgreed": agreed,
    "CandidateDisagreed": disagreed,
    "CandidatesAsked": candidates_asked,
    "RollSpread": spread,
    "VotersAdded": voters_added,
    "VotersRemoved": voters_removed,
    "VotersInvited": mailed,
    "VoterInvitedAgain": mailed_again,
    "VotersReminded": mailed,
    "VotersMessaged": mailed,
    "ResultMailed": mailed,
    "InvitationWorded": mailed,
    "InvitationTested": mailed,
    "RemindersDeclined": reminders_declined,
    "ElectionNotFilled": recorded_only,
}

FILLING = "What a draft was made from is brought into it a handful at a time, and whoever arrives has an event."
MAILS = "Which mails went out and what became of them; their texts are in no log."
HTML = "What a text was rendered to depends on the version of the program; the text itself is compared."

EXEMPT = (
    Exempt(like(keys.description("")), HTML, attributes=("description_html", "html_version")),
    Exempt(like(keys.candidate("", "")), HTML, attributes=("statement_html", "html_version")),
    Exempt(
        like(keys.voter("", "")),
        MAILS,
        attributes=(
            *(invitations.INVITED, invitations.REMINDED, invitations.TIMED, invitations.MESSAGED),
            *(invitations.ANNOUNCED, "invited_at"),
        ),
    ),
    Exempt(like(keys.mailing("", "")), MAILS),
    Exempt(like(keys.mail_counts("", "")), MAILS),
    Exempt(like(keys.failed_mail("", "", "")), MAILS),
    Exempt(like(keys.message("", "")), MAILS),
    Exempt(like(keys.reminders("")), MAILS),
    Exempt(like(keys.invitation_words("")), MAILS),
    Exempt(like(keys.quiet("")), "Who wants no mails about results is nobody's business but their own."),
    Exempt(like(keys.voter_import("", "")), "A list on its way to the roll; each voter who arrives has an event."),
    Exempt(like(keys.imported_rows("", "", 0)), "A list on its way to the roll; each voter who arrives has an event."),
    Exempt(
        like(keys.gate("", 0)),
        "Which of the gates somebody came through is chance; together they count the same.",
        summed=True,
    ),
    Exempt(
        like(keys.snapshot("")),
        "What candidates could do when it opened goes with them; the log would keep it for good.",
    ),
    Exempt(like(keys.filling("")), FILLING),
    Exempt(like(keys.filling_part("", 0)), FILLING),
    Exempt(like(keys.election("")), FILLING, attributes=("filling",)),
    Exempt(like(keys.lots("")), "The secret from which lots are drawn is told with the result, and not before."),
    Exempt(like(keys.sealing("")), "Work left to do after a close; each thing done has an event of its own."),
    Exempt(like(keys.deleted("")), "Work left to do after a deletion: what is left of the election is cleared away."),
    Exempt(
        like(keys.election(""))._replace(sk=""),
        "What a deleted election left behind, when whoever deleted it was stopped on the way.",
        within=keys.election(""),
    ),
)


# --- what one event takes more than one transaction for ---


def is_shutting(writes: Sequence[Write]) -> bool:
    """It says that it closes, its gates are shut, then the log tells it: every ballot in it has a lower number."""
    begun = any(isinstance(each, Update) and bool(each.set.get("closing")) for each in writes)
    return begun or all(isinstance(each, Update) and each.set.get("open") is False for each in writes)


def is_moving(writes: Sequence[Write]) -> bool:
    """Candidates and voters follow an election to its new name, and voters to their shard, a handful at a time."""
    old = {each.key.sk for each in writes if isinstance(each, Delete)}
    new = {each.key.sk for each in writes if isinstance(each, Put)}
    renamed_from = [each for each in writes if isinstance(each, Update) and each.set.get("renamed_from") == ""]
    spread_from = [each for each in writes if isinstance(each, Update) and "spread_from" in each.remove]
    return bool(renamed_from or spread_from) or (old == new and all(begins(each.key.pk) == ELECTION for each in writes))


def is_sweeping(writes: Sequence[Write]) -> bool:
    """What is left of a deleted election goes after it, a handful at a time, and only while it is gone."""
    checks = [each for each in writes if isinstance(each, Check)]
    gone = any(each.key.sk == keys.election("").sk and each.when == Missing() for each in checks)
    return gone and all(isinstance(each, Check | Delete) for each in writes)


ELECTION = begins(keys.election("").pk)
STEPS = (is_shutting, is_moving, is_sweeping)


def forget_unused_gates(there: Table) -> None:
    """Gates beyond the first few are open before an election is: what an opening left that was cut short there."""
    for item in list(there.each(repository.list_of(State.DRAFT))):
        election = repository.election_of(there.get(keys.election(item["name"])) or item)
        gates = places.gates_of(election).keys(election.name) if election.shards > 1 else []
        for some in by_count(gates):
            there.write(*map(Delete, some))


def shut_what_is_shut(there: Table) -> None:
    """Close, up to what the log has yet to tell, what is being closed there; and there, too, as far as it is not."""
    for item in list(table().each(repository.list_of(State.OPEN))):
        stored, election = there.get(keys.election(item["name"])), repository.find(item["name"])
        if election is not None and stored is not None and stored.get("closing"):
            begun = replace(election, closing=stored["closing"], closed_at=stored.get("closed_at"))
            table().write(*services.beginning(election, begun))
            shut = repository.shut_gates(repository.find(item["name"]) or begun)
            for here in (table(), there):
                with acting_on(here):
                    follow(shut)

"""Replay of the log for elections: the writes of each event type."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from django.utils.translation import gettext_lazy as _

from acts.retry import write_each
from acts.storage import table, use_table
from elections.voter_lists import Details
from photos.rules import photo_of
from ranking.candidates import Candidate
from store import keys
from store.replay import Act, DoesNotFit, Happened, Step, begins
from store.schema import EventType, fields_of
from store.splitting import by_count
from store.table import Delete, Item, Put, Table, Update, Write

from . import repository, rolls, sharding
from .candidate_questions import repository as questions
from .convening import Convened
from .drafts import services as drafts
from .groups.replay import group_of
from .help_desk import correcting
from .history import entries as history
from .invitations import mailing
from .letters import services as letters
from .lifecycle import closing, deleting
from .lifecycle import services as lifecycle
from .lifecycle.deleting import deletion_task
from .managers.services import with_manager, with_owner, without_manager
from .roll import services as roll
from .rules import FIELDS_OF_EARLIER_VERSIONS, Election, State
from .skills_needed import needs
from .skills_needed.needs import Agreement, Need
from .turnout import counts
from .turnout.counts import TurnoutEvent


def election_of(event: Happened) -> Election:
    name = event.data["election_name"]
    election = repository.find(name)
    if election is None or keys.fold(election.name) != keys.fold(name):
        raise DoesNotFit(f"is about the election {name}, and none of that name exists at that time.")
    return election


# --- making, changing, renaming ---


def created(event: Happened) -> Iterator[Step]:
    election = repository.election_of(event.data)
    if election.name != event.data["election_name"]:
        raise DoesNotFit(f"names the election in two ways, one of them {election.name}.")
    if election.stored_state != State.DRAFT or election.owner_name != event.actor:
        raise DoesNotFit("does not create a draft owned by its actor.")
    yield repository.creation(election, event.data.get("description", ""))


def updated(event: Happened) -> Iterator[Step]:
    election = election_of(event)
    changes = {name: value for name, value in event.data.items() if name != "election_name"}
    if "convened" in changes:
        raise DoesNotFit("changes who convened the election, which stays as it was when it was made.")
    text = changes.pop("description", None)
    if text == repository.description_of(election.name).description:
        text = None
    known = {name: value for name, value in changes.items() if name not in FIELDS_OF_EARLIER_VERSIONS}
    fields: Item = {name: tuple(value) if isinstance(value, list) else value for name, value in known.items()}
    after = replace(election, **fields)
    if after == election and text is None and known == changes:
        raise DoesNotFit("changes nothing.")
    yield [*repository.change(election, after, text), *turned_out(event)]


def renamed(event: Happened) -> Iterator[Step]:
    election, name = election_of(event), event.data["new_name"]
    if keys.fold(name) == keys.fold(election.name):
        yield drafts.respelling(election, name)
        return
    stored = table().get(keys.election(election.name))
    assert stored is not None
    yield drafts.renaming(election, name, stored)
    repository.RENAMING.advance(election.name)


def deleted(event: Happened) -> Iterator[Step]:
    election = election_of(event)
    if event.data.get("state", election.stored_state.value) != election.stored_state.value:
        raise DoesNotFit(
            f"takes the election for {event.data['state']}, which is {election.stored_state.value} at that time."
        )
    yield [*deleting.deletion(election), deletion_task(election, event.actor)]
    repository.DELETING.advance(election.name)


# --- candidates and the roll ---


def candidates_added(event: Happened) -> Iterator[Step]:
    election = election_of(event)
    new = [repository.new_candidate(election.name, Candidate(**each)) for each in event.data["candidates"]]
    yield [*new, repository.touched(election, candidates=True)]


def candidate_of(event: Happened) -> Candidate:
    name = event.data["candidate_name"]
    found = repository.find_candidate(event.data["election_name"], name)
    if found is None or found.name != name:
        raise DoesNotFit(f"is about {name}, who is not a candidate at that time.")
    return found


def candidate_edited(event: Happened) -> Iterator[Step]:
    election, before, data = election_of(event), candidate_of(event), event.data
    after = replace(before, statement=data["statement"], link=data["link"])
    yield [repository.changing_candidate(election.name, before, after), repository.touched(election)]


def candidates_removed(event: Happened) -> Iterator[Step]:
    election = election_of(event)
    names = event.data["candidates"]
    removals = [write for name in names for write in repository.removing_candidate(election.name, name)]
    yield [*removals, repository.touched(election)]


def candidate_pictured(event: Happened) -> Iterator[Step]:
    """The picture's id only; its bytes are in no log."""
    election, candidate = election_of(event), candidate_of(event)
    change = repository.picturing_candidate(election.name, candidate, photo_of(event.data["photo"]))
    yield [change, repository.touched(election)]


def need_set(event: Happened) -> Iterator[Step]:
    election, data = election_of(event), event.data
    need = Need(data["skill_id"], data["level"], data["count"])
    yield [*needs.setting(election.name, need), repository.touched(election)]


def needs_dropped(event: Happened) -> Iterator[Step]:
    election = election_of(event)
    yield [*needs.dropping(election.name, event.data["skills"]), repository.touched(election)]


def agreed(event: Happened) -> Iterator[Step]:
    election, data = election_of(event), event.data
    agreed_to = tuple(data["skills"])
    known = (tuple(data["asked"]), agreed_to) if "asked" in data else ((), ())
    agreement = Agreement(data["candidate_name"], event.actor, data["account"], agreed_to, *known)
    writes = needs.agreeing(election, agreement)
    yield [*writes, repository.candidate_exists(election.name, agreement.candidate), repository.touched(election)]


def candidates_asked(event: Happened) -> Iterator[Step]:
    election, data = election_of(event), event.data
    there = {each.candidate: each for each in needs.agreements(election.name)}
    for candidate, account in zip(data["candidates"], data["accounts"], strict=True):
        known = there.get(candidate) or Agreement(candidate, candidate, account, ())
        yield needs.agreeing(election, replace(known, asked=tuple(data["skills"])))
    yield [repository.touched(election)]


def disagreed(event: Happened) -> Iterator[Step]:
    """After the opening this happens only when a candidate leaves the site; the election is unchanged then."""
    election, data, candidate = election_of(event), event.data, event.data["candidate_name"]
    if "answered" in data:
        answers = tuple(data["asked"]), tuple(data["answered"])
        declined = Agreement(candidate, event.actor, data["account"], (), *answers)
        yield [*needs.agreeing(election, declined), repository.touched(election)]
        return
    touched = [repository.touched(election)] if election.stored_state == State.DRAFT else []
    yield [*needs.withdrawing(election.name, candidate), *touched]


def answers_changed(event: Happened) -> Step:
    """What was asked and answered is not in the log, only that it changed."""
    return [questions.counting_change(election_of(event))]


def voters_added(event: Happened) -> Iterator[Step]:
    names, accounts = event.data["voters"], event.data["accounts"]
    bound = {name: account for name, account in zip(names, accounts, strict=True) if account}
    groups = event.data.get("groups", [[]] * len(names))
    weights = event.data.get("weights", [1] * len(names))
    known = {
        name: Details(groups=tuple(own), weight=weight)
        for name, own, weight in zip(names, groups, weights, strict=True)
    }
    yield roll.adding(election_of(event), names, bound, known)


def voters_grouped(event: Happened) -> Iterator[Step]:
    yield roll.grouping(election_of(event), dict(zip(event.data["voters"], event.data["groups"], strict=True)))


def voters_weighted(event: Happened) -> Iterator[Step]:
    yield roll.weighting(election_of(event), dict(zip(event.data["voters"], event.data["weights"], strict=True)))


def letters_reissued(event: Happened) -> Iterator[Step]:
    yield letters.turning(election_of(event), dict(zip(event.data["voters"], event.data["turns"], strict=True)))


def voters_removed(event: Happened) -> Iterator[Step]:
    yield roll.removing(election_of(event), event.data["voters"])


def address_corrected(event: Happened) -> Iterator[Step]:
    questions = correcting.questions_of(election_of(event))
    entries = correcting.entries_of(questions, event.data["voter"])
    if not entries:
        raise DoesNotFit(f"is about {event.data['voter']}, who is not on the roll at that time.")
    new, replaced = correcting.correcting(questions, entries, event.data["address"])
    yield [*new, *replaced]


# --- from draft to closed ---


def opened(event: Happened) -> Iterator[Step]:
    """Without the secret of the lots."""
    election, data = election_of(event), event.data
    commitment, opened_at = data["lots_commitment"], data["opened_at"]
    election = replace(election, excluded=data.get("excluded", 0), extra_votes=data.get("extra_votes", 0))
    after = lifecycle.opened(election, editable=data["editable"], lots_commitment=commitment, opened_at=opened_at)
    after = replace(after, shows_skills=data.get("shows_skills", False))
    early, writes = lifecycle.opening(election, after)
    yield from by_count(early)
    yield [*writes, counts.starting(after, event.number)]


def closed(event: Happened) -> Iterator[Step]:
    election = election_of(event)
    yield closing.starting_close(election, replace(election, closing=event.actor, closed_at=event.data["closed_at"]))
    yield from by_count(repository.shut_gates(election_of(event)))
    yield [*closing.finishing_close(election_of(event)), *turned_out(event)]


def interrupted(event: Happened) -> Iterator[Step]:
    """By an earlier version, which could extend the voting with it."""
    election, end = election_of(event), event.data.get("new_end")
    after = replace(election, no_voting_after=end) if end else election
    yield [*repository.change(election, after), *turned_out(event)]


def turned_out(event: Happened) -> list[Update]:
    """The event's effect on the turnout over time."""
    return counts.counting(table(), TurnoutEvent(event.number, event.kind, event.when, event.data))


# --- who runs it ---


def run_by(change: Callable[[Election, str], Election], field: str) -> Act:
    def changed(event: Happened) -> Step:
        election = election_of(event)
        after = change(election, event.data[field])
        if after == election:
            raise DoesNotFit("changes nothing.")
        return repository.change(election, after)

    return changed


# --- mail ---


def recorded_only(event: Happened) -> Step:
    """Only in the log, not in the table: that mails went out, or why something ended early."""
    election_of(event)
    return ()


def group_used(event: Happened) -> list[Write]:
    return repository.using_group(election_of(event), group_of(event).id)


def mailed_again(event: Happened) -> Step:
    election = election_of(event)
    if not rolls.on_roll(election, [event.data["voter"]]):
        raise DoesNotFit(f"is about {event.data['voter']}, who is not on the roll at that time.")
    return ()


SETTINGS = f"election_name description {fields_of(Election)} owner_name:person managers:people"
EVENTS = (
    EventType("ElectionCreated", created, f"{SETTINGS} convened:map", "copied_from", inside=fields_of(Convened),
              sentence=history.created),
    EventType("ElectionUpdated", updated, SETTINGS, sentence=history.updated),
    EventType("ElectionRenamed", renamed, "election_name new_name",
              sentence=_("%(who)s renamed the draft.")),
    EventType("ElectionOpened", opened, "election_name editable:bool lots_commitment opened_at shows_skills:bool "
              "excluded:int extra_votes:int",
              sentence=history.opened),
    EventType("InterruptionRecorded", interrupted, "election_name number:int began ended happened decided recorded_at "
              "new_end corrects:int", sentence=history.interrupted),
    EventType("ElectionClosed", closed, "election_name closed_at", sentence=history.closed),
    EventType("ElectionDeleted", deleted, "election_name state"),
    EventType("ElectionOwnerChanged", run_by(with_owner, "new_owner"),
              "election_name new_owner:person", sentence=history.handed_over),
    EventType("ManagerAdded", run_by(with_manager, "name"), "election_name name:person",
              sentence=_("%(who)s made %(name)s a manager.")),
    EventType("ManagerRemoved", run_by(without_manager, "name"), "election_name name:person",
              sentence=_("%(who)s removed %(name)s as a manager.")),
    EventType("CandidatesAdded", candidates_added, "election_name candidates:list",
              inside="name number statement link", sentence=history.candidates_added),
    EventType("CandidateEdited", candidate_edited, "election_name candidate_name statement link",
              sentence=history.candidate_edited),
    EventType("CandidatesRemoved", candidates_removed, "election_name candidates:list",
              sentence=history.candidates_removed),
    EventType("CandidatePictured", candidate_pictured, "election_name candidate_name photo:map", inside="id",
              sentence=history.candidate_pictured),
    EventType("NeedSet", need_set, "election_name skill_id level:int count:int",
              sentence=_("%(who)s added or changed a needed skill.")),
    EventType("NeedsDropped", needs_dropped, "election_name skills:list",
              sentence=_("%(who)s removed a needed skill.")),
    EventType("CandidateAgreed", agreed, "election_name candidate_name account skills:list", "asked:list",
              sentence=_("A candidate agreed to show skills.")),
    EventType("CandidateDisagreed", disagreed, "election_name candidate_name account", "asked:list answered:list",
              sentence=_("A candidate withdrew consent to show skills.")),
    EventType("CandidatesAsked", candidates_asked, "election_name candidates:list accounts:list skills:list",
              sentence=_("Candidates were asked by mail whether their skills may be shown.")),
    EventType("CandidateQuestionShown", answers_changed, "election_name question",
              sentence=_("%(who)s approved a question to candidates, or showed it again.")),
    EventType("CandidateQuestionHidden", answers_changed, "election_name question",
              sentence=_("%(who)s hid a question to candidates.")),
    EventType("CandidateAnswered", answers_changed, "election_name question candidate:int",
              sentence=_("A candidate's answer to a question was added or changed.")),
    EventType("CandidateAnswerShown", answers_changed, "election_name question candidate:int",
              sentence=_("%(who)s showed a candidate's answer again.")),
    EventType("CandidateAnswerHidden", answers_changed, "election_name question candidate:int",
              sentence=_("%(who)s hid a candidate's answer.")),
    EventType("CandidateQuestionErased", answers_changed, "election_name question",
              sentence=_("%(who)s deleted the text of a hidden question to candidates.")),
    EventType("CandidateAnswerErased", answers_changed, "election_name question candidate:int",
              sentence=_("%(who)s deleted the text of a candidate's hidden answer.")),
    EventType("AnswerLinkMade", recorded_only, "election_name candidate:int",
              sentence=_("%(who)s made a link by which a candidate can answer questions.")),
    EventType("AnswerLinkRevoked", recorded_only, "election_name candidate:int",
              sentence=_("%(who)s revoked a candidate's link for answering questions.")),
    EventType("VotersAdded", voters_added, "election_name voters:people accounts:list groups:list "
              "weights:list reason request",
              sentence=history.voters_added),
    EventType("VotersGrouped", voters_grouped, "election_name voters:people groups:list",
              sentence=history.voters_grouped),
    EventType("VotersWeighted", voters_weighted, "election_name voters:people weights:list",
              sentence=history.voters_weighted),
    EventType("VotersReaddressed", recorded_only, "election_name voters:people",
              sentence=_("%(who)s changed the details for letters to voters.")),
    EventType("LettersPrinted", recorded_only, "election_name batch:int letters:int how",
              sentence=history.letters_printed),
    EventType("LetterReissued", letters_reissued, "election_name voters:people turns:list",
              sentence=history.letters_reissued),
    EventType("VotersRemoved", voters_removed, "election_name voters:people", sentence=history.voters_removed),
    EventType("VoterAddressCorrected", address_corrected, "election_name voter:person address:address",
              sentence=_("%(who)s corrected an address on the roll.")),
    EventType("RequestSent", recorded_only, "election_name request kind"),
    EventType("RequestAnswered", recorded_only, "election_name request kind outcome reason",
              sentence=history.request_answered),
    EventType("RollSourceSet", recorded_only, "election_name kind nightly:bool",
              sentence=_("%(who)s chose a source that the roll follows.")),
    EventType("RollSourceDropped", recorded_only, "election_name",
              sentence=_("%(who)s stopped the roll from following a source.")),
    EventType("GroupUsed", group_used, "election_name group_id",
              sentence=_("%(who)s added one of their groups to the roll.")),
    EventType("VotersInvited", recorded_only, "election_name",
              sentence=_("%(who)s invited the voters who had not been invited yet.")),
    EventType("VoterInvitedAgain", mailed_again, "election_name voter:person",
              sentence=_("%(who)s sent one voter the invitation again.")),
    EventType("VotersReminded", recorded_only, "election_name hours_before:int", sentence=history.reminded),
    EventType("VotersMessaged", recorded_only, "election_name subject on_roll:int", "message",
              sentence=_("%(who)s sent a message to all voters.")),
    EventType("ResultMailed", recorded_only, "election_name",
              sentence=_("%(who)s mailed the result to the voters.")),
    EventType("InvitationWorded", recorded_only, "election_name", "words answers_to_organiser:bool",
              sentence=_("%(who)s changed the text of the invitation.")),
    EventType("InvitationTested", recorded_only, "election_name",
              sentence=_("%(who)s sent themselves a test mail.")),
    EventType("RemindersDeclined", lambda event: [mailing.declining(election_of(event), event.data["voter_name"])],
              "election_name voter_name:person"),
    EventType("ElectionNotFilled", recorded_only, "election_name sentence", sentence=history.not_filled),
)  # fmt: skip


# --- what one event takes more than one transaction for ---


def is_shutting(writes: Sequence[Write]) -> bool:
    """Delete the open marks, mark as closing, shut the gates, then record it: every ballot cast has a lower number."""
    if all(isinstance(each, Delete) and each.key.sk == OPEN_MARK for each in writes):
        return True
    begun = any(isinstance(each, Update) and bool(each.set.get("closing")) for each in writes)
    return begun or all(isinstance(each, Update) and each.set.get("open") is False for each in writes)


def is_opening(writes: Sequence[Write]) -> bool:
    """Gates that do not fit the opening transaction are opened before it, which is safe: a draft takes no votes."""
    return all(isinstance(each, Put | Update) and begins(each.key.sk) == GATE for each in writes)


GATE, OPEN_MARK = begins(keys.gate("", 0).sk), keys.open_mark("", 0).sk
STEPS = (is_opening, is_shutting)


def forget_unused_gates(there: Table) -> None:
    """Gates beyond the first few are opened before the election is: remove those of an opening that was cut short."""
    for item in list(there.each(repository.list_of(State.DRAFT))):
        election = repository.election_of(there.get(keys.election(item["name"])) or item)
        gates = sharding.gates_of(election).keys(election.name) if election.shards > 1 else []
        for some in by_count(gates):
            there.write(*map(Delete, some))


def shut_what_is_shut(there: Table) -> None:
    """In both stores, shut the gates of elections that are being closed there but whose close is not in the log yet."""
    for item in list(table().each(repository.list_of(State.OPEN))):
        stored, election = there.get(keys.election(item["name"])), repository.find(item["name"])
        if election is not None and stored is not None and stored.get("closing"):
            begun = replace(election, closing=stored["closing"], closed_at=stored["closed_at"])
            table().write(*closing.starting_close(election, begun))
            shut = repository.shut_gates(repository.find(item["name"]) or begun)
            for store in (table(), there):
                with use_table(store):
                    write_each(shut)

"""Telling voters by mail who won: by a button, or by itself as soon as the result is sealed. Once for each election.

What a mail says of the result is put down with the mailing: the result never changes again, and a thousand mails are
written without reading it a thousand times.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import datetime

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User
from elections import actions
from elections.dashboard.next_step import Button, NextStep
from elections.invitations import mailing as invitations
from elections.invitations.mailing import ANNOUNCED
from elections.rules import RUNNERS, Action, Election, WrongState
from foundation.acts.storage import now_text, table, try_record
from foundation.store import keys
from foundation.store.log import Event
from foundation.store.table import Check, Equals, Exists, Missing, Update
from foundation.tally.lots import elected_by_lot
from foundation.tally.methods import KIND_OF
from foundation.tally.result import Result
from results import repository
from results.outcomes import MAX_NAMES_PER_LOT, is_all_by_lot
from results.repository import Sealed

MAX_WINNERS_NAMED = 12  # of those who won; all of them are in the result
MAX_WINNERS_NAMED_PER_QUESTION = 6  # of each of several questions: a mail is stored for every voter
VOTED = "voted"  # how a vote on yes or no ended: its numbers say whether it was carried
MAILED_ATTRIBUTE = "announcing"  # the attribute beside the counted mails that says since when
ALREADY_MAILED = gettext_lazy("The result has already been mailed to the voters.")
NOT_SEALED = gettext_lazy("There is no result yet. You can mail it once the election has closed and been counted.")


def mail_result(actor: User, election: Election) -> None:
    """Mail everyone on the roll who has not opted out."""
    actions.check(actor, election, Action.ANNOUNCE)
    if (outcome := outcome_of(election)) is None:
        raise WrongState(NOT_SEALED)
    if mailed_at(election) is not None:
        raise WrongState(ALREADY_MAILED)
    event = Event(actor.name, "ResultMailed", {"election_name": election.name})
    invitations.request_mailing(actor, election, ANNOUNCED, event, _marked(election), values=outcome)


def mail_automatically(election: Election) -> None:
    """Mail the result after sealing, if the organiser chose that. It counts towards the owner's daily limit; the rest
    goes out the next day."""
    if not election.announces or mailed_at(election) is not None or (outcome := outcome_of(election)) is None:
        return
    event = Event("plenum", "ResultMailed", {"election_name": election.name})
    mailing = invitations.mailing_task(election, ANNOUNCED, election.owner_name, reserved=0, values=outcome)
    exists = Check(keys.election(election.name), Exists() & Equals("created_at", election.created_at))
    # unless another worker or the organiser has already started it
    try_record(event, mailing, _marked(election), exists)


def mail_result_step(user: User, election: Election) -> NextStep | None:
    """The next step offered to organisers once the result is sealed."""
    may = actions.relation(user, election) in RUNNERS
    if not may or not election.voter_count or mailed_at(election) is not None:
        return None
    button = Button(_("Mail the result"), reverse("mail_result", args=[election.name]))
    return NextStep("announce", _("The votes are counted. Tell the voters the result by email."), button)


def _marked(election: Election) -> Update:
    """Refused if it was asked for before."""
    place = keys.mail_counts(election.name, election.created_at)
    return Update(place, set={MAILED_ATTRIBUTE: now_text()}, when=Missing(MAILED_ATTRIBUTE))


def mailed_at(election: Election) -> datetime | None:
    """Since when the result is mailed, if it is."""
    item = table().get(keys.mail_counts(election.name, election.created_at)) or {}
    return datetime.fromisoformat(item[MAILED_ATTRIBUTE]) if MAILED_ATTRIBUTE in item else None


def outcome_of(election: Election) -> dict[str, str] | None:
    """What the mails say of it: how it ended, who won, how many ballots were counted; of several questions how each
    ended, and how many people voted. `None` while something of it is not sealed."""
    sealed = [
        found for each in election.questions if isinstance(found := repository.find(each.name, each.number), Sealed)
    ]
    if len(sealed) < len(election.questions):
        return None
    if not election.more:
        (found,) = sealed
        return {**_outcome(found.report.result, MAX_WINNERS_NAMED), "ballots": str(found.seal.ballots)}
    outcomes = [
        {"question": each.election.title, **_outcome(each.report.result, MAX_WINNERS_NAMED_PER_QUESTION)}
        for each in sealed
    ]
    people = max(each.seal.people for each in sealed)
    return {"questions": json.dumps(outcomes, ensure_ascii=False), "people": str(people)}


def _outcome(result: Result, most: int) -> dict[str, str]:
    if result.vote:
        return {"ended": VOTED, "vote": " ".join(map(str, result.vote))}
    named, lots = result.winners[:most], elected_by_lot(result)
    outcome = {"ended": _ended(result), "names": ", ".join(named), "more": str(len(result.winners) - len(named))}
    few = [asdict(lot.cut(MAX_NAMES_PER_LOT)) for lot in lots]
    return outcome | ({"lots": json.dumps(few, ensure_ascii=False)} if lots else {})


def _ended(result: Result) -> str:
    if result.total == result.blank:
        return "uncounted" if KIND_OF[result.method] == "ranked" else "undecided"
    if not result.winners:
        return "nobody"
    lots = elected_by_lot(result)
    if lots and is_all_by_lot(len(result.winners), lots):
        return "elected by lot" if result.seats > 1 else "won by lot"
    if result.seats > 1:
        return "elected partly by lot" if lots else "elected"
    return "won" if len(result.winners) == 1 else "tie"

"""Telling voters by mail who won: by a button, or by itself as soon as the result is sealed, once for each election;
and the email that does.

What a mail says of the result is put down with the mailing: the result never changes again, and a thousand mails are
written without reading it a thousand times.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import datetime

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, ngettext

from accounts import repository as people
from accounts.models import User
from elections import actions
from elections import repository as elections
from elections.dashboard.next_step import Button, NextStep
from elections.invitations import mailing as invitations
from elections.invitations import recipients
from elections.invitations.mailing import ANNOUNCED, ASKED
from elections.invitations.voting_link import new_token
from elections.rules import RUNNERS, Action, Election, WrongState
from foundation.acts.storage import now_text, table, try_record
from foundation.mail.emails import EmailTemplate, Mail
from foundation.store import keys
from foundation.store.log import Event
from foundation.store.table import Check, Equals, Exists, Missing, Update
from foundation.tally.lots import ByLot, elected_by_lot
from foundation.tally.methods import KIND_OF
from foundation.tally.result import Result
from results import repository
from results.repository import Sealed
from results.wording import MAX_NAMES_PER_LOT, describe_lots, is_all_by_lot, outcome_of_vote

MAX_WINNERS_NAMED = 12  # of those who won; all of them are in the result
MAX_WINNERS_NAMED_PER_QUESTION = 6  # of each of several questions: a mail is stored for every voter
VOTED = "voted"  # how a vote on yes or no ended: its numbers say whether it was carried
MAILED_ATTRIBUTE = "announcing"  # the attribute beside the counted mails that says since when
ALREADY_MAILED = gettext_lazy("The result has already been mailed to the voters.")
NOT_SEALED = gettext_lazy("There is no result yet. You can mail it once the election has closed and been counted.")


def mail_result(actor: User, election: Election) -> None:
    """Mail everyone on the roll who has not opted out."""
    actions.check(actor, election, Action.ANNOUNCE)
    if (outcome := mailed_outcome(election)) is None:
        raise WrongState(NOT_SEALED)
    if mailed_at(election) is not None:
        raise WrongState(ALREADY_MAILED)
    event = Event(actor.name, "ResultMailed", {"election_name": election.name})
    invitations.request_mailing(actor, election, ANNOUNCED, event, _marked(election), values=outcome)


def mail_automatically(election: Election) -> None:
    """Mail the result after sealing, if the organiser chose that. It counts towards the owner's daily limit; the rest
    goes out the next day."""
    if not election.announces or mailed_at(election) is not None or (outcome := mailed_outcome(election)) is None:
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


def mailed_outcome(election: Election) -> dict[str, str] | None:
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


OUTCOMES = {
    "won": gettext_noop("%(names)s has won."),
    "elected": gettext_noop("Elected: %(names)s."),
    "won by lot": gettext_noop("%(names)s has won by lot, %(lots)s."),
    "elected by lot": gettext_noop("Elected by lot: %(names)s, %(lots)s."),
    "elected partly by lot": gettext_noop("Elected: %(names)s; %(lots)s."),
    "tie": gettext_noop("It ended in a tie: %(names)s."),
    "nobody": gettext_noop("Nobody was elected."),
    "undecided": gettext_noop("There is no decision: no ballot has a mark."),
    "uncounted": gettext_noop("There was nothing to count: no ballot ranks anyone."),
}


def outcome_sentence(about: dict[str, str]) -> str:
    """How it ended, in a sentence; of several questions, in a sentence for each."""
    if "questions" in about:
        return " ".join(_question_lines(about))
    if "vote" in about:
        return outcome_of_vote([int(number) for number in about["vote"].split()]).line
    names, more = about["names"], int(about["more"])
    if more:
        names = _("%(names)s and %(count)d more") % {"names": names, "count": more}
    lots = [ByLot(**each) for each in json.loads(about.get("lots", "[]"))]
    told = describe_lots(lots, whole=about["ended"] in ("won by lot", "elected by lot"))
    sentence = OUTCOMES[about["ended"]]
    return _(sentence) % {"names": names, "lots": told}


def _question_lines(about: dict[str, str]) -> list[str]:
    outcomes = json.loads(about.get("questions", "[]"))
    own = about[ASKED].split("\n") if ASKED in about else [each["question"] for each in outcomes]
    return [f"{each['question']}: {outcome_sentence(each)}" for each in outcomes if each["question"] in own]


def _placeholders(mail: Mail) -> dict[str, str]:
    about, election = mail.about, elections.find(mail.about["election_name"])
    name = election.name if election else about["election_name"]
    if "questions" in about:
        people = int(about["people"])
        voted = ngettext("%(count)d person voted.", "%(count)d people voted.", people) % {"count": people}
        return {"election": name, "outcome": "", "counted": voted, "questions": "\n".join(_question_lines(about))}
    ballots = int(about["ballots"])
    counted = ngettext("%(count)d ballot was counted.", "%(count)d ballots were counted.", ballots)
    counted %= {"count": ballots}
    return {"election": name, "outcome": outcome_sentence(about), "counted": counted, "questions": ""}


def _link(mail: Mail) -> str:
    """Voters by link reach the result by that link; others without an account get the public page, if there is one."""
    election = elections.find(mail.about["election_name"])
    if election is None:
        return reverse("results", args=[mail.about["election_name"]])
    if (token := new_token(election.name, mail.about.get("voter", ""), mail.to, mail.number)) is not None:
        return reverse("vote_by_link", args=[token])
    is_for_all = election.results_public and people.find_by_email(mail.to) is None
    return reverse("shared" if is_for_all else "results", args=[election.name])


def _is_gone(mail: Mail) -> bool:
    return elections.find(mail.about["election_name"]) is None or recipients.has_opted_out(mail.to)


RESULT = EmailTemplate(
    gettext_noop("The result: %(election)s"),
    (gettext_noop("The votes in the election “%(election)s” have been counted."), "%(outcome)s %(counted)s"),
    _link,
    gettext_noop("See the full result"),
    recipients.opt_out_link,
    silence_label=gettext_noop("No more mails about results"),
    is_over=_is_gone,
    values=_placeholders,
    listed="questions",
    title=gettext_noop("The result"),
    headline="%(election)s",
)

EMAIL_TEMPLATES = {"vote_result": RESULT}

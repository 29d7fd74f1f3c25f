"""The email that announces the result to voters."""

from __future__ import annotations

import json

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from accounts import repository as people
from elections import repository
from elections.invitations import opt_out
from elections.invitations.mailing import ASKED
from elections.invitations.voting_link import new_token
from foundation.mail.emails import EmailTemplate, Mail
from foundation.tally.lots import ByLot
from results.outcomes import describe_lots, outcome_of_vote

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
    about, election = mail.about, repository.find(mail.about["election_name"])
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
    election = repository.find(mail.about["election_name"])
    if election is None:
        return reverse("results", args=[mail.about["election_name"]])
    if (token := new_token(election.name, mail.about.get("voter", ""), mail.to, mail.number)) is not None:
        return reverse("vote_by_link", args=[token])
    is_for_all = election.results_public and people.find_by_email(mail.to) is None
    return reverse("shared" if is_for_all else "results", args=[election.name])


def _is_gone(mail: Mail) -> bool:
    return repository.find(mail.about["election_name"]) is None or opt_out.has_opted_out(mail.to)


RESULT = EmailTemplate(
    gettext_noop("The result: %(election)s"),
    (gettext_noop("The votes in the election “%(election)s” have been counted."), "%(outcome)s %(counted)s"),
    _link,
    gettext_noop("See the full result"),
    opt_out.link,
    silence_label=gettext_noop("No more mails about results"),
    is_over=_is_gone,
    values=_placeholders,
    listed="questions",
    title=gettext_noop("The result"),
    headline="%(election)s",
)

EMAIL_TEMPLATES = {"vote_result": RESULT}

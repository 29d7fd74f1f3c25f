"""The organiser's page for mailing the result to the voters: the numbers, a preview, the button."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from accounts import mail_quota
from elections.access import election_context, organiser_page
from elections.invitations.forecast import make_forecast as forecast_of
from elections.invitations.mailing import ANNOUNCED
from elections.rules import Action, Election
from foundation.pages.forms import form_page
from foundation.pages.messages import message_page, run_action

from . import emails
from . import services as mailing


@organiser_page(Action.ANNOUNCE)
@form_page
def mail_result(request: HttpRequest, election: Election) -> HttpResponse:
    if request.method == "POST":
        run_action(request, lambda: mailing.mail_result(request.user, election), _("The emails are on their way."))
        return redirect("mail_result", name=election.name)
    if (about := mailing.outcome_of(election)) is None:
        return message_page(request, _("Mail the result"), str(mailing.NOT_SEALED))
    context = {
        "outcome": emails.outcome_sentence(about),
        "called": election.name,
        "numbers": forecast_of(election, ANNOUNCED),
        "asked_at": mailing.mailed_at(election),
        "mails_today": mail_quota.quota_today(request.user),
    }
    return render(request, "results/mail.html", election_context(request, election, **context))

"""The page on which organisers put interruptions on record."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from accounts import mail_quota
from elections.access import election_context, organiser_page
from elections.interruption import Interruption
from elections.rules import Action, Election
from pages.forms import form_data, form_page, run_form
from pages.messages import refusals_as_messages

from . import pauses, services
from .forms import InterruptionForm


@organiser_page(Action.INTERRUPT)
@form_page
def interruptions(request: HttpRequest, election: Election) -> HttpResponse:
    context = election_context(request, election)
    offered = context["offered"]
    may = {"may_extend": "EXTEND" in offered, "may_mail": "INVITE" in offered}
    pause = pauses.last_pause(election)
    form = InterruptionForm(form_data(request), election=election, pause=pause, **may)
    recorded: list[Interruption] = []
    act = lambda: recorded.append(services.record_interruption(request.user, election, **form.entry))  # noqa: E731
    if run_form(request, form, act, _("The interruption is on record.")):
        if form.cleaned_data.get("mail"):
            _tell(request, election, recorded[0])
        return redirect("interruptions", name=election.name)
    context |= {"form": form, "pause": pause, "mails_today": mail_quota.quota_today(request.user)}
    return render(request, "elections/interruptions.html", context, status=422 if form.errors else 200)


def _tell(request: HttpRequest, election: Election, entry: Interruption) -> None:
    """It stays on record even if it cannot be mailed, because the day's mails are used up."""
    with refusals_as_messages(request):
        services.tell_voters(request.user, election, entry)
        messages.success(request, _("The emails to voters are on their way."))

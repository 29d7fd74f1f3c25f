"""Pages about what is mailed to voters besides invitations: messages, and reminders by the clock."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from accounts import allowance
from accounts.rules import NOT_CONFIRMED
from acts.site import now_text
from elections.access import context_of, run
from elections.rules import Action, Election, State
from pages import rendered
from pages.forms import carried_out, form_page, posted, show_form

from . import messages
from . import reminders as by_the_clock
from .forms import MessageForm, RemindersForm
from .progress import progress


@run(Action.READ_MAILS)
@form_page
def message(request: HttpRequest, election: Election) -> HttpResponse:
    """What was mailed to the voters so far, also after the close; and while it is open a form to write more."""
    if request.method != "POST" and election.state(now_text()) == State.CLOSED:
        return render(request, "elections/messages.html", _read(request, election))
    if not request.user.can_write_to_many:
        return _not_confirmed(request, election)
    form = MessageForm(posted(request))
    preview = ""
    if "preview" in request.POST:
        preview = rendered.preview(form.cleaned_data["text"]) if form.is_valid() else ""
    elif carried_out(
        request,
        form,
        lambda: messages.send(request.user, election, **form.cleaned_data),
        _("The message is on its way."),
    ):
        return redirect("message_voters", name=election.name)
    context = _read(request, election, form=form, preview=preview, mails_today=allowance.today(request.user))
    return render(request, "elections/messages.html", context, status=422 if form.errors else 200)


def _not_confirmed(request: HttpRequest, election: Election) -> HttpResponse:
    """The page as it is for others, and what to do in place of the form."""
    context = _read(request, election, not_confirmed=NOT_CONFIRMED)
    return render(request, "elections/messages.html", context, status=403 if request.method == "POST" else 200)


def _read(request: HttpRequest, election: Election, **more: Any) -> dict[str, Any]:
    """What there is to read: messages, and how many mails of each other kind went out."""
    mails = progress(election).mails
    return context_of(request, election, messages_sent=messages.all_of(election), mails=mails, **more)


@run(Action.SET_REMINDERS)
@form_page
def reminders(request: HttpRequest, election: Election) -> HttpResponse:
    form = RemindersForm(posted(request), initial={"remind_before": election.remind_before})
    if carried_out(
        request,
        form,
        lambda: by_the_clock.choose(request.user, election, form.cleaned_data["remind_before"]),
        _("The reminders are saved."),
    ):
        return redirect("dashboard", name=election.name)
    lead = "" if election.no_voting_after else _("This election has no end so far, and without one nothing is sent.")
    return show_form(request, form, _("Reminders"), _("Save"), lead=lead, **context_of(request, election))

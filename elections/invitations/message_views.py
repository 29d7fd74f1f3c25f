"""Pages for messages to all voters, automatic reminders, and unsubscribing from result mails."""

from __future__ import annotations

from typing import Any

from django.contrib import messages as notices
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts import mail_quota
from accounts.access import requires
from accounts.rules import NOT_CONFIRMED
from accounts.unsubscribe import unsubscribe_view
from elections.access import election_context, organiser_page
from elections.rules import Action, Election, State
from foundation.acts.storage import now_text
from foundation.pages import markdown
from foundation.pages.forms import form_data, form_page, run_form, show_form
from foundation.pages.messages import confirm_page
from foundation.pages.paths import path_of

from . import messages, opt_out
from . import reminders as scheduled
from .forms import MessageForm, RemindersForm
from .progress import progress


@organiser_page(Action.READ_MAILS)
@form_page
def message(request: HttpRequest, election: Election) -> HttpResponse:
    """The messages sent so far, even after the close; and while it is open, a form to write another."""
    if request.method != "POST" and election.state(now_text()) == State.CLOSED:
        return _messages_page(request, election)
    if not request.user.can_write_to_many:
        status = 403 if request.method == "POST" else 200
        return _messages_page(request, election, status, not_confirmed=NOT_CONFIRMED)
    form, preview = MessageForm(form_data(request)), ""
    act = lambda: messages.send(request.user, election, **form.cleaned_data)  # noqa: E731
    if "preview" in request.POST:
        preview = markdown.preview(form.cleaned_data["text"]) if form.is_valid() else ""
    elif run_form(request, form, act, _("The message is on its way.")):
        return redirect("message_voters", name=election.name)
    context = {"form": form, "preview": preview, "mails_today": mail_quota.quota_today(request.user)}
    return _messages_page(request, election, 422 if form.errors else 200, **context)


def _messages_page(request: HttpRequest, election: Election, status: int = 200, **more: Any) -> HttpResponse:
    """Messages, how many mails of each other kind went out, and the form or why there is none."""
    more |= {"messages_sent": messages.list_messages(election), "mails": progress(election).mails}
    return render(request, "elections/messages.html", election_context(request, election, **more), status=status)


@organiser_page(Action.SET_REMINDERS)
@form_page
def reminders(request: HttpRequest, election: Election) -> HttpResponse:
    form = RemindersForm(form_data(request), initial={"remind_before": election.remind_before})
    act = lambda: scheduled.choose(request.user, election, form.cleaned_data["remind_before"])  # noqa: E731
    if run_form(request, form, act, _("The reminders are saved.")):
        return redirect(path_of("dashboard", election.name))
    lead = "" if election.no_voting_after else _("This election has no end, so no reminders are sent.")
    return show_form(request, form, _("Reminders"), _("Save"), lead=lead, **election_context(request, election))


# --- opting out of mails about results ---


def _lead(_address: str) -> str:
    return _(
        "You will get no more mails about results, from any election here, and no reminders about "
        "elections open to everybody here. You will still get invitations to vote."
    )


@unsubscribe_view(
    opt_out.UNSUBSCRIBE,
    gettext_lazy("No more mails about results?"),
    gettext_lazy("No more mails about results"),
    _lead,
)
def no_results_by_mail(address: str) -> str:
    opt_out.opt_out(address)
    return _("You will get no more mails about results. If you have an account, you can change this on your own page.")


@requires(None)
@form_page
def own_mails(request: HttpRequest) -> HttpResponse:
    """Whether one's own address gets them, and the button that changes it."""
    if request.method == "POST":
        if request.POST.get("wanted") == "yes":
            opt_out.opt_in(request.user.email)
            notices.success(request, _("You will get mails about results again."))
        else:
            opt_out.opt_out(request.user.email)
            notices.success(request, _("You will get no more mails about results."))
        return redirect("own_mails")
    lead = _("When an election you could vote in has been counted, you may get a mail with the result.")
    button, wanted = _("No more mails about results"), "no"
    if opt_out.has_opted_out(request.user.email):
        lead = _("You get no mails about the results of elections you could vote in.")
        button, wanted = _("Mail me results again"), "yes"
    return confirm_page(request, _("Mails about results"), button, lead=lead, fields=[("wanted", wanted)])

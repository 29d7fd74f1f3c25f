"""Pages of mails to voters: inviting and reminding, with numbers, preview and own text; messages to all; automatic
reminders; and no more mails about results.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages as notices
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_safe

from accounts import mail_quota, policy
from accounts.access import requires
from accounts.rules import NOT_CONFIRMED
from accounts.unsubscribe import unsubscribe_view
from elections.access import election_context, organiser_page
from elections.rules import Action, Election, State
from elections.turnout.counts import tells_who, turnout
from foundation.acts.storage import now_text, table
from foundation.pages import markdown
from foundation.pages.forms import form_data, form_page, refusals_as_errors, run_form, show_form
from foundation.pages.messages import confirm_page, run_action
from foundation.pages.paths import path_of
from foundation.store.parallel import run_parallel

from . import emails, mailing, messages, recipients, wording
from . import reminders as scheduled
from .forms import MessageForm, OwnTextForm, RemindersForm
from .mailing import INVITED, REMINDED
from .progress import progress

KINDS = {"invitation": INVITED, "reminder": REMINDED}
# What a mail brings along are styles in its elements, and nothing else; whatever is in it, it can neither run nor lead
# away from the page that shows it.
MAIL_FRAME_CSP = "; ".join(
    (
        *("default-src 'none'", "style-src 'unsafe-inline'", "form-action 'none'", "base-uri 'none'"),
        *("frame-ancestors 'self'", "sandbox"),
    )
)
INVITATION_PAGE_CSP = "; ".join(
    f"{name} {value}" for name, value in (settings.CONTENT_SECURITY_POLICY | {"frame-src": "'self'"}).items()
)


@organiser_page(Action.INVITE)
@form_page
def invitation(request: HttpRequest, election: Election) -> HttpResponse:
    """Numbers, preview and own text, all in one form: the text is saved first, whichever button is pressed."""
    what, known = _mail_kind(request), wording.find_own_text(election.name)
    if request.method != "POST":
        return _invitation_page(
            request, election, what, OwnTextForm(known=known, person=request.user), known, status=200
        )
    has_text = "text" in request.POST or not {"test", "send"} & set(request.POST)
    form = OwnTextForm(request.POST if has_text else None, known=known, person=request.user)
    if has_text and not request.user.can_write_to_many:
        return _invitation_page(request, election, what, form, known, status=403)
    if has_text and not _saved(request, election, form):
        return _invitation_page(request, election, what, form, known, status=422)
    if "test" in request.POST:
        done = _("The test mail to %(email)s is on its way.") % {"email": request.user.email}
        run_action(request, lambda: emails.send_test(request.user, election, KINDS[what]), done)
        return _back(election, what)
    if "send" in request.POST:
        return _send(request, election, what)
    notices.success(request, _("Your text is saved."))
    return _back(election, what)


def _saved(request: HttpRequest, election: Election, form: OwnTextForm) -> bool:
    if form.is_valid():
        with refusals_as_errors(form):
            wording.change_own_text(request.user, election, **form.cleaned_data)
            return True
    return False


def _send(request: HttpRequest, election: Election, what: str) -> HttpResponse:
    """Mails take a while: the overview shows how far they have got."""
    sent = request.POST["send"]
    expected = int(sent) if sent.isascii() and sent.isdigit() and len(sent) < 10 else 0
    act = lambda: emails.send_mailing(request.user, election, KINDS[what], expected)  # noqa: E731
    if run_action(request, act, _("The emails are on their way.")):
        return redirect(path_of("dashboard", election.name))
    return _back(election, what)


def _invitation_page(
    request: HttpRequest, election: Election, what: str, form: OwnTextForm, known: wording.OwnText, status: int
) -> HttpResponse:
    kind = KINDS[what]
    (numbers, is_under_way), preview, today, counted = run_parallel(
        table(),
        lambda: (emails.make_forecast(election, kind), mailing.is_under_way(election, kind)),
        lambda: emails.preview(request.user, election, kind),
        lambda: mail_quota.quota_today(request.user),
        lambda: turnout(election),
    )
    context: dict[str, Any] = {
        "what": what,
        "numbers": numbers,
        "is_under_way": is_under_way,
        "preview": preview,
        "form": form if request.user.can_write_to_many else None,
        "not_confirmed": NOT_CONFIRMED,
        "silenced": bool(known.subject or known.text) and wording.confirmed_author(known) is None,
        "mails_today": today,
        "tells_who": tells_who(election, counted.voted),
        "needs_an_admin": not policy.allows_any_invitation(),
    }
    answer = render(request, "elections/invite.html", election_context(request, election, **context), status=status)
    answer["Content-Security-Policy"] = INVITATION_PAGE_CSP
    return answer


@organiser_page(Action.INVITE)
@xframe_options_sameorigin
@require_safe
def mail(request: HttpRequest, election: Election) -> HttpResponse:
    """The HTML of the mail by itself, for the frame on the page."""
    preview = emails.preview(request.user, election, KINDS[_mail_kind(request)])
    answer = HttpResponse(preview.alternatives[0][0])
    answer["Content-Security-Policy"] = MAIL_FRAME_CSP
    return answer


def _mail_kind(request: HttpRequest) -> str:
    requested = request.POST.get("what") or request.GET.get("what") or ""
    return requested if requested in KINDS else "invitation"


def _back(election: Election, what: str) -> HttpResponse:
    address = reverse("invitation", args=[election.name])
    return redirect(address if what == "invitation" else f"{address}?what={what}")


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
    recipients.NO_RESULTS,
    gettext_lazy("No more mails about results?"),
    gettext_lazy("No more mails about results"),
    _lead,
)
def no_results_by_mail(address: str) -> str:
    recipients.opt_out(address)
    return _("You will get no more mails about results. If you have an account, you can change this on your own page.")


@requires(None)
@form_page
def own_mails(request: HttpRequest) -> HttpResponse:
    """Whether one's own address gets them, and the button that changes it."""
    if request.method == "POST":
        if request.POST.get("wanted") == "yes":
            recipients.opt_in(request.user.email)
            notices.success(request, _("You will get mails about results again."))
        else:
            recipients.opt_out(request.user.email)
            notices.success(request, _("You will get no more mails about results."))
        return redirect("own_mails")
    lead = _("When an election you could vote in has been counted, you may get a mail with the result.")
    button, wanted = _("No more mails about results"), "no"
    if recipients.has_opted_out(request.user.email):
        lead = _("You get no mails about the results of elections you could vote in.")
        button, wanted = _("Mail me results again"), "yes"
    return confirm_page(request, _("Mails about results"), button, lead=lead, fields=[("wanted", wanted)])

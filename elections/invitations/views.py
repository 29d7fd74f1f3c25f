"""Pages for inviting and reminding: numbers, preview, own text, send."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_safe

from accounts import mail_quota, policy
from accounts.rules import NOT_CONFIRMED
from elections.access import election_context, organiser_page
from elections.rules import Action, Election
from elections.turnout.counts import tells_who, turnout
from foundation.acts.storage import table
from foundation.pages.forms import form_page, refusals_as_errors
from foundation.pages.messages import run_action
from foundation.pages.paths import path_of
from foundation.store.parallel import run_parallel

from . import forecast, mailing, own_text
from .forms import OwnTextForm
from .mailing import INVITED, REMINDED

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
    what, known = _mail_kind(request), own_text.find(election.name)
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
        run_action(request, lambda: forecast.send_test(request.user, election, KINDS[what]), done)
        return _back(election, what)
    if "send" in request.POST:
        return _send(request, election, what)
    messages.success(request, _("Your text is saved."))
    return _back(election, what)


def _saved(request: HttpRequest, election: Election, form: OwnTextForm) -> bool:
    if form.is_valid():
        with refusals_as_errors(form):
            own_text.change(request.user, election, **form.cleaned_data)
            return True
    return False


def _send(request: HttpRequest, election: Election, what: str) -> HttpResponse:
    """Mails take a while: the overview shows how far they have got."""
    expected = _number(request.POST["send"])
    act = lambda: forecast.send(request.user, election, KINDS[what], expected)  # noqa: E731
    if run_action(request, act, _("The emails are on their way.")):
        return redirect(path_of("dashboard", election.name))
    return _back(election, what)


def _invitation_page(
    request: HttpRequest, election: Election, what: str, form: OwnTextForm, known: own_text.OwnText, status: int
) -> HttpResponse:
    kind = KINDS[what]
    (numbers, is_under_way), preview, today, counted = run_parallel(
        table(),
        lambda: (forecast.make_forecast(election, kind), mailing.is_under_way(election, kind)),
        lambda: forecast.preview(request.user, election, kind),
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
        "silenced": bool(known.subject or known.text) and own_text.confirmed_author(known) is None,
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
    preview = forecast.preview(request.user, election, KINDS[_mail_kind(request)])
    answer = HttpResponse(preview.alternatives[0][0])
    answer["Content-Security-Policy"] = MAIL_FRAME_CSP
    return answer


def _mail_kind(request: HttpRequest) -> str:
    requested = request.POST.get("what") or request.GET.get("what") or ""
    return requested if requested in KINDS else "invitation"


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def _back(election: Election, what: str) -> HttpResponse:
    address = reverse("invitation", args=[election.name])
    return redirect(address if what == "invitation" else f"{address}?what={what}")

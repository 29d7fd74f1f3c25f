"""The outbox, for the owner; and the webhook for bounced mails."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.access import allow_everyone, requires
from accounts.rules import Permission
from accounts.services import role_unchanged
from foundation.acts.rate_limits import SECONDS_PER_HOUR, Limit, count
from foundation.acts.refusals import Refusal
from foundation.acts.storage import table
from foundation.mail import outbox, undelivered
from foundation.mail.emails import Mail, NothingToSay, compose
from foundation.mail.outages import all_outages
from foundation.mail.sending import send_test_email
from foundation.mail.smtp import MailError, redact_address
from foundation.pages.messages import run_action
from foundation.pages.paging import list_context
from foundation.store.parallel import run_parallel
from operations.upkeep.doctor import health

TEST_MAIL_LIMIT = Limit("test mails", 20, SECONDS_PER_HOUR)
MAX_MAILING_CHARS = 16  # characters that identify one
# The page opens on the first non-empty one.
STATES_BY_URGENCY = (outbox.FAILED, outbox.UNKNOWN, outbox.SENT, outbox.QUEUED)


@requires(Permission.TRANSFER_OWNER)
@require_safe
def mails(request: HttpRequest) -> HttpResponse:
    """The outbox by state, first what needs attention.

    In the local profile the owner can read sent mails, as they went nowhere else.
    """
    counts, current_outages, is_tried_again = run_parallel(
        table(),
        lambda: health.count_mails(table(), *outbox.STATES),
        lambda: all_outages(table()),
        undelivered.is_requested,
    )
    state = request.GET.get("state", "")
    if state not in outbox.STATES:
        state = next((each for each in STATES_BY_URGENCY if counts[each].count), outbox.SENT)
    context = {
        "state": state,
        "counts": counts,
        "outages": current_outages,
        "is_tried_again": is_tried_again,
        "undecided": undelivered.UNDECIDED,
        "local": not settings.PRODUCTION,
    }
    if state == outbox.UNKNOWN:
        context["mailings"] = undelivered.mailings(outbox.in_state(state, health.MAX_COUNTED_MAILS)[0])
    context |= list_context(request, partial(outbox.in_state, state), state=state)
    return render(request, "audit/mails.html", context)


@requires(Permission.TRANSFER_OWNER, load=outbox.find, rule=allow_everyone)
@require_safe
def mail_text(request: HttpRequest, mail: Mail) -> HttpResponse:
    """The text of a mail, with fresh links: only where mail is written to files anyway, never in production."""
    if settings.PRODUCTION:
        raise Http404
    try:
        message = compose(mail)
    except NothingToSay:
        raise Http404 from None
    return render(request, "audit/mail.html", {"subject": message.subject, "to": mail.to, "text": message.body})


# --- deciding about undelivered mails ---


@requires(Permission.TRANSFER_OWNER)
@require_POST
def try_all(request: HttpRequest) -> HttpResponse:
    return _decide(request, undelivered.retry_all, outbox.FAILED, _("Retrying all failed mails."))


@requires(Permission.TRANSFER_OWNER)
@require_POST
def settle_unknown(request: HttpRequest) -> HttpResponse:
    """Settle mails of unknown fate, all of them or those of one mailing."""
    how, mailing = request.POST.get("how", ""), request.POST.get("mailing", "")[:MAX_MAILING_CHARS]
    done = _("Sending these mails again.") if how == undelivered.RETRY else _("Marking these mails as sent.")
    return _decide(request, undelivered.settle_unknown, outbox.UNKNOWN, done, how, mailing)


@requires(Permission.TRANSFER_OWNER, load=outbox.find, rule=allow_everyone)
@require_POST
def try_one(request: HttpRequest, mail: Mail) -> HttpResponse:
    return _decide(request, undelivered.retry, mail.state, _("Retrying the mail."), mail)


@requires(Permission.TRANSFER_OWNER, load=outbox.find, rule=allow_everyone)
@require_POST
def put_aside(request: HttpRequest, mail: Mail) -> HttpResponse:
    done = _("The mail has been set aside and will not be sent.")
    return _decide(request, undelivered.put_aside, mail.state, done, mail)


def _decide(request: HttpRequest, act: Callable[..., None], state: str, done: str, *subject: Any) -> HttpResponse:
    """Act on the mails, and show those in that state."""
    run_action(request, lambda: act(request.user.name, *subject, role_unchanged(request.user)), done)
    return redirect(f"{reverse('mails')}?state={state}")


# --- a test mail ---


@requires(Permission.TRANSFER_OWNER)
@require_POST
def send_test_mail(request: HttpRequest) -> HttpResponse:
    """Sent to oneself at once; the page shows the server's answer."""
    try:
        count(TEST_MAIL_LIMIT, request.user.name)
        answer = send_test_email(request.user.email)
    except Refusal as refusal:
        messages.error(request, str(refusal))
    except MailError as error:
        reply = redact_address(error.text, request.user.email)
        messages.error(request, _("The mail server rejected the test mail: %(words)s") % {"words": reply})
    else:
        reply = redact_address(answer, request.user.email)
        done = _("A test mail is on its way to you. The mail server said: %(words)s") % {"words": reply}
        messages.success(request, done if reply else _("A test mail has been sent to you."))
    return redirect("mails")

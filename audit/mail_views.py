"""The outbox, for the owner; and what others report of mails that came back."""

from __future__ import annotations

import hmac
import json
from functools import partial
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from accounts.access import anybody, public, requires
from accounts.rules import Permission
from accounts.services import still
from acts.rate_limits import SECONDS_PER_HOUR, Limit, count
from acts.refusals import Refusal
from acts.storage import table
from mail import again, bounces, outbox, server
from mail.answers import Trouble, without_address
from mail.emails import compose
from mail.numbers import number_in
from mail.trial import send_trial
from pages.messages import run_action
from pages.paging import list_context
from store.parallel import run_parallel
from upkeep.doctor import health

TRIALS = Limit("test mails", 20, SECONDS_PER_HOUR)
MAX_REPORTS = 100  # at once
MAX_MAILING_CHARS = 16  # characters by which one is named
FIRST = (outbox.FAILED, outbox.UNKNOWN, outbox.SENT, outbox.QUEUED)  # the page opens on the first there is any of


@requires(Permission.TRANSFER_OWNER)
@require_safe
def mails(request: HttpRequest) -> HttpResponse:
    """The outbox by state, first what somebody has to see to. In the local profile the owner can read what was sent: it
    went nowhere else."""
    counts, outages, is_tried_again = run_parallel(
        table(),
        lambda: health.count_mails(table(), *outbox.STATES),
        lambda: server.outages(table()),
        again.is_asked,
    )
    state = request.GET.get("state", "")
    if state not in outbox.STATES:
        state = next((each for each in FIRST if counts[each].count), outbox.SENT)
    context = {
        "state": state,
        "counts": counts,
        "outages": outages,
        "is_tried_again": is_tried_again,
        "undecided": again.UNDECIDED,
        "local": not settings.PRODUCTION,
    }
    if state == outbox.UNKNOWN:
        context["mailings"] = again.mailings(outbox.in_state(state, health.MAX_COUNTED_MAILS)[0])
    context |= list_context(request, partial(outbox.in_state, state), state=state)
    return render(request, "audit/mails.html", context)


@requires(Permission.TRANSFER_OWNER, load=outbox.find, rule=anybody)
@require_safe
def mail_text(request: HttpRequest, mail: outbox.Mail) -> HttpResponse:
    """What a mail says, with links made anew: only where mail is written to files anyway, never in production."""
    if settings.PRODUCTION:
        raise Http404
    try:
        message = compose(mail)
    except outbox.NothingToSay:
        raise Http404 from None
    return render(request, "audit/mail.html", {"subject": message.subject, "to": mail.to, "text": message.body})


# --- deciding about mails that did not arrive ---


@requires(Permission.TRANSFER_OWNER)
@require_POST
def try_all(request: HttpRequest) -> HttpResponse:
    done = _("All mails that failed are being tried again.")
    run_action(request, lambda: again.try_all(request.user.name, still(request.user)), done)
    return redirect(_in(outbox.FAILED))


@requires(Permission.TRANSFER_OWNER)
@require_POST
def settle_unknown(request: HttpRequest) -> HttpResponse:
    """Mails of unknown fate, all together or those of one mailing."""
    how, mailing = request.POST.get("how", ""), request.POST.get("mailing", "")[:MAX_MAILING_CHARS]
    done = _("These mails are being sent again.") if how == again.AGAIN else _("These mails are being taken as sent.")
    run_action(request, lambda: again.settle_unknown(request.user.name, how, mailing, still(request.user)), done)
    return redirect(_in(outbox.UNKNOWN))


@requires(Permission.TRANSFER_OWNER, load=outbox.find, rule=anybody)
@require_POST
def try_one(request: HttpRequest, mail: outbox.Mail) -> HttpResponse:
    done = _("The mail is being tried again.")
    run_action(request, lambda: again.try_one(request.user.name, mail, still(request.user)), done)
    return redirect(_in(mail.state))


@requires(Permission.TRANSFER_OWNER, load=outbox.find, rule=anybody)
@require_POST
def put_aside(request: HttpRequest, mail: outbox.Mail) -> HttpResponse:
    done = _("The mail is put aside. It is not sent.")
    run_action(request, lambda: again.put_aside(request.user.name, mail, still(request.user)), done)
    return redirect(_in(mail.state))


def _in(state: str) -> str:
    return f"{reverse('mails')}?state={state}"


# --- a test mail ---


@requires(Permission.TRANSFER_OWNER)
@require_POST
def send_test_mail(request: HttpRequest) -> HttpResponse:
    """To oneself and at once; the page says what the server answered."""
    try:
        count(TRIALS, request.user.name)
        answer = send_trial(request.user.email)
    except Refusal as refusal:
        messages.error(request, str(refusal))
    except Trouble as trouble:
        words = without_address(trouble.words, request.user.email)
        messages.error(request, _("The mail server did not take the test mail: %(words)s") % {"words": words})
    else:
        words = without_address(answer, request.user.email)
        done = _("The test mail to you is on its way. The mail server said: %(words)s") % {"words": words}
        messages.success(request, done if words else _("The test mail to you is sent."))
    return redirect("mails")


# --- mails that came back ---


@public
@csrf_exempt
@require_POST
def bounced(request: HttpRequest) -> HttpResponse:
    """Reports of whoever sends our mails on, as JSON; only for who brings BOUNCES_TOKEN, and not there without one."""
    if not _brings_token(request):
        raise Http404
    try:
        said = json.loads(request.body)
    except ValueError:
        return HttpResponse(_("This is not JSON.") + "\n", status=400, content_type="text/plain")
    reports = said if isinstance(said, list) else [said]
    if len(reports) > MAX_REPORTS or not all(map(_is_report, reports)):
        return HttpResponse(_("This is not a report of a mail.") + "\n", status=422, content_type="text/plain")
    return JsonResponse({"noted": sum(map(_note, reports))})


def _brings_token(request: HttpRequest) -> bool:
    brought, wanted = request.headers.get("Authorization", ""), f"Bearer {settings.BOUNCES_TOKEN}"
    return bool(settings.BOUNCES_TOKEN) and hmac.compare_digest(brought.encode(), wanted.encode())


def _is_report(said: Any) -> bool:
    words = ("message_id", "address", "kind", "status", "detail")
    if not isinstance(said, dict) or not all(isinstance(said.get(word, ""), str) for word in words):
        return False
    return said.get("kind") in ("bounce", "complaint") and bool(said.get("message_id") or said.get("address"))


def _note(said: dict[str, str]) -> bool:
    named = said.get("message_id", "")
    number = number_in(named) if named else bounces.newest_to(said["address"])
    if number is None:
        return False
    status = said.get("status", "")
    hard = bounces.DELAYED if status.startswith("4") else bounces.BOUNCED
    kind = bounces.COMPLAINED if said["kind"] == "complaint" else hard
    return bounces.note(bounces.Report(number, kind, f"{status} {said.get('detail', '')}".strip()))

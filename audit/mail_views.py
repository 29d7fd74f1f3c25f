"""The outbox, for the owner."""

from __future__ import annotations

from functools import partial

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import anybody, requires
from accounts.rules import Permission
from mail import outbox
from mail.letters import compose
from pages.paging import listed


@requires(Permission.TRANSFER_OWNER)
@require_safe
def mails(request: HttpRequest) -> HttpResponse:
    """The outbox by state. In the local profile the owner can read what was sent: it went nowhere else."""
    state = request.GET.get("state", outbox.QUEUED)
    if state not in outbox.STATES:
        state = outbox.QUEUED
    context = {"state": state, "states": outbox.STATES, "local": not settings.PRODUCTION}
    context |= listed(request, partial(outbox.in_state, state), state=state)
    return render(request, "audit/mails.html", context)


@requires(Permission.TRANSFER_OWNER, load=outbox.find, rule=anybody)
@require_safe
def mail_text(request: HttpRequest, letter: outbox.Mail) -> HttpResponse:
    """What a mail says, with links made anew: only where mail is written to files anyway, never in production."""
    if settings.PRODUCTION:
        raise Http404
    try:
        message = compose(letter)
    except outbox.NothingToSay:
        raise Http404 from None
    return render(request, "audit/mail.html", {"subject": message.subject, "to": letter.to, "text": message.body})

"""Pages on which people who use no password prove who they are, before what cannot be undone.

Somebody who finds a browser open may be signed in at the provider, too. So a provider counts only if it asks again and
says so; otherwise the second step here does, or a link in a mail that was asked for in the same browser.
"""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from foundation.acts.tokens import read_token
from foundation.pages.forms import form_page
from foundation.pages.messages import confirm_page, inbox_page, message_page, refusals_as_messages

from . import services
from .access import public, requires
from .connectors import flows, registry
from .emails import PROOF, PROOF_SECONDS
from .visitors import local_path, redirect_to_proof, remember_proof


@requires(None)
@require_safe
def prove(request: HttpRequest) -> HttpResponse:
    mine = {each["provider"] for each in request.user.identities}
    offered = [each for each in registry.providers() if each.id in mine and registry.connector(each.id).asks_again]
    return render(request, "accounts/prove.html", {"offered": offered, "next": local_path(request) or reverse("me")})


@requires(None)
@require_POST
def mail_proof(request: HttpRequest) -> HttpResponse:
    then = local_path(request)
    with refusals_as_messages(request):
        services.ask_for_proof(request.user, request.session.item["SK"], then)
        sentence = _("We sent a mail to %(email)s. Open the link in it in this browser, within an hour.")
        return inbox_page(request, sentence % {"email": request.user.email})
    return redirect_to_proof(then)


@public
@form_page
def prove_by_link(request: HttpRequest, token: str) -> HttpResponse:
    """Without a session nobody is sent to sign in: a new one would not be the one that asked."""
    values, user = read_token(PROOF, token, PROOF_SECONDS), request.user
    is_here = bool(user.is_authenticated and values and values[0] == request.session.item["SK"] and not user.factors)
    if values and is_here and request.method == "POST" and flows.spend(token):
        remember_proof(request)
        return redirect(values[1] or "me")
    if not is_here or request.method == "POST":
        sentence = _(
            "It was already used, is older than an hour, or you asked for it in another browser. Open it in the "
            "browser in which you asked for it, or ask for a new one."
        )
        return message_page(request, _("This link no longer works"), sentence, status=410)
    return confirm_page(request, _("Please confirm that it is you"), _("Yes, it is me"))

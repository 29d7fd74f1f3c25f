"""Pages for signing in with a provider: going there, coming back, joining, linking, and sign-outs it announces."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from accounts import policy, throttle
from accounts.access import public, requires
from accounts.forms import NewcomerForm, OwnPasswordForm, own_password_form
from accounts.models import User
from accounts.second_factor import factors
from accounts.visitors import Source, local_path, redirect_to_proof, remember_proof, start_session, visitor
from foundation.acts.rate_limits import count, uncount
from foundation.acts.refusals import NameTaken, Refusal
from foundation.pages.forms import form_data, form_page, refusals_as_errors, show_form
from foundation.pages.messages import message_page

from . import flows, identities, registry
from .flows import LINK, PROVE, SIGN_IN, Flow, FlowLost
from .providers import Connector, Identity, OutOfReach, ProviderError, SignedOut, digest, identity_of

log = logging.getLogger("plenum.sign_in")


# --- there and back ---


@public
@require_safe
def start(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Send the person to their provider: to sign in, or to prove who they are."""
    connector, then = registry.connector(provider_id), local_path(request)
    if not request.user.is_authenticated:
        flow = flows.begin(provider_id, SIGN_IN, then)
    elif "prove" in request.GET:
        if not connector.asks_again:
            raise Http404
        flow = flows.begin(provider_id, PROVE, then, request.user.name)
    else:
        return redirect(then or "home")
    try:
        return _send_there(request, connector, flow)
    except OutOfReach as trouble:
        return _failed(request, connector, trouble, flow)


def _send_there(request: HttpRequest, connector: Connector, flow: Flow) -> HttpResponse:
    address = connector.start(flow.challenge(int(time.time())), flows.redirect_uri(connector.provider.id))
    if flow.purpose != LINK:
        return flows.send_there(request, flow, redirect, address)
    # browsers do not let a form of ours lead to another site, so this is a page that leads there
    context = {"address": address, "provider": connector.provider.label}
    return flows.send_there(request, flow, lambda _to: render(request, "accounts/provider_next.html", context), address)


@public
@require_safe
def finish(request: HttpRequest, provider_id: str) -> HttpResponse:
    """The person comes back. Only failures of sign-ins that began in this browser count against their address: other
    sites can make any reader's browser come here with a state they made up."""
    connector, flow = registry.connector(provider_id), None
    state = request.GET.get("state", "")
    try:
        flow, challenge = flows.take(request, provider_id, state)
        attempt = count(throttle.BY_PROVIDER, visitor(request).address)
        if any(len(values) > 1 for _name, values in request.GET.lists()):
            raise ProviderError(connector.provider, "a parameter twice")
        identity = connector.finish(challenge, flows.redirect_uri(provider_id), request.GET.dict())
        response = _finished(request, connector, flow, identity)
        uncount([attempt])
    except Refusal as refusal:
        response = _failed(request, connector, refusal, flow)
    flows.forget(response, state)
    return response


def _failed(request: HttpRequest, connector: Connector, refusal: Refusal, flow: Flow | None) -> HttpResponse:
    """Back to where it began, with what went wrong. The log has the reason, and nothing the provider sent."""
    reason = refusal.reason if isinstance(refusal, ProviderError) else type(refusal).__name__
    fields = {"provider": connector.provider.id, "outcome": reason, "request_id": getattr(request, "id", "")}
    log.warning("sign-in with a provider failed", extra=fields)
    messages.error(request, str(refusal))
    if flow and flow.purpose == PROVE:
        return redirect_to_proof(flow.then)
    if request.user.is_authenticated:
        return redirect("providers")
    return redirect_to_login(flow.then) if flow and flow.then else redirect("sign_in")


def _finished(request: HttpRequest, connector: Connector, flow: Flow, identity: Identity) -> HttpResponse:
    provider, user = connector.provider, request.user
    if flow.purpose == SIGN_IN:
        return _sign_in(request, connector, flow, identity)
    if not user.is_authenticated or user.name != flow.person:
        raise FlowLost(flows.FLOW_LOST)
    if flow.purpose == LINK:
        identities.link(user, provider, identity)
        messages.success(request, _("You can now sign in with %(provider)s.") % {"provider": provider.label})
        return redirect("providers")
    if identity.key not in [each["key"] for each in user.identities]:
        raise ProviderError(provider, "proof of another identity")
    remember_proof(request)
    return redirect(flow.then or "me")


def _sign_in(request: HttpRequest, connector: Connector, flow: Flow, identity: Identity) -> HttpResponse:
    user = identities.person_of(connector.provider, identity)
    outcome = "signed in" if user else "newcomer"
    log.info("sign-in with a provider", extra={"provider": connector.provider.id, "outcome": outcome})
    if user is not None:
        return _let_in(request, user, connector, identity, flow.then)
    identities.check_newcomer(connector.provider, identity)
    request.session.flush()
    request.session.create()
    request.session.set_expiry(flows.FLOW_SECONDS)
    held = {"provider": connector.provider.id, "identity": identity.as_item(), "then": flow.then}
    request.session["newcomer"] = {**held, "since": int(time.time())}
    return redirect("join_by_provider")


def _let_in(request: HttpRequest, user: User, connector: Connector, identity: Identity, then: str) -> HttpResponse:
    """Our second step is left out only if the provider had one."""
    strength = identity.used_second_factor, identity.proved_at
    source = Source(connector.provider.id, identity.key, identity.session_key, *strength)
    if user.factors and not source.is_strong:
        factors.hold_sign_in(request.session, user, then, source)
        return redirect("second_step")
    start_session(request, user, source)
    return redirect(then or "home")


@public
@form_page
def join(request: HttpRequest) -> HttpResponse:
    """A newcomer chooses the name others see. There is no account before that."""
    held = request.session.get("newcomer")
    if held is None or time.time() - held["since"] > flows.FLOW_SECONDS:
        messages.info(request, _("That took too long. Please sign in again."))
        return redirect("sign_in")
    connector = registry.connector(held["provider"])
    identity = identity_of(held["identity"])
    form = NewcomerForm(form_data(request), initial={"name": identity.name.replace("@", " ").strip()})
    if request.method == "POST" and form.is_valid():
        try:
            user = identities.join(connector.provider, identity, form.cleaned_data["name"])
        except NameTaken as refusal:
            form.add_error("name", str(refusal))
        except Refusal as refusal:
            return message_page(request, _("Create an account"), str(refusal), status=403)
        else:
            request.session.flush()
            messages.success(request, _("Welcome, %(name)s.") % {"name": user.name})
            return _let_in(request, user, connector, identity, held["then"])
    reasons = [each for find in policy.INVITATION_REASONS for each in find(identity.email)]
    words = {"email": identity.email, "provider": connector.provider.label}
    lead = _("You are new here. %(provider)s has confirmed your address, %(email)s.") % words
    return show_form(request, form, _("Choose your name"), _("Create account"), lead=lead, reasons=reasons)


# --- my providers ---


@requires(None)
@require_safe
def providers(request: HttpRequest) -> HttpResponse:
    linked = [{**each, "label": registry.label_of(each["provider"])} for each in request.user.identities]
    taken = {each["provider"] for each in linked}
    context = {"linked": linked, "offered": [each for each in registry.providers() if each.id not in taken]}
    return render(request, "accounts/providers.html", context)


@requires(None)
@form_page
def link(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Asks for the password first: whoever finds a browser open must not link an identity of their own."""
    connector, form = registry.connector(provider_id), own_password_form(request, OwnPasswordForm)
    label = connector.provider.label
    if request.method == "POST" and form.is_valid():
        with refusals_as_errors(form):
            return _send_there(request, connector, flows.begin(provider_id, LINK, person=request.user.name))
    title = _("Link with %(provider)s") % {"provider": label}
    lead = _("Next, sign in to %(provider)s with the account that you want to use here.") % {"provider": label}
    return show_form(request, form, title, _("Continue"), lead=lead)


@requires(None)
@form_page
def unlink(request: HttpRequest, provider_id: str) -> HttpResponse:
    if all(each["provider"] != provider_id for each in request.user.identities):
        raise Http404
    form, label = own_password_form(request, OwnPasswordForm), registry.label_of(provider_id)
    if request.method == "POST" and form.is_valid():
        with refusals_as_errors(form):
            identities.unlink(request.user, provider_id, label, request.session.item["SK"])
            messages.success(request, _("You can no longer sign in with %(provider)s.") % {"provider": label})
            return redirect("providers")
    title = _("Unlink %(provider)s") % {"provider": label}
    lead = _("You can then no longer sign in with it, and are signed out wherever you did.")
    return show_form(request, form, title, _("Unlink"), lead=lead, danger=True)


# --- sign-outs at the provider ---


@public
@require_safe
def signed_out(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Front channel: the provider's page loads this in a frame, without our cookies, so the session is named. Entra
    leaves out the issuer."""
    connector = registry.connector(provider_id)

    def read() -> SignedOut:
        issuer, session = request.GET.get("iss", connector.provider.issuer), request.GET.get("sid", "")
        if issuer != connector.provider.issuer or not session:
            raise ProviderError(connector.provider, "no session of this provider")
        return SignedOut(digest(issuer, session), "", "")

    return _sign_out_there(request, connector, read)


@public
@csrf_exempt
@require_POST
def logout(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Back channel: the provider's server sends a signed token, which counts once."""
    connector = registry.connector(provider_id)

    def read() -> SignedOut:
        found = connector.signed_out(request.POST.get("logout_token", ""))
        if not flows.spend(found.token_id):
            raise ProviderError(connector.provider, "logout token used before")
        return found

    return _sign_out_there(request, connector, read)


def _sign_out_there(request: HttpRequest, connector: Connector, read: Callable[[], SignedOut]) -> HttpResponse:
    """End the sessions that the message is about. There is no limit, which others behind the same address could use
    up: a message that is refused costs no more than counting it would."""
    fields: dict[str, Any] = {"provider": connector.provider.id}
    try:
        ended = identities.end_sessions(read())
    except ProviderError as refusal:
        log.warning("sign-out by a provider refused", extra={**fields, "outcome": refusal.reason})
        return HttpResponse(status=400)
    log.info("sign-out by a provider", extra={**fields, "sessions": ended})
    return HttpResponse(status=200)

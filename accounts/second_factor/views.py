"""Pages for the second step of signing in: taking it, and managing apps, passkeys and recovery codes."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import wraps

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_safe

from accounts import throttle
from accounts.access import View, demands_second_factor, public, requires
from accounts.forms import AppForm, CodeForm, OwnPasswordForm, PasskeyForm, own_password_form
from accounts.models import User
from accounts.visitors import device_label, local_path, redirect_to_proof, remember_proof, start_session, visitor
from foundation.acts.refusals import Refusal
from foundation.pages.forms import form_page, refusals_as_errors, show_form
from foundation.pages.messages import refusals_as_messages
from foundation.pages.qr import qr_svg

from . import authenticator_apps, passkeys
from . import factors as second_factors
from .factors import Factors
from .passkeys import RelyingParty, relying_party

# --- signing in ---


@public
@form_page
@sensitive_post_parameters()
def second_step(request: HttpRequest) -> HttpResponse:
    """After the password: a passkey, a code from the app, or a recovery code. Only then is the person signed in."""
    if (held := second_factors.held_sign_in(request.session)) is None:
        messages.info(request, _("That took too long. Please sign in again."))
        return redirect("sign_in")
    user, theirs = held.user, held.factors
    if (page := _ask(request, user, theirs)) is not None:
        return page
    request.session.flush()
    start_session(request, user, held.source)
    remember_proof(request)
    return redirect(held.then or "home")


@requires(None)
@form_page
@sensitive_post_parameters()
def prove_by_second_step(request: HttpRequest) -> HttpResponse:
    """In place of a password, for those who have none."""
    theirs, then = second_factors.load_factors(request.user), local_path(request) or reverse("me")
    if not theirs.kinds:
        return redirect_to_proof(then)
    if (page := _ask(request, request.user, theirs, then)) is not None:
        return page
    remember_proof(request)
    return redirect(then)


def _ask(request: HttpRequest, user: User, theirs: Factors, then: str = "") -> HttpResponse | None:
    """The page that asks for the second step, until it was right."""
    by_passkey = "passkey" in request.POST
    typed = request.POST if request.method == "POST" and not by_passkey else None
    form, refusal = CodeForm(typed, has_app=theirs.app is not None), ""
    if by_passkey or form.is_valid():
        try:
            with throttle.guess(throttle.SECOND_STEP, user.name, visitor(request), user):
                challenge = request.session.pop("challenge", "")
                if form.is_bound:
                    second_factors.use_code(user, form.cleaned_data["code"], time.time())
                else:
                    second_factors.use_passkey(user, request.POST["passkey"], challenge, relying_party(request))
        except Refusal as refused:
            refusal = str(refused)
        else:
            return None
    # With a fresh challenge each time: one that was answered or refused is spent.
    if refusal and form.is_bound:
        form.add_error("code", refusal)
    context = {"form": form, "factors": theirs, "refusal": "" if form.is_bound else refusal, "next": then}
    if theirs.passkeys and (site := relying_party(request)):
        request.session["challenge"] = challenge = passkeys.new_challenge()
        context["options"] = passkeys.request_options(challenge, site, theirs.passkeys)
    return render(request, "accounts/factor_step.html", context, status=422 if refusal or form.errors else 200)


# --- my factors ---


@requires(None)
@require_safe
def factors(request: HttpRequest) -> HttpResponse:
    context = {
        "factors": second_factors.load_factors(request.user),
        "lacking": demands_second_factor(request.user) and not request.user.factors,
    }
    return render(request, "accounts/factors.html", context)


def _added(request: HttpRequest, now: Factors, sentence: str) -> HttpResponse:
    """The first factor comes with recovery codes: few would think of them before they need one."""
    messages.success(request, sentence)
    with refusals_as_messages(request):
        return redirect("factors") if now.codes else _show_codes(request)
    return redirect("factors")


def _show_codes(request: HttpRequest) -> HttpResponse:
    codes = second_factors.make_codes(request.user)
    return render(request, "accounts/factor_codes.html", {"codes": codes})


@requires(None)
@form_page
@sensitive_post_parameters()
def make_codes(request: HttpRequest) -> HttpResponse:
    form = own_password_form(request, OwnPasswordForm)
    if request.method == "POST" and form.is_valid():
        with refusals_as_errors(form):
            return _show_codes(request)
    lead = _("Each code signs you in once, instead of the app or a passkey. Your old codes stop working.")
    return show_form(request, form, _("New recovery codes"), _("Create ten codes"), lead=lead)


# --- authenticator apps ---


@requires(None)
@form_page
@sensitive_post_parameters()
def add_app(request: HttpRequest) -> HttpResponse:
    """The secret waits in the session, encrypted, until a first code proves that the app has it."""
    user, form = request.user, own_password_form(request, AppForm)
    secret = authenticator_apps.unseal(request.session.get("new_app", ""), user.name) or authenticator_apps.new_secret()
    if request.method == "POST" and form.is_valid():
        with refusals_as_errors(form, "code"):
            now = second_factors.add_app(user, secret, form.cleaned_data["code"], time.time())
            del request.session["new_app"]
            return _added(request, now, _("Your authenticator app is set up."))
    request.session["new_app"] = authenticator_apps.seal(secret, user.name)
    address = authenticator_apps.app_address(secret, user.name, request.get_host())
    context = {"form": form, "picture": qr_svg(address), "address": address}
    context["secret"] = authenticator_apps.readable_secret(secret)
    return render(request, "accounts/factor_app.html", context, status=422 if form.errors else 200)


@requires(None)
@form_page
@sensitive_post_parameters()
def remove_app(request: HttpRequest) -> HttpResponse:
    if second_factors.load_factors(request.user).app is None:
        raise Http404
    title = _("Remove the authenticator app")
    return _remove(request, title, lambda: second_factors.remove_app(request.user))


# --- passkeys ---


def needs_domain(view: View) -> View:
    """A page about passkeys, or an explanation where the site cannot have any."""

    @wraps(view)
    def with_site(request: HttpRequest) -> HttpResponse:
        site = relying_party(request)
        return view(request, site) if site else render(request, "accounts/factor_nowhere.html")

    return with_site


@requires(None)
@form_page
@sensitive_post_parameters()
@needs_domain
def name_passkey(request: HttpRequest, site: RelyingParty) -> HttpResponse:
    """Asks for the password first, so that no authenticator creates a passkey that is then refused."""
    name = device_label(request.headers.get("User-Agent", ""))
    form = own_password_form(request, PasskeyForm, initial={"name": name})
    if request.method == "POST" and form.is_valid():
        pending = {"challenge": passkeys.new_challenge(), "since": int(time.time())}
        request.session["new_passkey"] = {"name": form.cleaned_data["name"], **pending}
        return redirect("add_passkey")
    lead = _("A passkey is stored on your phone, computer or security key, and works only on this site.")
    return show_form(request, form, _("Add a passkey"), _("Continue"), lead=lead)


@requires(None)
@form_page
@needs_domain
def add_passkey(request: HttpRequest, site: RelyingParty) -> HttpResponse:
    pending = request.session.get("new_passkey")
    if pending is None or time.time() - pending["since"] > second_factors.HALF_SIGNED_IN_SECONDS:
        return redirect("name_passkey")
    if request.method != "POST":
        known = second_factors.load_factors(request.user).passkeys
        options = passkeys.creation_options(request.user, pending["challenge"], site, known)
        return render(request, "accounts/factor_passkey.html", {"options": options, "name": pending["name"]})
    del request.session["new_passkey"]  # the challenge is spent, whatever the outcome
    with refusals_as_messages(request):
        answer = request.POST.get("passkey", "")[: passkeys.MAX_ANSWER_CHARS]
        passkey = passkeys.verify_new_passkey(answer, pending["challenge"], site, pending["name"])
        now = second_factors.add_passkey(request.user, passkey)
        return _added(request, now, _("Your passkey is set up."))
    return redirect("name_passkey")


@requires(None)
@form_page
@sensitive_post_parameters()
def remove_passkey(request: HttpRequest, short_id: str) -> HttpResponse:
    passkey = second_factors.load_factors(request.user).passkey(short_id)
    if passkey is None:
        raise Http404
    title = _("Remove the passkey %(name)s") % {"name": passkey.name}
    return _remove(request, title, lambda: second_factors.remove_passkey(request.user, short_id))


def _remove(request: HttpRequest, title: str, remove: Callable[[], object]) -> HttpResponse:
    form = own_password_form(request, OwnPasswordForm)
    if request.method == "POST" and form.is_valid():
        with refusals_as_errors(form):
            remove()
            messages.success(request, _("Removed."))
            return redirect("factors")
    return show_form(request, form, title, _("Remove"), danger=True)

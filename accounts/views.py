"""Pages about one's own account: registering, signing in and out, and everything under /me/."""

from __future__ import annotations

from functools import wraps

from django.contrib import auth, messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST, require_safe

from foundation.acts import features
from foundation.acts.rate_limits import TooOften, count, uncount
from foundation.acts.refusals import LostRace, NameTaken, Refusal, TryLater
from foundation.acts.storage import table
from foundation.pages.forms import form_data, form_page, refusals_as_errors, show_form
from foundation.pages.messages import confirm_page, inbox_page, message_page
from foundation.pages.paths import election_in
from foundation.store.parallel import run_parallel

from . import policy, repository, services, throttle
from .access import View, public, requires
from .authentication import clear_browser, end_session
from .connectors import registry
from .forms import (
    ForgottenForm,
    InvitedForm,
    NameForm,
    NewPasswordForm,
    RegisterForm,
    SignInForm,
)
from .models import User
from .policy import requires_provider
from .rules import Role
from .second_factor import factors
from .visitors import local_path, start_session, visitor


def explains_spent_links(view: View) -> View:
    """A page that a mailed link leads to. It explains why a spent link cannot be used."""

    @wraps(view)
    def opened(request: HttpRequest, **parameters: str) -> HttpResponse:
        try:
            return view(request, **parameters)
        except services.LinkSpent as refusal:
            return message_page(request, _("This link no longer works"), str(refusal), status=410)
        except TryLater as refusal:
            return message_page(request, _("Not just yet"), str(refusal), status=409)
        except policy.NoRegistration as refusal:
            return message_page(request, _("Create an account"), str(refusal), status=403)

    return opened


# --- registering ---


@public
@form_page
@sensitive_post_parameters()
@explains_spent_links
def setup(request: HttpRequest, token: str) -> HttpResponse:
    """Create the first owner, by the link the server printed at startup."""
    form = RegisterForm(form_data(request))
    try:
        services.check_setup(token)
        if request.method == "POST" and form.is_valid():
            owner = services.make_owner_by_link(token, **form.cleaned_data)
            start_session(request, owner)
            messages.success(request, _("Welcome, %(name)s. You are the owner of this site.") % {"name": owner.name})
            return redirect("home" if features.current().is_answered else "purpose")
    except NameTaken as refusal:
        form.add_error("name", str(refusal))
    except services.AddressTaken as refusal:
        form.add_error("email", str(refusal))
    lead = _("This site is new. Fill this in to become its owner; the link works once.")
    return show_form(request, form, _("Set up this site"), _("Become the owner"), lead=lead)


@public
@form_page
@sensitive_post_parameters()
def register(request: HttpRequest) -> HttpResponse:
    if (response := _registration_closed(request)) is not None:
        return response
    form = RegisterForm(form_data(request))
    if request.method == "POST" and form.is_valid():
        email = form.cleaned_data["email"]
        try:
            who = visitor(request)
            throttle.count_try(throttle.REGISTER, email, who, None)
            registered = services.register(**form.cleaned_data, network=who.address, then=local_path(request))
        except NameTaken as refusal:
            form.add_error("name", str(refusal))
        except policy.NoRegistration as refusal:
            form.add_error("email", str(refusal))
        except Refusal as refusal:
            form.add_error(None, str(refusal))
        else:
            request.session["registered"] = registered
            sentence = _("We sent a mail to %(email)s. Open the link in it to complete your account.")
            return inbox_page(request, sentence % {"email": email})
    context = {"lead": policy.explain_registration(), "part": "register", "next": local_path(request)}
    return show_form(request, form, _("Create an account"), _("Create account"), **context)


def _registration_closed(request: HttpRequest) -> HttpResponse | None:
    """The page shown while registration is closed: the site has no owner yet, or does not allow it."""
    status = 403 if request.method == "POST" else 200
    if repository.owner_name() is None:
        sentence = _(
            "The person who installed it creates the first account: with the link that the server printed "
            "when it started, or with the command create_owner."
        )
        return message_page(request, _("This site is not set up yet"), sentence, status)
    if requires_provider():
        return redirect_to_login(local_path(request) or reverse("home"))
    if not policy.allows_registration():
        return message_page(request, _("Create an account"), policy.explain_registration(), status)
    return None


@public
@form_page
@explains_spent_links
def confirm_registration(request: HttpRequest, token: str) -> HttpResponse:
    """The link proves the address. In the browser in which its password was chosen it completes the account at once
    and signs in. Elsewhere someone else may be reading the mail, a program may be following its links, or a stranger
    may have registered the address with a password of their own."""
    if requires_provider():
        return redirect_to_login(reverse("home"))
    form = NameForm(request.POST) if "name" in request.POST else None
    try:
        waiting = services.read_registration(token)
        is_here = request.session.get("registered") == waiting["PK"]
        if (request.method == "POST" or is_here) and (form is None or form.is_valid()):
            user = services.confirm_registration(token, form.cleaned_data["name"] if form else None)
            if is_here:
                del request.session["registered"]
                return _welcome(request, user, waiting.get("then") or "home")
            messages.success(request, _("Your account is complete. Please sign in with your password."))
            return redirect_to_login(then) if (then := waiting.get("then")) else redirect("sign_in")
    except NameTaken as refusal:
        form = form or NameForm({"name": ""})
        form.errors.clear()
        form.add_error("name", _name_refusal(request, refusal))
    if form is None:
        return confirm_page(request, _("Complete your account"), _("Complete account"))
    return show_form(request, form, _("Choose another name"), _("Complete account"))


def _welcome(request: HttpRequest, user: User, *target: str) -> HttpResponse:
    start_session(request, user)
    messages.success(request, _("Welcome, %(name)s.") % {"name": user.name})
    return redirect(*target)


def _name_refusal(request: HttpRequest, refusal: NameTaken) -> str:
    """Says that the name is taken; after very many tries from one address, no longer reveals which names are."""
    try:
        count(throttle.NAMES_TAKEN, visitor(request).address)
    except TooOften as too_often:
        return str(too_often)
    return str(refusal)


@public
@form_page
@sensitive_post_parameters()
@explains_spent_links
def accept_invitation(request: HttpRequest, token: str) -> HttpResponse:
    email, target = services.read_invitation(token)
    if requires_provider():
        messages.info(request, _("You are invited as %(email)s. Sign in with that address.") % {"email": email})
        return redirect_to_login(reverse(target[0], args=target[1:]) if target else reverse("home"))
    form = InvitedForm(form_data(request))
    if request.method == "POST" and form.is_valid():
        try:
            user = services.accept_invitation(token, **form.cleaned_data)
        except NameTaken as refusal:
            form.add_error("name", _name_refusal(request, refusal))
        else:
            return _welcome(request, user, *target or ["home"])
    lead = _("You were invited as %(email)s.") % {"email": email}
    reasons = [reason for find in policy.INVITATION_REASONS for reason in find(email)]
    return show_form(request, form, _("You are invited"), _("Create account"), lead=lead, reasons=reasons)


# --- signing in and out ---


@public
@form_page
@sensitive_post_parameters()
def sign_in(request: HttpRequest) -> HttpResponse:
    if request.method != "POST" and request.user.is_authenticated:
        return redirect(local_path(request) or "home")
    form = SignInForm(form_data(request))
    if request.method == "POST" and form.is_valid():
        typed = form.cleaned_data
        with refusals_as_errors(form, None, (TooOften,)):
            user = auth.authenticate(request, username=typed["name_or_email"], password=typed["password"])
            if user is not None:
                return _finish_sign_in(request, user)
            # The same whether or not it was right, so that a password that does not count cannot be guessed.
            wrong = _("Wrong name or password. Please try again.")
            if requires_provider():
                wrong = _(
                    "Please use the button above: only the owner of this site can sign in with a password. If you are "
                    "the owner, the name or the password was wrong."
                )
            form.add_error(None, wrong)
    context = {
        "part": "sign_in",
        "may_register": policy.allows_registration() and not requires_provider(),
        "next": local_path(request),
        "wanted_election": election_in(local_path(request)),
        "providers": registry.providers(),
        "emergency": _("Emergency sign-in") if requires_provider() else "",
    }
    return show_form(request, form, _("Sign in"), _("Sign in"), **context)


def _finish_sign_in(request: HttpRequest, user: User) -> HttpResponse:
    """A successful sign-in does not count as a try."""
    then = local_path(request)

    def start() -> None:
        if user.factors:
            factors.hold_sign_in(request.session, user, then=then)
        else:
            start_session(request, user)

    run_parallel(table(), start, lambda: uncount(request.tries))
    return redirect("second_step" if user.factors else then or "home")


@requires(None)
@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    """Whoever signed in with a provider is offered to sign out there, too. It is a link: browsers do not let a form of
    ours lead to another site."""
    if elsewhere := end_session(request):
        response = render(request, "accounts/signed_out.html", elsewhere)
    else:
        messages.success(request, _("You are signed out."))
        response = redirect("home")
    clear_browser(request, response)
    return response


@requires(None)
@require_safe
def waiting(request: HttpRequest) -> HttpResponse:
    """For people who have no access yet."""
    if request.user.role != Role.NO_ACCESS:
        return redirect("home")
    sentence = _("Your account is ready, but an admin has to approve it first. Check back later.")
    return message_page(request, _("Waiting for approval"), sentence)


# --- passwords ---


@public
@form_page
def forgotten(request: HttpRequest) -> HttpResponse:
    form = ForgottenForm(form_data(request))
    if request.method == "POST" and form.is_valid():
        typed = form.cleaned_data["name_or_email"]
        with refusals_as_errors(form, None, (TooOften,)):
            services.ask_for_reset(typed, visitor(request))
            sentence = _(
                "If this account exists, a mail with a link is on its way. The link works for one hour. "
                "If one was sent in the last ten minutes, use that one: it still works."
            )
            return inbox_page(request, f"{services.BY_PROVIDER} {sentence}" if requires_provider() else sentence)
    context = {}
    if requires_provider():
        emergency = _("I am the owner")
        context = {"lead": services.BY_PROVIDER, "providers": registry.providers(), "emergency": emergency}
    return show_form(request, form, _("Forgotten password"), _("Send a link"), **context)


@public
@require_safe
def find_change_password(request: HttpRequest) -> HttpResponse:
    """At the address where password managers look for the page (W3C, A Well-Known URL for Changing Passwords)."""
    return redirect("change_password")


@public
@form_page
@sensitive_post_parameters()
def reset(request: HttpRequest, name: str, token: str) -> HttpResponse:
    try:
        user = services.reset_link_holder(name, token)
        form = NewPasswordForm(form_data(request), user=user)
        if request.method == "POST" and form.is_valid():
            services.reset_password(name, token, form.cleaned_data["password"])
            messages.success(request, _("Your new password is set. Please sign in with it."))
            return redirect("sign_in")
    except (services.LinkSpent, LostRace) as refusal:
        return message_page(request, _("This link no longer works"), str(refusal), status=410)
    lead = _(
        "Ballots you have cast still count, and you can replace them, but they will no longer be "
        "shown, not even to you."
    )
    return show_form(request, form, _("Choose a new password"), _("Set password"), lead=lead)

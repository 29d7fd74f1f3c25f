"""Pages about one's own account: profile, password, address, sessions, tokens, data, and proof of who it is."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.conf import settings
from django.contrib import auth, messages
from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST, require_safe

from foundation.acts.rate_limits import TooOften, count
from foundation.acts.tokens import read_token
from foundation.pages.forms import form_data, form_page, refusals_as_errors, show_form
from foundation.pages.messages import confirm_page, inbox_page, message_page, refusals_as_messages, run_action
from foundation.photos.changing import picture_page

from . import api_tokens, services, throttle
from .access import public, requires
from .authentication import end_session
from .connectors import flows, registry
from .emails import PROOF, PROOF_SECONDS
from .forms import ChangeEmailForm, ChangePasswordForm, OwnPasswordForm, ProfileForm, TokenForm, own_password_form
from .models import User
from .personal_data import export_personal_data
from .rules import Permission
from .sessions import sessions_of
from .views import explains_spent_links, sign_out
from .visitors import local_path, redirect_to_proof, remember_proof


@requires(Permission.USE_APPLICATION)
@require_POST
def ask_admin(request: HttpRequest) -> HttpResponse:
    """Ask to be confirmed as an organiser; leads back to where the button was."""
    services.ask_for_confirmation(request.user)
    return redirect(local_path(request) or "me")


@requires(None)
@form_page
@sensitive_post_parameters()
def change_password(request: HttpRequest) -> HttpResponse:
    form = own_password_form(request, ChangePasswordForm)
    if request.method == "POST" and form.is_valid():
        with refusals_as_errors(form):
            user = services.change_password(request.user, form.cleaned_data["password"])
            auth.update_session_auth_hash(request, user)
            request.signed_in_now = user
            messages.success(request, _("Your password is changed. You are signed out everywhere else."))
            return redirect("me")
    return show_form(request, form, _("Change password"), _("Change password"))


@requires(None)
@form_page
def me(request: HttpRequest) -> HttpResponse:
    user = request.user
    form = ProfileForm(form_data(request), initial={"display_name": user.display_name, "about": user.about})
    if request.method == "POST" and form.is_valid():
        services.change_profile(user, **form.cleaned_data)
        messages.success(request, _("Your profile is saved."))
        return redirect("me")
    status = 422 if form.errors else 200
    linked = [registry.label_of(each["provider"]) for each in user.identities]
    context = {"form": form, "person": user, "linked": linked, "has_providers": bool(registry.providers())}
    return render(request, "accounts/me.html", context, status=status)


@requires(Permission.VIEW_APPLICATION)
@form_page
def own_picture(request: HttpRequest) -> HttpResponse:
    user = request.user
    return picture_page(request, user.photo, partial(services.change_picture, user), reverse("me"), title=user.name)


@requires(None)
@form_page
def change_email(request: HttpRequest) -> HttpResponse:
    form = own_password_form(request, ChangeEmailForm)
    if request.method == "POST" and form.is_valid():
        with refusals_as_errors(form, None, (TooOften,)):
            count(throttle.NEW_EMAIL, request.user.name)
            services.ask_for_new_email(request.user, form.cleaned_data["email"])
            sentence = _("We sent a mail to %(email)s. Open the link in it to confirm this address.")
            return inbox_page(request, sentence % {"email": form.cleaned_data["email"]})
    lead = _("Your address is %(email)s.") % {"email": request.user.email}
    return show_form(request, form, _("Change email address"), _("Send a link"), lead=lead)


@public
@form_page
@explains_spent_links
def confirm_email(request: HttpRequest, name: str, token: str) -> HttpResponse:
    if request.method == "POST":
        user = services.confirm_email(name, token)
        messages.success(request, _("Your address is now %(email)s.") % {"email": user.email})
        return redirect("me")
    services.read_email_link(name, token)
    return confirm_page(request, _("Your new email address"), _("Confirm address"))


@requires(None)
@form_page
def sessions(request: HttpRequest) -> HttpResponse:
    """My sessions. A POST ends one of them, all others, or all."""
    current, which = request.session.item["SK"], request.POST.get("end", "")
    if request.method != "POST":
        context = {"sessions": sessions_of(request.user.name), "current": current}
        return render(request, "accounts/sessions.html", context)
    if which in ("everywhere", current):
        if which == "everywhere":
            services.sign_out_everywhere(request.user)
        return sign_out(request)
    services.end_sessions(request.user, except_for=current, only=None if which == "others" else which)
    messages.success(request, _("You are signed out there."))
    return redirect("sessions")


@requires(None)
@form_page
def leave(request: HttpRequest) -> HttpResponse:
    form = own_password_form(request, OwnPasswordForm)
    if request.method == "POST" and form.is_valid():
        with refusals_as_errors(form):
            services.remove_self(request.user)
            end_session(request)
            return message_page(request, _("Goodbye"), _("Your account has been deleted."))
    lead = _("Your account and your public ballots in open elections will be deleted permanently.")
    return show_removal(request, form, request.user, _("Delete my account"), _("Delete my account"), lead)


def show_removal(request: HttpRequest, form: Any, gone: User, title: str, button: str, lead: str) -> HttpResponse:
    """Shows beforehand what would go at once, what later, and what would stay."""
    context = {"form": form, "title": title, "button": button, "lead": lead, "person": gone}
    context |= {"passes_on": services.removal_effects(gone), "days": settings.FORGET_AFTER_DAYS}
    return render(request, "accounts/removal.html", context, status=422 if form.errors else 200)


@requires(None)
@form_page
def own_data(request: HttpRequest) -> HttpResponseBase:
    """Everything stored about me, as one file."""
    form = own_password_form(request, OwnPasswordForm)
    if request.method == "POST" and form.is_valid():
        with refusals_as_errors(form, None, (TooOften,)):
            count(throttle.OWN_DATA, request.user.name)
            return FileResponse(export_personal_data(request.user), as_attachment=True, filename="my-data.zip")
    lead = _(
        "A file with everything this site stores about you: JSON, with a text that explains it. Your ballots in secret "
        "elections are not in it: nobody can find them, not even this site. They count all the same."
    )
    return show_form(request, form, _("My data"), _("Download my data"), lead=lead)


# --- tokens for programs ---


@requires(Permission.VIEW_APPLICATION)
@require_safe
def tokens(request: HttpRequest) -> HttpResponse:
    context = {"tokens": api_tokens.tokens_of(request.user), "most": api_tokens.MAX_TOKENS}
    return render(request, "accounts/tokens.html", context)


@requires(Permission.VIEW_APPLICATION)
@form_page
@sensitive_post_parameters()
def create_token(request: HttpRequest) -> HttpResponse:
    form = own_password_form(request, TokenForm)
    if request.method == "POST" and form.is_valid():
        with refusals_as_errors(form):
            values = {name: form.cleaned_data[name] for name in ("label", "scopes", "days")}
            context = {"token": api_tokens.create(request.user, **values), "label": values["label"]}
            return render(request, "accounts/token_created.html", context)
    lead = _("A token lets a program act for you, without your password. It allows at most what you may do yourself.")
    return show_form(request, form, _("New API token"), _("Create token"), lead=lead)


@requires(Permission.VIEW_APPLICATION, load_for=api_tokens.find)
@require_POST
def revoke_token(request: HttpRequest, token: api_tokens.ApiToken) -> HttpResponse:
    """Without a password: it only takes access away, and may be urgent."""
    done = _("The token “%(name)s” is revoked.") % {"name": token.label}
    run_action(request, lambda: api_tokens.revoke(request.user, token.id), done)
    return redirect("api_tokens")


# --- proving who one is, without a password, before what cannot be undone ---
# Somebody who finds a browser open may be signed in at the provider, too. So a provider counts only if it asks again
# and says so; otherwise the second step here does, or a link in a mail that was asked for in the same browser.


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

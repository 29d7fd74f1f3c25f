"""Pages for personal API tokens: list, create, revoke."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST, require_safe

from foundation.pages.forms import form_page, refusals_as_errors, show_form
from foundation.pages.messages import run_action

from . import api_tokens
from .access import requires
from .forms import TokenForm, own_password_form
from .rules import Permission


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

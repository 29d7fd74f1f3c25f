"""The page that makes the first owner, for whoever has the link that the server printed."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters

from acts.refusals import NameTaken
from pages.forms import form_data, form_page, show_form

from . import services
from .access import public
from .forms import RegisterForm
from .models import User
from .views import by_mailed_link
from .visitors import start_session


@public
@form_page
@sensitive_post_parameters()
@by_mailed_link
def setup(request: HttpRequest, token: str) -> HttpResponse:
    form = RegisterForm(form_data(request))
    try:
        services.check_setup(token)
        if request.method == "POST" and form.is_valid():
            return _owning(request, services.make_owner_by_link(token, **form.cleaned_data))
    except NameTaken as refusal:
        form.add_error("name", str(refusal))
    except services.AddressTaken as refusal:
        form.add_error("email", str(refusal))
    lead = _("This site is new. Whoever fills this in becomes its owner, and the link is spent.")
    return show_form(request, form, _("Set up this site"), _("Become the owner"), lead=lead)


def _owning(request: HttpRequest, owner: User) -> HttpResponse:
    start_session(request, owner)
    messages.success(request, _("Welcome, %(name)s. You are the owner of this site.") % {"name": owner.name})
    return redirect("home")

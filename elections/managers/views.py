"""Pages for managers and handing over."""

from __future__ import annotations

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from elections.access import election_context, organiser_page
from elections.rules import Action, Election
from foundation.pages.fields import NameField
from foundation.pages.forms import form_data, form_page, run_form, show_form
from foundation.pages.messages import run_action

from . import services


class PersonForm(forms.Form):
    name = NameField(label=gettext_lazy("User name"))


@organiser_page(Action.CHANGE_MANAGERS)
@form_page
def managers(request: HttpRequest, election: Election) -> HttpResponse:
    form = PersonForm(form_data(request))
    if request.method == "POST" and "remove" in request.POST:
        name = request.POST["remove"]
        done = _("%(name)s no longer runs this election.") % {"name": name}
        run_action(request, lambda: services.remove_manager(request.user, election, name), done)
        return redirect("managers", name=election.name)
    act = lambda: services.add_manager(request.user, election, form.cleaned_data["name"])  # noqa: E731
    if run_form(
        request, form, act, lambda name: _("%(name)s now helps to run this election.") % {"name": name}, "name"
    ):
        return redirect("managers", name=election.name)
    status = 422 if form.errors else 200
    return render(request, "elections/managers.html", election_context(request, election, form=form), status=status)


@organiser_page(Action.HAND_OVER)
@form_page
def hand_over(request: HttpRequest, election: Election) -> HttpResponse:
    form = PersonForm(form_data(request))
    act = lambda: services.hand_over(request.user, election, form.cleaned_data["name"])  # noqa: E731
    if run_form(request, form, act, lambda name: _("%(name)s now owns this election.") % {"name": name}, "name"):
        return redirect("election", name=election.name)
    title = _("Hand over the election")
    return show_form(request, form, title, title, **election_context(request, election))

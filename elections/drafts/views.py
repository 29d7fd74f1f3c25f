"""Pages on which a draft gets its settings, its description and its name, or is made as a copy."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from elections import actions
from elections import repository as elections
from elections.access import election_context, organiser_page
from elections.rules import Action, Election
from foundation.pages import markdown_cache
from foundation.pages.forms import form_data, form_page, run_form, show_form
from foundation.pages.messages import show_time_notes
from foundation.pages.paths import path_of

from . import copying
from . import services as drafts
from .forms import DescriptionForm, NameForm, SettingsForm
from .setup_forms import QuestionForm


@organiser_page(Action.RENAME)
@form_page
def rename(request: HttpRequest, election: Election) -> HttpResponse:
    return _name_page(request, election, drafts.rename, _("Rename"), election.name)


@organiser_page(Action.COPY)
@form_page
def copy(request: HttpRequest, election: Election) -> HttpResponse:
    suggestion = _("Copy of %(name)s") % {"name": election.name}

    def message(copied: Election) -> str:
        behind = {"count": election.voter_count - copied.voter_count}
        sentence = _("Done. Not copied to the roll, because their accounts no longer exist: %(count)d.") % behind
        return sentence if behind["count"] > 0 and not copied.filling else _("Done.")

    return _name_page(request, election, copying.copy, _("Copy"), suggestion[:200], message)


def _name_page(
    request: HttpRequest,
    election: Election,
    act: Callable[..., Election],
    title: str,
    suggestion: str,
    message: Callable[[Election], str] = lambda done: _("Done."),
) -> HttpResponse:
    form = NameForm(form_data(request), initial={"name": suggestion})
    if run_form(request, form, lambda: act(request.user, election, form.cleaned_data["name"]), message, "name"):
        return redirect("dashboard", name=form.cleaned_data["name"])
    return show_form(request, form, title, title, **election_context(request, election))


@organiser_page(Action.SET_UP)
@form_page
def settings(request: HttpRequest, election: Election) -> HttpResponse:
    if election.number > 1:
        return _settings_of_question(request, election)
    text = elections.description_of(election.name).description
    initial = SettingsForm.initial_of(election, text)
    groups = election.voter_groups or None
    form = SettingsForm(form_data(request), initial=initial, groups=groups, title=election.title)
    act = lambda: actions.change(request.user, election, Action.SET_UP, **form.values())  # noqa: E731
    if run_form(request, form, act, _("The settings are saved.")):
        show_time_notes(request, form)
        return redirect(path_of("dashboard", election.name))
    context = election_context(request, election, form=form, title=_("Settings"), button=_("Save settings"))
    return render(request, "elections/settings.html", context, status=422 if form.errors else 200)


def _settings_of_question(request: HttpRequest, question: Election) -> HttpResponse:
    form = QuestionForm(form_data(request), election=question)
    act = lambda: actions.change(request.user, question, Action.SET_UP, **form.values())  # noqa: E731
    if run_form(request, form, act, _("The settings are saved.")):
        return redirect(path_of("dashboard", question.name))
    context = election_context(request, question, form=form, title=_("Settings"), button=_("Save settings"))
    return render(request, "elections/question.html", context, status=422 if form.errors else 200)


@organiser_page(Action.DESCRIBE)
@form_page
def describe(request: HttpRequest, election: Election) -> HttpResponse:
    text = elections.description_of(election.name).description
    form = DescriptionForm(form_data(request), initial={"description": text})
    act = lambda: actions.change(request.user, election, Action.DESCRIBE, **form.cleaned_data)  # noqa: E731
    context = election_context(request, election, previews=True)
    if "preview" in request.POST and form.is_valid():
        context["preview"] = markdown_cache.preview(form.cleaned_data["description"])
    elif run_form(request, form, act, _("The description is saved.")):
        return redirect("dashboard", name=election.name)
    return show_form(request, form, _("Description"), _("Save"), **context)

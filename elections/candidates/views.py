"""Pages for candidates: list, statement and link, picture."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from django import forms
from django.core.validators import URLValidator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from elections import repository
from elections.access import election_context, organiser_page, organiser_page_with
from elections.roll import list_summary
from elections.roll.views import ON_PATH
from elections.rules import MAX_QUESTIONS, Action, Election
from foundation.pages import lists, markdown_cache
from foundation.pages.fields import LinesField, markdown_field, new_names, valid_rows
from foundation.pages.forms import form_data, form_page, run_form, show_form
from foundation.pages.messages import run_action
from foundation.photos.changing import PictureChange, picture_page
from foundation.ranking.candidates import Candidate

from . import services


class CandidatesForm(forms.Form):
    names = LinesField(
        label=gettext_lazy("Add candidates, one per line"),
        max_length=200_000,
        rows=5,
        help_text=gettext_lazy(
            "Up to 500 candidates. Their names may have up to 40,000 Latin letters in total; letters of "
            "other scripts and emoji count as two to four."
        ),
    )

    def clean_names(self) -> list[str]:
        if not self.cleaned_data["names"].strip():
            return []  # where none are needed
        rows = valid_rows(lists.read_candidates, self.cleaned_data["names"])
        self.skipped = list_summary.skipped_of(rows)
        return new_names(rows)


class CandidateForm(forms.Form):
    statement = markdown_field(
        gettext_lazy("Statement"),
        8,
        gettext_lazy(
            "You may use Markdown: *emphasis*, lists, links. All statements together may have about a "
            "million Latin letters."
        ),
    )
    link = forms.CharField(label=gettext_lazy("Link"), required=False, max_length=500, widget=forms.URLInput)

    def clean_link(self) -> str:
        link = str(self.cleaned_data["link"]).strip()
        if link:
            URLValidator(schemes=["http", "https"])(link)
        return link


@organiser_page(Action.LOOK)
@form_page
def candidates(request: HttpRequest, election: Election) -> HttpResponse:
    """All candidates, and a box to paste more into: one a line."""
    form = CandidatesForm(form_data(request))

    def add() -> list[str]:
        new = [Candidate(name) for name in form.cleaned_data["names"]]
        return services.add_candidates(request.user, election, new)

    if run_form(request, form, add, partial(added_message, form)):
        return redirect("candidates", *election.address)
    found = repository.candidates_by_name(*election.address)
    context = election_context(request, election, form=form, candidates=found)
    context["may_ask"] = "SET_UP" in context["offered"] and len(election.questions) < MAX_QUESTIONS
    return render(request, "elections/candidates.html", context, status=422 if form.errors else 200)


def added_message(form: Any, added: list[str]) -> str:
    there = len(form.cleaned_data["names"]) - len(added)
    return list_summary.summary(len(added), replace(form.skipped, there=there), list_summary.CANDIDATES)


change_candidate = organiser_page_with(Action.CHANGE_CANDIDATES, repository.find_candidate)


@change_candidate
@form_page
def candidate(request: HttpRequest, found: tuple[Election, Candidate]) -> HttpResponse:
    election, candidate = found
    form = CandidateForm(form_data(request), initial={"statement": candidate.statement, "link": candidate.link})

    def act() -> None:
        services.edit_candidate(request.user, election, Candidate(candidate.name, **form.cleaned_data))

    context = election_context(request, election, previews=True)
    if "preview" in request.POST and form.is_valid():
        context["preview"] = markdown_cache.preview(form.cleaned_data["statement"])
    elif run_form(request, form, act, _("Saved.")):
        return redirect("candidates", *election.address)
    return show_form(request, form, candidate.name, _("Save"), **context)


@change_candidate
@form_page
def candidate_picture(request: HttpRequest, found: tuple[Election, Candidate]) -> HttpResponse:
    election, candidate = found

    def act(wanted: PictureChange) -> None:
        services.change_picture(request.user, election, candidate.name, wanted)

    to = reverse("candidates", args=election.address)
    if ON_PATH in request.GET:
        to = reverse("election_step", args=[election.name, "candidates"])
    context = election_context(request, election, title=candidate.name)
    return picture_page(request, candidate.photo, act, to, alt=candidate.name, **context)


@change_candidate
@require_POST
def remove_candidate(request: HttpRequest, found: tuple[Election, Candidate]) -> HttpResponse:
    election, candidate = found
    done = _("%(name)s is no longer a candidate.") % {"name": candidate.name}
    run_action(request, lambda: services.remove_candidates(request.user, election, candidate.name), done)
    return redirect("candidates", *election.address)

"""Candidates: adding, editing and removing them, their pictures, and the pages for that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
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

from accounts.models import User
from foundation.acts.refusals import LostRace
from foundation.acts.retry import retry_lost_race
from foundation.pages import lists, markdown
from foundation.pages.fields import LinesField, markdown_field, new_names, valid_rows
from foundation.pages.forms import form_data, form_page, run_form, show_form
from foundation.pages.messages import run_action
from foundation.photos import photos
from foundation.photos.changing import PictureChange, picture_page
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.limits import check_value
from foundation.store.splitting import TRANSACTION_WRITES, in_parts

from . import repository, rules
from .access import election_context, organiser_page, organiser_page_with
from .actions import check, record
from .roll import list_summary
from .roll.views import ON_PATH
from .rules import MAX_QUESTIONS, Action, Election


def add_candidates(actor: User, election: Election, new: Sequence[Candidate]) -> list[str]:
    """Add those that are new; returns their names. Too many are refused before any is added."""
    batches = list(
        in_parts(new, lambda each: check_value(repository.storable(asdict(each))), max_count=TRANSACTION_WRITES)
    )
    if len(batches) > 1:
        _numbered(election, new)
    return [name for batch in batches for name in retry_lost_race(partial(_add_batch, actor, election, batch))]


def _add_batch(actor: User, election: Election, new: Sequence[Candidate]) -> list[str]:
    election = as_now(election)
    check(actor, election, Action.ADD_CANDIDATES)
    batch = _numbered(election, new)
    if batch:
        writes = [repository.new_candidate(election.name, each, election.number) for each in batch]
        data = {"candidates": [repository.storable(asdict(each)) for each in batch]}
        record(actor, "CandidatesAdded", election, data, *writes, repository.touched(election, candidates=True))
    return [each.name for each in batch]


def as_now(election: Election) -> Election:
    """The question as it is by now."""
    now = repository.find(election.name)
    if now is None or not now.has_question(election.number):
        raise LostRace
    return now.at(election.number)


def _numbered(election: Election, new: Sequence[Candidate]) -> list[Candidate]:
    """The candidates that are new, each with an unused number."""
    there = repository.candidates(election.name, election.number)
    counts = repository.candidate_counts(election) if election.more and new else {}
    names = {keys.fold(each.name) for each in there}
    wanted = [each for each in new if keys.fold(each.name) not in names]
    others = sum(number for question, number in counts.items() if question != election.number)
    rules.check_names([each.name for each in (*there, *wanted)], others)
    first = max((each.number for each in there), default=-1) + 1
    return [replace(each, number=number) for number, each in enumerate(wanted, first)]


def edit_candidate(actor: User, election: Election, candidate: Candidate) -> None:
    """All statements together are bounded, so it depends on the version: of two concurrent edits, one retries."""
    retry_lost_race(lambda: _edit_candidate(actor, as_now(election), candidate))


def _edit_candidate(actor: User, election: Election, candidate: Candidate) -> None:
    check(actor, election, Action.CHANGE_CANDIDATES)
    there = {each.name: each for each in repository.candidates(election.name, election.number)}
    before = there.pop(candidate.name, None)
    if before is None:
        raise LostRace
    if (before.statement, before.link) == (candidate.statement, candidate.link):
        return
    rules.check_statements(candidate.length, before.length, sum(each.length for each in there.values()))
    data = {"candidate_name": candidate.name, "statement": candidate.statement, "link": candidate.link}
    change_ = repository.changing_candidate(election.name, before, candidate, election.number)
    record(actor, "CandidateEdited", election, data, change_, repository.touched(election, candidates=True))


def remove_candidates(actor: User, election: Election, *names: str) -> None:
    """In one transaction, so only a few at once."""
    check(actor, election, Action.CHANGE_CANDIDATES)
    removed = [write for name in names for write in repository.removing_candidate(election.name, name, election.number)]
    record(actor, "CandidatesRemoved", election, {"candidates": list(names)}, *removed, repository.touched(election))


# --- their pictures ---


def change_picture(actor: User, election: Election, name: str, wanted: PictureChange) -> None:
    """Change the picture or its description, or remove it. Of two concurrent changes, the second wins."""

    def change() -> None:
        now = as_now(election)
        check(actor, now, Action.CHANGE_CANDIDATES)
        _change_picture(actor, now, name, wanted)

    retry_lost_race(change)


def _change_picture(actor: User, election: Election, name: str, wanted: PictureChange) -> None:
    candidate = repository.find_candidate(election.name, name, election.number)
    if candidate is None:
        raise LostRace
    before, after = candidate.photo, wanted.instead_of(candidate.photo)
    if before == after:
        return
    change = repository.picturing_candidate(election.name, candidate, after, election.number)
    data = {"candidate_name": candidate.name, **photos.event_data(after)}
    writes = (change, *wanted.writes(before), repository.touched(election))
    record(actor, "CandidatePictured", election, data, *writes)


def copy_pictures(actor: User, election: Election, source: Sequence[Candidate]) -> None:
    """A copy has its candidates' pictures as its own: those of the source go with the source."""
    there = repository.candidates(election.name, election.number)
    without = {keys.fold(each.name) for each in there if each.photo is None}
    for each in source:
        if each.photo and keys.fold(each.name) in without and (new := photos.copy(each.photo)):
            retry_lost_race(partial(_change_picture, actor, as_now(election), each.name, PictureChange(new)))


# --- pages ---


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
        return add_candidates(request.user, election, new)

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
        edit_candidate(request.user, election, Candidate(candidate.name, **form.cleaned_data))

    context = election_context(request, election, previews=True)
    if "preview" in request.POST and form.is_valid():
        context["preview"] = markdown.preview(form.cleaned_data["statement"])
    elif run_form(request, form, act, _("Saved.")):
        return redirect("candidates", *election.address)
    return show_form(request, form, candidate.name, _("Save"), **context)


@change_candidate
@form_page
def candidate_picture(request: HttpRequest, found: tuple[Election, Candidate]) -> HttpResponse:
    election, candidate = found

    def act(wanted: PictureChange) -> None:
        change_picture(request.user, election, candidate.name, wanted)

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
    run_action(request, lambda: remove_candidates(request.user, election, candidate.name), done)
    return redirect("candidates", *election.address)

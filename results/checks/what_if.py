"""Page that recounts without some candidates or voters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ballots import repository as ballots
from elections.repository import candidates_of
from foundation.acts.refusals import Refusal
from foundation.pages.fields import LinesField
from foundation.pages.sorting import natural_sort_key
from foundation.store.keys import fold
from foundation.tally.ballots import Ballots
from foundation.tally.count_job import CountJob
from results import bounded_counting, repository
from results.outcomes import outcome_of
from results.report import build_report, settings_of
from results.repository import Sealed
from results.views import context_of_report

from .access import MAX_BALLOTS_READ, MAX_BALLOTS_RECOUNTED, page, ranked_view, refused_page

MAX_VOTERS_LEFT_OUT = 50  # whose ballots are left out at once


class WhatIfForm(forms.Form):
    without = forms.TypedMultipleChoiceField(
        label=gettext_lazy("Leave out candidates"), required=False, coerce=int, widget=forms.CheckboxSelectMultiple
    )
    voters = LinesField(
        label=gettext_lazy("Leave out voters"),
        help_text=gettext_lazy("One name per line."),
        required=False,
        max_length=4000,
        rows=3,
    )

    def __init__(self, found: Sealed, data: Any):
        super().__init__(data or None)
        self.fields["without"].choices = sorted(
            enumerate(found.seal.candidates), key=lambda each: natural_sort_key(each[1])
        )
        if found.election.secret_ballot or found.seal.ballots > MAX_BALLOTS_READ:
            del self.fields["voters"]  # it is unknown whose ballot is whose, or takes too long to find out

    def clean_without(self) -> list[int]:
        without = self.cleaned_data["without"]
        if len(without) == len(self.fields["without"].choices):
            raise forms.ValidationError(_("Keep at least one candidate."))
        return without

    def clean_voters(self) -> list[str]:
        names = list(
            {fold(line): line.strip() for line in self.cleaned_data["voters"].splitlines() if line.strip()}.values()
        )
        if len(names) > MAX_VOTERS_LEFT_OUT:
            raise forms.ValidationError(
                _("You can leave out at most %(count)d voters at once.") % {"count": MAX_VOTERS_LEFT_OUT}
            )
        return names

    @property
    def asks(self) -> bool:
        return self.is_bound and self.is_valid() and any(self.cleaned_data.values())


@ranked_view
def what_if(request: HttpRequest, found: Sealed) -> HttpResponse:
    form = WhatIfForm(found, request.GET)
    if not form.asks:
        return page(request, found, "what_if", wrong=bool(form.errors), form=form)
    without = [found.seal.candidates[number] for number in form.cleaned_data["without"]]
    voters = form.cleaned_data.get("voters", [])
    counted, strangers = _counted(found, voters)
    if strangers:
        form.add_error("voters", _("These people have not voted: %(names)s.") % {"names": ", ".join(strangers)})
        return page(request, found, "what_if", wrong=True, form=form)
    if counted is None:
        return page(request, found, "what_if", wrong=True, form=form, too_large=True)
    try:
        done = bounded_counting.run_job(job_of(found, counted.without(without)), request)
    except Refusal as refusal:
        return refused_page(request, found, "what_if", refusal, form=form)
    supposed = Sealed(found.election, found.seal, build_report(done))
    context = context_of_report(supposed) | {
        "without": without,
        "voters": voters,
        "real": outcome_of(found.report.result),
        "ballots": found.seal.ballots - len(voters),
    }
    return page(request, supposed, "what_if", form=form, **context)


def _counted(found: Sealed, voters: list[str]) -> tuple[Ballots | None, list[str]]:
    """The ballots without those of these voters, and the names that did not vote; no ballots if there are too many."""
    election = found.election
    if found.seal.ballots > MAX_BALLOTS_RECOUNTED:
        return None, []
    if not voters:
        return repository.counted(election, found.seal.candidates), []
    names = {each.number: each.name for each in candidates_of(election)}
    gone, met = {fold(voter) for voter in voters}, set()

    def remaining() -> Iterator[tuple[str, int | None]]:
        for ballot in ballots.every_published(election.name, election.number):
            if (voter := fold(ballot["voter_name"])) in gone:
                met.add(voter)
            else:
                yield ballot["rankings"], ballot.get("weight")

    numbered = tuple(names.get(number, f"#{number}") for number in range(max(names) + 1))
    every = Ballots(numbered, ballots.votes_of(Counter(remaining())))
    return every.in_order(found.seal.candidates), [voter for voter in voters if fold(voter) not in met]


def job_of(found: Sealed, supposed: Ballots) -> CountJob:
    """By the rules of the election; lots are drawn from the same seed."""
    return CountJob(supposed, found.election.method, settings_of(found.election, found.seal.seed))

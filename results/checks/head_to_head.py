"""Page that compares two candidates on all ballots."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ballots import repository as ballots
from elections.repository import candidates_of
from foundation.acts.caches import SizedCache
from foundation.acts.refusals import Refusal
from foundation.pages.sorting import natural_sort_key
from foundation.ranking.marks import ranks_of
from foundation.tally.count_job import PairwiseJob
from foundation.tally.pairwise import PairwiseSummary
from results import bounded_counting, repository
from results.repository import Sealed

from .access import MAX_BALLOTS_READ, MAX_BALLOTS_RECOUNTED, PAGE_ROWS, is_number, page, ranked_view, refused_page


def summary_of(request: HttpRequest, found: Sealed) -> PairwiseSummary:
    """Of a sealed election, by its digest: counted once, and then every two are compared at once."""
    name, seal = found.election.name, found.seal

    def count() -> PairwiseSummary:
        return bounded_counting.run_job(PairwiseJob(repository.counted(found.election, seal.candidates)), request)

    return summaries.get((name, seal.digest), count)


summaries = SizedCache[PairwiseSummary](80_000_000, lambda summary: summary.weight)


class PairForm(forms.Form):
    one = forms.TypedChoiceField(label=gettext_lazy("First candidate"), coerce=int)
    other = forms.TypedChoiceField(label=gettext_lazy("Second candidate"), coerce=int)

    def __init__(self, candidates: tuple[str, ...], data: Any):
        super().__init__(data or None, initial={"one": 0, "other": min(1, len(candidates) - 1)})
        for field in self.fields.values():
            field.choices = sorted(enumerate(candidates), key=lambda each: natural_sort_key(each[1]))

    def clean(self) -> dict[str, Any]:
        one, other = (self.cleaned_data.get(name) for name in ("one", "other"))
        if one is not None and one == other:
            self.add_error("other", _("Choose two different candidates."))
        return self.cleaned_data


@ranked_view
def head_to_head(request: HttpRequest, found: Sealed) -> HttpResponse:
    candidates = found.seal.candidates
    form = PairForm(candidates, request.GET)
    if not form.is_bound or not form.is_valid():
        return page(request, found, "head_to_head", wrong=bool(form.errors), form=form)
    one, other = form.cleaned_data["one"], form.cleaned_data["other"]
    if found.seal.ballots > MAX_BALLOTS_RECOUNTED:
        return page(request, found, "head_to_head", wrong=True, form=form, too_large=True)
    try:
        summary = summary_of(request, found)
    except Refusal as refusal:
        return refused_page(request, found, "head_to_head", refusal, form=form)
    numbers = opinions(summary, one, other, found.election.unranked)
    names = candidates[one], candidates[other]
    rows = [(key, _opinion_text(key, *names), votes) for key, votes in numbers.items()]
    people = {} if found.election.secret_ballot else _people(request, found, names)
    return page(
        request, found, "head_to_head", form=form, rows=rows, one=names[0], other=names[1], numbers=numbers, **people
    )


OPINIONS = ("above", "below", "equal", "half", "neither")


def opinions(summary: PairwiseSummary, one: int, other: int, unranked: str) -> dict[str, int]:
    """How many ballots hold each opinion of these two; every ballot is counted once."""
    above, below, equal = summary.above[one][other], summary.above[other][one], summary.equal[one][other]
    both = above + below + equal
    only_one, only_other = summary.ranked[one] - both, summary.ranked[other] - both
    neither = summary.total - both - only_one - only_other
    if unranked == "no-opinion":
        return {"above": above, "below": below, "equal": equal, "half": only_one + only_other, "neither": neither}
    return {"above": above + only_one, "below": below + only_other, "equal": equal, "neither": neither}


def opinion(ranking: str, one: int, other: int, unranked: str) -> str:
    """One ballot's opinion of these two."""
    ranks = ranks_of(ranking)
    first, second = ranks.get(one), ranks.get(other)
    if first is None and second is None:
        return "neither"
    if first is not None and second is not None:
        return "equal" if first == second else "above" if first < second else "below"
    if unranked == "no-opinion":
        return "half"
    return "above" if second is None else "below"


def _opinion_text(key: str, one: str, other: str) -> str:
    sentences = {
        "above": _("%(one)s above %(other)s"),
        "below": _("%(other)s above %(one)s"),
        "equal": _("both equally"),
        "half": _("only one of them, which counts as no opinion"),
        "neither": _("neither of them"),
    }
    return sentences[key] % {"one": one, "other": other}


def _people(request: HttpRequest, found: Sealed, names: tuple[str, str]) -> dict[str, Any]:
    """Who ranked them this way, in a public election; by name, a page at a time."""
    if found.seal.ballots > MAX_BALLOTS_READ:
        return {"too_many": MAX_BALLOTS_READ}
    chosen, start = request.GET.get("said", "above"), request.GET.get("from", "0")
    if chosen not in OPINIONS or not is_number(start):
        raise Http404
    numbers = {each.name: each.number for each in candidates_of(found.election)}
    one, other = (numbers[name] for name in names)
    everybody = ballots.every_published(found.election.name, found.election.number)
    who = [
        each["voter_name"]
        for each in everybody
        if opinion(each["rankings"], one, other, found.election.unranked) == chosen
    ]
    people = sorted(who, key=natural_sort_key)[int(start) : int(start) + PAGE_ROWS]
    query = request.GET.dict() | {"said": chosen, "from": int(start) + PAGE_ROWS}
    onward = f"?{urlencode(query)}" if int(start) + PAGE_ROWS < len(who) else ""
    return {"chosen": chosen, "chosen_text": _opinion_text(chosen, *names), "people": people, "onward": onward}

"""Pages for checking a result yourself: two candidates compared on all ballots, and a count without some candidates or
voters. They store nothing, and show nothing before the result is sealed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import get_conditional_response
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from accounts.access import View
from ballots import repository as ballots
from elections.access import election_context
from elections.repository import candidates_of
from foundation.acts.caches import SizedCache
from foundation.acts.refusals import Refusal
from foundation.pages.fields import LinesField
from foundation.pages.names import natural_sort_key
from foundation.ranking.marks import ranks_of
from foundation.store.keys import fold
from foundation.tally.ballots import Ballots
from foundation.tally.count_job import CountJob, PairwiseJob
from foundation.tally.pairwise import PairwiseSummary

from . import bounded_counting, repository
from .access import Reader, for_anybody
from .bounded_counting import RETRY_AFTER_SECONDS, Busy, TooExpensive
from .repository import Found, Sealed, build_report, settings_of
from .views import context_of_report, load, not_yet, of_public_results, of_results
from .wording import outcome_of, parts_of

PAGE_ROWS = 50
MAX_BALLOTS_READ = 20_000  # ballots of a public election that are read for one page
# largest election that is recounted without some voters, or for two of its candidates
MAX_BALLOTS_RECOUNTED = 500_000

SealedView = Callable[[HttpRequest, Sealed], HttpResponse]


def _when_sealed(view: SealedView) -> View:
    @wraps(view)
    def sealed_only(request: HttpRequest, found: Found) -> HttpResponse:
        return view(request, found) if isinstance(found, Sealed) else not_yet(request, found)

    return require_safe(sealed_only)


def sealed_view(view: SealedView) -> View:
    """A page about a sealed result; until then, the page that says there is none yet."""
    return of_results(_when_sealed(view))


def public_sealed_view(view: SealedView) -> View:
    """Like `sealed_view`, but also for the public where the result is shared."""
    return of_public_results(_when_sealed(view))


def ranked_view(view: SealedView) -> View:
    """Like `sealed_view`, for results in which candidates are compared: other kinds of ballot have no such page."""

    @wraps(view)
    def ranked_only(request: HttpRequest, found: Sealed) -> HttpResponse:
        if not parts_of(found.report.result).comparisons:
            raise Http404
        return view(request, found)

    return sealed_view(ranked_only)


def load_sealed(reader: Reader, name: str, sealed: str, question: int = 1) -> Found | None:
    """The election, unless the stamp is of another seal."""
    found = load(reader, name, question)
    is_another = isinstance(found, Sealed) and found.seal.stamp != sealed
    return None if is_another else found


def immutable_view(view: SealedView) -> View:
    """A file of a sealed result: its address has the stamp in it, so a browser that has it need not ask again."""

    @wraps(view)
    def cached(request: HttpRequest, found: Sealed) -> HttpResponse:
        etag = f'"{found.seal.stamp}"'
        answer = get_conditional_response(request, etag=etag) or view(request, found)
        if answer.status_code in (200, 304):
            answer["ETag"], answer["Cache-Control"] = etag, "private, max-age=31536000, immutable"
        return answer

    return for_anybody(load_for=load_sealed)(_when_sealed(cached))


def page(request: HttpRequest, found: Sealed, name: str, *, wrong: bool = False, **context: Any) -> HttpResponse:
    """Invalid input is answered with 422, so that clients can detect it."""
    context |= {"result": found.report.result, "seal": found.seal}
    shown = election_context(request, found.election, **context)
    return render(request, f"results/checks/{name}.html", shown, status=422 if wrong else 200)


def refused_page(request: HttpRequest, found: Sealed, name: str, refusal: Refusal, **context: Any) -> HttpResponse:
    """The requested page, with a sentence instead of the numbers."""
    too_dear = isinstance(refusal, TooExpensive)
    answer = page(request, found, name, wrong=True, problem=str(refusal), too_large=too_dear, **context)
    if isinstance(refusal, Busy):
        answer.status_code, answer["Retry-After"] = 503, str(RETRY_AFTER_SECONDS)
    return answer


def is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 7


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
    counted, strangers = _counted_without(found, voters)
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


def _counted_without(found: Sealed, voters: list[str]) -> tuple[Ballots | None, list[str]]:
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

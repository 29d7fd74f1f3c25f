"""The sandbox: counts and explains ballots that anyone pastes or uploads, without an account and without storing"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from accounts.access import public
from accounts.policy import allows_registration
from accounts.visitors import throttle_key
from elections.kinds import majority_text
from elections.rules import KINDS, MAX_SEATS, METHODS, UNRANKED, Election, check_settings
from foundation.acts.rate_limits import Limit, count
from foundation.acts.refusals import Refusal
from foundation.pages.fields import LinesField
from foundation.pages.forms import form_data, form_page
from foundation.ranking.candidates import Candidate
from foundation.ranking.marks import Choice, ranked_names, ranking_from, submitted_ranks, typed_ranks, unranked_sentence
from foundation.tally.count_job import CountJob
from foundation.tally.formats import BadFile, File, Limits, NotRecognised, read
from foundation.tally.formats.file import Text
from foundation.tally.majorities import Majority, Of
from foundation.tally.methods import KIND_OF
from foundation.tally.methods import KINDS as METHODS_OF

from . import bounded_counting, wording
from .bounded_counting import RETRY_AFTER_SECONDS, Busy, TooExpensive
from .repository import Found, build_report
from .views import context_of_report

LIMITS = Limits(bytes=1_000_000, candidates=100, name=200, rankings=10_000)
COUNTS = Limit("sandbox-address", 60, 600)
MAJORITIES = ("", *(str(Majority(share, of)) for of in (Of.CAST, Of.PRESENT) for share in ("1/2", "2/3", "3/4", "4/5")))
NO_ELECTION = Election(name="", owner_name="", created_at="")  # ballots from anywhere belong to none of ours


# --- examples to start with ---


@dataclass(frozen=True, slots=True)
class Example:
    label: Any
    ballots: str
    method: str = "schulze"
    seed: str = ""


EXAMPLES = {
    "capital": Example(
        gettext_lazy("The capital of Tennessee"),
        "# Everybody wants the capital of Tennessee to be near.\n"
        "42: Memphis > Nashville > Chattanooga > Knoxville\n"
        "26: Nashville > Chattanooga > Knoxville > Memphis\n"
        "15: Chattanooga > Knoxville > Nashville > Memphis\n"
        "17: Knoxville > Chattanooga > Nashville > Memphis\n",
    ),
    "cycle": Example(
        gettext_lazy("A cycle"),
        "# Tea beats coffee, coffee beats cocoa, and cocoa beats tea.\n"
        "9: Tea > Coffee > Cocoa\n8: Coffee > Cocoa > Tea\n6: Cocoa > Tea > Coffee\n",
        "ranked-pairs",
    ),
    "tie": Example(
        gettext_lazy("A tie"),
        "# Monday and Friday have as many; a lot decides who stays in.\n"
        "5: Monday > Wednesday\n5: Friday > Wednesday\n2: Wednesday > Monday = Friday\n",
        "irv",
        "a seed that was known before",
    ),
    "scores": Example(
        gettext_lazy("Scores from 0 to 5"),
        "# Salad has the most points, but in the runoff more people prefer pizza to it.\n"
        "6: Pizza/5, Salad/4\n5: Soup/5, Salad/4\n",
        "star",
    ),
}


# --- what is typed ---

FORMATS = {
    "plain": gettext_lazy("one ranking per line"),
    "csv": "CSV",
    "json": "JSON",
    "blt": "BLT",
    "abif": "ABIF",
    "cvotes": gettext_lazy("Condorcet vote format"),
    "preflib": "PrefLib",
}


class SandboxForm(forms.Form):
    """Ballots, pasted or as a file, and how to count them. The file may set what is left empty."""

    use_required_attribute = False  # a file will do instead

    ballots = LinesField(
        label=gettext_lazy("Ballots"),
        strip=False,
        rows=9,
        attributes={"spellcheck": "false"},
        help_text=gettext_lazy(
            "One ranking per line, such as “5: Ada > Bo = Cy” for five identical ballots, or scores, such as "
            "“5: Ada/5, Bo/3”; or the text of a CSV, JSON, BLT, ABIF, Condorcet vote or PrefLib file."
        ),
    )
    file = forms.FileField(
        label=gettext_lazy("Or a file"),
        required=False,
        max_length=200,
        help_text=gettext_lazy("Up to 1 MB; used instead of the text above."),
    )
    format = forms.ChoiceField(
        label=gettext_lazy("Format"),
        required=False,
        choices=[("", gettext_lazy("detect automatically")), *FORMATS.items()],
    )
    kind = forms.ChoiceField(
        label=gettext_lazy("Kind of ballot"),
        required=False,
        choices=[("", gettext_lazy("what the file or the method says, otherwise ranked")), *KINDS.items()],
    )
    method = forms.ChoiceField(
        label=gettext_lazy("Method"),
        required=False,
        choices=[
            ("", gettext_lazy("the usual one; for rankings Schulze, and for several seats STV (Scottish rules)")),
            *(
                (KINDS[kind], [(each, METHODS[each]) for each in of if each in METHODS])
                for kind, of in METHODS_OF.items()
            ),
        ],
    )
    majority = forms.ChoiceField(
        label=gettext_lazy("Majority that yes needs"),
        required=False,
        choices=lambda: [(each, majority_text(each) if each else _("the usual one")) for each in MAJORITIES],
    )
    seats = forms.IntegerField(
        label=gettext_lazy("Seats"),
        required=False,
        min_value=1,
        max_value=MAX_SEATS,
        help_text=gettext_lazy("If left empty: what the file says, otherwise one."),
    )
    unranked = forms.ChoiceField(
        label=gettext_lazy("A candidate left out of a ranking counts as"),
        required=False,
        choices=[("", gettext_lazy("what the file says, otherwise below all ranked candidates")), *UNRANKED.items()],
    )
    seed = forms.CharField(
        label=gettext_lazy("Seed"),
        required=False,
        max_length=200,
        help_text=gettext_lazy("Any text. If a lot has to be drawn, the same text always gives the same lot."),
    )

    def __init__(self, *arguments: Any, **options: Any):
        super().__init__(*arguments, **options)
        self.fields["ballots"].required = not self.files

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if self.errors:
            return cleaned
        file = self._read(cleaned)
        seats, kind = cleaned["seats"] or file.seats or 1, file.kind or "ranked"
        usual = "stv-scottish" if seats > 1 and kind == "ranked" else METHODS_OF[kind][0]
        method = cleaned["method"] or usual
        if KIND_OF[method] != kind:
            raise ValidationError({"method": _("This method does not count this kind of ballot.")})
        check_settings(method, seats, secret_ballot=False, results_visible="closed")
        unranked = cleaned["unranked"] or file.unranked or "below"
        return cleaned | {"read": file, "seats": seats, "method": method, "unranked": unranked}

    def _read(self, cleaned: dict[str, Any]) -> File:
        upload = cleaned["file"]
        source = upload.read(LIMITS.bytes + 1) if upload else cleaned["ballots"]
        try:
            kind = cleaned["kind"] or KIND_OF.get(cleaned["method"])
            name = upload.name if upload else ""
            file = read(source, cleaned["format"] or None, name=name, limits=LIMITS, kind=kind)
            self.text = "".join(Text(source, LIMITS).pieces())
        except NotRecognised as refusal:
            raise ValidationError({"format": str(refusal)}) from refusal
        except BadFile as refusal:
            raise ValidationError({"file" if upload else "ballots": str(refusal)}) from refusal
        return file


# --- the page ---


@public
@form_page
def sandbox(request: HttpRequest) -> HttpResponse:
    chosen = EXAMPLES.get(request.GET.get("example", ""))
    initial = {"ballots": chosen.ballots, "method": chosen.method, "seed": chosen.seed} if chosen else {}
    form = SandboxForm(form_data(request), request.FILES or None, initial=initial)
    context: dict[str, Any] = {}
    if request.method == "POST":
        try:
            count(COUNTS, throttle_key(request))
            if form.is_valid():
                context = _account(request, form)
        except Refusal as refusal:
            return _refused(request, form, refusal)
    return _page(request, form, context)


@public
@require_safe
def try_it(request: HttpRequest) -> HttpResponse:
    """The example ballot, then its count. Nothing is stored, so the ranking is part of the address."""
    ranks, problem = submitted_ranks(request.GET), ""
    try:
        if ranking := ranking_from(ranks, example_candidates()):
            count(COUNTS, throttle_key(request))
            form = SandboxForm(MultiValueDict({"ballots": [example_ballots(ranking)]}))
            form.full_clean()
            ranked, may_register = ranked_names(ranking, example_candidates()), allows_registration()
            tried = {"example": EXAMPLE_QUESTION, "ranked": ranked, "may_register": may_register}
            return _page(request, form, _account(request, form) | tried)
        problem = _("Rank at least one of the options.") if ranks else ""
    except Refusal as refusal:
        problem = str(refusal)
    context = example_context(typed_ranks(request.GET)) | {"problem": problem}
    return render(request, "results/try_it.html", context, status=422 if problem else 200)


def _refused(request: HttpRequest, form: SandboxForm, refusal: Refusal) -> HttpResponse:
    """The form as sent, including the text of an uploaded file, because browsers do not send a file again."""
    form.add_error(None, str(refusal))
    if isinstance(refusal, TooExpensive):
        form.add_error(None, _("You can count it with your own copy of Plenum: manage.py count FILE."))
    if hasattr(form, "text"):
        form.data = form.data.dict() | {"ballots": form.text}
    answer = _page(request, form, {})
    if isinstance(refusal, Busy):
        answer.status_code, answer["Retry-After"] = 503, str(RETRY_AFTER_SECONDS)
    return answer


def _page(request: HttpRequest, form: SandboxForm, context: dict[str, Any]) -> HttpResponse:
    status = 422 if form.errors else 200
    if context:  # an uploaded file becomes text on the page, to be changed, counted again and shared
        form = SandboxForm(initial=form.data.dict() | {"ballots": form.text})
    context |= {"form": form, "examples": [(key, each.label) for key, each in EXAMPLES.items()]}
    return render(request, "results/sandbox.html", context, status=status)


def _account(request: HttpRequest, form: SandboxForm) -> dict[str, Any]:
    chosen, file = form.cleaned_data, form.cleaned_data["read"]
    settings = {name: chosen[name] for name in ("seats", "unranked", "seed", "majority")}
    job = CountJob(file.ballots, chosen["method"], settings)
    report = build_report(bounded_counting.run_job(job, request))
    election = replace(NO_ELECTION, kind=file.kind or "ranked", method=chosen["method"], seats=chosen["seats"])
    withdrawn = wording.join_names(file.withdrawn)
    return context_of_report(Found(election, None, report)) | {"file": file, "withdrawn": withdrawn}


EXAMPLE_QUESTION = gettext_lazy("What shall we eat at the summer party?")
EXAMPLE_OPTIONS = (
    gettext_lazy("Pizza"),
    gettext_lazy("Curry"),
    gettext_lazy("Barbecue"),
    gettext_lazy("Sushi"),
    gettext_lazy("Salad"),
)
# Pizza and curry are level, so the visitor decides. Barbecue has the most first choices and loses to both.
EXAMPLE_BALLOTS = {"2>0>1": 11, "0>1>3>4": 4, "1>4>0>3": 7, "4>1>0>3": 5, "3>1>0>4": 3}


def example_candidates() -> list[Candidate]:
    return [Candidate(str(name), number=number) for number, name in enumerate(EXAMPLE_OPTIONS)]


def example_context(typed: Mapping[int, str] | None = None) -> dict[str, Any]:
    """Context of `results/parts/example.html`, with the ranks typed so far."""
    ranks = typed or {}
    return {
        "example": EXAMPLE_QUESTION,
        "choices": [
            Choice(each.number, each.name, "", "", ranks.get(each.number, "")) for each in example_candidates()
        ],
        "ranks": len(EXAMPLE_OPTIONS),
        "draft_key": "",
        "unranked_sentence": unranked_sentence("below", options=True),
        "other_ballots": sum(EXAMPLE_BALLOTS.values()),
    }


def example_ballots(ranking: str) -> str:
    """All ballots as the sandbox reads them; the visitor's is the last line."""
    named = example_candidates()
    lines = ((count, ranked_names(each, named)) for each, count in [*EXAMPLE_BALLOTS.items(), (ranking, 1)])
    return "".join(f"{count}: {' > '.join(map(' = '.join, groups))}\n" for count, groups in lines)

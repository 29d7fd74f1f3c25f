"""Checking a result oneself: a recount in the browser, the way of one's ballot, two candidates compared, what if.

Nothing here is stored, and nothing is told of an election that has no sealed result.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from functools import wraps
from itertools import islice
from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from accounts.access import requires
from accounts.models import User
from accounts.rules import Permission, Refusal
from ballots import repository as ballots
from ballots.repository import candidates_of
from ballots.rules import named, ranks_of
from ballots.secrecy import SYMBOLS
from elections.views import context_of
from store.keys import fold
from store.memory import Memory
from store.table import Item
from tally.ballots import Ballots
from tally.job import Comparison, Job
from tally.pairwise import Summary

from . import apart, published, repository, words
from .apart import RETRY_AFTER, Busy, TooDear
from .following import story_of
from .published import Place
from .report import report_of, settings_of
from .repository import Found, Seal
from .views import context_of_report, load, not_yet, of_results

A_PAGE = 50
MOST_LETTERS = 4  # of a code that the list of ballots is searched by
MOST_READ = 20_000  # ballots of a public election that are read for one page
MOST_COUNTED = 500_000  # ballots of an election that is recounted without somebody, or for two of its candidates
MOST_VOTERS = 50  # whose ballots are left out at once
MISREAD = str.maketrans("OIL", "011")


# --- who may see it, and when ---


def _when_sealed(view: Any) -> Any:
    @wraps(view)
    def shown(request: HttpRequest, found: Found) -> HttpResponse:
        return view(request, found) if found.report else not_yet(request, found)

    return require_safe(shown)


def of_sealed(view: Any) -> Any:
    """A page about a result; before there is one, it is the page that says so."""
    return of_results(_when_sealed(view))


def stamp(seal: Seal) -> str:
    """What tells this sealed election from any other, also from a later one of the same name and the same ballots."""
    return hashlib.sha256(f"{seal.report_digest} {seal.sealed_at}".encode()).hexdigest()


def load_sealed(user: User, name: str, sealed: str) -> Found | None:
    """The election if this is what was sealed in it."""
    found = load(user, name)
    is_another = found is not None and found.seal is not None and stamp(found.seal) != sealed
    return None if is_another else found


def never_changes(view: Any) -> Any:
    """A file of a sealed result: its address has the stamp in it, so a browser that has it need not ask again."""

    @wraps(view)
    def kept(request: HttpRequest, found: Found) -> HttpResponse:
        etag = f'"{stamp(found.seal)}"'
        answer = get_conditional_response(request, etag=etag) or view(request, found)
        if answer.status_code in (200, 304):
            answer["ETag"], answer["Cache-Control"] = etag, "private, max-age=31536000, immutable"
        return answer

    return requires(Permission.VIEW_APPLICATION, load_for=load_sealed)(_when_sealed(kept))


def page(request: HttpRequest, found: Found, name: str, *, wrong: bool = False, **context: Any) -> HttpResponse:
    """What was asked for in a wrong way answers 422, so that a client can tell."""
    context |= {"result": found.report.result, "seal": found.seal}
    shown = context_of(request, found.election, **context)
    return render(request, f"results/checks/{name}.html", shown, status=422 if wrong else 200)


# --- recount in the browser ---


@of_sealed
def recount(request: HttpRequest, found: Found) -> HttpResponse:
    methods = [(each.method, words.label(each.method), words.names(each.winners)) for each in found.report.others]
    address = reverse("recount_ballots", args=[found.election.name, stamp(found.seal)])
    return page(request, found, "recount", methods=methods, address=address)


@never_changes
def recount_ballots(request: HttpRequest, found: Found) -> HttpResponse:
    """Everything a count starts from, and what came out here, to compare."""
    report, seal = found.report, found.seal
    result = json.loads(report.result.as_json())
    counted = repository.counted(found.election.name, seal.candidates)
    said = {
        "settings": {"method": found.election.method, **settings_of(found.election, found.seed)},
        **_lots(found),
        "candidates": counted.candidates,
        "rankings": list(counted.counts.items()),
        "digest": seal.digest,
        "result": {name: value for name, value in result.items() if name not in ("reasons", "candidates", "digest")},
        "others": {each.method: {"winners": each.winners, "places": each.places} for each in report.others},
    }
    return JsonResponse(said, json_dumps_params={"ensure_ascii": False, "separators": (",", ":")})


def _lots(found: Found) -> Item:
    """How the seed came about, for elections that were committed to a secret."""
    commitment = found.election.lots_commitment
    return {"lots": {"commitment": commitment, "secret": found.seal.lots_secret}} if commitment else {}


# --- follow my ballot ---


class CodeForm(forms.Form):
    code = forms.CharField(
        label=gettext_lazy("The code begins with"),
        help_text=gettext_lazy("The first one to four characters. The rest stays with you."),
        required=False,
        max_length=200,
        widget=forms.TextInput({"maxlength": MOST_LETTERS, "autocomplete": "off", "autocapitalize": "characters"}),
    )

    def clean_code(self) -> str:
        code = self.cleaned_data["code"].upper().translate(MISREAD)
        if len(code) > MOST_LETTERS:
            raise forms.ValidationError(
                _("Only the first four characters, please: nobody but you needs to know the rest.")
            )
        if set(code) - set(SYMBOLS):
            raise forms.ValidationError(_("A code consists of digits and capital letters."))
        return code


@of_sealed
def follow(request: HttpRequest, found: Found) -> HttpResponse:
    """A script finds a ballot by its code without telling it; without scripts one leafs through the list."""
    form = CodeForm(request.GET)
    beginning = form.cleaned_data["code"] if form.is_valid() else ""
    place = published.find(found.election.name, beginning) if beginning else _place(request)
    rows, onward = _leaf(found, place, beginning)
    wrong = bool(form.errors)
    story = _story(found)
    return page(
        request, found, "follow", wrong=wrong, form=form, rows=rows, onward=onward, beginning=beginning, story=story
    )


def _place(request: HttpRequest) -> Place:
    part, row = (request.GET.get(name, "0") for name in ("part", "row"))
    if not (_is_number(part) and _is_number(row)):
        raise Http404
    return Place(int(part), int(row))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 7


def _leaf(found: Found, place: Place, beginning: str) -> tuple[list[dict[str, Any]], str]:
    """A page of ballots from this place on, and the address of the next."""
    some = list(islice(published.following(found.election.name, place), A_PAGE + 1))
    standing = candidates_of(found.election)
    rows = [
        ballot | {"ranked": named(ballot["rankings"], standing), "matches": _begins(ballot, beginning)}
        for _, ballot in some[:A_PAGE]
    ]
    if len(some) <= A_PAGE:
        return rows, ""
    after = some[A_PAGE][0]
    return rows, f"?{urlencode({'part': after.part, 'row': after.row})}"


def _begins(ballot: Item, beginning: str) -> bool:
    return bool(beginning) and ballot["confirmation"].startswith(beginning)


def _story(found: Found) -> dict[str, Any]:
    """What the script needs: how the count went, where the ballots are, and how it says things."""
    numbers = {each.name: each.number for each in candidates_of(found.election)}
    result = found.report.result
    return story_of(result) | {
        "numbers": [numbers[name] for name in result.candidates],
        "address": reverse("follow_ballots", args=[found.election.name, stamp(found.seal)]),
        "letters": published.letters_told(found.seal.ballots),
        "words": _words(),
    }


def _words() -> dict[str, str]:
    return {
        "not_a_code": _("This is not a code. A code has 16 digits and letters, such as K7QM-2XHD-94TP-WB3N."),
        "not_found": _(
            "No ballot with this code was counted. A ballot that was changed has a new code, and one that was "
            "withdrawn is not counted."
        ),
        "failed": _("The list of ballots could not be fetched. Try again."),
        "found": _("Found: the ballot with this code was counted, just as it stands here."),
        "blank": _("This ballot is blank."),
        "unranked": _("Not ranked: {names}"),
        "round": _("Round"),
        "ballot": _("Your ballot"),
        "happened": _("What happened"),
        "counts_for": _("counts for {name}"),
        "part_for": _("{part} of it counts for {name}"),
        "kept_by": _("{part} of it stays with {name}, who is elected"),
        "exhausted": _("ranks nobody who is still in, and counts no more"),
        "part_exhausted": _("{part} of it counts no more"),
        "elected": _("{name} is elected."),
        "eliminated": _("{name} is eliminated."),
        "surplus": _("What {name} has above the quota is passed on."),
        "contest": _("Contest"),
        "outcome": _("All ballots"),
        "versus": _("{one} against {other}"),
        "above": _("{one} above {other}"),
        "equal": _("both equal"),
        "silent": _("does not compare them"),
        "more": _("Only the first {count} contests are shown."),
        "candidate": _("Candidate"),
        "points": _("Points from your ballot"),
    }


@never_changes
def follow_ballots(request: HttpRequest, found: Found) -> HttpResponse:
    """All ballots whose codes begin alike; those of a small election all at once. A longer beginning is not taken."""
    beginning = request.GET.get("begins", "")
    if len(beginning) != published.letters_told(found.seal.ballots) or set(beginning) - set(SYMBOLS):
        sentence = _("This is not how many characters of a code are asked for here.")
        return JsonResponse({"problem": sentence}, status=400)
    some = published.beginning_with(found.election.name, beginning)
    return JsonResponse({"ballots": [[each["confirmation"], each["rankings"]] for each in some]})


# --- head to head ---


def summary_of(request: HttpRequest, found: Found) -> Summary:
    """Of a sealed election, by its digest: counted once, and then every two are compared at once."""
    name, seal = found.election.name, found.seal
    assert seal is not None

    def count() -> Summary:
        return apart.counted(Comparison(repository.counted(name, seal.candidates)), request)

    return summaries.get((name, seal.digest), count)


summaries = Memory[Summary](80_000_000, lambda summary: summary.weight)


class PairForm(forms.Form):
    one = forms.TypedChoiceField(label=gettext_lazy("One"), coerce=int)
    other = forms.TypedChoiceField(label=gettext_lazy("The other"), coerce=int)

    def __init__(self, candidates: tuple[str, ...], asked: Any):
        super().__init__(asked or None, initial={"one": 0, "other": min(1, len(candidates) - 1)})
        for field in self.fields.values():
            field.choices = list(enumerate(candidates))

    def clean(self) -> dict[str, Any]:
        one, other = (self.cleaned_data.get(name) for name in ("one", "other"))
        if one is not None and one == other:
            self.add_error("other", _("Choose two different candidates."))
        return self.cleaned_data


@of_sealed
def head_to_head(request: HttpRequest, found: Found) -> HttpResponse:
    candidates = found.seal.candidates
    form = PairForm(candidates, request.GET)
    if not form.is_bound or not form.is_valid():
        return page(request, found, "head_to_head", wrong=bool(form.errors), form=form)
    one, other = form.cleaned_data["one"], form.cleaned_data["other"]
    if found.seal.ballots > MOST_COUNTED:
        return page(request, found, "head_to_head", wrong=True, form=form, too_large=True)
    try:
        summary = summary_of(request, found)
    except Refusal as refusal:
        return _not_counted(request, found, "head_to_head", refusal, form=form)
    numbers = opinions(summary, one, other, found.election.unranked)
    names = candidates[one], candidates[other]
    rows = [(said, _opinion(said, *names), votes) for said, votes in numbers.items()]
    people = {} if found.election.secret_ballot else _people(request, found, names)
    return page(
        request, found, "head_to_head", form=form, rows=rows, one=names[0], other=names[1], numbers=numbers, **people
    )


OPINIONS = ("above", "below", "equal", "half", "neither")


def opinions(summary: Summary, one: int, other: int, unranked: str) -> dict[str, int]:
    """How many ballots say what of these two; every ballot is in one of these numbers."""
    above, below, equal = summary.above[one][other], summary.above[other][one], summary.equal[one][other]
    both = above + below + equal
    only_one, only_other = summary.ranked[one] - both, summary.ranked[other] - both
    neither = summary.total - both - only_one - only_other
    if unranked == "no-opinion":
        return {"above": above, "below": below, "equal": equal, "half": only_one + only_other, "neither": neither}
    return {"above": above + only_one, "below": below + only_other, "equal": equal, "neither": neither}


def opinion(ranking: str, one: int, other: int, unranked: str) -> str:
    """What one ballot says of these two."""
    ranks = ranks_of(ranking)
    first, second = ranks.get(one), ranks.get(other)
    if first is None and second is None:
        return "neither"
    if first is not None and second is not None:
        return "equal" if first == second else "above" if first < second else "below"
    if unranked == "no-opinion":
        return "half"
    return "above" if second is None else "below"


def _opinion(said: str, one: str, other: str) -> str:
    sentences = {
        "above": _("%(one)s above %(other)s"),
        "below": _("%(other)s above %(one)s"),
        "equal": _("both as equals"),
        "half": _("only one of the two, which counts as no opinion"),
        "neither": _("neither of the two"),
    }
    return sentences[said] % {"one": one, "other": other}


def _people(request: HttpRequest, found: Found, names: tuple[str, str]) -> dict[str, Any]:
    """Who said so, in a public election; by name, a page at a time."""
    if found.seal.ballots > MOST_READ:
        return {"too_many": MOST_READ}
    said, start = request.GET.get("said", "above"), request.GET.get("from", "0")
    if said not in OPINIONS or not _is_number(start):
        raise Http404
    numbers = {each.name: each.number for each in candidates_of(found.election)}
    pair = [numbers[name] for name in names]
    everybody = ballots.every_published(found.election.name)
    who = [
        each["voter_name"] for each in everybody if opinion(each["rankings"], *pair, found.election.unranked) == said
    ]
    shown = sorted(who, key=fold)[int(start) : int(start) + A_PAGE]
    asked = request.GET.dict() | {"said": said, "from": int(start) + A_PAGE}
    onward = f"?{urlencode(asked)}" if int(start) + A_PAGE < len(who) else ""
    return {"said": said, "said_in_words": _opinion(said, *names), "people": shown, "onward": onward}


# --- what if ---


class WhatIfForm(forms.Form):
    without = forms.TypedMultipleChoiceField(
        label=gettext_lazy("Had not stood"), required=False, coerce=int, widget=forms.CheckboxSelectMultiple
    )
    voters = forms.CharField(
        label=gettext_lazy("Had not voted"),
        help_text=gettext_lazy("Names of voters, one on a line."),
        required=False,
        max_length=4000,
        widget=forms.Textarea({"rows": 3}),
    )

    def __init__(self, found: Found, asked: Any):
        super().__init__(asked or None)
        self.fields["without"].choices = list(enumerate(found.seal.candidates))
        if found.election.secret_ballot or found.seal.ballots > MOST_READ:
            del self.fields["voters"]  # nobody knows whose ballot is whose, or it takes too long to find out

    def clean_without(self) -> list[int]:
        without = self.cleaned_data["without"]
        if len(without) == len(self.fields["without"].choices):
            raise forms.ValidationError(_("Somebody must be left to count for."))
        return without

    def clean_voters(self) -> list[str]:
        names = list(
            {fold(line): line.strip() for line in self.cleaned_data["voters"].splitlines() if line.strip()}.values()
        )
        if len(names) > MOST_VOTERS:
            raise forms.ValidationError(_("At most %(count)d voters can be left out at once.") % {"count": MOST_VOTERS})
        return names

    @property
    def asks(self) -> bool:
        return self.is_bound and self.is_valid() and any(self.cleaned_data.values())


@of_sealed
def what_if(request: HttpRequest, found: Found) -> HttpResponse:
    form = WhatIfForm(found, request.GET)
    if not form.asks:
        return page(request, found, "what_if", wrong=bool(form.errors), form=form)
    without = [found.seal.candidates[number] for number in form.cleaned_data["without"]]
    voters = form.cleaned_data.get("voters", [])
    counted, strangers = _counted(found, voters)
    if strangers:
        form.add_error("voters", _("These have not voted: %(names)s.") % {"names": ", ".join(strangers)})
        return page(request, found, "what_if", wrong=True, form=form)
    if counted is None:
        return page(request, found, "what_if", wrong=True, form=form, too_large=True)
    try:
        done = apart.counted(job_of(found, counted.without(without)), request)
    except Refusal as refusal:
        return _not_counted(request, found, "what_if", refusal, form=form)
    supposed = Found(found.election, found.seal, report_of(done))
    context = context_of_report(supposed) | {"without": without, "voters": voters, "real": found.report.result}
    return page(request, supposed, "what_if", form=form, **context)


def _counted(found: Found, voters: list[str]) -> tuple[Ballots | None, list[str]]:
    """The ballots without those of these voters, and the names nobody voted under; no ballots if they are too many."""
    name = found.election.name
    if found.seal.ballots > MOST_COUNTED:
        return None, []
    if not voters:
        return repository.counted(name, found.seal.candidates), []
    names = {each.number: each.name for each in candidates_of(found.election)}
    gone, met = {fold(voter) for voter in voters}, set()

    def kept() -> Iterator[str]:
        for ballot in ballots.every_published(name):
            if (voter := fold(ballot["voter_name"])) in gone:
                met.add(voter)
            else:
                yield ballot["rankings"]

    every = Ballots.of([names.get(number, f"#{number}") for number in range(max(names) + 1)], kept())
    return every.in_order(found.seal.candidates), [voter for voter in voters if fold(voter) not in met]


def job_of(found: Found, supposed: Ballots) -> Job:
    """As a real report, except that nobody asks how close it was: that takes many times longer than counting."""
    return Job(supposed, found.election.method, settings_of(found.election, found.seed))


def _not_counted(request: HttpRequest, found: Found, name: str, refusal: Refusal, **context: Any) -> HttpResponse:
    """The page as it was asked for, with a sentence instead of the numbers."""
    too_dear = isinstance(refusal, TooDear)
    answer = page(request, found, name, wrong=True, problem=str(refusal), too_large=too_dear, **context)
    if isinstance(refusal, Busy):
        answer.status_code, answer["Retry-After"] = 503, str(RETRY_AFTER)
    return answer

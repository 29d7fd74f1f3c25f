"""Pages where organisers review questions to candidates, and where candidates answer them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.access import public, requires
from accounts.models import User
from accounts.rules import Permission
from elections import repository as elections
from elections.access import election_context, organiser_page, organiser_page_with
from elections.actions import change
from elections.rules import Action, Election, State
from foundation.acts.links import absolute_url
from foundation.acts.refusals import NotNow, Refusal
from foundation.acts.storage import now_text
from foundation.pages.forms import form_data, form_page, run_form
from foundation.pages.messages import message_page, run_action
from foundation.qa.rules import ALREADY_CHANGED, MAX_ANSWER_CHARS, MAX_ID_CHARS, Fate

from . import listing, repository, rules, services, telling
from .forms import QuestionSettingsForm
from .rules import AskedCandidate

# --- organisers ---


@organiser_page(Action.LOOK)
@form_page
def review_questions(request: HttpRequest, election: Election) -> HttpResponse:
    """All questions, those to be reviewed first; or the candidates and their answer links; or the settings."""
    if not any(map(rules.is_asked_about, election.questions)):
        raise Http404
    if "settings" in request.GET or not election.questions_from or election.stored_state == State.DRAFT:
        return _settings(request, election)
    if request.method == "POST":
        return _act(request, election)
    part = _candidates_context if "candidates" in request.GET else _questions_context
    return render(
        request, "candidate_questions/review.html", election_context(request, election, **part(request, election))
    )


def _settings(request: HttpRequest, election: Election) -> HttpResponse:
    form = QuestionSettingsForm(form_data(request), initial=QuestionSettingsForm.initial_of(election))
    act = lambda: change(request.user, election, Action.SET_QUESTIONS, **form.cleaned_data)  # noqa: E731
    if run_form(request, form, act, _("Saved.")):
        return redirect("review_questions", election.name)
    context = election_context(request, election, form=form)
    return render(request, "candidate_questions/review.html", context, status=422 if form.errors else 200)


def _questions_context(request: HttpRequest, election: Election) -> dict[str, Any]:
    asked = repository.read(election.name)
    page = listing.page_of(listing.for_review(asked.questions), request.GET)
    candidates = repository.candidates_of(election)
    lines = listing.lines(asked, page, candidates, with_hidden=True)
    return {
        "page": page,
        "lines": lines,
        "waiting": sum(each.fate == Fate.WAITING for each in asked.questions),
        "is_list": True,
    }


def _candidates_context(request: HttpRequest, election: Election) -> dict[str, Any]:
    """Which candidates have an account, which a link, and how many questions each has to answer."""
    candidates, turns = repository.candidates_of(election), repository.link_turns(election.name)
    asked, accounts = repository.read(election.name), telling.accounts_of(election, candidates)

    def row(each: AskedCandidate) -> dict[str, Any]:
        left = len(rules.unanswered(asked.questions, asked.answers, each.number))
        turn = turns.get(each.number)
        link = reverse("answer_by_link", args=[services.link_token(election, each.number, turn)]) if turn else ""
        address = absolute_url(link) if link else ""
        return {"candidate": each, "left": left, "has_account": each.number in accounts, "address": address}

    return {"rows": [row(each) for each in candidates]}


def _act(request: HttpRequest, election: Election) -> HttpResponse:
    """The button gives the action, the question and the candidate whose answer is meant: "hide q1 3"."""
    word, *about = request.POST.get("act", "").split(" ")
    run_action(request, lambda: _do(request.user, election, word, about), _("Done."))
    query = "?candidates" if word in ("link", "revoke") else listing.place_query(request.POST)
    return redirect(f"{reverse('review_questions', args=[election.name])}{query}")


def _do(actor: User, election: Election, word: str, about: list[str]) -> None:
    number = rules.number_in(about[-1]) if about else None
    if word in ("link", "revoke") and number is not None:
        (services.make_link if word == "link" else services.revoke_link)(actor, election, number)
    elif word == "erase" and len(about) in (1, 2) and (len(about) == 1 or number is not None):
        services.erase(actor, election, about[0][:MAX_ID_CHARS], number if len(about) == 2 else None)
    elif word in ("show", "hide") and len(about) == 2 and number is not None:
        services.review_answer(actor, election, about[0][:MAX_ID_CHARS], number, show=word == "show")
    elif word in ("show", "hide") and len(about) == 1:
        services.review(actor, election, about[0][:MAX_ID_CHARS], show=word == "show")
    else:
        raise NotNow(ALREADY_CHANGED)


# --- candidates ---


@dataclass(frozen=True, slots=True)
class Candidacy:
    """In whose name questions are answered."""

    election: Election
    candidate: AskedCandidate
    others: Sequence[AskedCandidate] = ()  # whom the same person stands as in other questions of the election


def load_own(user: User, name: str, number: int | None = None) -> Candidacy | None:
    """The person's own candidacy, the first unless one is given; 404 for everyone else, and where nobody is asked."""
    election = elections.find(name)
    if election is None or election.stored_state == State.DRAFT or not election.questions_from:
        return None
    own = [each for each in repository.candidates_of(election) if rules.is_account_of(election, user, each)]
    wanted = next((each for each in own if number in (None, each.number)), None)
    return Candidacy(election, wanted, [each for each in own if each != wanted]) if wanted else None


@requires(Permission.VIEW_APPLICATION, load_for=load_own)
@form_page
def answer_questions(request: HttpRequest, own: Candidacy) -> HttpResponse:
    return _answer_page(request, own, request.user)


def _candidate_numbered(name: str, number: int) -> AskedCandidate | None:
    election = elections.find(name)
    candidates = repository.candidates_of(election) if election else ()
    return next((each for each in candidates if each.number == number), None)


@organiser_page_with(Action.ANSWER_QUESTIONS, _candidate_numbered)
@form_page
def answer_for(request: HttpRequest, found: tuple[Election, AskedCandidate]) -> HttpResponse:
    """An organiser enters answers on behalf of a candidate."""
    if not found[0].questions_from:
        raise Http404
    return _answer_page(request, Candidacy(*found), request.user, is_for=True)


@public
@form_page
def answer_by_link(request: HttpRequest, token: str) -> HttpResponse:
    """For candidates without an account, who got the link from the organisers."""
    found = services.resolve_token(token)
    if found is None or not found[0].questions_from:
        sentence = _("Please ask the organisers of the election for a new one.")
        return message_page(request, _("This link is no longer valid"), sentence, status=410)
    return _answer_page(request, Candidacy(*found), None)


def _answer_page(request: HttpRequest, own: Candidacy, who: User | None, *, is_for: bool = False) -> HttpResponse:
    """The candidate's questions; with “?question”, one of them and a field for the answer, alone on the page."""
    election, candidate = own.election, own.candidate
    asked = repository.read(election.name)
    questions = [each for each in asked.questions if each.is_seen and each.is_for(candidate.number)]
    wanted = next((each for each in questions if each.id == request.GET.get("question")), None)
    problem, typed = "", request.POST.get("text", "")
    if request.method == "POST":
        try:
            text = rules.parse_written_answer(typed)
            services.answer(who, election, candidate, wanted.id if wanted else "", text, telling.now_ms())
        except Refusal as refusal:
            problem = str(refusal)
        else:
            messages.success(request, _("Your answer is saved.") if not is_for else _("The answer is saved."))
            return redirect(request.path)
    left = rules.unanswered(questions, asked.answers, candidate.number)
    page = listing.page_of(sorted(questions, key=lambda each: each not in left), {"page": request.GET.get("page", "")})
    context = {
        "candidate": candidate,
        "others": own.others,
        "lines": listing.lines(asked, page, [candidate], with_hidden=True),
        "page": page,
        "left": len(left),
        "wanted": wanted,
        "before": asked.answers.get(wanted.id, {}).get(candidate.number) if wanted else None,
        "is_taking": rules.is_taking(election, now_text()),
        "is_for": is_for,
        "is_by_link": who is None,
        "problem": problem,
        "typed": typed,
        "longest": MAX_ANSWER_CHARS,
    }
    page_context = election_context(request, election, **context)
    return render(request, "candidate_questions/answer.html", page_context, status=422 if problem else 200)

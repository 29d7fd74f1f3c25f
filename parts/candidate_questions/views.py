"""Pages of questions to candidates: voters ask, organisers review, candidates answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from accounts.access import public, requires
from accounts.models import User
from accounts.rules import Permission
from ballots import passes
from ballots.passes import Pass
from ballots.services import voter_context
from elections import repository as elections
from elections import rolls
from elections.access import election_context, organiser_page, organiser_page_with
from elections.actions import change
from elections.rules import Action, Election, State
from foundation.acts.links import absolute_url
from foundation.acts.refusals import NotNow, Refusal
from foundation.acts.storage import now_text, table
from foundation.pages.forms import form_data, form_page, run_form
from foundation.pages.messages import message_page, run_action
from foundation.qa import store
from foundation.qa.rules import (
    ALREADY_CHANGED,
    MAX_ANSWER_CHARS,
    MAX_ID_CHARS,
    MAX_QUESTION_CHARS,
    Fate,
    best_first,
    check_knows_names,
    parse_answer,
    parse_question,
)

from . import emails, listing, repository, rules, services
from .repository import now_ms
from .rules import ASKERS, TO_ALL, AskedCandidate, CandidateQuestion
from .services import Asker

NOBODY = "nobody"  # in the form, where a choice needs a value
CACHE_MS = 60_000  # after which questions are read again, in case one was stored but not counted


class QuestionSettingsForm(forms.Form):
    questions_from = forms.TypedChoiceField(
        label=_("Who may ask candidates questions?"),
        choices=[(each or NOBODY, label) for each, label in ASKERS.items()],
        coerce=lambda chosen: "" if chosen == NOBODY else chosen,
        widget=forms.RadioSelect,
        help_text=_("From the opening until voting ends, even before voting begins."),
    )
    questions_open = forms.TypedChoiceField(
        label=_("Who sees a question first?"),
        choices=[("no", _("the organisers, who approve it")), ("yes", _("everybody, at once"))],
        coerce=lambda chosen: chosen == "yes",
        widget=forms.RadioSelect,
    )
    questions_named = forms.BooleanField(
        label=_("Show the names of people who ask"),
        required=False,
        help_text=_("People are told before they ask. Voters without an account never have a name shown."),
    )

    @staticmethod
    def initial_of(election: Election) -> dict[str, object]:
        shown, named = "yes" if election.questions_open else "no", election.questions_named
        return {"questions_from": election.questions_from or NOBODY, "questions_open": shown, "questions_named": named}


# --- voters ask ---


def load_asker(who: User | Pass, name: str) -> Asker | None:
    """Nobody, where candidates are not asked; a draft exists only for those who run it. A voter with an account is the
    same person here as with a voting link, so that nobody upvotes twice."""
    if isinstance(who, Pass):
        context = voter_context(who, name)
        if context is None:
            return None
        person = rules.person_key(context.voter or who.voter, context.account)
        asker = Asker(context.election, person, context.voter is not None)
    else:
        found = rolls.find_with_entry(name, who)
        if found is None:
            return None
        election, entry = found
        is_voter = entry is not None or election.is_open_to(who.votes_since)
        person = rules.person_key(entry.name, entry.account) if entry else rules.person_key(who.name, who.created_at)
        asker = Asker(election, person, is_voter, who)
    is_shown = asker.election.stored_state != State.DRAFT and asker.election.questions_from
    return asker if is_shown else None


@dataclass(frozen=True, slots=True)
class AskerContext:
    """Who looks at the page, and what has been asked and upvoted."""

    asker: Asker
    viewer: store.Viewer[CandidateQuestion]
    sent: int  # by everyone
    upvotes: Mapping[str, int]  # of everyone


@requires(Permission.VIEW_APPLICATION, load_for=load_asker, guests=passes.pass_for_election)
@form_page
def candidate_questions(request: HttpRequest, asker: Asker) -> HttpResponse:
    """Lists the questions and answers, with a form to ask; also accepts questions and upvotes."""
    question = (request.POST.get("upvote") or request.POST.get("back") or "")[:MAX_ID_CHARS]
    board = repository.board(asker.election.name)
    own = store.viewer_keys(board, asker.person, question)
    items = table().get_many([board.counter, *board.all_upvotes, *own])
    viewer = store.viewer(CandidateQuestion, board, asker.person, question, items)
    asking = AskerContext(asker, viewer, items.get(board.counter, {}).get("sent", 0), store.read_upvotes(board, items))
    if request.method != "POST":
        return _page(request, asking)
    return _upvote(request, asking) if question else _ask(request, asking)


def _ask(request: HttpRequest, asking: AskerContext) -> HttpResponse:
    """A refusal shows the question as typed."""
    asker, typed = asking.asker, request.POST.get("to", "")
    try:
        text = parse_question(request.POST.get("text", ""))
        check_knows_names(shows_names=asker.election.questions_named, knows=request.POST.get("named", ""))
        to = rules.number_in(typed)
        question = services.ask(asker, asking.viewer.own, asking.sent, text, TO_ALL if to is None else to, now_ms())
    except Refusal as refusal:
        return _page(request, asking, 422, problem=str(refusal), text=request.POST.get("text", ""), chosen=typed)
    messages.success(request, listing.SENT_MESSAGES[question.fate])
    return redirect("candidate_questions", asker.election.name)


def _upvote(request: HttpRequest, asking: AskerContext) -> HttpResponse:
    """Back at the question, on the same page."""
    wanted = asking.viewer.wanted
    try:
        services.upvote(asking.asker, wanted, on="upvote" in request.POST)
    except Refusal as refusal:
        messages.warning(request, str(refusal))
    address = reverse("candidate_questions", args=[asking.asker.election.name])
    return redirect(f"{address}{listing.place_query(request.POST)}{f'#{wanted.id}' if wanted else ''}")


def _page(request: HttpRequest, asking: AskerContext, status: int = 200, **more: Any) -> HttpResponse:
    asker, viewer, election = asking.asker, asking.viewer, asking.asker.election
    candidates = repository.candidates_of(election)
    asked = replace(repository.read_cached(election, asking.sent, now_ms() // CACHE_MS), upvotes=asking.upvotes)
    number = rules.number_in(request.GET.get("candidate", ""))
    chosen = next((each for each in candidates if each.number == number), None)
    seen = [each for each in asked.questions if each.is_seen and (chosen is None or each.is_for(chosen.number))]
    page = listing.page_of(best_first(seen, asking.upvotes), request.GET)
    own = {each.id for each in viewer.own}
    shown = [chosen] if chosen else candidates
    is_taking, user = rules.is_taking(election, now_text()), asker.user
    context = {
        "page": page,
        "lines": listing.lines(asked, page, shown, own=own, upvoted=viewer.upvoted),
        "mine": [listing.Line(each) for each in reversed(viewer.own) if each.text],
        "candidates": candidates,
        "only": chosen,
        "takes_questions": is_taking and rules.may_ask(election, is_voter=asker.is_voter),
        "is_taking": is_taking,
        "votes_now": election.takes_votes(now_text()),
        "is_candidate": user is not None and any(rules.is_account_of(election, user, each) for each in candidates),
        "longest": MAX_QUESTION_CHARS,
    }
    page_context = election_context(request, election, **context | more)
    return render(request, "candidate_questions/questions.html", page_context, status=status)


# --- organisers review ---


@organiser_page(Action.LOOK)
@form_page
def review_questions(request: HttpRequest, election: Election) -> HttpResponse:
    """All questions, those to be reviewed first; or the candidates and their answer links; or the settings."""
    if not any(map(rules.is_asked_about, election.questions)):
        raise Http404
    if "settings" in request.GET or not election.questions_from or election.stored_state == State.DRAFT:
        return _settings(request, election)
    if request.method == "POST":
        return _moderate(request, election)
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
    asked, accounts = repository.read(election.name), emails.accounts_of(election, candidates)

    def row(each: AskedCandidate) -> dict[str, Any]:
        left = len(rules.unanswered(asked.questions, asked.answers, each.number))
        turn = turns.get(each.number)
        link = reverse("answer_by_link", args=[services.link_token(election, each.number, turn)]) if turn else ""
        address = absolute_url(link) if link else ""
        return {"candidate": each, "left": left, "has_account": each.number in accounts, "address": address}

    return {"rows": [row(each) for each in candidates]}


def _moderate(request: HttpRequest, election: Election) -> HttpResponse:
    """The button gives the action, the question and the candidate whose answer is meant: "hide q1 3"."""
    word, *about = request.POST.get("act", "").split(" ")
    number = rules.number_in(about[-1]) if about else None

    def act() -> None:
        if word in ("link", "revoke") and number is not None:
            (services.make_link if word == "link" else services.revoke_link)(request.user, election, number)
        elif word == "erase" and len(about) in (1, 2) and (len(about) == 1 or number is not None):
            services.erase(request.user, election, about[0][:MAX_ID_CHARS], number if len(about) == 2 else None)
        elif word in ("show", "hide") and len(about) == 2 and number is not None:
            services.review_answer(request.user, election, about[0][:MAX_ID_CHARS], number, show=word == "show")
        elif word in ("show", "hide") and len(about) == 1:
            services.review(request.user, election, about[0][:MAX_ID_CHARS], show=word == "show")
        else:
            raise NotNow(ALREADY_CHANGED)

    run_action(request, act, _("Done."))
    query = "?candidates" if word in ("link", "revoke") else listing.place_query(request.POST)
    return redirect(f"{reverse('review_questions', args=[election.name])}{query}")


# --- candidates answer ---


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
            text = parse_answer(typed)
            if not text:
                raise NotNow(rules.NO_ANSWER)
            services.answer(who, election, candidate, wanted.id if wanted else "", text, now_ms())
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

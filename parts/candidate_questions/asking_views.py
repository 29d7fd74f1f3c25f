"""The page with all questions to candidates: whoever may see the election reads it; voters ask and upvote."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from accounts.access import requires
from accounts.models import User
from accounts.rules import Permission
from ballots import passes, services
from ballots.passes import Pass
from elections import rolls
from elections.access import election_context
from elections.rules import State
from foundation.acts.refusals import Refusal
from foundation.acts.storage import now_text, table
from foundation.pages.forms import form_page
from foundation.qa import store
from foundation.qa.rules import MAX_ID_CHARS, MAX_QUESTION_CHARS, best_first, check_knows_names, parse_question

from . import listing, repository, rules
from . import services as questions
from .rules import TO_ALL, CandidateQuestion
from .services import Asker
from .telling import now_ms

CACHE_MS = 60_000  # after which questions are read again, in case one was stored but not counted


def load_asker(who: User | Pass, name: str) -> Asker | None:
    """Nobody, where candidates are not asked; a draft exists only for those who run it."""
    asker = _with_pass(who, name) if isinstance(who, Pass) else _signed_in(who, name)
    if asker is None or asker.election.stored_state == State.DRAFT or not asker.election.questions_from:
        return None
    return asker


def _with_pass(held: Pass, name: str) -> Asker | None:
    voter_context = services.voter_context(held, name)
    if voter_context is None:
        return None
    person = rules.person_key(voter_context.voter or held.voter, voter_context.account)
    return Asker(voter_context.election, person, voter_context.voter is not None)


def _signed_in(user: User, name: str) -> Asker | None:
    """A voter is the same person here as with a voting link, so that nobody upvotes twice."""
    found = rolls.find_with_entry(name, user)
    if found is None:
        return None
    election, entry = found
    is_voter = entry is not None or election.is_open_to(user.votes_since)
    person = rules.person_key(entry.name, entry.account) if entry else rules.person_key(user.name, user.created_at)
    return Asker(election, person, is_voter, user)


@dataclass(frozen=True, slots=True)
class Visit:
    """Who looks at the page, and what has been asked and upvoted."""

    asker: Asker
    viewer: store.Viewer[CandidateQuestion]
    sent: int  # by everyone
    upvotes: Mapping[str, int]  # of everyone


def _read(asker: Asker, question: str) -> Visit:
    board = repository.board(asker.election.name)
    own = store.viewer_keys(board, asker.person, question)
    items = table().get_many([board.counter, *board.all_upvotes, *own])
    viewer = store.viewer(CandidateQuestion, board, asker.person, question, items)
    return Visit(asker, viewer, items.get(board.counter, {}).get("sent", 0), store.read_upvotes(board, items))


@requires(Permission.VIEW_APPLICATION, load_for=load_asker, guests=passes.pass_for_election)
@form_page
def candidate_questions(request: HttpRequest, asker: Asker) -> HttpResponse:
    """Lists the questions and answers, with a form to ask; also accepts questions and upvotes."""
    question = (request.POST.get("upvote") or request.POST.get("back") or "")[:MAX_ID_CHARS]
    visit = _read(asker, question)
    if request.method != "POST":
        return _page(request, visit)
    return _upvote(request, visit) if question else _ask(request, visit)


def _ask(request: HttpRequest, visit: Visit) -> HttpResponse:
    """A refusal shows the question as typed."""
    asker, typed = visit.asker, request.POST.get("to", "")
    try:
        text = parse_question(request.POST.get("text", ""))
        check_knows_names(shows_names=asker.election.questions_named, knows=request.POST.get("named", ""))
        to = rules.number_in(typed)
        question = questions.ask(asker, visit.viewer.own, visit.sent, text, TO_ALL if to is None else to, now_ms())
    except Refusal as refusal:
        return _page(request, visit, 422, problem=str(refusal), text=request.POST.get("text", ""), chosen=typed)
    messages.success(request, listing.SENT_MESSAGES[question.fate])
    return redirect("candidate_questions", asker.election.name)


def _upvote(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Back at the question, on the same page."""
    wanted = visit.viewer.wanted
    try:
        questions.upvote(visit.asker, wanted, on="upvote" in request.POST)
    except Refusal as refusal:
        messages.warning(request, str(refusal))
    address = reverse("candidate_questions", args=[visit.asker.election.name])
    return redirect(f"{address}{listing.place_query(request.POST)}{f'#{wanted.id}' if wanted else ''}")


def _page(request: HttpRequest, visit: Visit, status: int = 200, **more: Any) -> HttpResponse:
    asker, viewer, election = visit.asker, visit.viewer, visit.asker.election
    candidates = repository.candidates_of(election)
    asked = replace(repository.read_cached(election, visit.sent, now_ms() // CACHE_MS), upvotes=visit.upvotes)
    number = rules.number_in(request.GET.get("candidate", ""))
    chosen = next((each for each in candidates if each.number == number), None)
    seen = [each for each in asked.questions if each.is_seen and (chosen is None or each.is_for(chosen.number))]
    page = listing.page_of(best_first(seen, visit.upvotes), request.GET)
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

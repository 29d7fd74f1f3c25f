"""The page with all questions to candidates: whoever may see the election reads it; voters ask and upvote."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from accounts.access import requires
from accounts.models import User
from accounts.rules import Permission
from acts.refusals import NotNow, Refusal
from acts.storage import now_text, table
from elections import repository as elections
from elections import rolls
from elections.access import election_context
from elections.candidate_questions import listing, repository, rules
from elections.candidate_questions import services as questions
from elections.candidate_questions.rules import TO_ALL, CandidateQuestion
from elections.candidate_questions.services import Asker
from elections.candidate_questions.telling import now_ms
from elections.rules import State
from pages.forms import form_page
from qa import store
from qa.rules import MAX_QUESTION_CHARS, author_id, best_first, parse_question

from . import passes, services
from .passes import Pass

MAX_ID_CHARS = 40
CACHE_MS = 60_000  # after which questions are read again, in case one was stored but not counted
NAMED_NOW = _("Names are now shown with questions. If that is fine with you, send it again.")


def load_asker(who: User | Pass, name: str) -> Asker | None:
    """Nobody, where candidates are not asked; a draft exists only for those who run it."""
    asker = _with_pass(who, name) if isinstance(who, Pass) else _signed_in(who, name)
    if asker is None or asker.election.stored_state == State.DRAFT or not asker.election.questions_from:
        return None
    return asker


def _with_pass(held: Pass, name: str) -> Asker | None:
    standing = services.standing_of(held, name)
    if standing is None:
        return None
    person = rules.person_key(standing.voter or held.voter, standing.account)
    return Asker(standing.election, person, standing.voter is not None)


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
class Viewer:
    """What the page knows about the person who looks at it."""

    asker: Asker
    own: list[CandidateQuestion]
    upvoted: frozenset[str]
    sent: int  # by everyone
    upvotes: Mapping[str, int]  # of everyone
    wanted: CandidateQuestion | None = None  # the question that the button refers to


def _read(asker: Asker, question: str) -> Viewer:
    board = repository.board(asker.election.name)
    own, upvoted = store.own_keys(board, asker.person), board.upvoted(author_id(board.scope, asker.person))
    wanted = board.asked(question)
    items = table().get_many([board.counter, upvoted, *board.all_upvotes, *own, *([wanted] if question else [])])
    return Viewer(
        asker,
        store.own_questions(CandidateQuestion, board, asker.person, items),
        store.upvoted(items.get(upvoted)),
        items.get(board.counter, {}).get("sent", 0),
        store.read_upvotes(board, items),
        repository.question_from_item(items[wanted]) if wanted in items else None,
    )


@requires(Permission.VIEW_APPLICATION, load_for=load_asker, guests=passes.pass_for_election)
@form_page
def candidate_questions(request: HttpRequest, asker: Asker) -> HttpResponse:
    """Lists the questions and answers, with a form to ask; also accepts questions and upvotes."""
    question = (request.POST.get("upvote") or request.POST.get("back") or "")[:MAX_ID_CHARS]
    viewer = _read(asker, question)
    if request.method != "POST":
        return _page(request, viewer)
    return _upvote(request, viewer) if question else _ask(request, viewer)


def _ask(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """A refusal shows the question as typed."""
    asker, typed = viewer.asker, request.POST.get("to", "")
    try:
        text = parse_question(request.POST.get("text", ""))
        if asker.election.questions_named and request.POST.get("named") != "yes":
            raise NotNow(NAMED_NOW)
        to = rules.number_in(typed)
        question = questions.ask(asker, viewer.own, viewer.sent, text, TO_ALL if to is None else to, now_ms())
    except Refusal as refusal:
        return _page(request, viewer, 422, problem=str(refusal), text=request.POST.get("text", ""), chosen=typed)
    messages.success(request, listing.SENT_MESSAGES[question.fate])
    return redirect("candidate_questions", asker.election.name)


def _upvote(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """Back at the question; on which page and with which filter the form says."""
    try:
        questions.upvote(viewer.asker, viewer.wanted, on="upvote" in request.POST)
    except Refusal as refusal:
        messages.warning(request, str(refusal))
    address = reverse("candidate_questions", args=[viewer.asker.election.name])
    sent = {name: rules.number_in(request.POST.get(name, "")) for name in ("page", "candidate")}
    kept = urlencode({name: number for name, number in sent.items() if number is not None})
    at = f"#{viewer.wanted.id}" if viewer.wanted else ""
    return redirect(f"{address}?{kept}{at}" if kept else f"{address}{at}")


def _page(request: HttpRequest, viewer: Viewer, status: int = 200, **more: Any) -> HttpResponse:
    asker, election = viewer.asker, viewer.asker.election
    candidates = elections.candidates_of(election)
    asked = replace(repository.read_cached(election, viewer.sent, now_ms() // CACHE_MS), upvotes=viewer.upvotes)
    number = rules.number_in(request.GET.get("candidate", ""))
    chosen = next((each for each in candidates if each.number == number), None)
    seen = [each for each in asked.questions if each.is_seen and (chosen is None or each.is_for(chosen.number))]
    page = listing.page_of(best_first(seen, viewer.upvotes), request.GET.get("page", ""))
    own = {each.id for each in viewer.own}
    shown = [chosen] if chosen else candidates
    is_taking, user = rules.is_taking(election, now_text()), asker.user
    context = {
        "page": page,
        "lines": listing.lines(asked, page.questions, shown, own=own, upvoted=viewer.upvoted),
        "mine": listing.lines(asked, reversed(viewer.own), candidates),
        "candidates": candidates,
        "only": chosen,
        "takes_questions": is_taking and rules.may_ask(election, is_voter=asker.is_voter),
        "is_taking": is_taking,
        "votes_now": election.takes_votes(now_text()),
        "is_candidate": user is not None and any(rules.is_account_of(election, user, each) for each in candidates),
        "longest": MAX_QUESTION_CHARS,
    }
    page_context = election_context(request, election, **context | more)
    return render(request, "ballots/questions.html", page_context, status=status)

"""Pages for organisers: ballots that came on paper, and the dress rehearsal."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from elections.access import election_context, organiser_page
from elections.rules import Action, Election
from foundation.acts.refusals import Refusal
from foundation.pages.forms import form_page, token_in
from foundation.ranking.marks import submitted_ranks

from . import rehearsal, rules, services
from .views import show_ballot, show_for_review, show_receipt, show_typed


@organiser_page(Action.ENTER_PAPER)
@form_page
def paper(request: HttpRequest, election: Election) -> HttpResponse:
    """Asks whose ballot it is, then shows a ballot with the candidates by name.

    Not in the voter's own order: some rank as listed, and their ballots could be guessed from it.
    """
    voter = (request.POST if request.method == "POST" else request.GET).get("voter", "").strip()
    if not voter:
        return _ask_whose(request, election)
    voter_context = services.paper_voter_context(election.name, voter)
    try:
        if voter_context is None:
            raise rules.NotOnTheRoll(rules.NOT_OPEN)
        services.check_paper_voter(request.user, voter_context)
    except Refusal as refusal:
        return _ask_whose(request, election, voter, str(refusal))
    more = _paper_steps(election, voter)
    if request.method != "POST":
        return show_ballot(request, voter_context, {}, **more)
    return (
        show_typed(request, voter_context, **more)
        if "back" in request.POST
        else show_for_review(request, voter_context, request.POST, **more)
    )


def _ask_whose(request: HttpRequest, election: Election, voter: str = "", problem: str = "") -> HttpResponse:
    context = election_context(request, election, voter=voter, problem=problem)
    return render(request, "ballots/paper.html", context, status=422 if problem else 200)


def _paper_steps(election: Election, voter: str) -> dict[str, Any]:
    """Shows the voter as they were typed, and nothing that they have done."""
    action, cast_action = reverse("paper", args=[election.name]), reverse("enter_paper", args=[election.name])
    return {
        "paper_for": voter,
        "revision": 0,
        "replaces": False,
        "has_words": False,
        "action": action,
        "back_action": action,
        "cast_action": cast_action,
        "draft_key": "",
        "whose": "",
    }


@organiser_page(Action.ENTER_PAPER)
@require_POST
def enter_paper(request: HttpRequest, election: Election) -> HttpResponse:
    voter = request.POST.get("voter", "")
    try:
        outcome = services.enter_paper(
            request.user, election.name, voter, submitted_ranks(request.POST), token_in(request.POST)
        )
    except Refusal as refusal:
        voter_context = services.paper_voter_context(election.name, voter)
        if voter_context is None:
            return _ask_whose(request, election, voter, str(refusal))
        return show_typed(request, voter_context, problem=str(refusal), **_paper_steps(election, voter))
    voter_context = services.paper_voter_context(election.name, voter)
    if not outcome.ballots or voter_context is None:
        messages.info(request, _("This form was already submitted, and the ballot was entered then."))
        return redirect("paper", name=election.name)
    if not election.changeable and election.secret_ballot:
        messages.success(request, _("The paper ballot of %(name)s has been entered.") % {"name": voter_context.label})
        return redirect("paper", name=election.name)
    return show_receipt(request, voter_context, outcome.ballots, paper_for=voter_context.label)


# --- the dress rehearsal ---


@organiser_page(Action.REHEARSE)
@form_page
def rehearse(request: HttpRequest, election: Election) -> HttpResponse:
    """Robots vote in a copy of the draft. The report is all that is left of it."""
    report, problem = None, ""
    if request.method == "POST":
        try:
            report = rehearsal.rehearse(request.user, election)
        except Refusal as refusal:
            problem = str(refusal)
    context = election_context(request, election, report=report, problem=problem, robots=rehearsal.ROBOTS)
    return render(request, "ballots/rehearsal.html", context, status=422 if problem else 200)

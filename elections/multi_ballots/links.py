"""Names and URLs where an election may be a question of a multi-question ballot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from elections.rules import Action, Election, State
from pages.paths import path_of
from store import keys

from . import repository, rules

MAX_LISTED_QUESTIONS = 8  # in a mail
STEPS = {"what": "rename_multi_ballot", "candidates": "multi_ballot_questions", "how": "multi_ballot_questions"}


def ballot_name(election: Election) -> str:
    """What mails to voters call it: one invitation is for all questions on the ballot."""
    multi_ballot = repository.find(election.book) if election.book else None
    return multi_ballot.name if multi_ballot else election.name


def question_lines(election: Election) -> list[str]:
    """The questions on its ballot, as mails list them: the first few, and how many more there are."""
    multi_ballot = repository.find(election.book) if election.book else None
    names = [multi_ballot.short(name) for name in multi_ballot.questions] if multi_ballot else []
    more = [_("and %(count)d more") % {"count": len(names) - MAX_LISTED_QUESTIONS}]
    return names if len(names) <= MAX_LISTED_QUESTIONS else names[:MAX_LISTED_QUESTIONS] + more


def page_route(election: Election) -> tuple[str, str]:
    """The page that says what one votes on, as a route and its word."""
    return ("multi_ballot", election.book) if election.book else ("election", election.name)


def ballot_route(election: Election) -> tuple[str, str]:
    return ("fill_multi_ballot", election.book) if election.book else ("ballot", election.name)


def dashboard_url(election: Election) -> str:
    """Of the election, or of the ballot that it is a question on."""
    if election.book:
        return reverse("multi_ballot_dashboard", args=[election.book])
    return reverse("dashboard", args=[election.name])


def result_route(election: Election) -> tuple[str, str]:
    return ("multi_ballot_results", election.book) if election.book else ("results", election.name)


@dataclass(frozen=True, slots=True)
class VoteRequest:
    """What a person is invited to: an election, or all questions of a ballot, with its URLs."""

    name: str
    page: str
    ballot: str
    receipt: str
    questions: int = 1


def vote_requests(*lists: Sequence[Election]) -> list[list[tuple[Election, VoteRequest]]]:
    """Elections with what voters see of them; on a multi-question ballot, the first question represents all."""
    multi_ballots = repository.find_all([each.book for elections in lists for each in elections if each.book])

    def request(election: Election) -> VoteRequest:
        name, questions, word = election.name, 1, election.name
        routes = ["election", "ballot", "receipt"]
        if ballot := multi_ballots.get(election.book):
            name, questions, word = ballot.name, len(ballot.questions), ballot.id
            routes = ["multi_ballot", "fill_multi_ballot", "multi_ballot_receipts"]
        page, ballot_page, receipt = (path_of(route, word) for route in routes)
        return VoteRequest(name, page, ballot_page, receipt, questions)

    one_each = [{each.book or keys.fold(each.name): each for each in reversed(elections)} for elections in lists]
    return [[(each, request(each)) for each in reversed(by_ballot.values())] for by_ballot in one_each]


def shared_page_url(request: HttpRequest, election: Election, action: Action) -> str | None:
    """The URL where this is done for all questions on the ballot; None if it is done here."""
    multi_ballot = repository.find(election.book) if election.book else None
    match = request.resolver_match
    if multi_ballot is None or match is None:
        return None
    step = match.kwargs.get("step", "")
    if step in STEPS:
        return reverse(STEPS[step], args=[multi_ballot.id])
    if action in rules.ALL_QUESTIONS_ACTIONS:
        own = action in (Action.OPEN, Action.EXTEND, Action.CLOSE)
        page = f"{action.name.lower()}_multi_ballot" if own else "multi_ballot_dashboard"
        return reverse(page, args=[multi_ballot.id])
    if multi_ballot.is_led_by(election.name):
        return None
    if action == Action.SET_UP and not step:
        return reverse("multi_ballot_questions", args=[multi_ballot.id])
    of_leader = action in rules.LEADER_ACTIONS or step
    if of_leader or (action == Action.SEE_ROLL and election.stored_state == State.DRAFT):
        return reverse(match.url_name or "roll", kwargs={**match.kwargs, "name": multi_ballot.leader})
    return None

"""Names and URLs where an election may be a question of a multi-question ballot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from elections.rules import Action, Election, State
from foundation.pages.paths import path_of
from foundation.store import keys

from . import repository, rules

MAX_LISTED_QUESTIONS = 8  # in a mail
# The pages for all questions on a ballot, by those for one election.
FOR_ALL = {
    **{"election": "multi_ballot", "ballot": "fill_multi_ballot", "receipt": "multi_ballot_receipts"},
    **{"dashboard": "multi_ballot_dashboard", "candidates": "multi_ballot_questions"},
    **{"open_election": "open_multi_ballot", "close_election": "close_multi_ballot", "results": "multi_ballot_results"},
}
STEPS = {"what": "rename_multi_ballot", "candidates": "multi_ballot_questions", "how": "multi_ballot_questions"}


def ballot_name(election: Election) -> str:
    """What mails to voters call it: one invitation is for all questions on the ballot."""
    multi_ballot = repository.find(election.book) if election.book else None
    return multi_ballot.name if multi_ballot else election.name


def question_lines(election: Election, own: list[str] | None = None) -> list[str]:
    """The questions on its ballot, or only the voter's own, as mails list them: the first few, and how many more there
    are."""
    multi_ballot = repository.find(election.book) if election.book else None
    names = own or [multi_ballot.short(name) for name in multi_ballot.questions] if multi_ballot else []
    more = [_("and %(count)d more") % {"count": len(names) - MAX_LISTED_QUESTIONS}]
    return names if len(names) <= MAX_LISTED_QUESTIONS else names[:MAX_LISTED_QUESTIONS] + more


def shared_route(page: str, election: Election) -> tuple[str, str]:
    """The page of the election, or that of the ballot that it is a question on, as a route and its word."""
    return (FOR_ALL[page], election.book) if election.book and page in FOR_ALL else (page, election.name)


def shared_url(page: str, election: Election) -> str:
    route, word = shared_route(page, election)
    return reverse(route, args=[word])


@dataclass(frozen=True, slots=True)
class VoteRequest:
    """What a person is invited to: an election, or all questions of a ballot, with its URLs."""

    name: str
    page: str
    ballot: str
    receipt: str
    questions: int = 1


def vote_requests(*lists: Sequence[Election]) -> list[list[tuple[Election, VoteRequest]]]:
    """Elections with what voters see of them; on a multi-question ballot, the first question represents all of these,
    which are those of one voter."""
    questions = Counter(each.book for elections in lists for each in elections)
    multi_ballots = repository.find_all([each.book for elections in lists for each in elections if each.book])

    def request(election: Election) -> VoteRequest:
        ballot = multi_ballots.get(election.book)
        page, fill, receipt = (path_of(*shared_route(each, election)) for each in ("election", "ballot", "receipt"))
        name, asked = (ballot.name, questions[election.book]) if ballot else (election.name, 1)
        return VoteRequest(name, page, fill, receipt, asked)

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

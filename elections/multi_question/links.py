"""Names and addresses where an election is one of several questions on a ballot: for voters, and for organisers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse

from elections.rules import Action, Election, State
from pages.paths import path_of
from store import keys

from . import repository, rules
from .rules import Book


def called(election: Election) -> str:
    """What mails to voters call it: one invitation is for all questions on the ballot."""
    book = repository.find(election.book) if election.book else None
    return book.name if book else election.name


def page_of(election: Election) -> tuple[str, str]:
    """The page that says what one votes on, as a route and its word."""
    return ("book", election.book) if election.book else ("election", election.name)


def ballot_of(election: Election) -> tuple[str, str]:
    return ("book_ballot", election.book) if election.book else ("ballot", election.name)


def result_of(election: Election) -> tuple[str, str]:
    return ("book_results", election.book) if election.book else ("results", election.name)


@dataclass(frozen=True, slots=True)
class Asked:
    """What somebody is asked for: an election by itself, or all questions on a ballot; what it is called, and where."""

    name: str
    page: str
    ballot: str
    receipt: str
    questions: int = 1


def asked_together(*lists: Sequence[Election]) -> list[list[tuple[Election, Asked]]]:
    """Each election of each list with what voters are asked by; in a list, of several questions on one ballot the first
    stands for all."""
    books = repository.find_all([each.book for elections in lists for each in elections if each.book])
    return [[(each, _asked(each, books.get(each.book))) for each in _firsts(elections)] for elections in lists]


def _firsts(elections: Sequence[Election]) -> list[Election]:
    return list({each.book or keys.fold(each.name): each for each in reversed(elections)}.values())[::-1]


def _asked(election: Election, book: Book | None) -> Asked:
    routes, word = ("election", "ballot", "receipt"), election.name
    if book is not None:
        routes, word = ("book", "book_ballot", "book_receipts"), book.id
    page, ballot, receipt = (path_of(route, word) for route in routes)
    return Asked(book.name if book else election.name, page, ballot, receipt, len(book.questions) if book else 1)


WHERE = {Action.OPEN: "open_book", Action.EXTEND: "extend_book", Action.CLOSE: "close_book"}


def elsewhere(request: HttpRequest, election: Election, action: Action) -> str | None:
    """The address at which this is done for all questions on the ballot; nothing, if it is done here."""
    book = repository.find(election.book) if election.book else None
    if book is None:
        return None
    if action in rules.TOGETHER:
        return reverse(WHERE.get(action, "book_dashboard"), args=[book.id])
    if book.is_led_by(election.name):
        return None
    if action == Action.SET_UP:
        return reverse("question_settings", args=[book.id, election.name])
    if action in rules.BY_THE_LEADER or (action == Action.SEE_ROLL and election.stored_state == State.DRAFT):
        match = request.resolver_match
        route = match.url_name if match and set(match.kwargs) == {"name"} else "roll"
        return reverse(route or "roll", args=[book.leader])
    return None

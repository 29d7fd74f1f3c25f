"""The results of several questions on one ballot, in short and together; each leads to its own page."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import public, requires
from accounts.models import User
from accounts.rules import Permission
from acts.site import now_text
from elections.access import context_of, visible
from elections.books import repository as books
from elections.books.rules import Book
from elections.rules import State

from . import services, words
from .repository import Found, Sealed
from .share_views import is_shared


def load(user: User, book_id: str) -> tuple[Book, list[Found]] | None:
    found = _found(book_id)
    for each in found[1] if found else ():
        visible(user, each.election)
    return found


def _found(book_id: str) -> tuple[Book, list[Found]] | None:
    if (book := books.find(book_id)) is None:
        return None
    found = [each for each in map(services.find, book.questions) if each is not None]
    return (book, found) if found else None


@requires(Permission.VIEW_APPLICATION, load_for=load)
@require_safe
def book_results(request: HttpRequest, both: tuple[Book, list[Found]]) -> HttpResponse:
    book, found = both
    context = context_of(request, found[0].election, **_context(book, found), page="results")
    return render(request, "results/book.html", context)


@public
@require_safe
def shared_book(request: HttpRequest, book_id: str) -> HttpResponse:
    """For anybody on the web, if every question shares its result; else it is as if it were not there."""
    both = _found(book_id)
    if both is None or not _is_shared(both[1]):
        raise Http404
    book, found = both
    context = {"election": found[0].election, "is_stranger": True, **_context(book, found), "page": "shared"}
    return render(request, "results/book.html", context)


def _is_shared(found: list[Found]) -> bool:
    return all(is_shared(each.election) for each in found)


def _context(book: Book, found: list[Found]) -> dict[str, Any]:
    return {"book": book, "rows": [_row(book, each) for each in found], "is_shared": _is_shared(found)}


def _row(book: Book, found: Found) -> dict[str, Any]:
    """Nothing of a result leaves before its time: of one that is not sealed, only whether it is being counted."""
    election = found.election
    row = {"question": book.short(election.name), "election": election, "sealed": False}
    if not isinstance(found, Sealed):
        return row | {"counting": election.state(now_text()) == State.CLOSED}
    result, voters = found.report.result, election.voter_count
    percent = found.seal.turnout.percent(voters) if voters else None
    return row | {"sealed": True, "result": result, "method": words.label(result.method), "percent": percent}

"""Decorators for pages about a sealed result: who may see them, and when."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_safe

from accounts.access import View
from elections.access import election_context
from foundation.acts.refusals import Refusal
from results.access import Reader, for_anybody
from results.bounded_counting import RETRY_AFTER_SECONDS, Busy, TooExpensive
from results.outcomes import parts_of
from results.repository import Found, Sealed
from results.views import load, not_yet, of_public_results, of_results

PAGE_ROWS = 50
MAX_BALLOTS_READ = 20_000  # ballots of a public election that are read for one page
# largest election that is recounted without some voters, or for two of its candidates
MAX_BALLOTS_RECOUNTED = 500_000

SealedView = Callable[[HttpRequest, Sealed], HttpResponse]


def _when_sealed(view: SealedView) -> View:
    @wraps(view)
    def sealed_only(request: HttpRequest, found: Found) -> HttpResponse:
        return view(request, found) if isinstance(found, Sealed) else not_yet(request, found)

    return require_safe(sealed_only)


def sealed_view(view: SealedView) -> View:
    """A page about a sealed result; until then, the page that says there is none yet."""
    return of_results(_when_sealed(view))


def public_sealed_view(view: SealedView) -> View:
    """Like `sealed_view`, but also for the public where the result is shared."""
    return of_public_results(_when_sealed(view))


def ranked_view(view: SealedView) -> View:
    """Like `sealed_view`, for results in which candidates are compared: other kinds of ballot have no such page."""

    @wraps(view)
    def ranked_only(request: HttpRequest, found: Sealed) -> HttpResponse:
        if not parts_of(found.report.result).comparisons:
            raise Http404
        return view(request, found)

    return sealed_view(ranked_only)


def load_sealed(reader: Reader, name: str, sealed: str, question: int = 1) -> Found | None:
    """The election, unless the stamp is of another seal."""
    found = load(reader, name, question)
    is_another = isinstance(found, Sealed) and found.seal.stamp != sealed
    return None if is_another else found


def immutable_view(view: SealedView) -> View:
    """A file of a sealed result: its address has the stamp in it, so a browser that has it need not ask again."""

    @wraps(view)
    def cached(request: HttpRequest, found: Sealed) -> HttpResponse:
        etag = f'"{found.seal.stamp}"'
        answer = get_conditional_response(request, etag=etag) or view(request, found)
        if answer.status_code in (200, 304):
            answer["ETag"], answer["Cache-Control"] = etag, "private, max-age=31536000, immutable"
        return answer

    return for_anybody(load_for=load_sealed)(_when_sealed(cached))


def page(request: HttpRequest, found: Sealed, name: str, *, wrong: bool = False, **context: Any) -> HttpResponse:
    """Invalid input is answered with 422, so that clients can detect it."""
    context |= {"result": found.report.result, "seal": found.seal}
    shown = election_context(request, found.election, **context)
    return render(request, f"results/checks/{name}.html", shown, status=422 if wrong else 200)


def refused_page(request: HttpRequest, found: Sealed, name: str, refusal: Refusal, **context: Any) -> HttpResponse:
    """The requested page, with a sentence instead of the numbers."""
    too_dear = isinstance(refusal, TooExpensive)
    answer = page(request, found, name, wrong=True, problem=str(refusal), too_large=too_dear, **context)
    if isinstance(refusal, Busy):
        answer.status_code, answer["Retry-After"] = 503, str(RETRY_AFTER_SECONDS)
    return answer


def is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 7

"""Polls on other sites: a page for iframes, and the picture of a preview."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import public
from pages.sharing import LANGUAGES, embeddable, immutable
from results.sharing.card import picture
from results.wording import method_label

from . import counting, live_count, repository
from .card import writable_card
from .counting import MethodComparison
from .link_previews import address_of, edition_of
from .rules import HIDDEN, Poll
from .views import found_or_404, poll_context

MAX_PLACES_SHOWN = 10  # that the small page shows


# --- the small page ---


@public
@require_safe
def embed(request: HttpRequest, poll_id: UUID) -> HttpResponse:
    """The current result. A frame on another site gets no cookies, so votes could not be told apart there: it only
    links to the poll. For the same reason no one can be tricked into clicking one of our buttons (clickjacking)."""
    poll = found_or_404(poll_id)
    if poll.hidden_at:
        return embeddable(render(request, "polls/embed.html", {"poll": poll, "sentence": HIDDEN}, status=410))
    context = poll_context(poll, address=address_of(poll))
    return embeddable(render(request, "polls/embed.html", context | _standing(poll, context["is_open"])))


def _standing(poll: Poll, is_open: bool) -> dict[str, Any]:
    if is_open and poll.results_hidden:
        return {"results_later": True}
    snapshot = live_count.watched_polls.get(poll.id)
    if snapshot is None or snapshot.result is None:
        return {"counting": True}
    comparison = snapshot.result
    return {
        "votes": comparison.total,
        "agreement": counting.agreement(comparison),
        "chart": counting.chart(comparison) if poll.kind != "ranked" else None,
        "places": counting.places(comparison)[:MAX_PLACES_SHOWN],
        "methods": [method_label(each.method) for each in comparison.counted],
    }


# --- pictures ---


@public
@require_safe
def card(request: HttpRequest, poll_id: UUID, language: str, edition: str) -> HttpResponse:
    """The preview picture of a closed poll. Its URL names the result, so it can be cached for good."""
    found = repository.with_gates(str(poll_id))
    if found is None or found[0].hidden_at or found[2] is None or language not in LANGUAGES:
        raise Http404
    comparison = MethodComparison.from_bytes(found[2]["report"])
    if edition != edition_of(comparison):
        raise Http404
    answer = HttpResponse(picture(writable_card(found[0], comparison, language)), content_type="image/png")
    return immutable(answer)

"""Polls on other sites: a page for iframes."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import public
from foundation.pages.http_cache import embeddable
from results.wording import method_label

from . import counting, live_count
from .link_previews import address_of
from .rules import HIDDEN, Poll
from .views import found_or_404, poll_context

MAX_PLACES_SHOWN = 10  # that the small page shows


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

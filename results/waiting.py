"""Waiting for a result while ballots are sealed, which takes a quarter of an hour for a million: cheap for the store,
however many wait.

A URL signed for this election serves the progress: no session is read, and each process reads the election and its seal
once a second. With scripts the page polls it; without, the browser moves there and reloads it. Both ask less often the
longer ago the election closed, with random jitter, so that clients that arrived together spread out.
"""

from __future__ import annotations

from datetime import datetime
from math import ceil
from random import uniform
from typing import Any

from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe
from django_htmx.http import HttpResponseClientRefresh

from accounts.access import public
from elections import repository as elections
from elections.invitations.progress import sealing
from elections.rules import Election
from foundation.store.log import utc_now

from . import repository

SALT = "results.waiting"
SHARE_OF_AGE = 0.25  # of the time since the end, that passes before the next look
MAX_SECONDS = 30  # between two requests of a client
JITTER = 0.25  # by how much of itself an interval may be shorter or longer


def waiting_context(election: Election, result_path: str) -> dict[str, Any]:
    """What a page shows of an election whose ballots are being counted; the result will be at `result_path`."""
    progress_url = reverse("waiting_for_result", args=[token_for(election, result_path)])
    seconds = seconds_until_next(election.ended)
    return {
        "sealing": sealing(election.name),
        "progress_url": progress_url,
        "seconds": seconds,
        "refresh": f"{seconds}; url={progress_url}",
    }


def token_for(election: Election, result_path: str) -> str:
    """Signed token for pages that wait for the result; it only allows asking for progress."""
    return signing.dumps([election.name, election.created_at, result_path], salt=SALT, compress=True)


def seconds_until_next(ended: datetime | None) -> int:
    """Grows with the time since the end, with jitter, so that clients that arrived together do not reload together."""
    age = (utc_now() - (ended or utc_now())).total_seconds()
    return ceil(uniform(1 - JITTER, 1 + JITTER) * min(MAX_SECONDS, max(1.0, SHARE_OF_AGE * age)))  # noqa: S311


@public
@require_safe
def waiting(request: HttpRequest, token: str) -> HttpResponse:
    """How far the count is; once the result is sealed, or the election gone, the browser goes to the result page.

    htmx gets a part of a page. Browsers without scripts get a small page that knows nobody, so no session is read.
    """
    try:
        name, created_at, result_path = signing.loads(token, salt=SALT)
    except signing.BadSignature:
        raise Http404 from None
    recently = elections.recent_read(name, None, *repository.result_keys(name, with_report=False))
    found = repository.find(name, with_report=False, recently=recently)
    if found is None or found.seal or found.election.created_at != created_at:
        return HttpResponseClientRefresh() if request.htmx else redirect(result_path)
    template = "results/parts/waiting.html" if request.htmx else "results/counting.html"
    context = waiting_context(found.election, result_path) | {"election": found.election, "result_path": result_path}
    return render(request, template, context)

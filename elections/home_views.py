"""The front page: what waits for somebody, and what they run; for strangers, what this is."""

from __future__ import annotations

from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import public
from accounts.rules import Permission
from acts.site import log, now_text

from . import repository


@public
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """For somebody signed in: what waits for them and what they run. For others: what this is."""
    if request.user.is_authenticated and request.user.can(Permission.VIEW_APPLICATION):
        return _home_of(request)
    checkpoint = log().newest_public()
    published_at = datetime.fromisoformat(checkpoint["published_at"]) if checkpoint else None
    return render(request, "elections/home.html", {"checkpoint": checkpoint, "published_at": published_at})


def _home_of(request: HttpRequest) -> HttpResponse:
    user, now = request.user, now_text()
    mine, more = repository.lists(run_by=user.name, limit=5) if user.can_run_elections else ([], None)
    waiting = repository.waiting_for(user, now) if user.can(Permission.VOTE) else []
    context = {"waiting": waiting, "mine": [(each, each.state(now)) for each in mine], "more": more}
    return render(request, "elections/home_of.html", context)

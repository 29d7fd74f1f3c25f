"""The front page: what waits for somebody, and what they run; for strangers who runs this site, or else what it is."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import public
from accounts.rules import Permission
from acts import naming
from acts.site import now_text
from elections import repository as elections

from . import repository, site_page
from .site_views import show_page, show_plenum


@public
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """For somebody signed in: what waits for them and what they run. For others: who we are, or what this is."""
    if request.user.is_authenticated and request.user.can(Permission.VIEW_APPLICATION):
        return _home_of(request)
    if naming.is_told() and (page := site_page.find()).is_told:
        return show_page(request, page)
    return show_plenum(request)


def _home_of(request: HttpRequest) -> HttpResponse:
    user, now = request.user, now_text()
    mine, more = elections.lists(run_by=user.name, limit=5) if user.can_run_elections else ([], None)
    waiting = elections.waiting_for(user, now) if user.can(Permission.VOTE) else []
    run = [(each, each.state(now)) for each in mine]
    context = {"waiting": waiting, "mine": run, "more": more, "newest": repository.newest()}
    return render(request, "news/home_of.html", context)

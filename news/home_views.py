"""The front page: what waits for somebody, and what they run; for strangers who runs this site, or else what it is."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import public
from accounts.rules import Permission
from accounts.visits import last_visit
from acts import naming
from acts.site import now_text
from elections import repository as elections
from elections.mine import votes_of
from elections.rules import Election
from pages import rendered
from pages.markdown import plain
from results import words
from store.log import utc_now

from . import repository, site_page
from .site_views import show_page, show_plenum

MOST = 5  # elections somebody runs, and results that are new to them; lists have the others
A_GLANCE = 160  # letters of what an election is about


@public
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    return show_home(request)


def show_home(request: HttpRequest, status: int = 200, **code: Any) -> HttpResponse:
    """For somebody signed in: what waits for them and what they run. For others: who we are, or what this is. With what
    is wrong with a code that was typed here, if anything."""
    if request.user.is_authenticated and request.user.can(Permission.VIEW_APPLICATION):
        return render(request, "news/home_of.html", _own(request) | code, status=status)
    if naming.is_told() and (page := site_page.find()).is_told:
        return show_page(request, page, status, **code)
    return show_plenum(request, status, **code)


def _own(request: HttpRequest) -> dict[str, Any]:
    user, now = request.user, now_text()
    mine, more = elections.lists(run_by=user.name, limit=MOST) if user.can_run_elections else ([], None)
    run = [(each, each.state(now), each.takes_votes(now)) for each in mine]
    return {"mine": run, "more": more, "newest": repository.newest(), **_votes(request, now)}


def _votes(request: HttpRequest, now: str) -> dict[str, Any]:
    """What waits, what can still be changed, and how it ended since the last visit."""
    if not request.user.can(Permission.VOTE):
        return {}
    votes = votes_of(request.user, now, last_visit(request.user, utc_now()))
    decided = [(each, words.ended(each)) for each in votes.decided[:MOST]]
    waiting = [(each, _glance(each)) for each in votes.waiting]
    return {"waiting": waiting, "cast": votes.cast, "decided": decided, "more_decided": len(votes.decided) > MOST}


def _glance(election: Election) -> str:
    return plain(rendered.description_of(election), A_GLANCE)

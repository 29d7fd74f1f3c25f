"""Pages between elections and news: posts about one election, the announcement of its result; and how news works."""

from __future__ import annotations

from functools import partial

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.access import public, requires
from accounts.rules import Permission
from acts.refusals import NotAllowed, Refusal
from acts.site import now_text
from elections import repository as elections
from elections.access import check_visible, may
from elections.rules import Action, Election
from pages.paging import read_page
from results import services as results

from . import repository, services
from .about import asked_about
from .rules import PAGE_ROWS, Post


@requires(Permission.VIEW_APPLICATION, load=elections.find_settled, rule=check_visible)
@require_safe
def about(request: HttpRequest, election: Election) -> HttpResponse:
    """All posts about an election that can be read by now."""
    posts, older = read_page(request, partial(repository.on_election, election), PAGE_ROWS)
    may_write = services.may_announce(request.user, election)
    context = {"election": election, "posts": posts, "older": older, "may_write": may_write}
    return render(request, "news/about.html", context | {"about": asked_about(election)})


@requires(Permission.USE_APPLICATION, load=elections.find_settled, rule=may(Action.LOOK))
@require_POST
def announce(request: HttpRequest, election: Election) -> HttpResponse:
    """One press; whoever presses again is led to the post there is."""
    if (found := results.find(election.name)) is None:
        raise Http404
    try:
        post, is_new = services.announce(request.user, found)
    except NotAllowed:
        raise
    except Refusal as refusal:
        messages.error(request, str(refusal))
        return redirect("dashboard", name=election.name)
    messages.success(request, _("The result is announced.") if is_new else _("This result was announced before."))
    return _to(post)


def _to(post: Post) -> HttpResponse:
    """The post as readers see it; one that was taken back, to be published again."""
    return redirect("post", post.slug) if post.is_seen(now_text()) else redirect("edit_post", post.id)


@public
@require_safe
def help_news(request: HttpRequest) -> HttpResponse:
    return render(request, "news/help_news.html")

"""The front page: open votes and elections for members, what they can do here for visitors.

Shown at its own address, and when a code typed on it leads nowhere.
"""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.access import public
from accounts.models import User
from accounts.policy import allows_registration, explain_registration
from accounts.repository import last_visit
from accounts.rules import Permission
from elections.own_elections import votes_of
from elections.panels import HOME_CARDS, HomeCard
from foundation.acts import branding
from foundation.acts.branding import site_name
from foundation.acts.hooks import Hooks
from foundation.acts.links import absolute_url
from foundation.acts.storage import now_text, table
from foundation.pages import markdown
from foundation.pages.http_cache import MAX_PREVIEW_CHARS, site_picture
from foundation.pages.markdown import excerpt
from foundation.parts import Panel
from foundation.photos.photos import Photo
from foundation.store.keys import fold
from foundation.store.parallel import run_parallel
from results import sandbox_views, wording
from results.repository import newest_shared

from . import site_page
from .site_page import SitePage

MAX_ELECTIONS_LISTED = 5  # results new to a person; lists have the rest
EXCERPT_CHARS = 160  # characters of an election's description


PANELS = Hooks[[User], Panel | None]("when a member opens the home page")
FRONT_PANELS = Hooks[[Any], Panel | None]("when a visitor, signed in or not, opens the front page")


def show_home(request: HttpRequest, status: int = 200, **code: Any) -> HttpResponse:
    """For a member: their open votes and what they run. For visitors: the site's page, or the default one.

    With the error for a code typed here, if there is one.
    """
    user, now = request.user, now_text()
    if not (user.is_authenticated and user.can(Permission.VIEW_APPLICATION)):
        page = site_page.find() if branding.has_public_page() else site_page.BLANK
        show = show_page if page.has_content else show_default_page
        return show(request, page, status, **code)
    cards, votes, *panels = run_parallel(
        table(),
        lambda: _cards(user, now) if user.can_run_elections else [],
        lambda: _votes(user, now) if user.can_vote else {},
        *(partial(make, user) for make in PANELS),
    )
    shown = [panel for panel in panels if panel is not None]
    context = {
        "cards": cards,
        "asked": [panel for panel in shown if panel.asks],
        "panels": [panel for panel in shown if not panel.asks],
        **votes,
    }
    return render(request, "front/home_of.html", context | code, status=status)


def _cards(user: User, now: str) -> list[HomeCard]:
    found = run_parallel(table(), *(partial(cards, user, now) for cards in HOME_CARDS))
    return sorted(chain.from_iterable(found), key=lambda card: card[:2])


def _votes(user: User, now: str) -> dict[str, Any]:
    """Open votes, ballots that can still be changed, and results since the last visit."""
    votes = votes_of(user, now, last_visit(user, now))
    decided = [(each, wording.outcome_line(each)) for each in votes.decided[:MAX_ELECTIONS_LISTED]]
    return {
        "waiting": [
            (each, excerpt(markdown.description_html(votes.about[fold(each.name)]), EXCERPT_CHARS))
            for each in votes.waiting
        ],
        "cast": votes.cast,
        "decided": decided,
        "more_decided": len(votes.decided) > MAX_ELECTIONS_LISTED,
    }


# --- for visitors ---


def show_page(request: HttpRequest, page: SitePage, status: int = 200, **code: Any) -> HttpResponse:
    edited, left = request.GET.get("edited", ""), request.GET.get("left", "")
    context = {
        "page": page,
        "edited": edited,
        "at": edited or left,
        **page_context(page),
        **visitor_context(request, page),
        **code,
    }
    return render(request, "front/site_page.html", context, status=status)


def show_default_page(request: HttpRequest, page: SitePage, status: int = 200, **code: Any) -> HttpResponse:
    """The default page, for a site that has not described itself."""
    summary = _(
        "Plenum is for ranked-choice elections that a group runs on its own server. People put candidates in order; "
        "the count shows who won and why."
    )
    context = {"preview": _preview(summary, None), **visitor_context(request, page), **code}
    return render(request, "front/home.html", context, status=status)


def page_context(page: SitePage) -> dict[str, Any]:
    """Its text as HTML, and its link preview."""
    html = site_page.text_html(page)
    return {"text": html, "preview": _preview(excerpt(html, MAX_PREVIEW_CHARS), page.photo)}


def _preview(summary: str, photo: Photo | None) -> dict[str, Any]:
    """What other sites show of a link to the front page."""
    preview = {"title": site_name(), "summary": summary, "address": absolute_url(reverse("home"))}
    if photo is None:
        return preview | {"image": site_picture()}
    return preview | {"image": absolute_url(photo.large), "wide": photo.wide, "high": photo.high, "alt": photo.alt}


def visitor_context(request: HttpRequest, page: SitePage) -> dict[str, Any]:
    """What any visitor can do, try and read here."""
    shared, *panels = run_parallel(table(), _newest_result, *(partial(make, request.user) for make in FRONT_PANELS))
    return {
        "may_register": allows_registration(),
        "who_registers": explain_registration(),
        "shared": shared,
        "panels": [panel for panel in panels if panel is not None],
        **({} if page.hides_example else sandbox_views.example_context()),
    }


def _newest_result() -> dict[str, Any] | None:
    """The newest result that is public on the web, as a card."""
    found = newest_shared()
    if found is None:
        return None
    method = wording.method_label(found.method) if found.questions == 1 else ""
    return {"result": found, "ended": wording.outcome_line(found), "method": method}


@public
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    return show_home(request)

"""Polls on other sites: a page for iframes, a picture of the result, oEmbed."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import Resolver404, resolve
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.access import public
from acts.branding import site_name
from acts.storage import now_text
from pages.forms import form_page
from pages.sharing import cross_origin, embeddable
from ranking.marks import ranks_of
from results.wording import method_label

from . import counting, live_count, voters
from .card import as_svg, card_of, sentence_svg
from .link_previews import FRAME_HEIGHT_PX, FRAME_WIDTH_PX, address_of, frame
from .live_count import PollSnapshot
from .rules import HIDDEN, Poll
from .views import found_or_404, page_context, poll_context, vote_in, with_own_vote

CACHE_SECONDS = 5  # of the picture of the current result
MIN_WIDTH_PX, MIN_HEIGHT_PX = 280, 200
MAX_PLACES_SHOWN = 10  # that the small page shows
PAGES = ("poll", "poll_voted", "poll_results", "poll_embed")


# --- the small page ---


@public
@form_page
def embed(request: HttpRequest, poll_id: UUID) -> HttpResponse:
    """The current result, and a form where it can work.

    A frame on another site gets no cookies, so its votes could not be distinguished: it only links to the poll. For the
    same reason no one can be tricked into clicking one of our buttons (clickjacking).
    """
    posts = request.method == "POST"
    answer = vote_in(request, str(poll_id), _embedded, "poll_embed") if posts else _embedded_poll(request, poll_id)
    return embeddable(answer)


def _embedded_poll(request: HttpRequest, poll_id: UUID) -> HttpResponse:
    poll, vote = with_own_vote(request, poll_id)
    ranks = ranks_of(vote["rankings"]) if vote else {}
    return _embedded(request, poll, ranks, acts=vote["acts"] if vote else 0, stamp=voters.stamp(request, poll))


def _embedded(request: HttpRequest, poll: Poll, ranks: dict[int, Any], **more: Any) -> HttpResponse:
    if poll.hidden_at:
        return render(request, "polls/embed.html", {"poll": poll, "sentence": HIDDEN}, status=410)
    context = poll_context(poll, address=address_of(poll), **more)
    context["votes_here"] = context["is_open"] and _can_vote_here(request, poll, context)
    if context["votes_here"]:
        context |= page_context(request, poll, ranks)
    has_voted = more.get("has_voted", bool(more.get("acts")))  # a form may say anything
    context |= _standing(poll, has_voted, context["is_open"])
    return render(request, "polls/embed.html", context, status=422 if more.get("problem") else 200)


def _can_vote_here(request: HttpRequest, poll: Poll, context: dict[str, Any]) -> bool:
    """Whether our cookie arrived, so that it will come with the form; and they have not voted or want to change it."""
    arrives = not poll.sign_in and voters.browser_number(request) is not None
    return arrives and (not context.get("acts") or "change" in request.GET or "problem" in context)


def _standing(poll: Poll, has_voted: bool, is_open: bool) -> dict[str, Any]:
    if is_open and poll.results_hidden and not has_voted:
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


# --- a picture ---


@public
@require_safe
def image(request: HttpRequest, poll_id: UUID) -> HttpResponse:
    """The current result, the same for everyone: hidden results appear only at the end."""
    snapshot = live_count.watched_polls.get(str(poll_id))
    if snapshot is None:
        raise Http404
    status, drawn = _drawn(snapshot)
    answer = HttpResponse(drawn, content_type="image/svg+xml; charset=utf-8", status=status)
    answer["Cache-Control"] = f"public, max-age={CACHE_SECONDS}"
    answer["Content-Security-Policy"] = "default-src 'none'"
    return cross_origin(answer)


def _drawn(snapshot: PollSnapshot) -> tuple[int, str]:
    poll = snapshot.poll
    if poll.hidden_at:
        return 410, sentence_svg(_("Hidden"), str(HIDDEN))
    if poll.results_hidden and poll.is_open(now_text()):
        return 403, sentence_svg(poll.title, _("The results will be shown at the end."))
    if snapshot.result is None:
        return 202, sentence_svg(poll.title, _("The votes are being counted."))
    return 200, as_svg(card_of(poll, snapshot.result))


# --- oEmbed (https://oembed.com) ---


@public
@require_safe
def oembed(request: HttpRequest) -> HttpResponse:
    """How to embed a poll, for programs that have a link to it."""
    if request.GET.get("format", "json") != "json":
        return HttpResponse("Only format=json is offered.\n", status=501, content_type="text/plain; charset=utf-8")
    poll = found_or_404(_poll_in(request.GET.get("url", "")))
    if poll.hidden_at:
        raise Http404
    width = _within(request.GET.get("maxwidth", ""), MIN_WIDTH_PX, FRAME_WIDTH_PX)
    height = _within(request.GET.get("maxheight", ""), MIN_HEIGHT_PX, FRAME_HEIGHT_PX)
    payload = {"version": "1.0", "type": "rich", "title": poll.title, "width": width, "height": height}
    payload |= {"provider_name": site_name(), "provider_url": settings.SITE_URL, "html": frame(poll, width, height)}
    answer = JsonResponse(payload)
    answer["Access-Control-Allow-Origin"] = "*"  # not secret from anyone who has the link
    return cross_origin(answer)


def _poll_in(address: str) -> UUID:
    """The poll that a URL of ours is about. Codes are not resolved, so that they cannot be guessed here."""
    try:
        url, ours = urlsplit(address), urlsplit(settings.SITE_URL)
        match = resolve(url.path.removeprefix(ours.path))
    except (ValueError, Resolver404):
        raise Http404 from None
    if (url.scheme, url.netloc) != (ours.scheme, ours.netloc) or not url.path.startswith(f"{ours.path}/"):
        raise Http404
    if match.url_name not in PAGES:
        raise Http404
    return match.kwargs["poll_id"]


def _within(typed: str, least: int, usual: int) -> int:
    return max(least, min(usual, int(typed))) if typed.isdecimal() and len(typed) < 6 else usual

"""Result pages of a poll, live and final, on this site and in frames on others; and exports."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import wraps
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.http import content_disposition_header
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe
from django_htmx.http import HttpResponseClientRedirect

from accounts.access import public
from accounts.visitors import throttle_key
from foundation.acts.rate_limits import Limit, TooOften, count
from foundation.pages.client_address import is_loaded_by_another_site
from foundation.pages.fragments import Fragment, cache_key, get_or_render, page_with
from foundation.pages.http_cache import embeddable
from foundation.pages.messages import refusals_as_messages
from foundation.tally.formats import CannotWrite, File, write
from results.exports.files import CSV, JSON, TEXT, file_name
from results.waiting import seconds_until_next
from results.wording import method_label

from . import counting, repository, voters
from .counting import PollSnapshot
from .presentation import address_of, preview
from .rules import HIDDEN, Poll
from .views import found_or_404, hidden_page, poll_context

EXPORTS_ALLOWED = Limit("poll-exports", 60, 600)
View = Callable[..., HttpResponseBase]


def of_results(view: View) -> View:
    """For anyone with the link; hidden results only for people who have voted, and for all at the end."""

    @wraps(view)
    def answer(request: HttpRequest, poll_id: UUID, **parameters: Any) -> HttpResponseBase:
        snapshot = counting.watched_polls.get(str(poll_id))
        if snapshot is None:
            raise Http404
        if gone := hidden_page(request, snapshot.poll):
            return gone
        if snapshot.ballots is None and request.htmx:  # it ended while being watched
            return HttpResponseClientRedirect(reverse("poll_results", args=[poll_id]))
        if snapshot.poll.results_hidden and snapshot.ballots is not None:
            own = voters.vote_id(request, snapshot.poll)
            if own is None or not repository.has_voted(snapshot.poll, own):
                return render(request, "polls/hidden.html", poll_context(snapshot.poll), status=403)
        if snapshot.result is None:
            seconds = seconds_until_next(snapshot.poll.ended)
            return render(request, "polls/counting.html", poll_context(snapshot.poll, seconds=seconds), status=202)
        return view(request, snapshot, **parameters)

    return public(require_safe(answer))


@of_results
def results(request: HttpRequest, snapshot: PollSnapshot) -> HttpResponse:
    link_preview = preview(snapshot.poll, snapshot.result if snapshot.is_sealed else None)
    context = poll_context(snapshot.poll, preview=link_preview, paused="pause" in request.GET)
    return page_with(request, _part(request, snapshot), "polls/results.html", context)


@of_results
def now(request: HttpRequest, snapshot: PollSnapshot) -> HttpResponse:
    """Only the count; 204 if the page already shows it."""
    if request.GET.get("seen") == snapshot.stamp:
        return HttpResponse(status=204)
    return HttpResponse(_part(request, snapshot).html)


def _part(request: HttpRequest, snapshot: PollSnapshot) -> Fragment:
    """The count, which is the same for everyone: rendered once and cached."""
    assert snapshot.result is not None
    poll, comparison = replace(snapshot.poll, description="", html=None), snapshot.result
    context = poll_context(poll, paused="pause" in request.GET, stamp=snapshot.stamp)
    made_of = context, comparison.digest, snapshot.is_sealed

    def make() -> dict[str, Any]:
        return {**counting.results_context(comparison), **context, "exports": exports_of(poll)}

    return get_or_render(cache_key("poll", poll.id), "polls/results_now.html", make, made_of)


# --- files ---


EXPORTS: dict[str, tuple[str, str | Promise]] = {  # the media type of each file, and its label
    "votes.csv": (CSV, gettext_lazy("CSV, for spreadsheets")),
    "votes.json": (JSON, "JSON"),
    "votes.blt": (TEXT, "BLT"),
    "votes.abif": (TEXT, "ABIF"),
    "votes.cvotes": (TEXT, gettext_lazy("Condorcet vote format")),
    "votes.toi": (TEXT, gettext_lazy("PrefLib, with equals (.toi)")),
    "votes.cat": (TEXT, gettext_lazy("PrefLib, by category (.cat)")),
    "result.json": (JSON, gettext_lazy("The result as JSON")),
}


OF_RANKINGS, OF_MARKS = ("votes.blt", "votes.cvotes", "votes.toi"), ("votes.cat",)  # formats for these alone


def exports_of(poll: Poll) -> dict[str, tuple[str, str | Promise]]:
    others = OF_MARKS if poll.kind == "ranked" else OF_RANKINGS
    return {file: about for file, about in EXPORTS.items() if file not in others}


@of_results
def export(request: HttpRequest, snapshot: PollSnapshot, file: str) -> HttpResponseBase:
    if file not in exports_of(snapshot.poll) or is_loaded_by_another_site(request):
        raise Http404
    with refusals_as_messages(request, (TooOften, CannotWrite)):
        count(EXPORTS_ALLOWED, throttle_key(request))
        disposition = content_disposition_header(True, file_name(snapshot.poll.title, file, "poll"))
        return StreamingHttpResponse(
            _content(snapshot, file), content_type=EXPORTS[file][0], headers={"Content-Disposition": disposition}
        )
    return redirect("poll_results", snapshot.poll.id)


def _content(snapshot: PollSnapshot, file: str) -> Iterable[bytes]:
    assert snapshot.result is not None
    if file == "result.json":
        return [snapshot.result.as_json().encode()]
    ballots = snapshot.ballots or repository.read_counted(snapshot.poll, snapshot.result.digest)
    poll = snapshot.poll
    return write(File(ballots, 1, poll.title, poll.unranked, poll.kind), file.removeprefix("votes."))


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
    snapshot = counting.watched_polls.get(poll.id)
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

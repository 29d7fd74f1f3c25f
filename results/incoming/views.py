"""Pages of a live result while ballots come in."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
from django_htmx.http import HttpResponseClientRedirect

from elections.access import election_context
from elections.rules import State
from foundation.acts.storage import now_text
from foundation.pages.page_cache import Fragment, cache_key, get_or_render, page_with
from foundation.pages.paths import path_of
from foundation.store.keys import fold
from foundation.tally.closeness import Closeness
from foundation.tally.explain import explain
from foundation.tally.provisional import provisional_result
from results.access import Reader, check_reads, for_voters
from results.report import Report
from results.repository import Found
from results.views import context_of_report, not_yet

from . import count as coming_in
from .count import LiveResult


def load(reader: Reader, name: str, question: int = 1) -> LiveResult | None:
    look = coming_in.cache.get(name, question)
    if look is not None:
        check_reads(reader, look.election)
    return look


of_live = for_voters(load_for=load)


@of_live
@require_safe
def live(request: HttpRequest, look: LiveResult) -> HttpResponse:
    """The running count; it refreshes itself, with or without scripts, unless paused."""
    if (instead := _instead(request, look)) is not None:
        return instead
    context = election_context(request, look.election, paused=_is_paused(request))
    return page_with(request, _part(request, look), "results/live.html", context)


@of_live
@require_safe
def live_now(request: HttpRequest, look: LiveResult) -> HttpResponse:
    """The count alone; empty if the page already shows it."""
    if look.election.state(now_text()) == State.CLOSED:
        return HttpResponseClientRedirect(path_of("results", *look.election.result_address))
    if (instead := _instead(request, look)) is not None:
        return instead
    if request.GET.get("seen") == _stamp(look):
        return HttpResponse(status=204)
    return HttpResponse(_part(request, look).html)


def _instead(request: HttpRequest, look: LiveResult) -> HttpResponse | None:
    """The page shown where no running count is shown."""
    if look.result is not None:
        return None
    if look.too_many:
        sentence = _(
            "Counting now takes too long to show a running result. The result will be shown once voting has closed."
        )
        context = election_context(request, look.election, sentence=sentence, counting=False)
        return render(request, "results/not_yet.html", context)
    if look.election.state(now_text()) == State.CLOSED:
        return redirect("results", *look.election.result_address)
    return not_yet(request, Found(look.election, None, None))


def _is_paused(request: HttpRequest) -> bool:
    return "pause" in request.GET


def _stamp(look: LiveResult) -> str:
    """Identifies what a page shows, to detect changes."""
    assert look.result is not None
    return f"{look.result.digest[:16]}{look.election.version}"


def _part(request: HttpRequest, look: LiveResult) -> Fragment:
    """The count, which is the same for all who look: put together once, and again when something is new."""
    assert look.result is not None
    paused, key = _is_paused(request), cache_key("live", fold(look.election.name), look.election.number)
    about = {"election": look.election, "stamp": _stamp(look), "paused": paused}
    made_of = look.election, look.result.digest, look.draws, paused
    return get_or_render(key, "results/live_now.html", lambda: _context(look) | about, made_of)


def _context(look: LiveResult) -> dict[str, Any]:
    result = look.result
    assert result is not None
    before_lots = provisional_result(result, look.draws)
    report = Report(before_lots.result, tuple(explain(result)), (), Closeness())
    context = context_of_report(Found(look.election, None, report)) | {"between": before_lots.between}
    context["ballots"] = look.ballots
    if result.lots:
        context["sentences"] = _example(context["sentences"], is_open=bool(before_lots.between))
    return context


def _example(sentences: list[str], *, is_open: bool) -> list[str]:
    """The account of one draw; it names no winner who might lose another draw."""
    example = _(
        "The lots below are only an example. The real ones are drawn after the close, and nobody can know them yet."
    )
    return [example, *sentences[1 if is_open else 0 :]]

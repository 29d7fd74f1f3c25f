"""Results while they come in: the count of a public election, kept up to date in the process ballot by ballot.

A look reads the election with its gates, and the ballots cast since the last look, found by the time they were cast.
As the index may lag, every look begins a little before the newest ballot seen. A withdrawn ballot is in no list of what
is new: it is noticed because then more ballots are known than the gates have let through, and all of them are read
again. Nothing of this exists for a secret election."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
from django_htmx.http import HttpResponseClientRedirect

from elections import repository as elections
from elections import sharding
from elections.access import election_context
from elections.repository import candidates_of
from elections.rules import Election, State
from elections.turnout.counts import counted_in
from foundation.acts.storage import now_text, table
from foundation.pages.fragments import Fragment, cache_key, get_or_render, page_with
from foundation.pages.paths import path_of
from foundation.store import keys, sharded_reads
from foundation.store.keys import fold
from foundation.tally.closeness import Closeness
from foundation.tally.count_job import CountJob
from foundation.tally.explain import explain
from foundation.tally.provisional import MAX_OTHER_LOTS, Draws, provisional_result
from foundation.tally.result import Result
from results import bounded_counting
from results.access import Reader, check_reads, for_voters
from results.repository import Found, Report, settings_of
from results.running_count import BallotSource, CountCache, WatchedCount
from results.views import context_of_report, not_yet

MAX_BALLOTS = 50_000  # of one election


@dataclass(frozen=True, slots=True)
class LiveResult:
    """An election as of a moment ago, with a result if it may be watched."""

    election: Election
    result: Result | None = None
    ballots: int = 0
    too_many: bool = False  # to be counted again and again
    draws: Draws = ()  # what other lots would make of it, as long as the true ones cannot be known


class ElectionCountCache(CountCache):
    """The elections that are being watched."""

    def load(self, name: str, watched: WatchedCount) -> LiveResult | None:
        found = _with_gates(name, watched.question)
        if found is None:
            return None
        election, voted = found
        if not election.shows_live(now_text()):
            return LiveResult(election)
        if voted > MAX_BALLOTS:
            return LiveResult(election, too_many=True)
        self.bring_up_to_date(watched, _box(election, voted))
        try:
            return _counted(election, watched)
        except (bounded_counting.TooExpensive, bounded_counting.Busy):
            return LiveResult(election, too_many=True)


def _box(election: Election, voted: int) -> BallotSource:
    name, shards = election.name, election.shards
    return BallotSource(
        election.created_at,
        candidates_of(election),
        every=lambda: sharded_reads.each(table(), sharding.ballot_spans(election)),
        since=lambda moment: sharded_reads.each(table(), keys.ballots_by_time(name, moment, shards, election.number)),
        can_hold=lambda total: total == voted or _fits_gates(election, total, voted),
        kind=election.kind,
    )


def _fits_gates(election: Election, total: int, voted: int) -> bool:
    """Whether so many ballots fit the gates because some were cast between reading the one and the other."""
    found = _with_gates(election.name, election.number)
    after = found[1] if found else 0
    return min(voted, after) <= total <= max(voted, after)


def _with_gates(name: str, question: int) -> tuple[Election, int] | None:
    """The election as it asks the question, and how many have voted on it, in one round trip."""
    item, gates = sharding.read_each_gate(keys.election(name))
    election = elections.election_of(item) if item else None
    if election is None or not election.has_question(question):
        return None
    counted = "voted" if not election.more else counted_in("voted", question)
    return election.at(question), sum(gate.get(counted, 0) for gate in gates)


def _counted(election: Election, watched: WatchedCount) -> LiveResult:
    """Recounted only if something is new.

    Lots are not drawn from the election's own seed: that is made at the close and must not be guessable from a page.
    """
    ballots, before = watched.running.ballots, watched.latest
    if before and before.result and before.election == election and before.result.digest == ballots.digest:
        return before
    job = CountJob(ballots, election.method, settings_of(election, election.lots_commitment), in_full=False)
    result = bounded_counting.run_job(job, waits=False).result
    draws: Draws = ()
    if result.lots:
        with suppress(bounded_counting.TooExpensive, bounded_counting.Busy):
            draws = bounded_counting.run_job(replace(job, draws=MAX_OTHER_LOTS), waits=False).draws
    return LiveResult(election, result, watched.running.total, draws=draws)


cache = ElectionCountCache()


def load(reader: Reader, name: str, question: int = 1) -> LiveResult | None:
    look = cache.get(name, question)
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
        # The account of one draw; it names no winner who might lose another draw.
        example = _(
            "The lots below are only an example. The real ones are drawn after the close, and nobody can know them yet."
        )
        context["sentences"] = [example, *context["sentences"][1 if before_lots.between else 0 :]]
    return context

"""The results of all questions of a multi-question ballot on one page, each linked to its own."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import public, requires
from accounts.rules import Permission
from ballots.passes import Pass
from elections.access import election_context
from elections.kinds import majority_text
from elections.multi_ballots import repository as multi_ballots
from elections.multi_ballots.rules import MultiBallot
from elections.rules import State
from foundation.acts.storage import now_text

from . import services, wording
from .access import Reader, by_pass_of_multi_ballot, check_reads, is_shared
from .outcomes import outcome_of
from .repository import Found, Sealed


def load(reader: Reader, multi_ballot_id: str) -> tuple[MultiBallot, list[Found]] | None:
    both = _find(multi_ballot_id)
    questions = both[1] if both else []
    for each in questions[:1] if isinstance(reader, Pass) else questions:  # a pass opens all questions or none
        check_reads(reader, each.election)
    return both


def _find(multi_ballot_id: str) -> tuple[MultiBallot, list[Found]] | None:
    if (multi_ballot := multi_ballots.find(multi_ballot_id)) is None:
        return None
    found = [each for each in map(services.find, multi_ballot.questions) if each is not None]
    return (multi_ballot, found) if found else None


@requires(Permission.VIEW_APPLICATION, load_for=load, guests=by_pass_of_multi_ballot)
@require_safe
def multi_ballot_results(request: HttpRequest, both: tuple[MultiBallot, list[Found]]) -> HttpResponse:
    multi_ballot, found = both
    context = election_context(request, found[0].election, **_context(multi_ballot, found), page="results")
    return render(request, "results/multi_ballot.html", context)


@public
@require_safe
def shared_multi_ballot(request: HttpRequest, multi_ballot_id: str) -> HttpResponse:
    """For the public, if every question shares its result; otherwise 404."""
    both = _find(multi_ballot_id)
    if both is None or not _is_shared(both[1]):
        raise Http404
    multi_ballot, found = both
    context = {"election": found[0].election, "is_stranger": True, **_context(multi_ballot, found), "page": "shared"}
    return render(request, "results/multi_ballot.html", context)


def _is_shared(found: list[Found]) -> bool:
    return all(is_shared(each.election) for each in found)


def _context(multi_ballot: MultiBallot, found: list[Found]) -> dict[str, Any]:
    return {
        "multi_ballot": multi_ballot,
        "rows": [_row(multi_ballot, each) for each in found],
        "is_shared": _is_shared(found),
    }


def _row(multi_ballot: MultiBallot, found: Found) -> dict[str, Any]:
    """No result is disclosed early: before it is sealed, only whether it is being counted."""
    election = found.election
    row = {"question": multi_ballot.short(election.name), "election": election, "sealed_at": ""}
    if not isinstance(found, Sealed):
        return row | {"counting": election.state(now_text()) == State.CLOSED}
    result, voters = found.report.result, election.entitled
    percent = found.seal.turnout.percent(voters) if voters else None
    method = wording.method_label(result.method)
    return row | {
        "sealed_at": found.seal.sealed_at,
        "result": result,
        "outcome": outcome_of(result),
        "ballots": found.seal.ballots,
        "method": method,
        "majority": majority_text(result.reasons["majority"]) if result.method == "majority" else "",
        "percent": percent,
    }

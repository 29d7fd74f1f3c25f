"""Pages of results: who won and why, and everything it takes to check it."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.access import View, requires
from accounts.models import User
from accounts.rules import Permission
from acts.site import now_text
from elections.access import context_of, visible
from elections.beside import beside
from elections.rules import State
from tally.result import Round

from . import services, words
from .coverage import coverage_of
from .coverage import picture as coverage_picture
from .files import context_of_exports
from .lots import context_of_lots
from .pictures import pictures_of, turnout_pictures
from .pictures.drawing import exact
from .repository import Found, Sealed

MOST_CONTESTS = 60  # candidates whose contests the page shows; the files have all of them


def load(user: User, name: str) -> Found | None:
    found = services.find(name)
    if found is not None:
        visible(user, found.election)
    return found


def of_results(view: View) -> View:
    """A page about the result of an election."""
    return requires(Permission.VIEW_APPLICATION, load_for=load)(view)


@of_results
@require_safe
def results(request: HttpRequest, found: Found) -> HttpResponse:
    if not isinstance(found, Sealed):
        is_live = found.election.shows_live(now_text())
        return redirect("live", found.election.name) if is_live else not_yet(request, found)
    context = context_of_report(found) | context_of_exports(found)
    context["pictures"] += turnout_pictures(found.election, found.seal.turnout)
    if (coverage := coverage_of(found)) is not None:
        context |= {"coverage": coverage, "coverage_picture": coverage_picture(coverage)}
    shown = context_of(request, found.election, **context)
    if "LOOK" in shown["offered"]:  # whoever runs it sees what can be done with the result; others came to read it
        shown["beside"] = beside(request.user, found.election)
    return render(request, "results/results.html", shown)


def not_yet(request: HttpRequest, found: Found) -> HttpResponse:
    """Nothing of a result leaves before its time: not by any address, not to anybody."""
    over = found.election.state(now_text()) == State.CLOSED
    sentence = _("The ballots are being counted.") if over else _("The result is shown after the election has closed.")
    context = context_of(request, found.election, sentence=sentence, counting=over)
    return render(request, "results/not_yet.html", context, status=202 if over else 403)


def context_of_report(found: Found) -> dict[str, Any]:
    """What the page says of a report, in words and tables."""
    report, seal = found.report, found.seal
    assert report is not None
    result = report.result
    order = [name for name, place in result.places]
    number = {name: position for position, name in enumerate(result.candidates)}
    rows = []
    if result.pairwise:
        shown = order[:MOST_CONTESTS]
        rows = [(name, [_cell(result.pairwise, number[name], number[other]) for other in shown]) for name in shown]
    return {
        "report": report,
        "seal": seal,
        "result": result,
        "order": order,
        "pairwise": rows,
        "rounds": [(name, [exact(each.tally.get(name, "")) for each in result.rounds or ()]) for name in order],
        "beside_rounds": _beside(result.rounds or ()),
        "rule": words.RULES[result.method],
        "unranked": words.unranked(report),
        "sentences": [words.said(each) for each in report.sentences],
        "how_close": words.how_close(report),
        "pictures": pictures_of(result),
        "all_methods": words.all_methods(report),
        "others": [(words.label(each.method), words.names(each.winners)) for each in words.comparable(report)],
        **context_of_lots(found),
    }


def _beside(rounds: tuple[Round, ...]) -> list[tuple[str, list[str]]]:
    """What is in the rounds besides the votes of each."""
    rows = {_("Exhausted"): "exhausted", _("Lost in cut decimals"): "residue", _("Needed"): "threshold"}
    return [(label, [exact(getattr(each, part)) for each in rounds]) for label, part in rows.items()]


def _cell(pairwise: tuple[tuple[int, ...], ...], i: int, j: int) -> dict[str, Any] | None:
    if i == j:
        return None
    votes, against = pairwise[i][j], pairwise[j][i]
    return {"votes": votes, "against": against, "won": votes > against, "lost": votes < against}

"""The turnout part of pages."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from elections.access import election_context, organiser_page
from elections.rules import Action, Election, State
from foundation.acts.storage import now_text

from . import chart
from .counts import turnouts


@organiser_page(Action.SEE_ROLL)
@require_safe
def turnout_part(request: HttpRequest, election: Election) -> HttpResponse:
    """The turnout alone, for a page that shows it live."""
    context = election_context(request, election, **turnout_context(election))
    return render(request, "elections/parts/turnout_now.html", context)


def turnout_context(election: Election) -> dict[str, Any]:
    """The context of the turnout part; empty for a draft."""
    if election.stored_state == State.DRAFT:
        return {}
    counted = turnouts(election, to_show=True)[0]
    when = chart.window(election, counted, datetime.fromisoformat(now_text()))
    quorum = election.convened.quorum_number if election.convened else None
    is_any = counted.voted or counted.steps  # when the first of them voted may not have been counted yet
    return {
        "turnout": counted,
        "percent": counted.percent(election.electors),
        "picture": chart.draw_chart(election, counted, when, quorum) if when and is_any else None,
    }

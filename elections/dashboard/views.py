"""The page of those who run an election: what is next, how many have voted, what to think about."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from acts.site import now_text, table
from elections import repository
from elections.access import context_of, run
from elections.groups import services as groups
from elections.invitations import reminders
from elections.invitations.progress import progress
from elections.public.panels import beside
from elections.rules import Action, Election, State
from elections.turnout import chart, comparison
from elections.turnout.counts import turnouts
from store.together import together

from .checklist import needs_accounts
from .concerns import Looked, concerns
from .next_step import ONCE_SEALED, Numbers, next_step


@run(Action.LOOK)
@require_safe
def dashboard(request: HttpRequest, election: Election) -> HttpResponse:
    now = now_text()
    candidates, got, shown, (parts, lacks_accounts) = together(
        table(),
        lambda: repository.candidates_by_name(election.name),
        lambda: progress(election),
        lambda: turnout_context(election),
        lambda: (beside(request.user, election), needs_accounts(election)),
    )
    context = context_of(request, election, candidates=candidates, **shown)
    numbers = Numbers(
        candidates=len(candidates),
        voted=context["turnout"].voted if "turnout" in context else 0,
        uninvited=got.uninvited(election),
        invited=got.invited.voters if got.invited else 0,
        reminded=got.reminded.all if got.reminded else 0,
        is_inviting=got.is_inviting,
        is_sealed=got.is_sealed,
        sealing=str(got.sealing or ""),
    )
    later = ONCE_SEALED.taken(request.user, election) if got.is_sealed else []
    step = next_step(election, numbers, context["offered"], now, *later)
    silent = sum(not each.statement for each in candidates)
    looked = Looked(election, len(candidates), silent, context["offered"], now, got, lacks_accounts)
    context |= {
        "step": step,
        "begins_later": election.no_voting_before is not None and election.no_voting_before > now,
        "concerns": concerns(looked, said=step.what),
        "mails": got.mails,
        "reminders": [reminders.BEFORE[hours] for hours in election.remind_before],
        "beside": parts,
    }
    return render(request, "elections/dashboard.html", context)


@run(Action.SEE_ROLL)
@require_safe
def turnout_part(request: HttpRequest, election: Election) -> HttpResponse:
    """The turnout alone, for a page that shows it live."""
    context = context_of(request, election, **turnout_context(election))
    return render(request, "elections/parts/turnout_now.html", context)


def turnout_context(election: Election) -> dict[str, Any]:
    """What the turnout part shows, once there can be one: of a draft nothing."""
    if election.stored_state == State.DRAFT:
        return {}
    other, now = groups.last_election(election.group, before=election), datetime.fromisoformat(now_text())
    counted, *others = turnouts(election, *([other] if other else []))
    when = chart.window(election, counted, now)
    beside_it = comparison.compared(other, others[0], when, now) if other else None
    quorum = election.convened.quorum_number if election.convened else None
    way = beside_it.way if beside_it else ()
    is_any = counted.voted or counted.steps  # when the first of them voted may not have been counted yet
    return {
        "turnout": counted,
        "percent": counted.percent(election.voter_count),
        "picture": chart.picture(election, counted, when, way, quorum) if when and is_any else None,
        "compared": beside_it,
    }

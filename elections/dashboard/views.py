"""The dashboard: next step, turnout, warnings."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from acts.storage import now_text, table
from elections import repository
from elections.access import election_context, organiser_page, panels
from elections.invitations import reminders
from elections.invitations.progress import progress
from elections.rules import Action, Election
from elections.turnout.views import turnout_context
from store.parallel import run_parallel

from .checklist import needs_accounts
from .concerns import ElectionSnapshot, concerns
from .next_step import ONCE_SEALED, Numbers, next_step


@organiser_page(Action.LOOK)
@require_safe
def dashboard(request: HttpRequest, election: Election) -> HttpResponse:
    now = now_text()
    candidates, so_far, turnout, (parts, lacks_accounts) = run_parallel(
        table(),
        lambda: repository.candidates_by_name(election.name),
        lambda: progress(election),
        lambda: turnout_context(election),
        lambda: (panels(request.user, election), needs_accounts(election)),
    )
    context = election_context(request, election, candidates=candidates, **turnout)
    voted = context["turnout"].voted if "turnout" in context else 0
    numbers = Numbers.of(election, so_far, len(candidates), voted)
    later = ONCE_SEALED.run_all(request.user, election) if so_far.is_sealed else []
    step = next_step(election, numbers, context["offered"], now, *later)
    silent = sum(not each.statement for each in candidates)
    snapshot = ElectionSnapshot(election, len(candidates), silent, context["offered"], now, so_far, lacks_accounts)
    context |= {
        "step": step,
        "begins_later": election.no_voting_before is not None and election.no_voting_before > now,
        "concerns": concerns(snapshot, except_for=step.what),
        "mails": so_far.mails,
        "is_mailing": so_far.is_mailing,
        "is_reminding": so_far.is_reminding,
        "reminders": [reminders.REMINDER_TIMES[hours] for hours in election.remind_before],
        "panels": parts,
    }
    return render(request, "elections/dashboard.html", context)

"""The dashboard: next step, turnout, warnings."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from elections import repository, rolls
from elections.access import election_context, organiser_page
from elections.invitations import reminders
from elections.invitations.progress import progress
from elections.panels import panels
from elections.rules import MAX_QUESTIONS, Action, Election
from elections.turnout.counts import group_turnouts
from elections.turnout.views import turnout_context
from foundation.acts.storage import now_text, table
from foundation.store.parallel import run_parallel

from .checklist import needs_accounts
from .concerns import WAITING, ElectionSnapshot, concerns
from .next_step import ONCE_SEALED, Numbers, next_step

MAX_GROUPED_VOTERS = 20_000  # on a roll that is read for the turnout of its groups; of a longer one, the result has it


@organiser_page(Action.LOOK)
@require_safe
def dashboard(request: HttpRequest, election: Election) -> HttpResponse:
    election, now = rolls.as_it_would_open(election), now_text()
    candidates, so_far, turnout, (parts, lacks_accounts, waiting) = run_parallel(
        table(),
        lambda: repository.candidates_by_question(election),
        lambda: progress(election),
        lambda: turnout_context(election),
        lambda: (
            panels(request.user, election),
            needs_accounts(election),
            [found for find in WAITING if (found := find(election)) is not None],
        ),
    )
    counts = {number: len(own) for number, own in candidates.items()}
    context = election_context(request, election, candidates=counts, total_candidates=sum(counts.values()), **turnout)
    voted = context["turnout"].voted if "turnout" in context else 0
    numbers = Numbers.of(election, so_far, counts, voted)
    later = [step(request.user, election) for step in ONCE_SEALED] if so_far.is_sealed else []
    step = next_step(election, numbers, context["offered"], now, *later)
    is_short = election.voter_count <= MAX_GROUPED_VOTERS
    snapshot = ElectionSnapshot(
        election, candidates, context["offered"], now, so_far, lacks_accounts, waiting, numbers.to_answer
    )
    context |= {
        "group_turnouts": group_turnouts(election, voted) if is_short and "turnout" in context else [],
        "step": step,
        "begins_later": election.no_voting_before is not None and election.no_voting_before > now,
        "concerns": concerns(snapshot, except_for=step.what),
        "mails": so_far.mails,
        "is_mailing": so_far.is_mailing,
        "is_reminding": so_far.is_reminding,
        "reminders": [reminders.REMINDER_TIMES[hours] for hours in election.remind_before],
        "panels": parts,
        "may_ask": "SET_UP" in context["offered"] and len(election.questions) < MAX_QUESTIONS,
    }
    return render(request, "elections/dashboard.html", context)

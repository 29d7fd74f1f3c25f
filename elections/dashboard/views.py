"""The dashboard: next step, turnout, warnings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from elections import repository, rolls
from elections.access import election_context, organiser_page, panels
from elections.invitations import reminders
from elections.invitations.progress import progress
from elections.rules import Action, Election
from elections.turnout.counts import group_turnouts
from elections.turnout.views import turnout_context
from foundation.acts.storage import now_text, table
from foundation.ranking.candidates import Candidate
from foundation.store.parallel import run_parallel

from .checklist import needs_accounts
from .concerns import WAITING, ElectionSnapshot, concerns, lookalikes
from .next_step import ONCE_SEALED, Numbers, next_step

MAX_GROUPED_VOTERS = 20_000  # on a roll that is read for the turnout of its groups; of a longer one, the result has it


@organiser_page(Action.LOOK)
@require_safe
def dashboard(request: HttpRequest, election: Election) -> HttpResponse:
    read = lambda: repository.candidates_by_name(election.name)  # noqa: E731
    election = rolls.as_it_would_open(election)
    questions = [(election.title or election.name, election)]
    return render(request, "elections/dashboard.html", dashboard_context(request, election, read, questions))


def dashboard_context(
    request: HttpRequest,
    election: Election,
    read: Callable[[], Sequence[Candidate]],
    questions: Sequence[tuple[str, Election]],
    unasked: int | None = None,
) -> dict[str, Any]:
    now = now_text()
    candidates, so_far, turnout, (parts, lacks_accounts, waiting) = run_parallel(
        table(),
        read,
        lambda: progress(election),
        lambda: turnout_context(election),
        lambda: (
            panels(request.user, election),
            needs_accounts(election),
            [found for find in WAITING if (found := find(election)) is not None],
        ),
    )
    context = election_context(request, election, candidates=candidates, **turnout)
    voted = context["turnout"].voted if "turnout" in context else 0
    numbers = Numbers.of(election, so_far, {1: len(candidates)}, voted)
    later = [step(request.user, election) for step in ONCE_SEALED] if so_far.is_sealed else []
    step = next_step(election, numbers, context["offered"], now, *later)
    is_short = election.voter_count <= MAX_GROUPED_VOTERS
    silent = sum(not each.statement for each in candidates)
    snapshot = ElectionSnapshot(election, len(candidates), silent, context["offered"], now, so_far, lacks_accounts)
    snapshot = replace(
        snapshot,
        waiting=waiting,
        asked=numbers.asked,
        questions=questions,
        unasked=election.excluded if unasked is None else unasked,
        lookalikes=lookalikes(candidates),
    )
    return context | {
        "group_turnouts": group_turnouts(election, voted) if is_short and "turnout" in context else [],
        "step": step,
        "begins_later": election.no_voting_before is not None and election.no_voting_before > now,
        "concerns": concerns(snapshot, except_for=step.what),
        "mails": so_far.mails,
        "is_mailing": so_far.is_mailing,
        "is_reminding": so_far.is_reminding,
        "reminders": [reminders.REMINDER_TIMES[hours] for hours in election.remind_before],
        "panels": parts,
    }

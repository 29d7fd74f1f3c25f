"""The dashboard: next step, turnout, warnings; and the cards of elections on the home page."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.models import User
from elections import actions, repository, rolls, rules
from elections.access import election_context, organiser_page
from elections.invitations import reminders
from elections.invitations.progress import Progress, progress
from elections.panels import MAX_CARDS, MAX_NEWEST, NOW, HomeCard, panels
from elections.rules import MAX_QUESTIONS, Action, Election, State
from elections.turnout.counts import group_turnouts, turnouts
from elections.turnout.views import turnout_context
from foundation.acts.storage import now_text, table
from foundation.store import keys
from foundation.store.log import as_text
from foundation.store.parallel import run_parallel

from .checklist import needs_accounts
from .concerns import WAITING, ElectionSnapshot, concerns
from .next_step import ONCE_SEALED, Numbers, next_step, turnout_text

MAX_GROUPED_VOTERS = 20_000  # on a roll that is read for the turnout of its groups; of a longer one, the result has it
AFTER_CLOSE = timedelta(days=7)  # how long a closed election still has a card on the home page


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


# --- on the home page ---


def election_cards(user: User, now: str) -> list[HomeCard]:
    """Of drafts, open elections and those closed recently; one for all questions on a ballot."""
    newest, _cursor = repository.list_elections(run_by=user.name, limit=MAX_NEWEST)
    found = table().get_many([keys.election(each.name) for each in newest]) if newest else {}
    elections = sorted(map(repository.election_of, found.values()), key=lambda each: each.created_at, reverse=True)
    elections.sort(key=lambda each: each.voter_count)
    since = as_text(datetime.fromisoformat(now) - AFTER_CLOSE)
    current = [each for each in elections if each.state(now) != State.CLOSED or (each.closed_at or now) > since]
    first = sorted(current, key=lambda each: (each.state(now) == State.DRAFT, *rules.urgency(each, now)))
    return list(run_parallel(table(), *(partial(_card, user, each, now) for each in first[:MAX_CARDS])))


def _card(user: User, election: Election, now: str) -> HomeCard:
    state = election.state(now)
    is_draft, may_be_sealed = state == State.DRAFT, state == State.CLOSED
    candidates, so_far, voted, (name, later) = run_parallel(
        table(),
        lambda: repository.candidate_counts(election) if is_draft else {},
        lambda: Progress() if is_draft else progress(election),
        lambda: 0 if is_draft else turnouts(election, to_show=True)[0].voted,
        lambda: (
            election.name,
            [step(user, election) for step in ONCE_SEALED] if may_be_sealed else [],
        ),
    )
    numbers = Numbers.of(election, so_far, candidates, voted)
    offered = {action.name for action in rules.offered(actions.relation(user, election), state)}
    step = next_step(election, numbers, offered, now, *(later if so_far.is_sealed else []))
    is_urgent = step.button and not (is_draft or step.is_quiet or step.what == "result")
    urgency, time = rules.urgency(election, now)
    figure = "" if is_draft else turnout_text(election, numbers)
    context = {"name": name, "election": election, "step": step, "figure": figure, "voted": voted}
    context["takes_votes"] = election.takes_votes(now)
    is_extra = numbers.to_answer and step.what != numbers.to_answer.what and "ANSWER" in offered
    context["to_answer"] = numbers.to_answer if is_extra else None
    return HomeCard(NOW if is_urgent else urgency, time, "elections/parts/home_card.html", context)

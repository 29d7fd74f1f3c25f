"""Cards on the home page of people who run things, most urgent first. Apps above elections add theirs in
config/hooks.py."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial
from typing import Any, NamedTuple

from accounts.models import User
from elections import actions, repository, rules
from elections.invitations.progress import Progress, progress
from elections.rules import Election, State
from elections.turnout.counts import turnouts
from foundation.acts.hooks import Hooks
from foundation.acts.storage import table
from foundation.store import keys
from foundation.store.log import as_text
from foundation.store.parallel import run_parallel

from .next_step import ONCE_SEALED, Numbers, next_step, turnout_text

MAX_NEWEST = 25  # of what a person runs, the newest, among which those under way are looked for
MAX_CARDS = 6  # of one kind
AFTER_CLOSE = timedelta(days=7)  # how long a closed election still has a card
NOW, RUNNING, LATER = range(3)  # how urgent something is, as `rules.urgency` counts
NO_TIME = "~"  # sorts after all times


class Card(NamedTuple):
    urgency: int
    time: str  # when it ends, or is published
    template: str
    context: dict[str, Any]


CARDS = Hooks[[User, str], list[Card]]("when somebody who may run things opens the home page")


def election_cards(user: User, now: str) -> list[Card]:
    """Of drafts, open elections and those closed recently; one for all questions on a ballot."""
    newest, _cursor = repository.list_elections(run_by=user.name, limit=MAX_NEWEST)
    found = table().get_many([keys.election(each.name) for each in newest]) if newest else {}
    elections = sorted(map(repository.election_of, found.values()), key=lambda each: each.created_at, reverse=True)
    elections.sort(key=lambda each: each.voter_count)
    since = as_text(datetime.fromisoformat(now) - AFTER_CLOSE)
    current = [each for each in elections if each.state(now) != State.CLOSED or (each.closed_at or now) > since]
    first = sorted(current, key=lambda each: (each.state(now) == State.DRAFT, *rules.urgency(each, now)))
    return list(run_parallel(table(), *(partial(_card, user, each, now) for each in first[:MAX_CARDS])))


def _card(user: User, election: Election, now: str) -> Card:
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
    return Card(NOW if is_urgent else urgency, time, "elections/parts/home_card.html", context)

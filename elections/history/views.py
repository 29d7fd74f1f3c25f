"""The history page."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from accounts.rules import Permission
from elections import repository
from elections.access import check_visible, election_context, for_readers
from elections.rules import Election, State
from foundation.acts.storage import table
from foundation.acts.tokens import SECONDS_PER_DAY, create_token, read_token
from foundation.store.log import EventLog, utc_now
from foundation.store.parallel import run_parallel
from foundation.store.table import BadCursor

from .entries import Position, history_entries, organiser_events, votes_by_day

PAGE_ROWS = 50
TOKEN_SECONDS = 30 * SECONDS_PER_DAY


@for_readers(load=repository.find, rule=check_visible)
@require_safe
def history(request: HttpRequest, election: Election) -> HttpResponse:
    """For everyone who can see the election."""
    after = request.GET.get("after")
    place = _position(election, after) if after else Position(election.name)
    has_days = not after and election.stored_state != State.DRAFT
    (events, earlier), candidates, checkpoint, days = run_parallel(
        table(),
        lambda: organiser_events(place, PAGE_ROWS),
        lambda: repository.candidates_by_question(election),
        EventLog(table()).newest_public,
        lambda: votes_by_day(election, utc_now()) if has_days else [],
    )
    is_covered = bool(events and checkpoint and events[0]["event_id"] <= checkpoint["event_id"])
    names = {number: [each.name for each in own] for number, own in candidates.items()}
    context = {
        "entries": history_entries(events, election, names),
        "checkpoint": checkpoint if is_covered else None,
        "days": days,
        "begins": not after,
        "sees_log": request.user.is_authenticated and request.user.can(Permission.VIEW_SECRETS),
        "older": _older(election, earlier) if earlier else "",
    }
    return render(request, "elections/history.html", election_context(request, election, **context))


def _older(election: Election, place: Position) -> str:
    """Signed: under another's name, a place would show the history of another election."""
    token = create_token("history", election.name, place.name, str(place.before))
    return f"{reverse('history', args=[election.name])}?{urlencode({'after': token})}"


def _position(election: Election, token: str) -> Position:
    parts = read_token("history", token, TOKEN_SECONDS)
    if parts is None or parts[0] != election.name:
        raise BadCursor("This is no place in the history of this election.")
    return Position(parts[1], int(parts[2]))
